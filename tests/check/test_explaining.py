"""`check --explain`, and the page that is made from the same table."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.graph.findings import SEVERITIES

if TYPE_CHECKING:
    from typer.testing import Result

ROOT = Path(__file__).parents[2]


def explain(*options: str) -> Result:
    return CliRunner().invoke(app, ["check", "--explain", *options])


@pytest.mark.parametrize("code", ["edge-cycle", "unreadable", " Edge-Cycle "])
def test_a_code_is_explained_without_a_vault(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = explain(code)
    assert result.exit_code == 0
    name = code.strip().lower()
    assert result.stdout.startswith(f"## {name}\n\n{SEVERITIES[name].capitalize()}: ")
    assert "\n**Why it matters.** " in result.stdout
    assert "\n**What to do.** " in result.stdout


def test_for_programs() -> None:
    found = json.loads(explain("orphan-note", "--format", "json").stdout)
    assert (found["code"], found["severity"]) == ("orphan-note", "info")
    assert set(found) == {"code", "severity", "title", "means", "why", "do", "options", "example", "near"}
    assert "note.md" in found["example"]


def test_no_such_code() -> None:
    result = explain("orphn-note")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "kantenwerk: --explain orphn-note: no such code; did you mean `orphan-note`?\n"


def test_the_page_is_made_from_the_same_table() -> None:
    made = runpy.run_path(str(ROOT / "scripts/make_findings_page.py"))
    text = (ROOT / "docs/findings.md").read_text("utf-8")
    assert text == made["page"](), "run scripts/make_findings_page.py"
    for code in SEVERITIES:
        assert f"\n## {code}\n" in text


def test_a_check_does_not_read_the_table(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[[nowhere]]\n", "utf-8")
    program = (
        "import sys; from typer.testing import CliRunner; from kantenwerk.cli.app import app; "
        f"print(CliRunner().invoke(app, ['check', '--vault', {str(tmp_path)!r}]).output); "
        "print('kantenwerk.ingest.check.run' in sys.modules, 'kantenwerk.graph.codes' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "unresolved-target" in run.stdout
    assert run.stdout.endswith("\nTrue False\n")

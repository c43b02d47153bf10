"""Names that lead out of the vault, or that no file may have, are names and no more: nothing is looked up by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from tests.check.vaults import build
from tests.engine import reading

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    *(
        "../outside",
        "../../../../etc/passwd",
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "C:\\Windows\\win.ini",
        "C:/Windows/win.ini",
    ),
    *(
        "\\\\server\\share\\note",
        "//./pipe/x",
        "CON",
        "nul.txt.md",
        "a" * 300,
        "ü" * 150,
        "x" * 5_000,
        "a/" * 300 + "b",
    ),
    *("a\x01b", "a\x1b[31mb", "a\x7fb", "a\u2028b", "\u202eb", "'); DROP TABLE notes;--", '"; DELETE FROM edges; --'),
    *("%s%n{0}{x}$x`id`$(id)", "-rf", "*", "?", "..", "...", "\ufeffa b"),
)


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:24]))
def test_a_name_is_a_mention_and_leads_nowhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside.md").write_text("---\nid: outside\n---\nSecret.\n")
    vault = tmp_path / "vault"
    build(vault, {"A.md": f"[[{name}]]\n\n## Edge Pool\n- uses:{name}\n", "B.md": f"![[{name}]]\n"})
    options = ("--vault", str(vault), "--set", "resolution.level=stem")
    for command in (
        ["import", "--apply"],
        ["import", "--verify"],
        ["check"],
        ["check", "--fix"],
        ["clarify", "--list"],
    ):
        result = CliRunner().invoke(app, [*command, *options])
        assert result.exit_code in {0, 1}, result.output
        assert "Secret" not in result.output
    with reading(vault / ".kantenwerk" / "graph.duckdb") as graph:
        assert graph.execute("SELECT id FROM notes ORDER BY ALL").fetchall() == [("A",), ("B",)]
        targets = graph.execute("SELECT DISTINCT target FROM links WHERE target IS NOT NULL").fetchall()
    assert all(target.startswith("mention:") for (target,) in targets)


@pytest.mark.parametrize(
    "stem", ["li\nne", "ta\tb", "x\x1b[31m", "'); DROP TABLE notes;--", "-rf", "a" * 252, "ü\u202e", "\\"]
)
def test_a_file_of_any_name_is_a_note(tmp_path: Path, stem: str) -> None:
    build(tmp_path, {f"{stem}.md": "[[A]]\n", "A.md": "x\n"})
    result = CliRunner().invoke(app, ["import", "--vault", str(tmp_path), "--apply"])
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    with reading(tmp_path / ".kantenwerk" / "graph.duckdb") as graph:
        edges = graph.execute("SELECT source, target FROM edges WHERE NOT mirror").fetchall()
    assert edges == [(stem, "A")]

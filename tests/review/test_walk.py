"""How a person at a terminal walks through the candidates."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest.validate.prompt import claim_key
from tests.typing_person import END, typed
from tests.validation.desk import EXACT, Desk, note, read_lines

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pty", reason="pseudo-terminals are there on POSIX systems only")
PROMPT = "q quit: "
B = claim_key("A", "depends_on", "B")
C = claim_key("A", "uses", "C")


def walked(desk: Desk, *keys: str, code: int = 0, options: tuple[str, ...] = (), **variables: str) -> str:
    """What a terminal shows while a person types `keys`, one answer after each prompt."""
    text = typed(
        "review",
        "--vault",
        str(desk.root),
        *options,
        keys=keys,
        prompt=PROMPT,
        code=code,
        environment={**variables, **EXACT},
    )
    if variables.get("TERM", "dumb") == "dumb":
        assert "\x1b" not in text
    return text


def answers(desk: Desk) -> dict[str, str]:
    return {line["key"]: line["answer"] for line in read_lines(desk.verdicts_file)}


def editor(folder: Path, name: str, script: str) -> str:
    """An editor that does what a line of shell says; `$@` is what it is called with."""
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return shlex.quote(str(program))


def test_what_is_shown_one_below_the_other(desk: Desk) -> None:
    desk.write("A.md", note("A", "A \x1b[31mbraucht B.", ["depends_on:B", "uses:C"]))
    lines = walked(desk, "q", COLUMNS="80").splitlines()
    assert lines[:2] == ["Candidate 1 of 2", "A depends_on B  [pending]"]
    assert lines[2].startswith("  depends_on: ")
    assert lines[3].startswith("  A depends_on B: ")
    assert lines[4:] == [
        "  The note",
        "  | A.md:9",
        "  | depends_on:B",
        "  |",
        "  | A > Grund",
        "  | A [31mbraucht B.",
        "  The target",
        "  | B.md",
        "  |",
        "  | B (Bee)",
        "  | Sends mail.",
        "  no verdict yet: nobody was asked",
        "y yes, n no, s skip, o open the note, q quit: q",
        "",
        "Nothing was written.",
    ]
    assert not desk.verdicts_file.exists()


def test_what_is_shown_side_by_side(desk: Desk) -> None:
    lines = walked(desk, "q", COLUMNS="120").splitlines()
    (header,) = [line for line in lines if "The note" in line]
    assert "The target" in header
    # Brackets in a note are no markup.
    (row,) = [line for line in lines if "[b]C[/b]" in line]
    assert row.startswith("│ A braucht B und [b]C[/b]. ")
    assert any("A > Grund" in line and "Sends mail." in line for line in lines)
    assert max(map(len, lines)) <= 120
    assert "\x1b[" in walked(desk, "q", COLUMNS="120", TERM="xterm-256color")
    assert "\x1b" not in walked(desk, "q", COLUMNS="120", TERM="xterm-256color", NO_COLOR="1")


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("y", "n"), {B: "YES", C: "NO"}),
        (("s", " Y "), {C: "YES"}),
        (("x", "", "yes", "n", "s"), {B: "NO"}),
        # Every answer is written at once, whatever comes then.
        (("y", "q"), {B: "YES"}),
        (("n", END), {B: "NO"}),
    ],
)
def test_what_is_answered(desk: Desk, keys: tuple[str, ...], wanted: dict[str, str]) -> None:
    text = walked(desk, *keys)
    assert answers(desk) == wanted
    assert text.splitlines()[-1].endswith("`kantenwerk import --apply` brings that into the graph.")


def test_that_nothing_is_asked_twice(desk: Desk) -> None:
    text = walked(desk, "y", "n")
    assert "→ `A depends_on B`: right\n" in text
    assert walked(desk) == "No candidate is pending or unproven.\n"


def test_that_a_claim_made_twice_is_answered_once(desk: Desk) -> None:
    twice = note("A", "A braucht B.", ["depends_on:B"])
    desk.write("A.md", twice + "\n" + twice.replace("braucht", "nutzt"))
    assert "Candidate 1 of 2\n" in walked(desk, "y")
    assert answers(desk) == {B: "YES"}


def test_that_what_was_said_is_looked_at_again(desk: Desk) -> None:
    walked(desk, "y", "y")
    desk.write("A.md", note("A", "A braucht nichts.", ["depends_on:B", "uses:C"]))
    text = walked(desk, "n", "s", options=("--state", "stale"))
    assert "A depends_on B  [verified, stale]\n" in text
    assert "  a person said YES on " in text
    assert answers(desk) == {B: "NO", C: "YES"}


def test_that_the_note_is_opened_at_its_line(desk: Desk, tmp_path: Path) -> None:
    log = tmp_path / "opened"
    script = f"printf '%s|' \"$@\" > {shlex.quote(str(log))}"
    walked(desk, "o", "q", EDITOR=editor(tmp_path, "vim", script) + " -n")
    assert log.read_text() == f"-n|+9|{desk.root}/A.md|"
    # VISUAL goes before EDITOR, and not every editor knows lines.
    walked(desk, "o", "q", EDITOR="false", VISUAL=editor(tmp_path, "other", script))
    assert log.read_text() == f"{desk.root}/A.md|"


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("", "No editor is named: set VISUAL or EDITOR, such as EDITOR=vim\n"),
        ("no-such-editor -x", "`no-such-editor -x` cannot be started: No such file or directory\n"),
        ("vim '", "`vim '` is no command (No closing quotation): name your editor in VISUAL or EDITOR\n"),
        ("false", "; the editor ended with 1\n"),
    ],
)
def test_an_editor_that_does_not_work(desk: Desk, named: str, told: str) -> None:
    assert told in walked(desk, "o", "y", "q", EDITOR=named)
    assert answers(desk) == {B: "YES"}


def test_that_a_note_that_was_edited_is_shown_again(desk: Desk, tmp_path: Path) -> None:
    mend = editor(tmp_path, "mend", 'sed -i.bak "s/braucht/nutzt/" "$1"')
    text = walked(desk, "o", "y", "y", EDITOR=mend)
    assert text.count("The note has changed since it was read.\n") == 1
    assert "| A nutzt B und" in text
    assert {line["evidence_hash"] for line in read_lines(desk.verdicts_file)} == {
        one["evidence_hash"] for one in desk.json("--list", "--state", "verified", command="review")
    }
    assert desk.json("--list", "--state", "stale", command="review") == []


def test_that_a_candidate_may_be_edited_away(desk: Desk, tmp_path: Path) -> None:
    mend = editor(tmp_path, "mend", 'sed -i.bak "/depends_on/d" "$1"')
    text = walked(desk, "o", "y", EDITOR=mend)
    assert "A depends_on B: the note does not say that any more.\n" in text
    assert answers(desk) == {C: "YES"}

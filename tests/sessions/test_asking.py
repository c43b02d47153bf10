"""How a person at a terminal is asked which notes names mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kantenwerk.graph.resolutions import read_resolutions
from tests.typing_person import END, typed

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pty", reason="pseudo-terminals are there on POSIX systems only")
PROMPT = ": "


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    for path, text in (
        ("people/Julia Nürnberg.md", "colleague\n"),
        ("people/Julia Augsburg.md", "sister\n"),
        ("people/Kim.md", "x\n"),
        ("old/Kim.md", "x\n"),
        ("Monday.md", "Met [[Julia]]\x1b[31m and [[Kim]].\n"),
        ("Tuesday.md", "[[Julia]]\n"),
    ):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, "utf-8")
    return vault


def asked(vault: Path, *keys: str, code: int = 0) -> str:
    """What a terminal shows while a person types `keys`, one answer after each prompt."""
    text = typed("clarify", "--vault", str(vault), keys=keys, prompt=PROMPT, code=code, environment={})
    assert "\x1b" not in text
    return text


def recorded(vault: Path) -> set[tuple[str, str | None, str]]:
    return {(said.a, said.b, said.state) for said in read_resolutions(vault).recorded.values()}


def test_what_is_shown(vault: Path) -> None:
    text = asked(vault, "q")
    assert text.startswith(
        "Question 1 of 2\n"
        "Julia: people/Julia Augsburg — sister — or people/Julia Nürnberg — colleague?\n"
        "  Monday.md:1: Met [[Julia]]\\x1b[31m and [[Kim]].\n"
        "  Tuesday.md:1: [[Julia]]\n"
        "  1  people/Julia Augsburg — sister  [stem 0.66: same: Julia; only one has Augsburg]\n"
        "  2  people/Julia Nürnberg — colleague  [stem 0.66: same: Julia; only one has Nürnberg]\n"
        "1-2, n none of these, w always new, h here only, s skip, q quit: q\n"
    )
    assert text.endswith("Nothing was written.\n")
    assert not (vault / ".kantenwerk").exists()


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("2", "s"), {("mention:julia", "people/Julia Nürnberg", "accepted")}),
        (("S", " 1 "), {("mention:kim", "old/Kim", "accepted")}),
        (("3", "x", "", "w", "s"), {("mention:julia", None, "new")}),
        (
            ("s", "n"),
            {("mention:kim", "old/Kim", "rejected"), ("mention:kim", "people/Kim", "rejected")},
        ),
        # Here only: in which note, if there are several, and which one; then the others are asked about.
        (
            ("h", "3", "2", "9", "1", "2", "s"),
            {
                ("mention:julia#tuesday", "people/Julia Augsburg", "accepted"),
                ("mention:julia", "people/Julia Nürnberg", "accepted"),
            },
        ),
        (("s", "h", "w"), {("mention:kim#monday", None, "new")}),
        (
            ("h", "1", "1", "h", "2", "q"),
            {
                ("mention:julia#monday", "people/Julia Augsburg", "accepted"),
                ("mention:julia#tuesday", "people/Julia Nürnberg", "accepted"),
            },
        ),
        # Every answer is written at once, whatever comes then.
        (("2", "q"), {("mention:julia", "people/Julia Nürnberg", "accepted")}),
        (("2", END), {("mention:julia", "people/Julia Nürnberg", "accepted")}),
    ],
)
def test_what_is_answered(vault: Path, keys: tuple[str, ...], wanted: set[tuple[str, str | None, str]]) -> None:
    text = asked(vault, *keys)
    assert recorded(vault) == wanted
    assert text.splitlines()[-1].endswith("`kantenwerk import --apply` brings that into the graph.")


def test_that_no_question_is_asked_twice(vault: Path) -> None:
    asked(vault, "1", "2")
    assert asked(vault) == "No questions: no name may mean several notes.\n"

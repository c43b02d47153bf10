"""What a terminal shows of a finding's line: as much as fits, and carets below the piece that is meant."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kantenwerk.cli.formats.excerpt import excerpt
from tests.sessions.test_terminal import shown

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pty", reason="pseudo-terminals are there on POSIX systems only")
LONG = "Much was said before about " + "[[Nobody]]" + " and more was said behind"


@pytest.mark.parametrize(
    ("source", "piece", "width", "text", "carets"),
    [
        ("see [[Nobody]].", "Nobody", 40, "see [[Nobody]].", "      ^^^^^^"),
        ("\tsee [[Nobody]]", "Nobody", 40, "    see [[Nobody]]", "          ^^^^^^"),
        ("三星 [[三]]", "三", 40, "三星 [[三]]", "^^"),
        ("三星 [[北]]", "北", 40, "三星 [[北]]", "       ^^"),
        ("e\u0301a\u0308 [[N]]", "N", 40, "e\u0301a\u0308 [[N]]", "     ^"),
        ("a\x1b[31m [[N]]", "N", 40, "a\\x1b[31m [[N]]", "            ^"),
        ("a\u202e [[N\u200f]]", "N\u200f", 40, "a\\u202e [[N\\u200f]]", "          ^^^^^^^"),
        (LONG, "Nobody", 20, "…out [[Nobody]] and…", "       ^^^^^^"),
        (LONG, "Much", 20, "Much was said befo…", "^^^^"),
        (LONG, "behind", 20, "…re was said behind", "             ^^^^^^"),
        # What is longer than all that fits begins where it begins.
        (LONG, "[[Nobody]] and more was said", 20, "…[[Nobody]] and mor…", " ^^^^^^^^^^^^^^^^^^"),
        (LONG, LONG, 12, "Much was s…", "^^^^^^^^^^"),
        ("", "", 12, "", "^"),
    ],
)
def test_what_is_shown(source: str, piece: str, width: int, text: str, carets: str) -> None:
    column = source.index(piece) + 1
    assert excerpt(source, column, column + len(piece), width) == (text, carets)


CHARACTERS = st.text(st.sampled_from("ab \t三é\u0301\x1b\u200f👩‍👧[]"), max_size=60)


@given(CHARACTERS, st.text(st.sampled_from("xyz北\u0301"), min_size=1, max_size=40), CHARACTERS, st.integers(10, 60))
def test_that_it_fits_and_that_carets_stand_below(before: str, piece: str, behind: str, width: int) -> None:
    column = len(before) + 1
    text, carets = excerpt(before + piece + behind, column, column + len(piece), width)
    starts = list(accumulate(map(cell_len, text), initial=0))
    assert starts[-1] <= width
    assert "\x1b" not in text
    blanks = len(carets) - len(carets.lstrip())
    wide = [(character, start) for character, start in zip(text, starts, strict=False) if cell_len(character)]
    marked = "".join(character for character, start in wide if blanks <= start < len(carets))
    meant = piece.replace("\u0301", "")
    # What is too long to be shown is marked as far as it is there.
    assert marked == meant or (meant.startswith(marked) and cell_len(meant) > width - 2) or not meant


def test_that_a_book_in_one_line_costs_nothing() -> None:
    book = "word " * 200_000
    assert excerpt(f"{book}[[Nobody]] {book}", len(book) + 3, len(book) + 9, 40)[1].strip() == "^^^^^^"


def test_what_a_terminal_is_sent(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"# A\n\n{LONG}\n\n三星 [[Zeno\x1b[31m]]\n", "utf-8")
    (tmp_path / "b.md").write_text("", "utf-8")
    sent = (
        shown(["check", "--vault", str(tmp_path), "--ignore", "orphan-note"], COLUMNS="40", NO_COLOR="1")
        .decode()
        .replace("\r\n", "\n")
    )
    assert sent == (
        "a.md\n"
        "  3:30: warning unresolved-target: no note is called `Nobody`\n"
        "     | …fore about [[Nobody]] and more …\n"
        "     |               ^^^^^^\n"
        "     → write that note, or correct the name\n"
        "  5:6: warning unresolved-target: no note is called `Zeno\\x1b[31m`\n"
        "     | 三星 [[Zeno\\x1b[31m]]\n"
        "     |        ^^^^^^^^^^^^\n"
        "     → write that note, or correct the name\n"
        "\n"
        "b.md\n"
        "  1:1: info note-empty: the note is empty\n"
        "     → write something, or delete it\n"
        "\n"
        "2 notes: 0 errors, 2 warnings, 1 info (2 ignored)\n"
    )


def test_that_a_terminal_too_narrow_for_it_gets_no_excerpt(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[[Nobody]]\n", "utf-8")
    assert b" | " not in shown(["check", "--vault", str(tmp_path)], COLUMNS="18", NO_COLOR="1")

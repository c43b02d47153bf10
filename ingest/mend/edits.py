"""Edits of a note's bytes: what they change is named to the byte, and all else stays as it is."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_END = b"\r\n"
MOST_TRIALS = 100
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Edit:
    """Puts `new` in place of the bytes from `start` to `end`; `line` is where that begins, `why` says what it does."""

    start: int
    end: int
    new: bytes
    line: int
    code: str
    why: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that could be changed in a note and is not, with the reason."""

    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Mended:
    """A note with its bytes before and after some edits."""

    path: str
    before: bytes
    after: bytes
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: where its bytes begin and end, its end of line included, and its text without that."""

    start: int
    end: int
    text: str

    def at(self, column: int) -> int:
        """Return where the character in a column begins among the file's bytes."""
        return self.start + len(self.text[:column].encode())


def read_lines(data: bytes) -> tuple[Line, ...]:
    """Return the lines of a UTF-8 file as its parser counts them; the empty line behind a last line end is none."""
    begin = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    return tuple(
        Line(match.start(), match.end(), match.group().rstrip(_END).decode()) for match in _LINE.finditer(data, begin)
    )


def line_end(data: bytes, line: Line) -> bytes:
    """Return the bytes that end a line: none for a last line without an end."""
    written = data[line.start : line.end]
    return written[len(written.rstrip(_END)) :]


def line_ends(data: bytes) -> int:
    """Return how many line ends there are; a CR and an LF that meet are one."""
    return len(_LINE_END.findall(data))


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a file's bytes after edits, no two of which touch the same bytes."""
    pieces: list[bytes] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < position:
            raise ValueError(f"two edits of the same bytes at {edit.start}")
        pieces += (data[position : edit.start], edit.new)
        position = edit.end
    return b"".join((*pieces, data[position:]))


def as_of_before(later: Iterable[Edit], earlier: Iterable[Edit]) -> Iterator[Edit]:
    """Yield edits of a file that `earlier` ones were made in as edits of the file before these."""
    done = sorted(earlier, key=lambda edit: edit.start)
    for edit in later:
        shift = 0
        for other in done:
            if other.start + shift + len(other.new) > edit.start:
                break
            shift += len(other.new) - (other.end - other.start)
        yield replace(edit, start=edit.start - shift, end=edit.end - shift)


def most(changes: Sequence[T], is_right: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Return as many of some changes as are right together; where all are, that is found at once.

    After many trials what is left counts as wrong: each one reads the whole note again.
    """
    trials = count(1)

    def take(taken: tuple[T, ...], more: tuple[T, ...]) -> tuple[T, ...]:
        if not more or next(trials) > MOST_TRIALS:
            return taken
        if is_right((*taken, *more)):
            return (*taken, *more)
        if len(more) == 1:
            return taken
        half = len(more) // 2
        return take(take(taken, more[:half]), more[half:])

    return take((), tuple(changes))

"""A source line with carets below what is meant, as a terminal of some width can show it."""

from __future__ import annotations

from rich.cells import cell_len

from kantenwerk.cli.terminal import safe

_TAB = "    "
_CUT = "…"


def excerpt(source: str, column: int, end_column: int, width: int) -> tuple[str, str]:
    """Return as much of a line as fits into `width` cells around its columns, and the carets for the line below it."""
    start, end = column - 1, max(end_column - 1, column)
    # What is farther away can never be seen, and a line may be a whole book.
    offset = max(0, start - width)
    shown = [_TAB if character == "\t" else safe(character) for character in source[offset : start + 2 * width]]
    # One by one, as most terminals do it, which do not join emoji.
    cells = list(map(cell_len, shown))
    start, end = start - offset, min(end - offset, len(shown))
    first, last = 0, len(shown)
    if offset or offset + last < len(source) or sum(cells) > width:
        first, last = _window(cells, start, end, width - 2 * len(_CUT))
    before = _CUT if offset + first else ""
    behind = _CUT if offset + last < len(source) else ""
    blanks, marked = len(before) + sum(cells[first:start]), sum(cells[start : min(end, last)])
    return before + "".join(shown[first:last]) + behind, " " * blanks + "^" * max(marked, 1)


def _window(cells: list[int], start: int, end: int, room: int) -> tuple[int, int]:
    """Return the longest part that fits and holds the subject, or its beginning, with as much before as behind it."""
    first = last = start
    grows = True
    while grows:
        grows = False
        if last < len(cells) and cells[last] <= room:
            room -= cells[last]
            last += 1
            grows = True
        if last >= end and first > 0 and cells[first - 1] <= room:
            first -= 1
            room -= cells[first]
            grows = True
    return first, last

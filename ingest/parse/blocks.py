"""Splits a note's body into its leaf blocks, with comments and display math that span blocks masked.

What is a block depends on what is hidden, and the other way round. So the body is cut from top to bottom: an opener
that its own block does not close is masked up to its end, and cutting goes on from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from kantenwerk.ingest.parse.inline import MASK, Unclosed, openers
from kantenwerk.ingest.parse.leaf import Leaf
from kantenwerk.ingest.parse.simple import end_of_region, simple_leaves

_QUOTE_PREFIX = re.compile(r"[ \t>]*")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_FENCE_END = re.compile(r"[\s>]*(`{3,}|~{3,})\s*")


@dataclass(frozen=True, slots=True)
class Body:
    """A body's lines with what spans blocks masked, its leaves, and openers (line, marker) that never end."""

    lines: tuple[str, ...]
    leaves: tuple[Leaf, ...]
    unclosed: tuple[tuple[int, str], ...]


def split_blocks(lines: tuple[str, ...]) -> Body:
    """Return the leaf blocks of a body."""
    cutter = _Cutter(list(lines))
    cutter.run()
    return Body(tuple(cutter.lines), tuple(cutter.leaves), tuple(sorted(cutter.unclosed)))


def is_lazy(leaf: Leaf, index: int, lines: tuple[str, ...]) -> bool:
    """Tell whether line `index` of a quoted leaf came without its `>` (a lazy continuation)."""
    if index == 0 or not leaf.quotes:
        return False
    prefix = _QUOTE_PREFIX.match(lines[leaf.first + index])
    return prefix is None or prefix.group().count(">") < len(leaf.quotes)


def is_closed(leaf: Leaf, lines: tuple[str, ...]) -> bool:
    """Tell whether a fence ends with a fence of its own: the same characters, at least as many."""
    opener, end = _FENCE.search(lines[leaf.first]), _FENCE_END.fullmatch(lines[leaf.end - 1])
    return leaf.end - leaf.first > 1 and bool(opener and end and end.group(1).startswith(opener.group(1)))


class _Cutter:
    """Cuts from line `first` on; before it, everything is decided."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.leaves: list[Leaf] = []
        self.unclosed: set[tuple[int, str]] = set()
        self._first = 0
        self._ids = count()

    def run(self) -> None:
        """Take the plain blocks as they come, and what is more than that region by region."""
        while self._first < len(self.lines):
            if self._take(simple_leaves(self.lines, self._first, self._ids)):
                self._skip_blank_lines()
                self._take_region()

    def _take(self, leaves: Iterable[Leaf]) -> bool:
        """Take leaves that stand outside every container; stop with False where something had to be masked."""
        for leaf in leaves:
            if self._masked(leaf):
                self._first = leaf.first
                return False
            self.leaves.append(leaf)
            self._first = leaf.end
        return True

    def _skip_blank_lines(self) -> None:
        while self._first < len(self.lines) and not self.lines[self._first].strip(" \t"):
            self._first += 1

    def _take_region(self) -> None:
        if self._first == len(self.lines):
            return
        first, span = self._first, 1
        while True:
            end = end_of_region(self.lines, first, first + span)
            # Imported here: most notes need no more than what is certain.
            from kantenwerk.ingest.parse.commonmark import commonmark_leaves

            leaves = list(commonmark_leaves(self.lines[first:end], first, self._ids))
            if end == len(self.lines) or not leaves or leaves[-1].kind != "fence":
                break
            # The fence at the end may still be open: look further, twice as far each time.
            span = 2 * (end - first)
        if not any(map(self._masked, leaves)):
            self.leaves.extend(leaves)
            self._first = end

    def _masked(self, leaf: Leaf) -> bool:
        """Mask what the first opener in a leaf hides that ends behind the leaf; tell whether there was one."""
        if leaf.kind not in {"text", "heading"}:
            return False
        for opener in openers(leaf.text):
            line = leaf.first + leaf.text.count("\n", 0, opener.start)
            if (line, opener.marker) not in self.unclosed:
                end = self._end_of(line, opener)
                if end is not None:
                    mask(self.lines, leaf, opener, end)
                    return True
                self.unclosed.add((line, opener.marker))
        return False

    def _end_of(self, first: int, opener: Unclosed) -> int | None:
        """Return the line behind `first` in which the opener's closer stands, or None."""
        if any(marker == opener.marker for _, marker in self.unclosed):
            # An earlier one found no closer, and this one stands behind it.
            return None
        lines = self.lines
        return next((number for number in range(first + 1, len(lines)) if opener.closer in lines[number]), None)


def mask(lines: list[str], leaf: Leaf, opener: Unclosed, last: int) -> None:
    """Mask from the opener in a leaf to its closer in line `last`; blank lines stay blank."""
    before = leaf.text[: opener.start]
    first = leaf.first + before.count("\n")
    # A leaf's line is the line on disk without the container's marks, and perhaps without blanks at its ends.
    written = leaf.lines[first - leaf.first]
    column = max(lines[first].find(written), 0) + len(before) - (before.rfind("\n") + 1)
    lines[first] = lines[first][:column] + MASK * (len(lines[first]) - column)
    for inner in range(first + 1, last):
        lines[inner] = MASK * len(lines[inner]) if lines[inner].strip() else lines[inner]
    end = lines[last].index(opener.closer) + len(opener.closer)
    lines[last] = MASK * end + lines[last][end:]

"""The leaf block, the unit in which a note's body is read."""

from __future__ import annotations

from typing import Literal, NamedTuple

LeafKind = Literal["text", "heading", "row", "code", "fence", "rule"]


class Leaf(NamedTuple):
    """A block that holds no blocks: its raw text without container markers; line numbers are 0-based in the body.

    `containers` are the ids of the quotes and list items around it, outermost first; `quotes` those of
    the quotes alone. `level` is a heading's.
    """

    kind: LeafKind
    first: int
    end: int
    text: str = ""
    containers: tuple[int, ...] = ()
    quotes: tuple[int, ...] = ()
    level: int = 0
    setext: bool = False

    @property
    def lines(self) -> list[str]:
        """The text's lines."""
        return self.text.split("\n")

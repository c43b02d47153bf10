"""The leaf block, the unit in which a note's body is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LeafKind = Literal["text", "heading", "row", "code", "fence", "rule"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A block that holds no blocks: its raw lines without container markers, lines 0-based in the body.

    `containers` are the ids of the quotes and list items around it, outermost first; `quotes` those of
    the quotes alone. `level` is a heading's.
    """

    kind: LeafKind
    first: int
    end: int
    lines: tuple[str, ...]
    containers: tuple[int, ...] = ()
    quotes: tuple[int, ...] = ()
    level: int = 0
    setext: bool = False

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

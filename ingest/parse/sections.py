"""Which heading a block stands under, and whether that makes it part of a zone (design, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from kantenwerk.config.model import Settings
from kantenwerk.config.names import name_key
from kantenwerk.ingest.parse.leaf import Leaf

Zone = Literal["candidates", "smart"]


@dataclass(slots=True)
class Heading:
    """A heading that is still open; `zone` is taken from it by a rule, `is_zone` stays."""

    level: int
    text: str
    line: int
    containers: tuple[int, ...]
    zone: Zone | None
    is_zone: bool


@dataclass(slots=True)
class Sections:
    """The open headings, outermost first; a heading inside a quote or list item holds only in there.

    `number` and `path` are those of the section that blocks stand in now, `zone` the innermost heading that makes
    them part of a zone.
    """

    settings: Settings
    number: int = 0
    path: tuple[str, ...] = ()
    zone: Heading | None = None
    _stack: list[Heading] = field(default_factory=list)

    def enter(self, leaf: Leaf) -> None:
        """Leave the headings whose container ends before `leaf`."""
        stack = self._stack
        while stack and leaf.containers[: len(stack[-1].containers)] != stack[-1].containers:
            stack.pop()
            self._find_zone()

    def open(self, leaf: Leaf, text: str) -> Heading:
        """Open a heading with this text; headings of the same or a deeper level end."""
        stack = self._stack
        while stack and stack[-1].containers == leaf.containers and stack[-1].level >= leaf.level:
            stack.pop()
        zone = self._zone_of(name_key(text))
        heading = Heading(leaf.level, text, leaf.first, leaf.containers, zone, zone is not None)
        stack.append(heading)
        self._find_zone()
        if not leaf.containers:
            self._begin_section()
        return heading

    def end_zones(self) -> None:
        """A rule: what follows is text of the heading around the zones."""
        if self.zone is not None:
            for heading in self._stack:
                heading.zone = None
            self.zone = None
            self._begin_section()

    def owner(self, zone: Heading) -> Heading | None:
        """Return the innermost heading around a zone that is no zone itself."""
        above = self._stack[: self._stack.index(zone)]
        return next((heading for heading in reversed(above) if not heading.is_zone), None)

    def _find_zone(self) -> None:
        self.zone = next((heading for heading in reversed(self._stack) if heading.zone is not None), None)

    def _begin_section(self) -> None:
        self.number += 1
        self.path = tuple(heading.text for heading in self._stack if not heading.is_zone and not heading.containers)

    def _zone_of(self, key: str) -> Zone | None:
        if key in _keys(self.settings.candidate_headings):
            return "candidates"
        return "smart" if key in _keys(self.settings.smart_edges_headings) else None


@lru_cache(maxsize=8)
def _keys(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(name_key, names))

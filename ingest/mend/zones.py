"""Where the zones of a note stand: their headings, and how far each reaches. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kantenwerk.config import Settings
from kantenwerk.ingest.mend.edits import Line
from kantenwerk.ingest.parse.blocks import split_blocks
from kantenwerk.ingest.parse.frontmatter import read_frontmatter
from kantenwerk.ingest.parse.plain import plain
from kantenwerk.ingest.parse.sections import Sections, Zone


@dataclass(frozen=True, slots=True)
class ZoneLines:
    """A zone's heading and lines, counted from 0: `first` is its heading's, `body` the one behind, `end` what follows.

    A zone ends at the next heading of its level or above, at a rule, or with the note; zones inside it are in it.
    """

    zone: Zone
    level: int
    first: int
    body: int
    end: int


def zones(path: str, lines: tuple[Line, ...], settings: Settings) -> tuple[ZoneLines, ...]:
    """Return the zones of a note, but for those in quotes and lists, in the order of their headings."""
    texts = tuple(line.text for line in lines)
    offset = read_frontmatter(path, texts).body_start
    leaves = [leaf for leaf in split_blocks(texts[offset:]).leaves if not leaf.containers]
    sections = Sections(settings)
    found = []
    for number, leaf in enumerate(leaves):
        # The last lines of a zone above a rule look like a heading.
        if leaf.kind != "heading" or (leaf.setext and sections.zone is not None):
            continue
        heading = sections.open(leaf, plain(leaf.text))
        if heading.zone is not None:
            ends = (
                other.first
                for other in leaves[number + 1 :]
                if other.kind == "rule" or (other.kind == "heading" and other.level <= leaf.level)
            )
            end = next(ends, len(texts) - offset)
            found.append(ZoneLines(heading.zone, leaf.level, leaf.first + offset, leaf.end + offset, end + offset))
    return tuple(found)

"""Moves proven candidates of one note out of their pools into its Smart Edges, and drops rejected ones. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile

from kantenwerk.graph.model import NOTE_ZONE, Link
from kantenwerk.ingest.mend.candidates import Taken, take
from kantenwerk.ingest.mend.edits import Edit, Line, Skipped, line_end, most, read_lines
from kantenwerk.ingest.mend.fixes import Fixes
from kantenwerk.ingest.mend.trial import Trial, codes, unplaced
from kantenwerk.ingest.mend.zones import ZoneLines, zones
from kantenwerk.ingest.parse.target import Typed, read_edge_line, strip_markers

PROMOTED = "promoted"
DROPPED = "dropped"
EMPTIED = "emptied-section"
_BULLET = re.compile(r"\s*(?:([-*+])|\d{1,9}[.)])\s")
_LOWEST_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Move:
    """A candidate that leaves its pool; `stated` is the line to state it with, None where that is said already."""

    taken: Taken
    stated: str | None
    code: str


@dataclass(frozen=True, slots=True)
class _Way:
    """How the lines may be put: without the headings of emptied pools, with a blank line before and behind."""

    drops_headings: bool = True
    blank_before: bool = False
    blank_behind: bool = False


# The plainest first; the others are for what would flow together with the lines around it.
_WAYS = tuple(
    _Way(drops, before, behind) for drops in (True, False) for before in (False, True) for behind in (False, True)
)


def promote(trial: Trial, proven: Iterable[Link], rejected: Iterable[Link]) -> Fixes:
    """Return the edits that move a note's proven candidates into its Smart Edges, and take out rejected ones."""
    page = _Page(trial)
    if not trial.config.settings.smart_edges_headings:
        why = "no heading opens a section for stated edges: set smart_edges_headings in .kantenwerk/settings.yaml"
        return Fixes(skipped=tuple(Skipped(trial.note.path, link.line, why) for link in proven))
    moves, skipped = page.moves(proven, rejected)
    right = most(moves, lambda chosen: page.edits(chosen) is not None)
    dropped = [
        Skipped(
            trial.note.path,
            move.taken.link.line,
            f"{move.taken.said} stays: without its line the note would not be read as before",
        )
        for move in moves
        if move not in right
    ]
    return Fixes(page.edits(right) or (), (*skipped, *dropped))


@dataclass(frozen=True)
class _Page:
    """One note with its lines and zones."""

    trial: Trial

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return read_lines(self.trial.data)

    @cached_property
    def zones(self) -> tuple[ZoneLines, ...]:
        return zones(self.trial.note.path, self.lines, self.trial.config.settings)

    def moves(self, proven: Iterable[Link], rejected: Iterable[Link]) -> tuple[list[Move], list[Skipped]]:
        """Return what can be moved; of two lines that make one claim, the second only goes."""
        moves, skipped, stated = [], [], set()
        for link, code in (*((link, PROMOTED) for link in proven), *((link, DROPPED) for link in rejected)):
            found = take(self.trial.note, link, self.lines)
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            claim = (link.kind, link.target)
            is_new = code == PROMOTED and claim not in stated
            stated.add(claim)
            moves.append(Move(found, found.line.text if is_new else None, code))
        return moves, skipped

    def edits(self, moves: tuple[Move, ...]) -> tuple[Edit, ...] | None:
        """Return the edits that make these moves and change nothing else; None where there are none."""
        if not moves:
            return ()
        for way in _WAYS:
            edits = tuple(self._edits(moves, way))
            if self._is_right(moves, edits):
                return edits
        return None

    def _is_right(self, moves: tuple[Move, ...], edits: tuple[Edit, ...]) -> bool:
        found = self.trial.difference(edits)
        gone = Counter(unplaced(move.taken.written) for move in moves)
        new = Counter(
            unplaced(move.taken.written)._replace(candidate=False, rule_id=NOTE_ZONE, scope="note")
            for move in moves
            if move.stated is not None
        )
        return (
            found is not None
            and found.is_harmless
            and (found.gone, found.new) == (gone, new)
            and codes(found.settled) <= {"unknown-kind"}
            and not found.told
        )

    def _edits(self, moves: tuple[Move, ...], way: _Way) -> Iterator[Edit]:
        gone = {move.taken.link.line - 1 for move in moves}
        for move in moves:
            where = "moves to Smart Edges" if move.code == PROMOTED else "goes: it was rejected"
            line = move.taken.line
            yield Edit(line.start, line.end, b"", move.taken.link.line, move.code, f"{move.taken.said} {where}")
        stated = [move.stated for move in moves if move.stated is not None]
        if way.drops_headings:
            emptied = self._emptied(gone)
            if emptied and (not stated or self._smart):
                emptied |= self._blank_at_the_end(gone | emptied)
            for first, last in _runs(emptied):
                span = self.lines[first].start, self.lines[last].end
                yield Edit(*span, b"", first + 1, EMPTIED, "nothing is left of this candidate section")
            gone |= emptied
        if stated:
            yield self._insertion(stated, gone, way)

    def _emptied(self, gone: set[int]) -> set[int]:
        """Return the lines of pools in which `gone` leaves nothing but blank lines, headings included."""
        emptied: set[int] = set()
        # From the innermost out, for a pool may be all that stood in another.
        for zone in reversed(self.zones):
            body = range(zone.body, zone.end)
            if zone.zone != "candidates" or gone.isdisjoint(body):
                continue
            if all(number in gone | emptied or self._is_blank(number) for number in body):
                emptied |= {number for number in range(zone.first, zone.end) if number not in gone}
        return emptied

    def _blank_at_the_end(self, gone: set[int]) -> set[int]:
        """Return the blank lines that parted a pool at the note's end from the text above it."""
        left = [number for number in range(len(self.lines)) if number not in gone]
        if not left or left[-1] == len(self.lines) - 1:
            return set()
        return set(takewhile(self._is_blank, reversed(left)))

    @cached_property
    def _smart(self) -> ZoneLines | None:
        """The note's last zone of stated edges."""
        return next((zone for zone in reversed(self.zones) if zone.zone == "smart"), None)

    def _insertion(self, stated: list[str], gone: set[int], way: _Way) -> Edit:
        smart = self._smart
        place = self._end_of(smart, gone) if smart else len(self.lines)
        left = [number for number in range(place) if number not in gone]
        above = self.lines[left[-1]].text if left else ""
        is_edge = isinstance(read_edge_line(above), Typed)
        mark = _bullet(above) if smart and is_edge else next(filter(None, map(_bullet, stated)), "")
        texts = [mark + strip_markers(text) for text in stated]
        if not smart:
            texts = [self._heading, "", *texts]
        is_next = smart and (is_edge or left[-1] < smart.body)
        if above.strip() and (way.blank_before or not is_next):
            texts.insert(0, "")
        if way.blank_behind:
            texts.append("")
        new = self._joined(texts, place, left)
        start = self.lines[place].start if place < len(self.lines) else len(self.trial.data)
        line = min(place + 1, len(self.lines))
        return Edit(start, start, new, line, PROMOTED, "the edges that the author states from now on")

    def _end_of(self, smart: ZoneLines, gone: set[int]) -> int:
        """Return the line behind the last one of a Smart Edges zone that says something; pools in it are none of it."""
        pools = (
            zone.first for zone in self.zones if zone.zone == "candidates" and smart.body <= zone.first < smart.end
        )
        body = range(smart.body, min((*pools, smart.end)))
        said = [number for number in body if number not in gone and not self._is_blank(number)]
        return said[-1] + 1 if said else smart.body

    def _joined(self, texts: list[str], place: int, left: list[int]) -> bytes:
        """Return lines with the ends that lines have there; a note whose last line has none keeps to that."""
        ends = [line_end(self.trial.data, line) for line in self.lines]
        end = next((ends[number] for number in reversed(range(place)) if ends[number]), b"\n")
        is_open = bool(ends) and not ends[-1] and place == len(ends)
        before = end if left and not ends[left[-1]] else b""
        return before + end.join(text.encode() for text in texts) + (b"" if is_open else end)

    @property
    def _heading(self) -> str:
        """The heading of a new zone, at a level that ends all pools."""
        level = min((_LOWEST_LEVEL, *(zone.level for zone in self.zones)))
        return f"{'#' * level} {self.trial.config.settings.smart_edges_headings[0]}"

    def _is_blank(self, number: int) -> bool:
        return not self.lines[number].text.strip()


def _bullet(text: str) -> str:
    """Return the list mark that a line begins with, a dash for a number, or nothing."""
    bullet = _BULLET.match(text)
    return f"{bullet.group(1) or '-'} " if bullet else ""


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of numbers that follow on one another."""
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda entry: entry[1] - entry[0]):
        found = [number for _, number in run]
        yield found[0], found[-1]

"""Steps 3 to 5 of resolution: which note a name means that no note carries exactly.

By the distinctive parts of names, then by the meaning of what distinguishes them, then a question. Pure: the names of
a vault and an embedder in, an answer with its reasons out. A false binding is worse than a question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from rapidfuzz import fuzz

from kantenwerk.config.errors import EmbedderError
from kantenwerk.config.model import Resolution as Settings
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.plan import Row
from kantenwerk.ingest.resolve.compare import Comparison, Weigh, compare, stem
from kantenwerk.ingest.resolve.difference import have_folders_changed, may_differ
from kantenwerk.ingest.resolve.embedder import cosine
from kantenwerk.ingest.resolve.guess import (
    Asked,
    Guess,
    Meaning,
    Meant,
    New,
    NoteName,
    Option,
    SearchFailed,
    Vectors,
    likeliest_first,
)
from kantenwerk.ingest.resolve.partial import PartialStock
from kantenwerk.ingest.resolve.parts import NameParts, split_name
from kantenwerk.ingest.resolve.staged import StagedStock
from kantenwerk.ingest.resolve.stock import Names, Stock, WholeStock

MOST_OPTIONS = 5
_PLAUSIBLE_DIFFERENCE = 3
_LEAST_IN_COMMON = 50  # in percent
_LONGEST_REASON = 500


class _Found(NamedTuple):
    note: NoteName
    parts: NameParts
    comparison: Comparison


class SimilarNames:
    """The names of a vault's notes, to be searched by names that none of them carries."""

    def __init__(self, stock: Stock, settings: Settings, vectors: Vectors | None = None) -> None:
        self.stock, self.settings, self.vectors = stock, settings, vectors

    @classmethod
    def of(cls, names: Iterable[NoteName], settings: Settings, vectors: Vectors | None = None) -> SimilarNames:
        """Take names that are all at hand."""
        return cls(WholeStock(names, settings.generic_weight), settings, vectors)

    @property
    def _weigh(self) -> Weigh:
        return self.stock.weights.of_token

    def may_differ(self, gone: Collection[NoteName]) -> Callable[[str], bool]:
        """Return what tells whether a name may mean another note than it did with names `gone` for those not stored.

        What it takes is written as for `resolve`; where it says no, the answer is surely the same.
        """
        stock = self.stock
        if not isinstance(stock, PartialStock):
            return lambda _: True
        differs, has_other_folders = may_differ(stock, gone), cache(partial(have_folders_changed, stock, gone))

        def told(written: str) -> bool:
            written = without_extension(written)
            # What stands before the last slash is a folder or part of the name.
            readings = dict.fromkeys((written, written.rpartition("/")[2]))
            return (len(readings) > 1 and has_other_folders()) or any(map(differs, map(split_name, readings)))

        return told

    @property
    def rows_of(self) -> Callable[[str], tuple[Row, ...]] | None:
        """What makes the rows of `name_parts` of a note, where they are at hand."""
        return self.stock.rows.rows_of if isinstance(self.stock, StagedStock) else None

    def expect(self, written: Iterable[str]) -> None:
        """Hear of names that are to be resolved, so that they are looked up together."""
        self.stock.expect(split_name(self._split_path(without_extension(name))[1]) for name in written)

    def resolve(self, written: str, *, meaning: Meaning, without: Collection[str] = ()) -> Guess:
        """Return which note a name means.

        Args:
            written: The name, which no note carries exactly.
            meaning: How far a likeness of meaning may go: not at all, to a question, or to binding.
            without: Ids of notes that are known not to be meant.
        """
        folder, name = self._split_path(without_extension(written))
        parts = split_name(name)
        found = self._like(parts, folder, without)
        by_stem = _ranked(_stem_option(entry) for entry in found if _is_worth_asking(entry, parts))
        if best := self._clearly_ahead([_stem_option(entry) for entry in found if self._is_sure(entry)], by_stem):
            return Meant(best)
        by_meaning: list[Option] = []
        if meaning != "unknown" and self.vectors is not None and self._is_left_to_meaning(found):
            try:
                likely = self._by_meaning(parts, self._kin(parts, folder, without), self.vectors)
            except EmbedderError as error:
                return SearchFailed(str(error))
            by_meaning = _ranked(option for option, _ in likely)
            sure = [option for option, is_sure in likely if is_sure and meaning == "binds"]
            if best := self._clearly_ahead(sure, [*by_meaning, *by_stem]):
                return Meant(best)
        # What the parts of the names say is known without a model, so that a check asks the same.
        asked = {option.node for option in by_stem}
        options = _ranked([*by_stem, *(option for option in by_meaning if option.node not in asked)])
        return Asked(tuple(options[:MOST_OPTIONS])) if options else New()

    def left_to_meaning(self, written: str, *, without: Collection[str] = ()) -> list[str]:
        """Return the paths of the notes that only a comparison of meanings can bring a name to, the shortest first.

        The name is one that its parts do not bind; no model is needed for this.
        """
        folder, name = self._split_path(without_extension(written))
        parts, weigh = split_name(name), self._weigh
        if not self._is_left_to_meaning(self._like(parts, folder, without)):
            return []
        kindred = self._kin(parts, folder, without)
        return [entry.note.path for entry in kindred if _stems(parts, entry.parts, entry.comparison, weigh)]

    def _is_left_to_meaning(self, found: list[_Found]) -> bool:
        is_capped = any(entry.comparison.is_open and entry.comparison.caps for entry in found)
        return self.settings.level == "semantic" and not is_capped

    def _split_path(self, written: str) -> tuple[str, str]:
        """Return the folder that is written before a name, and the name; `TCP/IP` has a folder only if there is one."""
        folder, _, name = written.rpartition("/")
        folder = folder.lstrip("./")
        is_folder = not folder or self.stock.has_folder(name_key(folder.rpartition("/")[2]))
        return (folder, name) if is_folder else ("", written)

    def _like(self, parts: NameParts, folder: str, without: Collection[str]) -> list[_Found]:
        names = self.stock.like(parts)
        return self._compared(parts, names, names.index.candidates(parts), folder, without)

    def _kin(self, parts: NameParts, folder: str, without: Collection[str]) -> list[_Found]:
        names = self.stock.kin_of(parts)
        return self._compared(parts, names, names.index.kindred(parts), folder, without)

    def _compared(
        self, parts: NameParts, names: Names, positions: Iterable[int], folder: str, without: Collection[str]
    ) -> list[_Found]:
        """Return the note's best name for each note that was compared."""
        best: dict[str, _Found] = {}
        for position in positions:
            note, other = names.at(position)
            if note.node in without:
                continue
            entry = _in_folder(_Found(note, other, compare(parts, other, self._weigh)), folder)
            if note.node not in best or _promise(entry) > _promise(best[note.node]):
                best[note.node] = entry
        return list(best.values())

    def _is_sure(self, entry: _Found) -> bool:
        return entry.comparison.can_bind and entry.comparison.score >= self.settings.threshold

    def _clearly_ahead(self, sure: list[Option], rivals: list[Option]) -> Option | None:
        """Return the best of the sure options, if no other note comes within the margin."""
        if not sure:
            return None
        best = _ranked(sure)[0]
        near = [rival for rival in rivals if (rival.score or 0) > (best.score or 0) - self.settings.margin]
        return best if all(rival.node == best.node for rival in near) else None

    def _by_meaning(self, parts: NameParts, found: list[_Found], vectors: Vectors) -> list[tuple[Option, bool]]:
        """Return what means nearly the same, and whether that may bind."""
        weigh, settings = self._weigh, self.settings
        options = []
        for entry in found:
            meaning = by_meaning(parts, entry.parts, entry.comparison, weigh, vectors, settings)
            if meaning is not None:
                likeness, is_sure = meaning
                options.append((self._meaning_option(entry, stem(parts, weigh), likeness, vectors.model), is_sure))
        return options

    def _meaning_option(self, entry: _Found, mine: str, likeness: float, model: str) -> Option:
        against = entry.comparison.apart or "; ".join(entry.comparison.aside) or "nothing against"
        reason = f"{mine} means nearly {stem(entry.parts, self._weigh)} ({likeness:.2f}); {against}"
        return Option(entry.note.node, entry.note.path, "semantic", likeness, _short(reason), model)


def by_meaning(
    one: NameParts,
    other: NameParts,
    comparison: Comparison,
    weigh: Weigh,
    vectors: Vectors,
    settings: Settings,
) -> tuple[float, bool] | None:
    """Return how near two names are in meaning (a cosine), and whether that may bind; None if it says nothing.

    Only what distinguishes the names is embedded, and only where they are plausible: neither stopped nor capped, and
    one stem the beginning of the other, or of one first letter and length; this last only asks.

    Raises:
        EmbedderError: a stem could not be embedded.
    """
    if (stems := _stems(one, other, comparison, weigh)) is None:
        return None
    mine, theirs = stems
    if mine == theirs:
        return 1.0, settings.semantic_binds
    found = vectors.of((mine, theirs))
    if lost := [text for text, vector in found.items() if vector is None]:
        raise EmbedderError(f"`{lost[0]}` could not be embedded")
    likeness = round(cosine(found[mine] or (), found[theirs] or ()), 2)
    if likeness < settings.semantic_threshold_of(vectors.model):
        return None
    return likeness, settings.semantic_binds and (mine.startswith(theirs) or theirs.startswith(mine))


def _stems(one: NameParts, other: NameParts, comparison: Comparison, weigh: Weigh) -> tuple[str, str] | None:
    """Return what is to be embedded of two names; None where no meaning could bring them together."""
    mine, theirs = stem(one, weigh), stem(other, weigh)
    is_held = bool(comparison.stop or comparison.caps)
    return (mine, theirs) if not is_held and mine and theirs and _is_plausible(mine, theirs) else None


def _in_folder(entry: _Found, folder: str) -> _Found:
    """Return an entry with what is held against it where its note lies in another folder than the name says."""
    place = "/" + name_key(entry.note.path).rpartition("/")[0]
    if not folder or place.endswith("/" + name_key(folder)):
        return entry
    caps = (*entry.comparison.caps, f"it is not in {folder}")
    return entry._replace(comparison=replace(entry.comparison, caps=caps))


def _is_worth_asking(entry: _Found, parts: NameParts) -> bool:
    """Tell whether names may be one thing; of two people of one given name only where one is `Julia aus …`."""
    if not entry.comparison.is_open:
        return False
    has_filler = any(token.kind == "filler" for token in (*parts.tokens, *entry.parts.tokens))
    return has_filler or not entry.comparison.shares_given_name_only


def _promise(entry: _Found) -> tuple[bool, bool, float]:
    """Return what makes one of a note's names say more about it than another: a stop on one of them is no stop."""
    comparison = entry.comparison
    return comparison.is_open, comparison.can_bind, comparison.score


def _stem_option(entry: _Found) -> Option:
    comparison = entry.comparison
    return Option(entry.note.node, entry.note.path, "stem", round(comparison.score, 2), _short(comparison.reason))


def _short(reason: str) -> str:
    """Return a reason that can be stored and read, whatever was pasted into a name."""
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"


def _ranked(options: Iterable[Option]) -> list[Option]:
    """Return one option a note, the likeliest first."""
    best: dict[str, Option] = {}
    for option in sorted(options, key=likeliest_first):
        best.setdefault(option.node, option)
    return list(best.values())


def _is_plausible(one: str, other: str) -> bool:
    """Tell whether two stems may mean the same (design, section 5, step 4): necessary, never sufficient."""
    if one.startswith(other) or other.startswith(one):
        return True
    is_plausible = one[0] == other[0] and abs(len(one) - len(other)) <= _PLAUSIBLE_DIFFERENCE
    # Cheap before dear: names that share hardly a letter are not worth loading a model for.
    return is_plausible and fuzz.ratio(one, other) >= _LEAST_IN_COMMON

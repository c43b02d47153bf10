"""What mentions mean: which note each is joined to, which are asked about, and how that differs from what is stored.

A mention's resolutions depend on its name, on who speaks of it, on the names of all notes and on what is recorded
beside them; where none of these changed, the stored rows stand and nothing is searched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from kantenwerk.config import Settings
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import (
    Finding,
    ParsedNote,
    Resolution,
    ResolutionState,
    is_mention,
    mention_id,
    mention_in,
    scope_of,
)
from kantenwerk.graph.name_parts import StoredNameParts
from kantenwerk.graph.plan import Row
from kantenwerk.graph.recorded import RecordedResolution
from kantenwerk.graph.resolutions import RESOLUTIONS, ResolutionFile
from kantenwerk.graph.rows import NoteNaming
from kantenwerk.ingest.resolve.catalogue import last_part, stem_path
from kantenwerk.ingest.resolve.exact import Ambiguous, Carrier
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

if TYPE_CHECKING:
    from kantenwerk.ingest.resolve.similar import SimilarNames

_EXACT = "it carries this very name, and it is not the only one"
_LAST = "of those that carry this very name, it is the only one that was not rejected"


@dataclass(frozen=True, slots=True)
class Use:
    """How links speak of a mention: the name (of several spellings the first in order), and whether one is explicit."""

    name: str
    is_explicit: bool


class Uses:
    """All uses of mentions: which mention, how, and in which notes."""

    def __init__(self) -> None:
        self._uses: dict[str, Use] = {}
        self.sources: dict[str, set[str]] = defaultdict(set)

    def add(self, mention: str, name: str, source: str, is_explicit: bool) -> None:  # noqa: FBT001 - a row
        """Take in that a link of the note `source` speaks of a mention."""
        name = without_extension(name)
        use = self._uses.get(mention)
        self._uses[mention] = (
            Use(min(name, use.name), is_explicit or use.is_explicit) if use else Use(name, is_explicit)
        )
        self.sources[mention].add(source)

    def get(self, mention: str) -> Use | None:
        """Return how a mention is used, None where no link speaks of it."""
        return self._uses.get(mention)

    def __iter__(self) -> Iterator[str]:
        """Yield the mentions in order."""
        return iter(sorted(self._uses))


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is recorded of mentions: what each is for good, and which notes it is not."""

    standing: Mapping[str, RecordedResolution] = field(default_factory=dict)
    rejected: Mapping[str, tuple[RecordedResolution, ...]] = field(default_factory=dict)
    others: tuple[RecordedResolution, ...] = ()

    @classmethod
    def of(cls, file: ResolutionFile) -> Recorded:
        """Return what a file records, by mention."""
        standing: dict[str, RecordedResolution] = {}
        rejected: dict[str, list[RecordedResolution]] = defaultdict(list)
        others: list[RecordedResolution] = []
        for said in file.recorded.values():
            if not is_mention(said.a):
                others.append(said)
            elif said.state == "rejected":
                rejected[said.a].append(said)
            else:
                standing[said.a] = said
        return cls(standing, {mention: tuple(found) for mention, found in rejected.items()}, tuple(others))

    def speaks_of(self, mention: str) -> bool:
        """Tell whether anything is recorded of a mention, for one note alone or everywhere."""
        everywhere = (scope_of(mention) or (mention, ""))[0]
        return any(said in kept for said in (mention, everywhere) for kept in (self.standing, self.rejected))

    def mention_of(self, key: str, source: str) -> str:
        """Return the mention that a name is in a note: one of its own where something is recorded for that note."""
        mention = mention_id(key)
        scoped = mention_in(mention, source)
        return scoped if scoped in self.standing or scoped in self.rejected else mention

    def rejected_of(self, mention: str) -> tuple[RecordedResolution, ...]:
        """Return what a mention is not: what was said of its note alone, and of the name everywhere."""
        scope = scope_of(mention)
        return (*self.rejected.get(mention, ()), *(self.rejected.get(scope[0], ()) if scope else ()))

    def standing_of(self, mention: str) -> RecordedResolution | None:
        """Return what a mention is: as said of its note alone, else of the name everywhere, unless rejected there."""
        scope, said = scope_of(mention), self.standing.get(mention)
        if said is not None or scope is None:
            return said
        everywhere = self.standing.get(scope[0])
        is_rejected = everywhere and any(said.b == everywhere.b for said in self.rejected.get(mention, ()))
        return None if is_rejected else everywhere

    def all(self) -> Iterable[RecordedResolution]:
        """Yield everything that is recorded."""
        yield from self.standing.values()
        for found in self.rejected.values():
            yield from found
        yield from self.others


@dataclass(slots=True)
class Resolved:
    """What became of all mentions.

    `rows` are the wanted resolutions by node, `guesses` those of mentions that links speak of; `found` are bindings
    by meaning to record, `failed` the mentions that could not be searched.
    """

    rows: dict[str, tuple[Resolution, ...]] = field(default_factory=dict)
    guesses: dict[str, Guess] = field(default_factory=dict)
    found: list[RecordedResolution] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Tell whether a search failed, and is to be made again."""
        return any(isinstance(guess, SearchFailed) for guess in self.guesses.values())

    @property
    def accepted(self) -> list[tuple[str, str]]:
        """The pairs of nodes that are one thing."""
        return [row.pair for rows in self.rows.values() for row in rows if row.state == "accepted"]


@dataclass(frozen=True)
class MentionResolver:
    """Resolves mentions by what is recorded, by titles that several notes have, and by searching for likenesses.

    `paths` gives those of all notes, by id; `search` None where names are found exactly or not at all.
    """

    recorded: Recorded
    paths: Callable[[], Mapping[str, str]]
    by_title: Callable[[str], Ambiguous | None]
    search: Callable[[], SimilarNames | None]
    _expected: list[str] = field(default_factory=list)

    def resolve(
        self, uses: Uses, stored: Mapping[str, tuple[Resolution, ...]], again: Callable[[str], bool]
    ) -> Resolved:
        """Return what all mentions mean; those that need not be looked at `again` stay as stored."""
        resolved = Resolved()
        used = {mention: use for mention in uses if (use := uses.get(mention))}
        looked_at = {mention: use for mention, use in used.items() if again(mention)}
        self._expected[:] = [use.name for use in looked_at.values()]
        for mention, use in used.items():
            if mention in looked_at:
                self.look_at(mention, use, resolved)
            else:
                resolved.rows[mention] = stored.get(mention, ())
                resolved.guesses[mention] = self.stored_guess(mention, stored.get(mention, ()))
        self._add_other_recorded(resolved)
        resolved.rows = {node: rows for node, rows in resolved.rows.items() if rows}
        return resolved

    def answer(self, key: str, source: str, bound: str | None = None) -> str | None:
        """Return the mention of a name in a note, if a person said what it is there and that still is.

        Or if a person said that it is not the note `bound`, which carries the name.
        """
        mention = self.recorded.mention_of(key, source)
        said = self.recorded.standing_of(mention)
        is_answered = said is not None and said.decided_by == "person"
        if said is not None and is_answered and (said.state == "new" or self._is_there(said.b)):
            return mention
        return mention if bound in self.rejected(mention) else None

    def rejected(self, mention: str) -> frozenset[str]:
        """Return the notes that a mention is not, as a person said."""
        return frozenset(str(said.b) for said in self.recorded.rejected_of(mention) if self._is_there(said.b))

    # --- one mention

    def guess(self, mention: str, use: Use) -> Guess:
        """Return what a mention means: what is recorded of it, else what titles, likeness or meaning say."""
        rejected = self.rejected(mention)
        guess = self._guess(use, self.recorded.standing_of(mention), rejected)
        return replace(guess, is_rejected=True) if isinstance(guess, New) and rejected else guess

    def look_at(self, mention: str, use: Use, resolved: Resolved) -> None:
        """Find out what a mention means, and take it into what is resolved."""
        apart = {said.b: said for said in self.recorded.rejected_of(mention) if self._is_there(said.b)}
        rows = [recorded_row(mention, said) for said in apart.values()]
        said = self.recorded.standing_of(mention)
        guess = self.guess(mention, use)
        match guess:
            case Meant(option):
                is_recorded = said is not None and (said.b, said.method) == (option.node, option.method)
                rows.append(recorded_row(mention, said) if is_recorded and said else _accepted(mention, option))
                if option.method == "semantic" and not is_recorded:
                    resolved.found.append(_to_record(mention, option))
            case Asked(options):
                rows += [_proposed(mention, option) for option in options]
            case _:
                pass
        resolved.rows[mention] = tuple(rows)
        resolved.guesses[mention] = guess

    def _guess(self, use: Use, said: RecordedResolution | None, rejected: frozenset[str]) -> Guess:
        if said is not None and said.state == "new":
            return New(is_decided=True)
        is_usable = said is not None and self._is_there(said.b) and said.b not in rejected
        if said is not None and is_usable and said.decided_by == "person":
            return Meant(self._recorded_option(said))
        if several := self.by_title(use.name):
            return _without(several, rejected)
        similar = self.search()
        if similar is None:
            return New()
        similar.expect(self._expected)
        self._expected.clear()
        if said is not None and is_usable and similar.settings.level == "semantic":
            # Recorded, so that no model is needed and a clone without one says the same; likeness still comes first.
            guess = similar.resolve(use.name, meaning="unknown", without=rejected)
            option = self._recorded_option(said)
            if isinstance(guess, Meant):
                return guess
            return Asked((option,)) if use.is_explicit else Meant(option)
        meaning: Meaning = "asks" if use.is_explicit else "binds"
        return similar.resolve(use.name, meaning=meaning, without=rejected)

    def _recorded_option(self, said: RecordedResolution) -> Option:
        node = said.b or ""
        is_decided = said.decided_by == "person"
        path = self.paths().get(node, node)
        return Option(node, path, said.method, said.score, said.reason, said.model, is_decided)

    def _is_there(self, node: str | None) -> bool:
        return node is not None and (is_mention(node) or node in self.paths())

    def stored_guess(self, mention: str, rows: Iterable[Resolution]) -> Guess:
        """Return the guess that stored rows came from."""
        said = self.recorded.standing_of(mention)
        if said is not None and said.state == "new":
            return New(is_decided=True, is_rejected=any(row.state == "rejected" for row in rows))
        by_state: dict[str, list[Option]] = defaultdict(list)
        for row in rows:
            path = self.paths().get(row.b, row.b)
            is_decided = row.decided_by == "person"
            option = Option(row.b, path, row.method, row.score, row.reason, row.model, is_decided)
            by_state[row.state].append(option)
        if accepted := by_state["accepted"]:
            return Meant(accepted[0])
        proposed = sorted(by_state["proposed"], key=likeliest_first)
        return Asked(tuple(proposed)) if proposed else New(is_rejected=bool(by_state["rejected"]))

    # --- what is recorded besides

    def _add_other_recorded(self, resolved: Resolved) -> None:
        """Persons' decisions stand for nodes that no link speaks of as well."""
        for said in self.recorded.all():
            node = said.a
            is_known = self._is_there(node) and self._is_there(said.b) and self._lost_source(node) is None
            if is_known and said.decided_by == "person" and node not in resolved.guesses:
                resolved.rows[node] = (*resolved.rows.get(node, ()), recorded_row(node, said))

    def orphans(self, file: ResolutionFile) -> list[Finding]:
        """Return a finding for every recorded decision whose note is gone, with the likely new one."""
        lost = [(said, node) for said in file.recorded.values() for node in self._lost_nodes(said)]
        same = {node: self._of_name(node) for _, node in lost}
        gone = [node for node in same if not same[node]]
        if gone and (similar := self.search()):
            similar.expect(gone)
        return [
            finding(
                "decision-orphaned",
                RESOLUTIONS,
                file.lines.get(said.pair, 1),
                f"the decision on `{said.a}` speaks of `{node}`, and there is no such note",
                self._advice(node, same[node]),
            )
            for said, node in lost
        ]

    def _lost_nodes(self, said: RecordedResolution) -> Iterator[str]:
        """Yield the notes that a decision speaks of and that are gone."""
        source = self._lost_source(said.a)
        for node in filter(None, (source, said.a, said.b)):
            if node == source or not self._is_there(node):
                yield node

    def _lost_source(self, node: str) -> str | None:
        """Return the key of the note that a decision is for alone, if there is no such note any more."""
        scope = scope_of(node) if is_mention(node) else None
        return None if scope is None or name_key(scope[1]) in self._source_keys else scope[1]

    @cached_property
    def _source_keys(self) -> frozenset[str]:
        return frozenset(map(name_key, self.paths()))

    def _of_name(self, node: str) -> list[str]:
        """Return the notes whose files are called as another was."""
        name = name_key(last_part(node))
        return [other for other, path in self.paths().items() if name_key(without_extension(last_part(path))) == name]

    def _advice(self, node: str, same: Collection[str]) -> str:
        if not same and (similar := self.search()):
            match similar.resolve(node, meaning="unknown"):
                case Meant(option) | Asked((option, *_)):
                    same = [option.node]
                case _:
                    pass
        return f"write `{min(same)}` there, if it is that" if same else "delete the line, or bring the note back"


def naming_of(node: str, note: ParsedNote) -> NoteNaming:
    """Return what a note is called."""
    return NoteNaming(node, note.path, note.title, note.aliases, note.declared_id, note.interface)


def similar_names(
    notes: Iterable[NoteNaming], settings: Settings, vectors: Vectors | None, stored: StoredNameParts | None = None
) -> SimilarNames | None:
    """Return the names of notes, and those stored, to be searched by likeness; None where only exact names count.

    The names of interfaces are left out: generic nouns, which no likeness binds.
    """
    if settings.resolution.level == "exact":
        return None
    # Loaded here, for an import without changes searches for no name.
    from kantenwerk.ingest.resolve.partial import PartialStock
    from kantenwerk.ingest.resolve.similar import SimilarNames

    names, resolution = _searched_names(notes, settings), settings.resolution
    if stored is None:
        return SimilarNames.of(names, resolution, vectors)
    return SimilarNames(PartialStock(stored, names, resolution.generic_weight), resolution, vectors)


def names_to_write(notes: Iterable[NoteNaming], settings: Settings, vectors: Vectors | None) -> SimilarNames | None:
    """Return the same of notes of which nothing is stored, in the order of their ids, for who expects many names."""
    if settings.resolution.level == "exact":
        return None
    from kantenwerk.ingest.resolve.similar import SimilarNames
    from kantenwerk.ingest.resolve.staged import StagedStock

    stock = StagedStock(_searched_names(notes, settings), settings.resolution.generic_weight)
    return SimilarNames(stock, settings.resolution, vectors)


def may_differ(
    gone: Collection[NoteNaming], fresh: Collection[NoteNaming], similar: SimilarNames | None, settings: Settings
) -> Callable[[Use], bool]:
    """Return what tells whether a mention may mean another note than when notes were called `gone` and not `fresh`.

    `similar` are the names as they are now. Where it says no, all that the answer rests on is as it was.
    """
    keys = {name_key(without_extension(name)) for note in (*gone, *fresh) for name in _all_names(note)}
    if similar is None:
        return lambda use: name_key(use.name) in keys
    touches = similar.may_differ(list(_searched_names(gone, settings)))
    return lambda use: name_key(use.name) in keys or touches(use.name)


def parts_rows(note: NoteNaming, settings: Settings) -> tuple[Row, ...]:
    """Return the rows of `name_parts` of a note: what a search for its names needs of them."""
    if settings.resolution.level == "exact":
        return ()
    from kantenwerk.ingest.resolve.stock import parts_row

    return tuple(map(parts_row, dict.fromkeys(_searched_names([note], settings))))


def _searched_names(notes: Iterable[NoteNaming], settings: Settings) -> Iterator[NoteName]:
    for note in notes:
        if not note.is_interface:
            for name in _all_names(note):
                if name_key(name) not in settings.interface_keys:
                    yield NoteName(note.node, note.path, name)


def _all_names(note: NoteNaming) -> Iterator[str]:
    yield from filter(None, (last_part(stem_path(note.path)), note.title, *note.aliases, note.declared_id))


def _without(several: Ambiguous, rejected: frozenset[str]) -> Guess:
    left = [note for note in several.options if note.node not in rejected]
    if len(left) == 1:
        return Meant(replace(exact_option(left[0]), reason=_LAST))
    return Asked(tuple(map(exact_option, left))) if left else New()


def exact_option(note: Carrier) -> Option:
    """Return a note as an option that carries the very name."""
    return Option(note.node, note.path, "exact", 1.0, _EXACT)


def _accepted(mention: str, option: Option) -> Resolution:
    decided_by = "model" if option.method == "semantic" else "rule"
    return Resolution(
        mention, option.node, option.method, option.score, "accepted", option.model, option.reason, decided_by
    )


def _proposed(mention: str, option: Option) -> Resolution:
    return Resolution(mention, option.node, option.method, option.score, "proposed", option.model, option.reason, None)


def recorded_row(node: str, said: RecordedResolution) -> Resolution:
    """Return the resolution that a recorded decision is."""
    state: ResolutionState = "rejected" if said.state == "rejected" else "accepted"
    reason = said.reason or ("said by a person" if said.decided_by == "person" else "recorded without a reason")
    return Resolution(node, said.b or "", said.method, said.score, state, said.model, reason, said.decided_by)


def _to_record(mention: str, option: Option) -> RecordedResolution:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return RecordedResolution(
        a=mention,
        b=option.node,
        state="accepted",
        method=option.method,
        decided_by="model",
        decided_at=now,
        score=option.score,
        model=option.model,
        reason=option.reason,
    )

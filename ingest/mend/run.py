"""Looks through a vault for what can be mended, and makes sure that its graph stays what it is. Writes nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.graph.findings import SPELLING
from kantenwerk.graph.model import Finding, Link, ParsedNote
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import Reading
from kantenwerk.ingest.check.scope import Flags, Scope
from kantenwerk.ingest.mend.edits import Edit, Mended, Skipped, apply_edits, as_of_before
from kantenwerk.ingest.mend.fixes import REDUNDANT, UNQUOTED, Fixes, may_be_spelled, mend, quote_links
from kantenwerk.ingest.mend.promote import promote
from kantenwerk.ingest.mend.trial import Trial
from kantenwerk.ingest.parse.decode import content_hash
from kantenwerk.ingest.pipeline import ImportResult, run_import
from kantenwerk.ingest.scan import NO_STAMP, Content, read_note
from kantenwerk.ingest.validate.verdicts import Claim

# What an edge is, as far as mending goes: its triple, and what must not change about it.
Edges = Mapping[tuple[str, str, str], tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Mending:
    """What can be mended in a vault: notes before and after, and what is left as it is and why."""

    notes: tuple[Mended, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(slots=True)
class Look:
    """A vault as an import sees it that asks nobody, with some notes as they would be."""

    vault: Path
    config: Config
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    result: ImportResult = field(init=False)
    _claims: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        """Import, without a database."""
        self.result = run_import(
            self.vault, self.config, lambda: nullcontext(Snapshot(None)), reading=Reading(note=self.read)
        )
        for claim in self.result.reached.claims:
            self._claims[claim.link.source].append(claim)

    def read(self, vault: Path, path: str) -> Content | Finding:
        """Return a note's bytes as they would be."""
        data = self.overlay.get(path)
        return read_note(vault, path) if data is None else Content(data, NO_STAMP)

    def nodes(self) -> Iterator[tuple[str, ParsedNote]]:
        """Yield all notes with their ids, in the order of paths."""
        yield from sorted(self.result.reached.notes.items(), key=lambda entry: entry[1].path)

    def links(self, node: str, state: str) -> list[Link]:
        """Return a note's candidates in one state."""
        return [link for link in self.result.wanted.links[node] if link.candidate and link.state == state]

    def trial(self, node: str) -> Trial | Skipped:
        """Return what changes of a note are tried on, or why it cannot be mended."""
        note = self.result.reached.notes[node]
        if any(found.code == "not-utf8" for found in note.findings):
            return Skipped(note.path, 1, "the file is not UTF-8, so nothing is written into it: save it as UTF-8 first")
        content = self.read(self.vault, note.path)
        if isinstance(content, Finding):
            return Skipped(note.path, 1, content.message)
        if content_hash(content.data) != note.content_hash:
            return Skipped(note.path, 1, "the file is changing: try again")
        return Trial(note, content.data, tuple(self._claims[node]), self.config)


def find_fixes(vault: Path, config: Config, flags: Flags) -> Mending:
    """Return what is safe and certain to mend in a vault, of those codes that count.

    Raises:
        VaultError: the vault holds no note.
        DecisionsError: the recorded verdicts or decisions cannot be read.
    """
    scope = Scope(config.settings.check, flags)
    work = _Work(Look(vault, config))
    unquoted = {found.path for found in work.look.result.findings if found.code == UNQUOTED}
    unquoted = {path for path in unquoted if scope.counts(UNQUOTED, path)}
    if unquoted:
        work.run(unquoted, lambda _node, trial: quote_links(trial))
        # What a property links to, now that it does, may make a candidate redundant.
        work.look = Look(vault, config, work.after)
    base = work.look
    typed = {note.path for _, note in base.nodes() if may_be_spelled(note)}

    def mended(node: str, trial: Trial) -> Fixes:
        path = trial.note.path
        redundant = base.links(node, "redundant") if scope.counts(REDUNDANT, path) else ()
        return mend(trial, redundant, spells=scope.counts(SPELLING, path))

    work.run({path for path in typed if any(scope.counts(code, path) for code in (REDUNDANT, SPELLING))}, mended)
    work.keep(base, _edges)
    return work.mending


def find_promotions(look: Look, paths: Collection[str] | None, *, drop_rejected: bool) -> Mending:
    """Return what moves the proven candidates of a vault, or of the notes `paths`, into Smart Edges."""
    work = _Work(look)
    states = ("verified", "rejected") if drop_rejected else ("verified",)
    chosen = {
        note.path
        for node, note in look.nodes()
        if (paths is None or note.path in paths) and any(look.links(node, state) for state in states)
    }

    def moved(node: str, trial: Trial) -> Fixes:
        kept, skipped = _movable(look, node)
        rejected = look.links(node, "rejected") if drop_rejected else []
        fixes = promote(trial, kept, rejected)
        return Fixes(fixes.edits, (*skipped, *fixes.skipped))

    work.run(chosen, moved)
    work.keep(look, _triples)
    return work.mending


def _movable(look: Look, node: str) -> tuple[list[Link], list[Skipped]]:
    note = look.result.reached.notes[node]
    stale = {found.line for found in look.result.wanted.findings[note.path] if found.code == "verdict-stale"}
    has_defaults = bool(look.config.types.of(note.type).edge_defaults)
    kept, skipped = [], []
    for link in look.links(node, "verified"):
        if link.line in stale:
            why = "a person judged it on a text that has changed since: kantenwerk review --state stale"
            skipped.append(Skipped(note.path, link.line, why))
        elif link.kind == "references" and has_defaults:
            why = f"stated, it would also give the edges that notes of type `{note.type}` have by default"
            skipped.append(Skipped(note.path, link.line, why))
        else:
            kept.append(link)
    return kept, skipped


class _Work:
    """Collects the edits of one note after the other, in one step or two."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._before: dict[str, bytes] = {}
        self._earlier: dict[str, tuple[Edit, ...]] = {}
        self._edits: dict[str, tuple[Edit, ...]] = defaultdict(tuple)
        self._skipped: list[Skipped] = []

    @property
    def after(self) -> dict[str, bytes]:
        """The bytes of changed notes as they would be."""
        return {path: apply_edits(self._before[path], edits) for path, edits in self._edits.items() if edits}

    @property
    def mending(self) -> Mending:
        """All of it."""
        notes = tuple(
            Mended(path, self._before[path], data, tuple(sorted(self._edits[path], key=lambda edit: edit.start)))
            for path, data in sorted(self.after.items())
        )
        skipped = tuple(sorted(set(self._skipped), key=lambda one: (one.path, one.line, one.why)))
        return Mending(notes, skipped)

    def run(self, paths: Collection[str], step: Callable[[str, Trial], Fixes]) -> None:
        """Take in the edits that a step finds in some notes."""
        self._earlier = dict(self._edits)
        for node, note in self.look.nodes():
            if note.path not in paths:
                continue
            trial = self.look.trial(node)
            if isinstance(trial, Skipped):
                self._skipped.append(trial)
                continue
            self._before.setdefault(note.path, trial.data)
            fixes = step(node, trial)
            earlier = self._edits[note.path]
            self._edits[note.path] = (*earlier, *as_of_before(fixes.edits, earlier))
            self._skipped.extend(fixes.skipped)

    def keep(self, base: Look, edges_of: Callable[[ImportResult], Edges]) -> None:
        """Undo the last step in notes for which the graph would be another one than in `base`: the last safeguard."""
        wanted = edges_of(base.result)
        paths = {node: note.path for node, note in base.nodes()}
        while changed := {path for path, edits in self._edits.items() if edits != self._earlier.get(path, ())}:
            found = edges_of(Look(base.vault, base.config, self.after).result)
            differing = {key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)}
            if not differing:
                return
            ends = {paths.get(node) for source, _, target in differing for node in (source, target)}
            for path in (changed & ends) or changed:
                self._edits[path] = self._earlier.get(path, ())
                self._skipped.append(Skipped(path, 1, "the note stays as it is, for the graph would not"))


def _edges(result: ImportResult) -> Edges:
    """Return the edges with all but their places in the notes, and how many candidates of each state say the same."""
    edges: dict[tuple[str, str, str], tuple[object, ...]] = {
        edge.triple: (edge.provenance, edge.rule_id, edge.confidence, edge.scope, edge.verdict, edge.mirror)
        for edge in result.plan.edges.added
    }
    states = Counter(
        (link.source, link.kind, link.written, link.state)
        for links in result.wanted.links.values()
        for link in links
        if link.candidate and link.state != "redundant"
    )
    for (source, kind, written, state), count in states.items():
        edges[source, f"{kind}:{written}", state] = (count,)
    return edges


def _triples(result: ImportResult) -> Edges:
    return {edge.triple: () for edge in result.plan.edges.added}

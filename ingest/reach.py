"""What a change can have reached: the notes whose links, candidates or mirrors are to be looked at again.

Everything that joining and judging need is read here from the snapshot, in set operations, so that the database
can be closed before a model is asked. What is returned for a full import is the whole vault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from kantenwerk.config import Config
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.entities import entities
from kantenwerk.graph.model import (
    MENTION,
    Edge,
    Finding,
    Link,
    ParsedNote,
    Resolution,
    is_mention,
    scope_of,
)
from kantenwerk.graph.plan import Row
from kantenwerk.graph.resolutions import ResolutionChange, ResolutionFile, file_after
from kantenwerk.graph.rows import NoteNaming
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import Changes
from kantenwerk.ingest.edges import Triple, mark_redundant, stated_triples
from kantenwerk.ingest.links import (
    LinkBinder,
    LinkJoiner,
    Named,
    NoteLinks,
    Target,
    speaks_of_nothing,
    target_of,
    target_values,
)
from kantenwerk.ingest.mentions import (
    MentionResolver,
    Recorded,
    Resolved,
    Use,
    Uses,
    may_differ,
    names_to_write,
    naming_of,
    similar_names,
)
from kantenwerk.ingest.resolve.catalogue import (
    Catalogue,
    Name,
    attachment_name,
    last_part,
    lookup_keys,
    note_names,
    rooted,
    stored_name,
)
from kantenwerk.ingest.resolve.exact import Ambiguous, Resolver
from kantenwerk.ingest.resolve.guess import Guess, Meant, Vectors
from kantenwerk.ingest.staging import Stage, stage_of
from kantenwerk.ingest.validate.evidence import Face, NoteText, evidence_of, evidence_values, gather
from kantenwerk.ingest.validate.judge import Prior
from kantenwerk.ingest.validate.prompt import prompt_hash
from kantenwerk.ingest.validate.verdicts import Claim, ClaimedNote, Settlement, Standing, make_claim

if TYPE_CHECKING:
    from kantenwerk.ingest.resolve.similar import SimilarNames

_OPEN_STATES = ("pending", "unproven", "failed")


@dataclass(slots=True)
class Reached:
    """The part of the graph that this import looks at again.

    `changed` and `notes` hold parsed notes by id: those that were read anew, and these with the unchanged ones
    that are reached. `old` holds the ids under which changed, moved and deleted notes are stored, `renamed` those, old
    and new, of notes that are called otherwise than before or whose names are to be read anew. `joined` has
    the links of every note in `notes`; `claims` its candidates that mean a note and are not redundant;
    `other_states` counts the candidates of all other notes. `resolved` and `entities` are those of the whole vault.
    `name_rows` makes the rows of `name_parts` of a note, where a search for its name's like has them already.
    """

    changed: dict[str, ParsedNote] = field(default_factory=dict)
    notes: dict[str, ParsedNote] = field(default_factory=dict)
    old: frozenset[str] = frozenset()
    renamed: AbstractSet[str] = frozenset()
    name_rows: Callable[[str], tuple[Row, ...]] | None = None
    targets: dict[str, Sequence[Target]] = field(default_factory=dict)
    joined: dict[str, NoteLinks] = field(default_factory=dict)
    resolved: Resolved = field(default_factory=Resolved)
    stored_resolutions: dict[str, tuple[Resolution, ...]] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    stored_entities: dict[str, str] = field(default_factory=dict)
    orphans: list[Finding] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    prior: Prior = field(default_factory=dict)
    other_candidates: list[Standing] = field(default_factory=list)
    stated: frozenset[Triple] = frozenset()
    note_ids: frozenset[str] = frozenset()
    stored_edges: Sequence[Edge] = ()
    edges_into: list[Edge] = field(default_factory=list)
    stated_into: list[Edge] = field(default_factory=list)
    other_states: dict[str, int] = field(default_factory=dict)

    @property
    def nodes(self) -> frozenset[str]:
        """The ids of all notes that are looked at, old ones included."""
        return self.old | self.notes.keys()

    def settlement(self, config: Config) -> Settlement:
        """Return what has become of the claims that persons judged."""
        return Settlement(self.stated, self.note_ids, self.entities, config.vocabulary.inverse)


@dataclass(frozen=True, slots=True)
class Naming:
    """What is recorded of names and how names are found that no note carries; `is_outdated` has all searched again."""

    file: ResolutionFile
    vectors: Vectors | None
    is_outdated: bool


@dataclass(frozen=True, slots=True)
class Judging:
    """How candidates are judged: all again, or those without a verdict where a model can be asked.

    `by_people` are the notes that persons' verdicts speak of.
    """

    is_outdated: bool
    can_ask: bool
    by_people: frozenset[str]


def reach(
    changes: Changes,
    snapshot: Snapshot,
    config: Config,
    naming: Naming,
    judging: Judging,
    more: frozenset[str] = frozenset(),
) -> Reached:
    """Return all that an import has to look at again, and the notes `more`, joined and with their claims."""
    work = _Reach(changes, snapshot, config, naming)
    work.run(more, judging)
    if judging.by_people:
        work.read_other_candidates()
        work.read_what_is_stated(judging.by_people)
    reached = work.reached
    # It refers to itself, and a command looks for no cycles: the index of all names would stay beside the plan.
    vars(work).clear()
    return reached


class _Reach:
    def __init__(self, changes: Changes, snapshot: Snapshot, config: Config, naming: Naming) -> None:
        self.changes = changes
        self.snapshot = snapshot
        self.config = config
        self.naming = naming
        self.reached = Reached()
        self.faces: dict[str, tuple[Face, str]] = {}
        self.links, self.targets = stage_of(Link), Stage(target_values, target_of)
        self.evidence = Stage(evidence_values, evidence_of)
        self.speaking: set[str] = set()
        self.within: set[str] = set()
        self._mention_keys: set[str] = set()

    def run(self, more: frozenset[str], judging: Judging) -> None:
        """Fill `reached`."""
        changes, snapshot, reached = self.changes, self.snapshot, self.reached
        again = set(more)
        reached.stored_resolutions = snapshot.resolutions()
        reached.stored_entities = snapshot.entities()
        if not changes.is_none:
            self._take_changed()
            again |= self._touched()
        if judging.is_outdated:
            again |= snapshot.candidate_sources()
        elif judging.can_ask:
            again |= snapshot.candidate_sources(_OPEN_STATES)
        if self.naming.is_outdated:
            again |= self._named_by_decisions()
        self._take_again(again)
        self._take_again(self._resolve_mentions())
        if self._has_all:
            # No note is reached later that may speak of other names, and their index takes much memory.
            vars(self).pop("_similar", None)
        self._join()
        self._read_edges()
        # What notes state from the other side makes candidates redundant, or needed again.
        if contradicted := self._contradicted():
            self._take_again(contradicted)
            self._join()
            self._read_edges()
        self._make_claims()
        reached.other_states = snapshot.candidate_states(reached.nodes)

    @property
    def _has_all(self) -> bool:
        """Whether all notes are looked at, those too that could not be read this time."""
        return self.changes.is_full and self.reached.nodes.issuperset(self.changes.old_ids.values())

    # --- which notes

    def _take_changed(self) -> None:
        reached, changes = self.reached, self.changes
        moved = {changes.old_ids[path]: node for path, node in changes.moved_ids.items()}
        gone = changes.gone | changes.no_text.keys() | changes.parsed.keys()
        reached.old = frozenset(changes.old_ids[path] for path in gone if path in changes.old_ids) | moved.keys()
        reached.changed = {changes.ids[path]: note for path, note in changes.parsed.items()}
        for old, note in self.snapshot.parsed_notes(moved.keys()).items():
            reached.changed[moved[old]] = note
        reached.notes = dict(reached.changed)
        # The same name may have other parts for another version.
        reached.renamed = reached.old | reached.changed.keys() if changes.is_full else _nodes(*self._renamings)

    def _touched(self) -> set[str]:
        """Return the unchanged notes whose links speak of a name, heading, face or attachment that changed."""
        reached, snapshot = self.reached, self.snapshot
        if self.changes.is_full and not self.changes.old_ids:
            # Nothing is stored that could have been reached.
            return set()
        before = {tuple(row) for row in snapshot.names_of(reached.old)}
        after = {(name.node, name.key, name.role, name.path) for name in self._fresh_names()}
        keys = {key for _, key, _, _ in before ^ after}
        keys |= {attachment_name(path).key for path in self.changes.others_changed}
        old_headings, old_faces = snapshot.headings(reached.old), snapshot.faces(reached.old)
        changed = reached.changed
        heading_nodes = {
            node for node, note in changed.items() if old_headings.get(node, note.headings) != note.headings
        }
        face_nodes = {
            node
            for node, note in changed.items()
            if node in old_faces and old_faces[node][:3] != (note.title, note.aliases, note.summary)
        }
        return (
            snapshot.speakers_of(keys)
            | snapshot.linkers_to(heading_nodes)
            | snapshot.linkers_to(_around(face_nodes, reached.stored_entities), candidates_only=True)
        )

    def _named_by_decisions(self) -> set[str]:
        """Return the notes that decisions on names, of now or of before, may reach.

        Those whose links speak of a name that is decided on or of any mention, and on either side of what is, or was,
        one thing: the entities may have changed when the decision was made.
        """
        reached, snapshot = self.reached, self.snapshot
        decided = {said.a for said in self.naming.file.recorded.values() if is_mention(said.a)}
        decided |= {scope[0] for mention in decided if (scope := scope_of(mention))}
        names = {mention.removeprefix(MENTION) for mention in decided}
        keys = {name_key(key) for name in names for key in (name, last_part(name))}
        joined: set[str] = {node for said in self.naming.file.recorded.values() for node in (said.a, said.b) if node}
        joined |= {node for rows in reached.stored_resolutions.values() for row in rows for node in row.pair}
        joined.update(reached.stored_entities, reached.stored_entities.values())
        speakers = {row[0] for row in snapshot.mention_uses()} | {row[0] for row in snapshot.homeless_candidates()}
        return snapshot.speakers_of(keys) | speakers | joined | snapshot.linkers_to(joined)

    def _take_again(self, nodes: set[str]) -> None:
        """Bring unchanged notes back from the snapshot, and bind the links of all that are not bound yet."""
        reached = self.reached
        nodes = nodes - reached.old - reached.notes.keys()
        reached.notes.update(self.snapshot.parsed_notes(nodes))
        unbound = {node: note for node, note in reached.notes.items() if node not in reached.targets}
        if unbound:
            mentions = self.mentions
            resolver = self._resolver(None if self.changes.is_full else _keys(unbound.values()))
            binder = LinkBinder(
                resolver, mentions.answer, self.recorded.mention_of, mentions.rejected, self.targets.keep
            )
            reached.targets.update({node: binder.bind(node, note) for node, note in unbound.items()})
            self.speaking |= binder.speaking
            self.within |= binder.within

    # --- names

    @cached_property
    def recorded(self) -> Recorded:
        return Recorded.of(self.naming.file)

    @cached_property
    def mentions(self) -> MentionResolver:
        return MentionResolver(self.recorded, lambda: self.paths, self._several_of_title, lambda: self._similar)

    @cached_property
    def paths(self) -> dict[str, str]:
        """The path of every note, by id."""
        ids = self.snapshot.note_ids() if self.changes.keeps_ids else self.changes.ids
        return {node: path for path, node in ids.items()}

    def _resolve_mentions(self) -> set[str]:
        """Find out what all mentions mean; return the unchanged notes that this reaches."""
        reached = self.reached
        if not reached.nodes and not self.naming.is_outdated and not self.naming.file.recorded:
            reached.resolved.rows, reached.entities = reached.stored_resolutions, reached.stored_entities
            return set()
        before, now = self._uses()
        self._mention_keys = {name_key(without_extension(use.name)) for mention in now if (use := now.get(mention))}
        reached.resolved = self.mentions.resolve(
            now,
            reached.stored_resolutions,
            lambda mention: now.get(mention) != before.get(mention) or self._may_differ(mention, now.get(mention)),
        )
        rows, stored = reached.resolved.rows, reached.stored_resolutions
        if not self._may_others_differ:
            rows |= {node: others for node, others in stored.items() if now.get(node) is before.get(node) is None}
        changed = {
            node
            for node in rows.keys() | stored.keys()
            if rows.get(node) is not stored.get(node) and sorted(rows.get(node, ())) != sorted(stored.get(node, ()))
        }
        reached.entities = reached.stored_entities
        moved = self._regroup() if changed or self._have_names_changed else set()
        reached.orphans = self.mentions.orphans(
            file_after(self.naming.file, ResolutionChange(added=tuple(reached.resolved.found)))
        )
        speakers = set().union(*(now.sources[node] for node in changed if node in now.sources))
        return speakers | moved | self.snapshot.linkers_to(moved)

    def _regroup(self) -> set[str]:
        """Find out anew which nodes are one thing; return those that have another entity than before."""
        before, now = self.reached.stored_entities, entities(self.reached.resolved.accepted, self._path_of)
        self.reached.entities = now
        return {node for node in now.keys() | before.keys() if now.get(node) != before.get(node)}

    def _path_of(self, node: str) -> str:
        return self.paths.get(node, node)

    def _uses(self) -> tuple[Uses, Uses]:
        """Return how mentions are spoken of in the stored graph, and how from now on.

        All mentions, or those that reached notes speak of, or spoke of, where no other one can have changed.
        """
        before, now, nodes = Uses(), Uses(), self.reached.nodes
        fresh, homeless = list(self._fresh_uses()), list(self._homeless_uses())
        spoken = None
        if not self._may_others_differ:
            spoken = {mention for mention, *_ in fresh} | self.snapshot.mentions_of(nodes)
            spoken |= {mention for mention, _, source, _ in homeless if source in nodes}
        stored = (
            (mention, rooted(written, path), source, is_explicit)
            for source, path, mention, written, is_explicit in self.snapshot.mention_uses(spoken)
        )
        for use in (*stored, *homeless):
            if spoken is None or use[0] in spoken:
                before.add(*use)
                if use[2] not in nodes:
                    now.add(*use)
        for use in fresh:
            now.add(*use)
        return before, now

    def _fresh_uses(self) -> Iterator[tuple[str, str, str, bool]]:
        """Yield mention, name, source and whether it is explicit, of what the reached notes say."""
        for node in sorted(self.speaking):
            note = self.reached.notes[node]
            for link, target in zip(note.links, self.reached.targets[node], strict=True):
                if isinstance(target, Named) and (target.is_answered or not speaks_of_nothing(link, self.config)):
                    yield target.mention, rooted(link.written, note.path), node, not link.candidate

    def _homeless_uses(self) -> Iterator[tuple[str, str, str, bool]]:
        """Yield the same of stored candidates that mean no node."""
        for source, path, written, state in self.snapshot.homeless_candidates():
            name = rooted(written, path)
            key = name_key(without_extension(name))
            if state != "unresolved" or key not in self._nameless:
                yield self.recorded.mention_of(key, source), name, source, False

    @cached_property
    def _nameless(self) -> frozenset[str]:
        """The keys of names that never have a mention: interfaces, and words that mean the owner."""
        settings = self.config.settings
        return settings.interface_keys | settings.self_keys

    def _may_differ(self, mention: str, use: Use | None) -> bool:
        """Tell whether a mention of which links speak as before may mean something else."""
        if self.naming.is_outdated or self.changes.is_full or use is None:
            return True
        return self._have_names_changed and (self.recorded.speaks_of(mention) or self._touches(use))

    @cached_property
    def _may_others_differ(self) -> bool:
        """Whether mentions that no reached note speaks of may mean something else than before."""
        return self.naming.is_outdated or self.changes.is_full or self._have_names_changed

    @cached_property
    def _touches(self) -> Callable[[Use], bool]:
        gone, fresh = self._renamings
        return may_differ(gone, fresh, self._similar, self.config.settings)

    @property
    def _have_names_changed(self) -> bool:
        """Whether a note has another name than before, in whichever spelling, or came or went."""
        return any(self._renamings)

    @cached_property
    def _renamings(self) -> tuple[set[NoteNaming], set[NoteNaming]]:
        """What notes were called that are called otherwise now, and what these and new ones are called."""
        if not self.reached.old and not self.reached.changed:
            return set(), set()
        before = set(self.snapshot.note_names(self.reached.old))
        now = {naming_of(node, note) for node, note in self.reached.changed.items()}
        return before - now, now - before

    def _several_of_title(self, name: str) -> Ambiguous | None:
        found = self._title_resolver.by_title(name)
        return found if isinstance(found, Ambiguous) else None

    @cached_property
    def _title_resolver(self) -> Resolver:
        return self._resolver(self._mention_keys)

    @cached_property
    def _similar(self) -> SimilarNames | None:
        reached, settings, vectors = self.reached, self.config.settings, self.naming.vectors
        if not self.changes.is_full:
            gone, fresh = self._renamings
            return similar_names(fresh, settings, vectors, self.snapshot.name_parts(_nodes(gone)))
        known = reached.old | reached.changed.keys()
        unread = {note.node: note for note in self.snapshot.note_names() if note.node not in known}
        nodes = sorted(unread.keys() | reached.changed.keys())
        notes = (unread[node] if node in unread else naming_of(node, reached.changed[node]) for node in nodes)
        similar = names_to_write(notes, settings, vectors)
        reached.name_rows = similar.rows_of if similar else None
        return similar

    def _guess_of(self, mention: str) -> Guess:
        """Return what a mention means, also one that nobody spoke of until a note was reached late."""
        resolved = self.reached.resolved
        if mention not in resolved.guesses and not self._may_others_differ:
            rows = self.reached.stored_resolutions.get(mention, ())
            resolved.guesses[mention] = self.mentions.stored_guess(mention, rows)
        elif mention not in resolved.guesses:
            name = (scope_of(mention) or (mention, ""))[0].removeprefix(MENTION)
            self.mentions.look_at(mention, Use(name, is_explicit=True), resolved)
        return resolved.guesses[mention]

    # --- joining

    def _join(self) -> None:
        """Join the links of all notes that are not joined yet."""
        reached = self.reached
        waiting = {node: note for node, note in reached.notes.items() if node not in reached.joined}
        if waiting:
            joiner = LinkJoiner(self._guess_of, self._headings(self.within), self.links.keep, self.config)
            reached.joined.update(
                {node: joiner.join(node, note, reached.targets[node]) for node, note in waiting.items()}
            )

    def _resolver(self, keys: set[str] | None) -> Resolver:
        """Return a resolver over the names with some keys, or over all."""
        settings, reached = self.config.settings, self.reached
        rows = self.snapshot.all_names() if keys is None else self.snapshot.names_under(keys)
        stored = (stored_name(*row) for row in rows if row[0] not in reached.old)
        others = map(attachment_name, self.changes.scan.others)
        names = chain(stored, self._fresh_names(), others)
        return Resolver(
            Catalogue(name for name in names if keys is None or name.key in keys),
            settings.self_keys,
            frozenset(settings.attachment_extensions),
        )

    def _fresh_names(self) -> Iterator[Name]:
        """Yield the names of the notes that were read anew."""
        for node, note in self.reached.changed.items():
            yield from note_names(note, node, self.config.settings)

    def _headings(self, nodes: set[str]) -> dict[str, tuple[str, ...]]:
        notes = self.reached.notes
        known = {node: notes[node].headings for node in nodes if node in notes}
        return known | self.snapshot.headings(nodes - known.keys())

    # --- what is stated from the other side

    def _read_edges(self) -> None:
        reached, nodes = self.reached, self.reached.nodes
        if self._has_all:
            reached.stored_edges = stage_of(Edge).keep_all(self.snapshot.all_edges())
            return
        # What could not be read may be stored by another vocabulary.
        unmirrored = None if self.changes.is_full else self.config.vocabulary.unmirrored
        stored = sorted(self.snapshot.edges_around(nodes, unmirrored), key=attrgetter("triple"))
        reached.stored_edges = [edge for edge in stored if edge.mirror or edge.source in nodes]
        reached.edges_into = [edge for edge in stored if not edge.mirror and edge.source not in nodes]
        others = _around(nodes, reached.entities) - nodes
        stated = self.snapshot.edges_around(others, unmirrored)
        reached.stated_into = [edge for edge in stated if edge.source not in nodes]

    def _contradicted(self) -> set[str]:
        """Return unchanged notes with a candidate to a note that now states other edges than before."""
        if self._has_all:
            return set()
        before = _stated(self.reached.stored_edges)
        after = set().union(*(stated_triples(links.links) for links in self.reached.joined.values()))
        delta, same, known = before ^ after, self.reached.entities, self.reached.nodes
        sources = _around({source for source, _, _ in delta}, same)
        targets = _around({target for _, _, target in delta}, same)
        notes = self.snapshot.candidates_between(targets - known, sources)
        # A candidate may say the same edge from another note of the source's entity, too.
        siblings = _around({source for source, _, _ in delta if source in same}, same)
        return notes | self.snapshot.candidates_between(siblings - known, targets)

    # --- claims

    def _make_claims(self) -> None:
        reached, snapshot = self.reached, self.snapshot
        same, stated = reached.entities, self._stated_as_candidates()
        for node, joined in reached.joined.items():
            if joined.has_pending:
                path = reached.notes[node].path
                links, findings = mark_redundant(joined.links, stated, self.config, path, same)
                if findings:
                    reached.joined[node] = replace(
                        joined, links=self.links.keep(links), findings=(*joined.findings, *findings)
                    )
        pending = list(self._pending())
        self._read_faces({self._note_of(link.target or "") for link in pending})
        prompt_digest = cache(partial(prompt_hash, config=self.config))
        for source, said in groupby(pending, key=attrgetter("source")):
            text = NoteText(tuple(reached.notes[source].chunks), reached.notes[source].summary)
            reached.claims += [self._claim(link, text, prompt_digest(link.kind, text.language)) for link in said]
        reached.prior = snapshot.prior_candidates(reached.nodes)

    def _stated_as_candidates(self) -> set[Triple]:
        """Return what candidates say, from their side or the other, and authors state, between entities."""
        reached, same, inverse = self.reached, self.reached.entities, self.config.vocabulary.inverse
        said: set[Triple] = set()
        for link in self._pending():
            if link.target is not None:
                source, target = same.get(link.source, link.source), same.get(link.target, link.target)
                said |= {(source, link.kind, target), (target, inverse(link.kind), source)}
        sources = {source for source, _, _ in said}
        saying = (joined.links for node, joined in reached.joined.items() if same.get(node, node) in sources)
        stated = chain(
            _stated((*reached.edges_into, *reached.stated_into)),
            (triple for links in saying for triple in stated_triples(links)),
        )
        return said.intersection((same.get(s, s), kind, same.get(t, t)) for s, kind, t in stated)

    def _pending(self) -> Iterator[Link]:
        """Yield the candidates that wait for a verdict."""
        for joined in self.reached.joined.values():
            if joined.has_pending:
                yield from (link for link in joined.links if link.state == "pending")

    def _note_of(self, node: str) -> str:
        """Return the note that a node is, through what is accepted of mentions."""
        if not is_mention(node):
            return node
        match self._guess_of(node):
            case Meant(option) if not is_mention(option.node):
                return option.node
            case _:
                return self.reached.entities.get(node, node)

    def read_other_candidates(self) -> None:
        """Read which candidates stand besides the claims: a person's verdict on one of them is no orphan."""
        reached = self.reached
        reached.other_candidates = [
            Standing((source, kind, self._note_of(target)), digest, target)
            for source, kind, target, digest in self.snapshot.candidate_triples()
            if source not in reached.nodes
        ]
        reached.other_candidates += [
            Standing((link.source, link.kind, self._note_of(link.target)), None, link.target)
            for links in reached.joined.values()
            for link in links.links
            if link.candidate and link.target and link.state != "pending"
        ]

    def read_what_is_stated(self, judged: frozenset[str]) -> None:
        """Read what authors state in notes that persons judged, and which notes there are."""
        reached = self.reached
        same = reached.entities
        around = _around(judged, same)
        stated = set(self.snapshot.stated_triples(around - reached.nodes))
        for node in around & reached.joined.keys():
            stated |= stated_triples(reached.joined[node].links)
        notes = ((source, kind, self._note_of(target)) for source, kind, target in stated)
        reached.stated = frozenset((same.get(s, s), kind, same.get(t, t)) for s, kind, t in notes)
        reached.note_ids = frozenset(self.paths)

    def _claim(self, link: Link, text: NoteText, prompt_digest: str) -> Claim:
        note = self._note_of(link.target or "")
        face, its_path = self.faces[note]
        evidence = gather(link, text, face, self.config.validator.context_tokens)
        guess = self._guess_of(link.target) if link.target and is_mention(link.target) else None
        is_guess = isinstance(guess, Meant) and guess.option.method == "semantic" and not guess.option.is_decided
        target = ClaimedNote(note, its_path, is_guess=is_guess)
        path = self.reached.notes[link.source].path
        return make_claim(path, link, target, evidence, prompt_digest, self.evidence.keep)

    def _read_faces(self, nodes: set[str]) -> None:
        notes = self.reached.notes
        self.faces = {
            node: (Face(notes[node].title, notes[node].aliases, notes[node].summary), notes[node].path)
            for node in nodes
            if node in notes
        }
        for node, (title, aliases, summary, path) in self.snapshot.faces(nodes - self.faces.keys()).items():
            self.faces[node] = (Face(title, aliases, summary), path)


def _keys(notes: Iterable[ParsedNote]) -> set[str]:
    """Return the keys by which the links of notes are looked up."""
    return {key for note in notes for link in note.links for key in lookup_keys(link.written, note.path)}


def _around(nodes: Iterable[str], entity_of: Mapping[str, str]) -> set[str]:
    """Return nodes and all that are one thing with one of them."""
    nodes = set(nodes)
    joined = {entity_of[node] for node in nodes if node in entity_of}
    if not joined:
        return nodes
    return nodes | {node for node, entity in entity_of.items() if entity in joined}


def _nodes(*namings: Iterable[NoteNaming]) -> set[str]:
    return {note.node for notes in namings for note in notes}


def _stated(edges: Iterable[Edge]) -> set[Triple]:
    """Return the triples that authors state among stored edges."""
    return {
        edge.triple
        for edge in edges
        if not edge.mirror and edge.verdict is None and (edge.rule_id.startswith("explicit:"))
    }

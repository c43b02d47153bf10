"""What a change can have reached: the notes whose links, candidates or mirrors are to be looked at again.

Everything that joining and judging need is read here from the snapshot, in set operations, so that the database
can be closed before a model is asked. What is returned for a full import is the whole vault.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kantenwerk.config import Config
from kantenwerk.config.names import name_key
from kantenwerk.graph.model import Edge, Link, ParsedNote, is_mention
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import Changes
from kantenwerk.ingest.edges import Triple, mark_redundant, stated_triples
from kantenwerk.ingest.links import LinkJoiner, NoteLinks
from kantenwerk.ingest.resolve.catalogue import (
    Catalogue,
    Name,
    attachment_name,
    lookup_keys,
    note_names,
    stored_name,
)
from kantenwerk.ingest.resolve.exact import Resolver
from kantenwerk.ingest.validate.evidence import Face, NoteText, gather
from kantenwerk.ingest.validate.judge import Prior
from kantenwerk.ingest.validate.prompt import prompt_hash
from kantenwerk.ingest.validate.verdicts import Claim, make_claim

_OPEN_STATES = ("pending", "unproven", "failed")


@dataclass(slots=True)
class Reached:
    """The part of the graph that this import looks at again.

    `changed` and `notes` hold parsed notes by id: those that were read anew, and these with the unchanged ones
    that are reached. `old` holds the ids under which changed, moved and deleted notes are stored. `joined` has
    the links of every note in `notes`; `claims` its candidates that mean a node and are not redundant;
    `other_states` counts the candidates of all other notes.
    """

    changed: dict[str, ParsedNote] = field(default_factory=dict)
    notes: dict[str, ParsedNote] = field(default_factory=dict)
    old: frozenset[str] = frozenset()
    names: dict[str, list[Name]] = field(default_factory=dict)
    joined: dict[str, NoteLinks] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    prior: Prior = field(default_factory=dict)
    other_candidates: list[tuple[Triple, str | None]] = field(default_factory=list)
    stored_edges: list[Edge] = field(default_factory=list)
    edges_into: list[Edge] = field(default_factory=list)
    other_states: dict[str, int] = field(default_factory=dict)

    @property
    def nodes(self) -> frozenset[str]:
        """The ids of all notes that are looked at, old ones included."""
        return self.old | self.notes.keys()


def reach(
    changes: Changes,
    snapshot: Snapshot,
    config: Config,
    *,
    decisions_changed: bool,
    can_ask: bool,
    has_people: bool,
    more: frozenset[str] = frozenset(),
) -> Reached:
    """Return all that an import has to look at again, and the notes `more`, joined and with their claims."""
    work = _Reach(changes, snapshot, config)
    work.run(more, decisions_changed=decisions_changed, can_ask=can_ask)
    if has_people:
        work.read_other_candidates()
    return work.reached


class _Reach:
    def __init__(self, changes: Changes, snapshot: Snapshot, config: Config) -> None:
        self.changes = changes
        self.snapshot = snapshot
        self.config = config
        self.reached = Reached()
        self.faces: dict[str, tuple[Face, str]] = {}

    def run(self, more: frozenset[str], *, decisions_changed: bool, can_ask: bool) -> None:
        """Fill `reached`."""
        changes, snapshot = self.changes, self.snapshot
        again = set(more)
        if not changes.is_none:
            self._take_changed()
            again |= self._touched()
        if decisions_changed:
            again |= snapshot.candidate_sources()
        elif can_ask:
            again |= snapshot.candidate_sources(_OPEN_STATES)
        self._take_again(again)
        self._read_edges()
        # What notes state from the other side makes candidates redundant, or needed again.
        if contradicted := self._contradicted():
            self._take_again(contradicted)
            self._read_edges()
        self._make_claims()
        self.reached.other_states = snapshot.candidate_states(self.reached.nodes)

    # --- which notes

    def _take_changed(self) -> None:
        reached, changes = self.reached, self.changes
        moved = {changes.old_ids[path]: node for path, node in changes.moved_ids.items()}
        gone = changes.gone | changes.no_text.keys() | changes.parsed.keys()
        reached.old = frozenset(changes.old_ids[path] for path in gone if path in changes.old_ids) | moved.keys()
        reached.changed = {changes.ids[path]: note for path, note in changes.parsed.items()}
        for old, note in self.snapshot.parsed_notes(moved.keys()).items():
            reached.changed[moved[old]] = note
        reached.names = {node: list(note_names(note, node, self.config)) for node, note in reached.changed.items()}
        reached.notes = dict(reached.changed)

    def _touched(self) -> set[str]:
        """Return the unchanged notes whose links speak of a name, heading, face or attachment that changed."""
        reached, snapshot = self.reached, self.snapshot
        before = {tuple(row) for row in snapshot.names_of(reached.old)}
        after = {(name.node, name.key, name.role, name.path) for names in reached.names.values() for name in names}
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
            | snapshot.linkers_to(face_nodes, candidates_only=True)
        )

    def _take_again(self, nodes: set[str]) -> None:
        """Bring unchanged notes back from the snapshot, and join the links of all that is not joined yet."""
        reached = self.reached
        nodes = nodes - reached.old - reached.notes.keys()
        reached.notes.update(self.snapshot.parsed_notes(nodes))
        self._join({node: note for node, note in reached.notes.items() if node not in reached.joined})

    # --- joining

    def _join(self, notes: dict[str, ParsedNote]) -> None:
        if not notes:
            return
        resolver = self._resolver(notes.values())
        joiner = LinkJoiner(resolver, self._headings, self.config)
        self.reached.joined.update(joiner.join_all(notes))

    def _resolver(self, notes: Iterable[ParsedNote]) -> Resolver:
        """Return a resolver over the names that these notes' links may mean."""
        settings, reached = self.config.settings, self.reached
        keys = {key for note in notes for link in note.links for key in lookup_keys(link.written, note.path)}
        stored = (
            stored_name(node, key, role, path)
            for node, key, role, path in self.snapshot.names_under(keys)
            if node not in reached.old
        )
        fresh = (name for names in reached.names.values() for name in names)
        others = (name for name in map(attachment_name, self.changes.scan.others) if name.key in keys)
        return Resolver(
            Catalogue((*stored, *fresh, *others)),
            frozenset(map(name_key, settings.self_names)),
            frozenset(settings.attachment_extensions),
        )

    def _headings(self, nodes: set[str]) -> dict[str, tuple[str, ...]]:
        notes = self.reached.notes
        known = {node: notes[node].headings for node in nodes if node in notes}
        return known | self.snapshot.headings(nodes - known.keys())

    # --- what is stated from the other side

    def _read_edges(self) -> None:
        reached = self.reached
        reached.stored_edges = self.snapshot.edges_of(reached.nodes)
        reached.edges_into = [e for e in self.snapshot.edges_into(reached.nodes) if e.source not in reached.nodes]

    def _contradicted(self) -> set[str]:
        """Return unchanged notes with a candidate to a note that now states other edges than before."""
        before = _stated(self.reached.stored_edges)
        after = set().union(*(stated_triples(links.links) for links in self.reached.joined.values()))
        delta = {(source, target) for source, _, target in before ^ after if not is_mention(target)}
        return self.snapshot.candidates_between(
            {target for _, target in delta} - self.reached.nodes, {source for source, _ in delta}
        )

    # --- claims

    def _make_claims(self) -> None:
        reached, snapshot = self.reached, self.snapshot
        stated = _stated(reached.edges_into)
        for links in reached.joined.values():
            stated |= stated_triples(links.links)
        for node, links in reached.joined.items():
            path = reached.notes[node].path
            marked, findings = mark_redundant(tuple(links.links), stated, self.config, path)
            links.links = list(marked)
            links.findings.extend(findings)
        pending = [link for links in reached.joined.values() for link in links.links if link.state == "pending"]
        self._read_faces({link.target for link in pending if link.target})
        hashes = {kind: prompt_hash(kind, self.config) for kind in {link.kind for link in pending}}
        texts = {
            source: NoteText(reached.notes[source].chunks, reached.notes[source].summary)
            for source in {link.source for link in pending}
        }
        reached.claims = [self._claim(link, texts[link.source], hashes[link.kind]) for link in pending]
        reached.prior = snapshot.prior_candidates(reached.nodes)

    def read_other_candidates(self) -> None:
        """Read which candidates stand besides the claims: a person's verdict on one of them is no orphan."""
        reached = self.reached
        reached.other_candidates = [
            ((source, kind, target), digest)
            for source, kind, target, digest in self.snapshot.candidate_triples()
            if source not in reached.nodes
        ]
        reached.other_candidates += [
            ((link.source, link.kind, link.target), None)
            for links in reached.joined.values()
            for link in links.links
            if link.candidate and link.target and link.state != "pending"
        ]

    def _claim(self, link: Link, text: NoteText, prompt_digest: str) -> Claim:
        face, path = self.faces[link.target or ""]
        evidence = gather(link, text, face, self.config.validator.context_tokens)
        return make_claim(self.reached.notes[link.source].path, link, path, evidence, prompt_digest)

    def _read_faces(self, nodes: set[str]) -> None:
        notes = self.reached.notes
        self.faces = {
            node: (Face(notes[node].title, notes[node].aliases, notes[node].summary), notes[node].path)
            for node in nodes
            if node in notes
        }
        for node, (title, aliases, summary, path) in self.snapshot.faces(nodes - self.faces.keys()).items():
            self.faces[node] = (Face(title, aliases, summary), path)


def _stated(edges: Iterable[Edge]) -> set[Triple]:
    """Return the triples that authors state among stored edges."""
    return {
        edge.triple
        for edge in edges
        if not edge.mirror and edge.verdict is None and (edge.rule_id.startswith("explicit:"))
    }

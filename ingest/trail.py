"""Why an edge is in the stored graph, or is not: the lines that say it, what their names mean, verdicts, mirrors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kantenwerk.config import Config
from kantenwerk.graph.model import CANDIDATE, Edge, Finding, Link, Method, Resolution, Verdict, is_mention, mention_in
from kantenwerk.graph.queries import Node, StoredGraph
from kantenwerk.ingest.edges import edges_of, rank
from kantenwerk.ingest.lines import Lines, Place
from kantenwerk.ingest.lookup import Lookup, mention_of
from kantenwerk.ingest.resolve.exact import Bound, How

NoMirror = Literal["unproven", "unmirrored", "stated"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a link's name means.

    `method` is None where it means no note, or none yet; `others` are the notes that it may mean as well, or instead.
    `resolution` is the row that joins a mention to its note, and `proposed` those that wait for an answer.
    """

    method: How | Method | None
    node: str | None
    others: tuple[str, ...] = ()
    resolution: Resolution | None = None
    proposed: tuple[Resolution, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """One link with what became of it; `edge` is what it says, and is written if nothing better says the same."""

    link: Link
    place: Place
    meaning: Meaning
    verdict: Verdict | None
    findings: tuple[Finding, ...]
    edge: Edge | None = None


@dataclass(frozen=True, slots=True)
class Trail:
    """What is behind an edge.

    `said` are the links that say it, first the one that is written; `mirrored` is the edge that a mirror belongs to,
    `mirror` the one that an edge has, or `no_mirror` says why it has none; `reverse` is stated from the other side.
    """

    edge: Edge
    said: tuple[Said, ...]
    mirrored: Edge | None = None
    mirror: Edge | None = None
    no_mirror: NoMirror | None = None
    reverse: Edge | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """What there is instead of an edge: links that nearly say it, and the edges between the two, either way."""

    said: tuple[Said, ...]
    between: tuple[Edge, ...]


NOTHING = Missing((), ())


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains edges of a stored graph, with the lines of the notes as they are now."""

    vault: Path
    graph: StoredGraph
    config: Config

    def trails(self, sources: Sequence[str], kind: str, targets: Sequence[str]) -> list[Trail]:
        """Return the edges of a kind between some nodes with what is behind them, stated ones before mirrors."""
        found = [edge for edge in self.graph.edges_between(sources, targets) if edge.kind == kind]
        return [self._trail(edge) for edge in sorted(found, key=lambda edge: (edge.mirror, edge.triple))]

    def targets(self, sources: Sequence[str], kind: str, name: str) -> tuple[str, ...]:
        """Return the nodes that a name may mean as the target of such edges: as these notes write it, if they do."""
        links = [link for link, _ in self.graph.links_from(sources) if link.kind == kind]
        written = [link.target for link in links if mention_of(link.written, "") == mention_of(name, "")]
        return tuple(dict.fromkeys(filter(None, written))) if written else self._lookup.find(name)

    def missing(self, sources: Sequence[str], kind: str, targets: Sequence[str], name: str) -> Missing:
        """Return what there is instead of an edge; `name` is the target's, which may mean no node.

        A link of the other note, of the inverse kind, would give it as a mirror.
        """
        mention, inverse = mention_of(name, ""), self.config.vocabulary.inverse(kind)
        near = [
            (link, relative)
            for link, relative in self.graph.links_from(sources)
            if link.kind == kind and (link.target in targets or mention_of(link.written, "") == mention)
        ]
        near += [
            (link, relative)
            for link, relative in self.graph.links_from(targets)
            if link.kind == inverse and link.target in sources
        ]
        between = (*self.graph.edges_between(sources, targets), *self.graph.edges_between(targets, sources))
        return Missing(tuple(self._said(near)), tuple(edge for edge in between if not edge.mirror))

    def _trail(self, edge: Edge) -> Trail:
        inverse = self.config.vocabulary.inverse(edge.kind)
        back = [other for other in self.graph.edges_between([edge.target], [edge.source]) if other.kind == inverse]
        other = back[0] if back else None
        if edge.mirror:
            return Trail(edge, self._sayings(other) if other else (), mirrored=other)
        if other is not None and other.mirror:
            return Trail(edge, self._sayings(edge), mirror=other)
        return Trail(edge, self._sayings(edge), no_mirror=self._no_mirror(edge, other), reverse=other)

    def _no_mirror(self, edge: Edge, reverse: Edge | None) -> NoMirror | None:
        """Say why an edge has no mirror; None where the next import gives it one, for the vocabulary has changed."""
        if edge.provenance.startswith(CANDIDATE):
            return "unproven"
        if not self.config.vocabulary.is_mirrored(edge.kind):
            return "unmirrored"
        return None if reverse is None else "stated"

    def _sayings(self, edge: Edge) -> tuple[Said, ...]:
        """Return the links behind an edge: those that say it, by priority, then others of its kind from both sides."""
        inverse = self.config.vocabulary.inverse(edge.kind)
        here = [pair for pair in self.graph.links_from([edge.source]) if pair[0].target == edge.target]
        there = [
            (link, relative)
            for link, relative in self.graph.links_from([edge.target])
            if link.target == edge.source and link.kind == inverse
        ]
        return tuple(self._said((*here, *there), edge))

    def _said(self, links: Iterable[tuple[Link, bool]], edge: Edge | None = None) -> Iterable[Said]:
        links = list(links)
        verdicts = self.graph.verdicts({link.verdict for link, _ in links if link.verdict})
        notes = self.graph.nodes({link.source for link, _ in links})
        found = []
        for link, relative in links:
            note = notes[link.source]
            says = None if edge is None else self._edge_of(link, note, verdicts, edge)
            if edge is None or says is not None or link.kind == edge.kind or link.source != edge.source:
                found.append((link, relative, note, says))
        found.sort(key=lambda one: (one[3] is None, rank(one[3]) if one[3] else (0,), one[0].line))
        lines = Lines(self.vault)
        findings = self.graph.findings_in([note.path for note in notes.values() if note.path])
        for link, relative, note, says in found:
            path = note.path or ""
            yield Said(
                link=link,
                place=lines.at(path, note.content_hash, link.line),
                meaning=self._meaning(link, path, relative=relative),
                verdict=verdicts.get(link.verdict or ""),
                findings=tuple(told for told in findings if _is_about(told, path, link)),
                edge=says,
            )

    def _edge_of(self, link: Link, note: Node, verdicts: dict[str, Verdict], edge: Edge) -> Edge | None:
        said = edges_of(link, note.type or "", verdicts, self.config)
        return next((one for one in said if one.triple == edge.triple), None)

    def _meaning(self, link: Link, path: str, *, relative: bool) -> Meaning:
        if link.target is not None and not is_mention(link.target):
            binding = self._lookup.bind(link.written, path, relative=relative)
            if isinstance(binding, Bound) and binding.note.node == link.target:
                return Meaning(binding.how, link.target, tuple(name.node for name in binding.others))
            # The name means something else by now, which the next import finds as well.
            return Meaning("exact", link.target)
        mention = link.target or mention_of(link.written, path)
        rows = self.graph.resolutions_of([mention, mention_in(mention, link.source)])
        accepted = next((row for row in rows if row.state == "accepted"), None)
        proposed = tuple(row for row in rows if row.state == "proposed")
        if accepted is not None:
            return Meaning(accepted.method, accepted.b, resolution=accepted)
        return Meaning(None, link.target, tuple(row.b for row in proposed), proposed=proposed)

    @property
    def _lookup(self) -> Lookup:
        return Lookup(self.graph, self.config)


def _is_about(told: Finding, path: str, link: Link) -> bool:
    # A message names what the author wrote.
    return (told.path, told.line) == (path, link.line) and f"{link.written}`" in told.message

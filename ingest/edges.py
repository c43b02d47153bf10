"""Turns judged links into edges: one for each source, kind and target, the best founded (design, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kantenwerk.config import Config
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import CANDIDATE, EXPLICIT, NOTE_ZONE, RULE, Edge, Finding, Link, Verdict

Triple = tuple[str, str, str]
_ORDER = (EXPLICIT, NOTE_ZONE, RULE, "semantic_ai", CANDIDATE)


def stated_triples(links: Iterable[Link]) -> set[Triple]:
    """Return the edges that an author states in `links`, without candidates."""
    return {(link.source, link.kind, link.target) for link in links if link.state == "explicit" and link.target}


def mark_redundant(
    links: Iterable[Link], stated: set[Triple], config: Config, path: str, entities: Mapping[str, str]
) -> tuple[tuple[Link, ...], tuple[Finding, ...]]:
    """Return the links with candidates that an author states anyway as `redundant`, and findings for these.

    `stated` holds what authors state of that, between entities.
    """
    marked: list[Link] = []
    findings: list[Finding] = []
    for link in links:
        if link.state == "pending" and link.target is not None:
            source, target = entities.get(link.source, link.source), entities.get(link.target, link.target)
            inverse = (target, config.vocabulary.inverse(link.kind), source)
            side = "here" if (source, link.kind, target) in stated else "from the other note"
            if side == "here" or inverse in stated:
                marked.append(link._replace(state="redundant"))
                findings.append(
                    finding(
                        "redundant-candidate",
                        path,
                        link.line,
                        f"`{link.kind}:{link.written}` is stated {side} already",
                        "delete the line",
                    )
                )
                continue
        marked.append(link)
    return tuple(marked), tuple(findings)


def note_edges(links: Iterable[Link], note_type: str, verdicts: dict[str, Verdict], config: Config) -> list[Edge]:
    """Return the edges of one note, without mirrors; where several links say one edge, the best is written.

    `verdicts` holds those that the links' `verdict` keys name.
    """
    best: dict[Triple, Edge] = {}
    for link in links:
        for edge in edges_of(link, note_type, verdicts, config):
            other = best.get(edge.triple)
            if other is None or rank(edge) < rank(other):
                best[edge.triple] = edge
    return list(best.values())


def edges_of(link: Link, note_type: str, verdicts: dict[str, Verdict], config: Config) -> Iterator[Edge]:
    """Yield the edges that one link says, whatever others say."""
    if link.target is None:
        return
    match link.state:
        case "explicit":
            provenance = NOTE_ZONE if link.rule_id == NOTE_ZONE else EXPLICIT
            yield _edge(link, link.target, provenance, link.rule_id, 1.0)
            if link.kind == "references":
                for default in config.types.of(note_type).edge_defaults:
                    edge = _edge(link, link.target, RULE, f"rule:{note_type}", default.confidence)
                    yield edge._replace(kind=default.kind)
        case "verified":
            confidence = verdicts[link.verdict].confidence if link.verdict else 1.0
            yield _edge(link, link.target, EXPLICIT, EXPLICIT, confidence)
        case "unproven":
            confidence = config.validator.unproven_confidence
            yield _edge(link, link.target, link.rule_id, link.rule_id, confidence)
        case _:
            return


def _edge(link: Link, target: str, provenance: str, rule_id: str, confidence: float) -> Edge:
    return Edge(
        source=link.source,
        kind=link.kind,
        target=target,
        provenance=provenance,
        rule_id=rule_id,
        confidence=confidence,
        scope=link.scope,
        chunk=link.chunk,
        line=link.line,
        verdict=link.verdict,
        mirror=False,
    )


def rank(edge: Edge) -> tuple[int, bool, float, int, str]:
    """Return the place of an edge among those that say the same: the first of them is written.

    Order: provenance, a statement before a verdict, the surer, the earlier line.
    """
    provenance = CANDIDATE if edge.provenance.startswith(CANDIDATE) else edge.provenance
    return _ORDER.index(provenance), edge.verdict is not None, -edge.confidence, edge.line or 0, edge.rule_id

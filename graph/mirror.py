"""The inverse edges that the system writes itself (design, section 4). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kantenwerk.graph.model import CANDIDATE, STRUCTURE, Edge


def mirror_edges(
    edges: Iterable[Edge], inverse: Callable[[str], str], is_mirrored: Callable[[str], bool]
) -> Iterator[Edge]:
    """Yield the mirror of every edge that has one.

    None for an unproven edge, for a kind that is not mirrored, and where `edges` holds the very edge from the
    other side; so `edges` must hold all edges between the nodes in question.
    """
    edges = tuple(edges)
    stated = {edge.triple for edge in edges}
    for edge in edges:
        if edge.provenance.startswith(CANDIDATE) or not is_mirrored(edge.kind):
            continue
        kind = inverse(edge.kind)
        if (edge.target, kind, edge.source) not in stated:
            yield Edge(
                source=edge.target,
                kind=kind,
                target=edge.source,
                provenance=STRUCTURE,
                rule_id=STRUCTURE,
                confidence=edge.confidence,
                scope=edge.scope,
                chunk=None,
                line=None,
                verdict=None,
                mirror=True,
            )

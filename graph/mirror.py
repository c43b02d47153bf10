"""The inverse edges that the system writes itself (design, section 4). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from kantenwerk.graph.model import CANDIDATE, STRUCTURE, Edge, Scope

# What a mirror has of its edge besides the nodes: its own kind, the confidence and the scope.
_Face = tuple[str, float, Scope]


def with_mirrors(
    said: Mapping[str, Iterable[Edge]],
    others: Iterable[Edge],
    inverse: Callable[[str], str],
    is_mirrored: Callable[[str], bool],
) -> Iterator[Edge]:
    """Yield edges, which are given by source, and the mirrors of these and of `others`, in the order of triples.

    No mirror has an unproven edge, a kind that is not mirrored, and what is said from the other side; so `said` and
    `others` together must hold all edges between the nodes in question.
    """
    others = tuple(others)
    by_others = {edge.triple for edge in others}
    faces: dict[_Face, _Face] = {}
    # By target; sources and faces lie apart, for a pair of them takes more memory than both.
    mirrors: dict[str, tuple[list[str], list[_Face]]] = defaultdict(lambda: ([], []))
    for edge in chain(chain.from_iterable(said.values()), others):
        if is_mirrored(edge.kind) and not edge.provenance.startswith(CANDIDATE):
            face = (inverse(edge.kind), edge.confidence, edge.scope)
            sources, looks = mirrors[edge.target]
            sources.append(edge.source)
            looks.append(faces.setdefault(face, face))
    for node in sorted(said.keys() | mirrors.keys()):
        found = {edge.triple: edge for edge in _mirrors(node, *mirrors.pop(node, ((), ())))}
        for triple in by_others & found.keys():
            del found[triple]
        found.update((edge.triple, edge) for edge in said.get(node, ()))
        yield from (found[triple] for triple in sorted(found))


def _mirrors(node: str, sources: Iterable[str], faces: Iterable[_Face]) -> Iterator[Edge]:
    for source, (kind, confidence, scope) in zip(sources, faces, strict=True):
        yield Edge(
            source=node,
            kind=kind,
            target=source,
            provenance=STRUCTURE,
            rule_id=STRUCTURE,
            confidence=confidence,
            scope=scope,
            chunk=None,
            line=None,
            verdict=None,
            mirror=True,
        )

"""The inverse edges that the system writes itself (design, section 4). Pure."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import chain

from kantenwerk.graph.model import CANDIDATE, STRUCTURE, Edge, Scope


def with_mirrors(
    said: Mapping[str, Iterable[Edge]],
    others: Iterable[Edge],
    inverse: Callable[[str], str],
    is_mirrored: Callable[[str], bool],
) -> Iterator[Edge]:
    """Yield edges, which are given by source, and the mirrors of these and of `others`, in the order of triples.

    There is none of an unproven edge, of a kind that is not mirrored, and of what is said from the other side; so
    `said` and `others` together must hold all edges between the nodes in question.
    """
    others = tuple(others)
    by_others = {edge.triple for edge in others}
    mirrors = _Mirrors()
    for edge in chain(chain.from_iterable(said.values()), others):
        if is_mirrored(edge.kind) and not edge.provenance.startswith(CANDIDATE):
            mirrors.add(edge, inverse(edge.kind))
    for node in sorted(said.keys() | mirrors.nodes):
        found = {edge.triple: edge for edge in mirrors.at(node)}
        for triple in by_others & found.keys():
            del found[triple]
        found.update((edge.triple, edge) for edge in said.get(node, ()))
        yield from (found[triple] for triple in sorted(found))


class _Mirrors:
    """Mirrors by the node where they begin, in numbers: a large vault has a million."""

    def __init__(self) -> None:
        self._targets: dict[str, int] = {}
        # What a mirror has of its edge besides the nodes.
        self._faces: dict[tuple[str, float, Scope], int] = {}
        self._at: dict[str, array[int]] = defaultdict(partial(array, "I"))

    def add(self, edge: Edge, kind: str) -> None:
        """Take in the mirror of an edge, which is of another kind."""
        face = (kind, edge.confidence, edge.scope)
        target = self._targets.setdefault(edge.source, len(self._targets))
        self._at[edge.target].extend((target, self._faces.setdefault(face, len(self._faces))))

    @property
    def nodes(self) -> Collection[str]:
        """The nodes where one begins."""
        return self._at.keys()

    @cached_property
    def _tables(self) -> tuple[tuple[str, ...], tuple[tuple[str, float, Scope], ...]]:
        return tuple(self._targets), tuple(self._faces)

    def at(self, node: str) -> Iterator[Edge]:
        """Yield the mirrors that begin at a node, once all are taken in."""
        targets, faces = self._tables
        numbers = iter(self._at.get(node, ()))
        for target, face in zip(numbers, numbers, strict=True):
            kind, confidence, scope = faces[face]
            yield Edge(
                source=node,
                kind=kind,
                target=targets[target],
                provenance=STRUCTURE,
                rule_id=STRUCTURE,
                confidence=confidence,
                scope=scope,
                chunk=None,
                line=None,
                verdict=None,
                mirror=True,
            )

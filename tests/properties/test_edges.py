"""The laws of edges: mirrors and differences are those that their definitions say, over any edges."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.graph.mirror import with_mirrors
from kantenwerk.graph.model import Edge
from kantenwerk.graph.plan import diff_edges
from kantenwerk.ingest.staging import stage_of
from tests.properties.profiles import examples

INVERSE = {"uses": "used_by", "used_by": "uses", "near": "near", "lonely": "lonely_back", "lonely_back": "lonely"}
NODES = ("a", "b", "ä", "𐍈", "mention:x")

edges = st.builds(
    Edge,
    source=st.sampled_from(NODES),
    kind=st.sampled_from(sorted(INVERSE)),
    target=st.sampled_from(NODES),
    provenance=st.sampled_from(("explicit", "rule", "candidate:pool")),
    rule_id=st.just("explicit"),
    confidence=st.sampled_from((0.5, 1.0)),
    scope=st.sampled_from(("chunk", "note")),
    chunk=st.sampled_from((None, "c00")),
    line=st.integers(1, 3),
    verdict=st.none(),
    mirror=st.just(value=False),
)
many = st.lists(edges, unique_by=attrgetter("triple"), max_size=12).map(lambda found: sorted(found, key=by_triple))


def by_triple(edge: Edge) -> tuple[str, str, str]:
    return edge.triple


def is_mirrored(kind: str) -> bool:
    return not kind.startswith("lonely")


def mirror_of(edge: Edge) -> Edge:
    return Edge(
        edge.target,
        INVERSE[edge.kind],
        edge.source,
        "structure",
        "structure",
        edge.confidence,
        edge.scope,
        None,
        None,
        None,
        mirror=True,
    )


@examples(60)
@given(many)
def test_that_every_edge_has_its_mirror_unless_the_other_side_says_the_same(around: list[Edge]) -> None:
    # The edges of two nodes are at hand, those of the others are known to lead to them.
    own = [edge for edge in around if edge.source in {"a", "b"}]
    others = [edge for edge in around if edge not in own]
    said = {source: list(found) for source, found in groupby(own, key=attrgetter("source"))}
    triples = {edge.triple for edge in around}
    mirrors = [
        mirror
        for edge in around
        if is_mirrored(edge.kind) and not edge.provenance.startswith("candidate:")
        if (mirror := mirror_of(edge)).triple not in triples
    ]
    assert list(with_mirrors(said, others, INVERSE.__getitem__, is_mirrored)) == sorted([*own, *mirrors], key=by_triple)


@examples(60)
@given(many, many)
def test_that_a_difference_turns_what_is_stored_into_what_is_wanted(wanted: list[Edge], stored: list[Edge]) -> None:
    stage = stage_of(Edge)
    changes = diff_edges(stage.keep_all(wanted), stage.keep_all(stored))
    left = {edge.triple: edge for edge in stored}
    for edge in changes.deletions:
        assert left.pop(edge.triple) == edge
    for edge in changes.insertions:
        assert left.setdefault(edge.triple, edge) is edge
    assert [left[triple] for triple in sorted(left)] == wanted
    assert all(before != after for before, after in (*changes.changed, *changes.shifted))
    assert {edge.triple for edge in changes.removed}.isdisjoint(edge.triple for edge in wanted)

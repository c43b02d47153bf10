"""Circles, held against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.graph.cycles import cycles

ends = st.integers(0, 9).map(str)
arc_lists = st.lists(st.tuples(ends, ends), max_size=40)


@given(arc_lists)
def test_every_knot_has_one_circle_and_nothing_else_has_one(arcs: list[tuple[str, str]]) -> None:
    found = cycles(arcs)
    graph: nx.DiGraph[str] = nx.DiGraph(arcs)
    knots = [knot for knot in nx.strongly_connected_components(graph) if len(knot) > 1]
    assert len(found) == len(knots)
    for circle in found:
        nodes = [source for source, _ in circle]
        assert [target for _, target in circle] == [*nodes[1:], nodes[0]]
        assert len(set(nodes)) == len(nodes)
        (knot,) = (knot for knot in knots if nodes[0] in knot)
        assert circle[0] == next(arc for arc in arcs if set(arc) <= knot and arc[0] != arc[1])
        source, target = circle[0]
        assert len(circle) == 1 + nx.shortest_path_length(graph, target, source)


@given(arc_lists)
def test_a_circle_does_not_depend_on_repeated_arcs(arcs: list[tuple[str, str]]) -> None:
    assert cycles([*arcs, *arcs]) == cycles(arcs)


def test_a_long_chain_is_walked_without_recursion() -> None:
    chain = [(str(number), str(number + 1)) for number in range(20_000)]
    assert cycles(chain) == []
    (circle,) = cycles([*chain, ("20000", "0")])
    assert len(circle) == 20_001

"""Where nodes are drawn."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from kantenwerk.graph.layout import Point, layout

RING = [(node, (node + 1) % 12) for node in range(12)]
STAR = [(0, leaf) for leaf in range(1, 200)]
# The first place of the ring, as every machine has it.
EXPECTED = (6.333812994330393, -10.797563195936572)
# Two thick groups with one edge between them.
GROUPS = [*combinations(range(40), 2), *combinations(range(40, 80), 2), (0, 40)]


def distance(one: Point, other: Point) -> float:
    return math.dist(one, other)


@pytest.mark.parametrize(("count", "edges"), [(0, []), (1, []), (2, [(0, 1)]), (3, [(0, 0), (1, 1), (1, 1)])])
def test_that_the_smallest_graphs_have_places(count: int, edges: list[tuple[int, int]]) -> None:
    places = layout(count, edges)
    assert len(set(places)) == count
    assert all(math.isfinite(x) and math.isfinite(y) for x, y in places)


@pytest.mark.parametrize("edges", [RING, STAR, GROUPS])
def test_that_no_two_nodes_share_a_place(edges: list[tuple[int, int]]) -> None:
    count = 1 + max(max(pair) for pair in edges)
    places = layout(count, edges)
    assert min(distance(one, other) for one, other in combinations(places, 2)) > 0.2


def test_that_the_same_graph_is_drawn_the_same() -> None:
    assert layout(80, GROUPS) == layout(80, list(GROUPS))


def test_that_the_places_are_those_of_every_machine() -> None:
    assert layout(12, RING)[0] == pytest.approx(EXPECTED, abs=1e-9)


def test_that_what_belongs_together_is_drawn_together() -> None:
    places = layout(80, GROUPS)
    inside = [distance(places[one], places[other]) for one, other in combinations(range(40), 2)]
    between = [distance(places[one], places[other]) for one in range(40) for other in range(40, 80)]
    assert max(inside) < min(between)


def test_that_a_ring_has_its_hole() -> None:
    places = layout(12, RING)
    middle = (sum(x for x, _ in places) / 12, sum(y for _, y in places) / 12)
    radii = [distance(place, middle) for place in places]
    assert min(radii) > 0.5 * max(radii)


def test_that_nodes_without_edges_lie_outside_and_apart() -> None:
    places = layout(80 + 30, GROUPS)
    radius = max(math.hypot(*place) for place in places[:80])
    assert all(math.hypot(*place) > radius for place in places[80:])
    assert min(distance(one, other) for one, other in combinations(places[80:], 2)) > 1

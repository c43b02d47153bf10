"""Circles in a directed graph. Pure, in linear time, and without recursion: a chain of notes may be long."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

Arc = tuple[str, str]


def cycles(arcs: Iterable[Arc]) -> list[list[Arc]]:
    """Return one circle for every knot of nodes that lead to one another.

    It begins with the knot's first arc in the order given, and is the shortest one through that. An arc from a node
    to itself is no circle.
    """
    arcs = [arc for arc in dict.fromkeys(arcs) if arc[0] != arc[1]]
    knot_of = _knots(arcs)
    inner = [arc for arc in arcs if knot_of[arc[0]] == knot_of[arc[1]]]
    following = _following(inner)
    first: dict[str, Arc] = {}
    for arc in inner:
        first.setdefault(knot_of[arc[0]], arc)
    return [[arc, *_way(arc[1], arc[0], following)] for arc in first.values()]


def _knots(arcs: Iterable[Arc]) -> dict[str, str]:
    """Return one node of its strongly connected component for every node (Kosaraju)."""
    arcs = tuple(arcs)
    behind = _following((target, source) for source, target in arcs)
    knot_of: dict[str, str] = {}
    for root in reversed(_left_last(arcs)):
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node not in knot_of:
                knot_of[node] = root
                waiting.extend(behind.get(node, ()))
    return knot_of


def _left_last(arcs: tuple[Arc, ...]) -> list[str]:
    """Return the nodes in the order in which a walk in depth leaves them."""
    following = _following(arcs)
    left: list[str] = []
    seen: set[str] = set()
    for root in dict.fromkeys(node for arc in arcs for node in arc):
        path = [] if root in seen else [(root, iter(following.get(root, ())))]
        seen.add(root)
        while path:
            node, others = path[-1]
            if (other := next((other for other in others if other not in seen), None)) is None:
                left.append(node)
                path.pop()
            else:
                seen.add(other)
                path.append((other, iter(following.get(other, ()))))
    return left


def _way(start: str, end: str, following: Mapping[str, list[str]]) -> list[Arc]:
    """Return the arcs of a shortest way, which there is."""
    came_from = {start: start}
    waiting = deque([start])
    while end not in came_from:
        node = waiting.popleft()
        for other in following[node]:
            if other not in came_from:
                came_from[other] = node
                waiting.append(other)
    way: list[Arc] = []
    while end != start:
        way.append((came_from[end], end))
        end = came_from[end]
    return way[::-1]


def _following(arcs: Iterable[Arc]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for source, target in arcs:
        found[source].append(target)
    return found

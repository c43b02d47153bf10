"""Ways through the stored graph: what is near an entity, and a shortest way between two. Step by step in SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from kantenwerk.graph.queries import Step, StoredGraph, Walk


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity so many steps away; `steps` are all edges that lead to it from one step nearer."""

    entity: str
    distance: int
    steps: tuple[Step, ...]


def neighbors(graph: StoredGraph, start: str, depth: int, walk: Walk) -> list[Neighbor]:
    """Return what can be reached from an entity in at most so many steps, the nearest first."""
    seen, edge = {start}, {start}
    found: list[Neighbor] = []
    for distance in range(1, depth + 1):
        reached: dict[str, list[Step]] = {}
        for step in graph.steps(edge, walk):
            if step.there not in seen:
                reached.setdefault(step.there, []).append(step)
        if not reached:
            break
        found += [Neighbor(entity, distance, tuple(reached[entity])) for entity in sorted(reached)]
        edge = set(reached)
        seen |= edge
    return found


def shortest_way(graph: StoredGraph, start: str, end: str, walk: Walk) -> list[tuple[Step, ...]] | None:
    """Return a shortest way between two entities, None if there is none: for each step all edges that make it.

    It is searched from both ends, always where fewer were reached. Of several, the first in order of names is taken.
    """
    sides = ([{start}], [{end}])
    seen = ({start}, {end})
    while not seen[0] & seen[1]:
        near = 0 if len(sides[0][-1]) <= len(sides[1][-1]) else 1
        reached = {step.there for step in graph.steps(sides[near][-1], walk)} - seen[near]
        if not reached:
            return None
        sides[near].append(reached)
        seen[near].update(reached)
    middle = min(seen[0] & seen[1])
    before = _back(graph, middle, sides[0], walk)
    after = _back(graph, middle, sides[1], walk)
    return _joined(graph, (*reversed(before), middle, *after), walk)


def _back(graph: StoredGraph, node: str, levels: list[set[str]], walk: Walk) -> list[str]:
    """Return the entities on the way from a reached one back to where its side began."""
    way: list[str] = []
    distance = next(number for number, level in enumerate(levels) if node in level)
    for level in reversed(levels[:distance]):
        node = min({step.there for step in graph.steps([node], walk)} & level)
        way.append(node)
    return way


def _joined(graph: StoredGraph, way: Iterable[str], walk: Walk) -> list[tuple[Step, ...]]:
    stops = list(way)
    steps = graph.steps(stops[:-1], walk)
    return [tuple(step for step in steps if (step.here, step.there) == pair) for pair in pairwise(stops)]

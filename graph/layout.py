"""Where nodes are drawn: a force-directed layout, the same on every machine.

Own code, for what lays out thousands of nodes fast is under the GPL, or brings scipy along, and in the page it would
take seconds whenever that is opened. The method: nodes are merged in pairs until few are left (Walshaw's multilevel
scheme), these are moved by ForceAtlas2's forces, with repulsion after Barnes and Hut, and each step back to the finer
graph starts from there. The forces are made of `+ - * /` and square roots alone, which round alike everywhere.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
# Centre of mass, mass, squared size over squared accuracy, and the four quarters; None where it is not divided.
_Cell: TypeAlias = tuple[float, float, float, float, "list[_Cell] | None"]

_COARSEST = 24
_MOST_DEPTH = 24
# The squared share of its distance that a cell may measure and still count as one point.
_ACCURACY = 1.44
_PULL, _GRAVITY = 0.45, 0.02
# How often the nodes of a level are moved: often while there are few of them.
_MOST_ROUNDS, _LEAST_ROUNDS, _ROUNDS_NODES = 60, 10, 40_000
_GAP = 1.6


@dataclass(frozen=True, slots=True)
class _Level:
    """A graph with weights: `near` gives the weight of the edges to each neighbour."""

    masses: list[float]
    near: list[dict[int, float]]


def layout(count: int, edges: Iterable[tuple[int, int]]) -> list[Point]:
    """Return a place for each of `count` nodes: connected parts one by one, the largest in the middle."""
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for one, other in edges:
        if one != other:
            near[one][other] = near[one].get(other, 0.0) + 1.0
            near[other][one] = near[other].get(one, 0.0) + 1.0
    parts = sorted(_parts(near), key=lambda part: (-len(part), part))
    places: list[Point] = [(0.0, 0.0)] * count
    for part, middle, points in _packed([(part, _part_layout(part, near)) for part in parts]):
        for node, (x, y) in zip(part, points, strict=True):
            places[node] = (x + middle[0], y + middle[1])
    return places


def _parts(near: list[dict[int, float]]) -> list[list[int]]:
    seen = [False] * len(near)
    parts = []
    for start in range(len(near)):
        if seen[start]:
            continue
        seen[start] = True
        part = [start]
        for node in part:
            fresh = [other for other in near[node] if not seen[other]]
            for other in fresh:
                seen[other] = True
            part += fresh
        parts.append(sorted(part))
    return parts


def _packed(parts: list[tuple[list[int], list[Point]]]) -> Iterable[tuple[list[int], Point, list[Point]]]:
    """Yield the parts with their middles, the first in the middle and the others in rings around it."""
    reach, angle, widest = 0.0, 2 * math.pi, 0.0
    for number, (part, points) in enumerate(parts):
        radius = math.sqrt(max(x * x + y * y for x, y in points)) + _GAP
        if number == 0:
            reach = radius
            yield part, (0.0, 0.0), points
            continue
        if angle + 2 * radius / (reach + radius) > 2 * math.pi:
            reach, angle, widest = reach + 2 * widest, 0.0, radius
        distance = reach + radius
        turn = 2 * radius / distance
        middle = (distance * math.cos(angle + turn / 2), distance * math.sin(angle + turn / 2))
        angle += turn
        yield part, middle, points


def _part_layout(part: list[int], near: list[dict[int, float]]) -> list[Point]:
    """Return the places of a connected part's nodes, around the origin."""
    if len(part) == 1:
        return [(0.0, 0.0)]
    place = {node: number for number, node in enumerate(part)}
    neighbours = [{place[other]: weight for other, weight in near[node].items()} for node in part]
    level = _Level([1.0 + sum(found.values()) for found in neighbours], neighbours)
    levels: list[tuple[_Level, list[int]]] = []
    while len(level.masses) > _COARSEST:
        parents = _pairs(level)
        levels.append((level, parents))
        level = _merged(level, parents)
    dice = Random(7)  # noqa: S311 - nothing here is secret
    size = math.sqrt(sum(level.masses))
    points = _moved(level, [_jitter((0.0, 0.0), size, dice) for _ in level.masses])
    for finer, parents in reversed(levels):
        points = _moved(finer, [_jitter(points[parent], 1.0, dice) for parent in parents])
    middle_x, middle_y = (math.fsum(values) / len(points) for values in zip(*points, strict=True))
    return [(x - middle_x, y - middle_y) for x, y in points]


def _jitter(point: Point, size: float, dice: Random) -> Point:
    return (point[0] + size * (dice.random() - 0.5), point[1] + size * (dice.random() - 0.5))


def _pairs(level: _Level) -> list[int]:
    """Return the node of the coarser graph for each node: two neighbours become one, or two neighbours of one."""
    parents = [-1] * len(level.masses)
    waiting: dict[int, int] = {}
    count = 0
    for node in sorted(range(len(parents)), key=lambda node: (level.masses[node], node)):
        if parents[node] >= 0:
            continue
        free = [other for other in level.near[node] if parents[other] < 0]
        if free:
            partner = min(free, key=lambda other: (level.masses[other], other))
            parents[node] = parents[partner] = count
            count += 1
            continue
        # The leaves of a star have one neighbour between them: two of them become one.
        hub = min(level.near[node], key=lambda other: (level.masses[other], other))
        if hub in waiting:
            parents[node] = parents[waiting.pop(hub)]
        else:
            parents[node] = count
            waiting[hub] = node
            count += 1
    return parents


def _merged(level: _Level, parents: list[int]) -> _Level:
    count = max(parents) + 1
    masses = [0.0] * count
    near: list[dict[int, float]] = [defaultdict(float) for _ in range(count)]
    for node, parent in enumerate(parents):
        masses[parent] += level.masses[node]
        for other, weight in level.near[node].items():
            if parents[other] != parent:
                near[parent][parents[other]] += weight
    return _Level(masses, [dict(found) for found in near])


def _moved(level: _Level, points: list[Point]) -> list[Point]:
    """Return the points after some rounds, in each of which they may move less far than before."""
    count = len(points)
    rounds = max(_LEAST_ROUNDS, min(_MOST_ROUNDS, _ROUNDS_NODES // count))
    reach = math.sqrt(sum(level.masses))
    for step in range(rounds):
        points = _round(level, points, reach * 0.3 * (1 - step / rounds) / math.sqrt(math.sqrt(count)))
    return points


def _round(level: _Level, points: list[Point], most: float) -> list[Point]:
    tree = _tree(points, level.masses)
    moved = []
    for (x, y), mass, near in zip(points, level.masses, level.near, strict=True):
        pull_x = pull_y = 0.0
        for other, weight in near.items():
            other_x, other_y = points[other]
            pull_x += weight * (other_x - x)
            pull_y += weight * (other_y - y)
        push_x, push_y = _push(x, y, tree)
        pull = _PULL / mass
        step_x = pull * pull_x + _PULL * (push_x - _GRAVITY * x)
        step_y = pull * pull_y + _PULL * (push_y - _GRAVITY * y)
        length = math.sqrt(step_x * step_x + step_y * step_y)
        share = most / length if length > most else 1.0
        moved.append((x + share * step_x, y + share * step_y))
    return moved


def _push(x: float, y: float, tree: _Cell) -> Point:
    """Return the repulsion at a point: mass over distance, of cells that are far away as a whole."""
    push_x = push_y = 0.0
    stack = [tree]
    while stack:
        cell_x, cell_y, mass, size, quarters = stack.pop()
        way_x, way_y = x - cell_x, y - cell_y
        square = way_x * way_x + way_y * way_y
        if quarters is None or square > size:
            force = mass / (square + 0.01)
            push_x += way_x * force
            push_y += way_y * force
        else:
            stack += quarters
    return push_x, push_y


def _tree(points: Sequence[Point], masses: Sequence[float]) -> _Cell:
    low_x, low_y = (min(values) for values in zip(*points, strict=True))
    high_x, high_y = (max(values) for values in zip(*points, strict=True))
    size = max(high_x - low_x, high_y - low_y)
    items = [(x, y, mass) for (x, y), mass in zip(points, masses, strict=True)]
    return _cell(items, low_x, low_y, size, _MOST_DEPTH)


def _cell(items: list[tuple[float, float, float]], low_x: float, low_y: float, size: float, depth: int) -> _Cell:
    mass = sum_x = sum_y = 0.0
    for x, y, weight in items:
        mass += weight
        sum_x += weight * x
        sum_y += weight * y
    if len(items) == 1 or depth == 0:
        return (sum_x / mass, sum_y / mass, mass, 0.0, None)
    half = size / 2
    middle_x, middle_y = low_x + half, low_y + half
    quarters: tuple[list[tuple[float, float, float]], ...] = ([], [], [], [])
    for item in items:
        quarters[(item[0] >= middle_x) + 2 * (item[1] >= middle_y)].append(item)
    cells = [
        _cell(found, (low_x, middle_x)[number & 1], (low_y, middle_y)[number >> 1], half, depth - 1)
        for number, found in enumerate(quarters)
        if found
    ]
    return (sum_x / mass, sum_y / mass, mass, size * size / _ACCURACY, cells)

"""`kantenwerk path` and `kantenwerk neighbors`: ways along edges, in either direction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import typer

from kantenwerk.cli.stored import Place, opened
from kantenwerk.cli.tables import Cell, table_lines
from kantenwerk.cli.terminal import as_json, one_line
from kantenwerk.graph.queries import Step
from kantenwerk.ingest.ways import Neighbor, neighbors, shortest_way

_MOST_WAYS = 3


def find_path(place: Place, one: str, other: str, kinds: str | None, *, in_json: bool) -> int:
    """Print a shortest way and return 0, or 1 if there is none.

    Raises:
        ConfigError: a name means no note or may mean several, or a kind is not known.
        StoreError: there is no graph yet.
    """
    with opened(place) as stored:
        walk, start, end = stored.walk(kinds), stored.entity(one), stored.entity(other)
        way = shortest_way(stored.graph, start, end, walk)
        names = stored.names({start, end, *_stops(way or [])})
    if in_json:
        typer.echo(as_json({"from": start, "to": end, "steps": None if way is None else [_hop(hop) for hop in way]}))
    elif way is None:
        typer.echo(f"No way from {names[start]} to {names[end]}{' by these kinds' if kinds else ''}.")
    else:
        typer.echo(names[start])
        for line in table_lines(
            [(Cell(_kinds(hop), "cyan"), Cell(names[hop[0].there])) for hop in way], folded=1, indent=2
        ):
            typer.echo(line)
    return 1 if way is None else 0


def list_neighbors(place: Place, name: str, depth: int, kinds: str | None, *, in_json: bool) -> int:
    """Print what is near a note and return 0.

    Raises:
        ConfigError: the name means no note or may mean several, or a kind is not known.
        StoreError: there is no graph yet.
    """
    with opened(place) as stored:
        walk, start = stored.walk(kinds), stored.entity(name)
        found = neighbors(stored.graph, start, depth, walk)
        names = stored.names({start, *_stops(near.steps for near in found)})
    if in_json:
        typer.echo(as_json({"entity": start, "neighbors": [asdict(near) for near in found]}))
        return 0
    for line in table_lines([_cells(near, names) for near in found], folded=1):
        typer.echo(line)
    if not found:
        typer.echo(f"Nothing is joined to {names[start]}{' by these kinds' if kinds else ''}.")
    return 0


def _stops(hops: Iterable[tuple[Step, ...]]) -> set[str]:
    return {stop for hop in hops for step in hop for stop in (step.here, step.there)}


def _hop(hop: tuple[Step, ...]) -> dict[str, Any]:
    first = hop[0]
    edges = [{"kind": step.kind, "is_forward": step.is_forward} for step in hop]
    return {"from": first.here, "to": first.there, "edges": edges}


def _kinds(steps: Iterable[Step]) -> str:
    """Return the kinds of edges between two, with an arrow the way each points."""
    return one_line(", ".join(f"{step.kind} →" if step.is_forward else f"← {step.kind}" for step in steps))


def _cells(near: Neighbor, names: dict[str, str]) -> tuple[Cell, ...]:
    ways: dict[str, list[Step]] = {}
    for step in near.steps:
        ways.setdefault(step.here, []).append(step)
    told = [f"{names[here]} {_kinds(steps)}" if near.distance > 1 else _kinds(steps) for here, steps in ways.items()]
    rest = f"; {len(told) - _MOST_WAYS} more" if len(told) > _MOST_WAYS else ""
    return (Cell(str(near.distance)), Cell(names[near.entity]), Cell("; ".join(told[:_MOST_WAYS]) + rest, "cyan"))

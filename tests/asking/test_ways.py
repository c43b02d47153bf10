"""Ways through random graphs, held against networkx's."""

from __future__ import annotations

import random
from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

import duckdb
import networkx as nx
import pytest

from kantenwerk.config import load_config
from kantenwerk.graph.mirror import with_mirrors
from kantenwerk.graph.model import Edge
from kantenwerk.graph.queries import StoredGraph, Walk
from kantenwerk.graph.rows import edge_row
from kantenwerk.ingest.ways import neighbors, shortest_way
from tests.readme.page import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.validation.desk import Desk

VOCABULARY = load_config(ROOT / "vault_example", environ={}).vocabulary
KINDS = ("references", "depends_on", "required_by", "related_to", "unheard_of", "lonely")
UNMIRRORED = ("lonely",)
SCHEMA = (ROOT / "graph" / "schema.sql").read_text("utf-8")


def edge(source: str, kind: str, target: str, provenance: str = "explicit") -> Edge:
    return Edge(source, kind, target, provenance, provenance, 1.0, "note", None, 1, None, mirror=False)


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        yield connection


def stored(connection: duckdb.DuckDBPyConnection, edges: Iterable[Edge], entities: dict[str, str]) -> StoredGraph:
    """A graph with these edges and their mirrors."""
    by_source = attrgetter("source")
    said = {source: list(found) for source, found in groupby(sorted(edges, key=by_source), key=by_source)}
    mirrored = with_mirrors(said, (), VOCABULARY.inverse, lambda kind: kind not in UNMIRRORED)
    for table, rows in (("edges", map(edge_row, mirrored)), ("entity_of", entities.items())):
        appender = connection.appender(table)
        appender.append_rows(rows)
        appender.flush()
    return StoredGraph(connection)


def walk(*kinds: str) -> Walk:
    closed = frozenset((*kinds, *map(VOCABULARY.inverse, kinds)))
    return Walk(VOCABULARY.inverse, UNMIRRORED, closed or None)


@pytest.mark.parametrize("seed", range(3))
def test_that_ways_are_those_of_networkx(seed: int, connection: duckdb.DuckDBPyConnection) -> None:
    chance = random.Random(seed)
    nodes = [f"n{number}" for number in range(24)]
    entities = {"n1": "n0", "n0": "n0", "n3": "n2", "n2": "n2"}
    triples = {(*chance.sample(nodes, 2), chance.choice(KINDS)) for _ in range(30)}
    edges = [edge(a, kind, b, chance.choice(["explicit", "candidate:pool"])) for a, b, kind in sorted(triples)]
    graph = stored(connection, edges, entities)
    for kinds in ((), ("depends_on", "lonely")):
        allowed = walk(*kinds)
        peer: nx.Graph[str] = nx.Graph()
        peer.add_nodes_from(entities.get(node, node) for node in nodes)
        for one in edges:
            if allowed.kinds is None or one.kind in allowed.kinds:
                peer.add_edge(entities.get(one.source, one.source), entities.get(one.target, one.target))
        stated = {(entities.get(e.source, e.source), e.kind, entities.get(e.target, e.target)) for e in edges}
        for start in ("n0", "n5"):
            distances = nx.single_source_shortest_path_length(peer, start)
            for depth in (2, 24):
                found = {near.entity: near.distance for near in neighbors(graph, start, depth, allowed)}
                assert found == {node: far for node, far in distances.items() if 0 < far <= depth}
            for end in ("n0", "n7", "n11"):
                way = shortest_way(graph, start, end, allowed)
                if end not in distances:
                    assert way is None
                    continue
                assert way is not None
                assert len(way) == distances[end]
                stops = [start, *(hop[0].there for hop in way)]
                assert stops[-1] == end
                for hop, (here, there) in zip(way, pairwise(stops), strict=True):
                    said = {
                        (step.here, step.kind, step.there) if step.is_forward else (step.there, step.kind, step.here)
                        for step in hop
                    }
                    between = {one for one in stated if {one[0], one[2]} == {here, there}}
                    inverses = {(b, VOCABULARY.inverse(kind), a) for a, kind, b in said}
                    assert said <= between, "what is told is what is stated"
                    wanted = {one for one in between if allowed.kinds is None or one[1] in allowed.kinds}
                    assert wanted <= said | inverses, "and nothing is left out"


def test_that_a_mirror_is_told_as_its_edge(connection: duckdb.DuckDBPyConnection) -> None:
    graph = stored(connection, [edge("a", "depends_on", "b"), edge("a", "related_to", "b")], {})
    (near,) = neighbors(graph, "b", 1, walk())
    assert [(step.kind, step.is_forward) for step in near.steps] == [("depends_on", False), ("related_to", False)]


def test_that_the_way_is_the_same_from_call_to_call(desk: Desk) -> None:
    for name in "bcdef":
        desk.write(f"{name}.md", f"[[a]] [[z]] {name}\n")
    desk.write("a.md", "a\n")
    desk.write("z.md", "z\n")
    desk.apply()
    assert desk.run("path", "a", "z").stdout == "a\n  ← references  b\n  references →  z\n"


def test_a_way_over_a_name(desk: Desk) -> None:
    desk.write("a.md", "[[Nobody]]\n")
    desk.write("b.md", "[[nobody]]\n")
    desk.write("c.md", "alone\n")
    desk.apply()
    assert desk.run("path", "a", "b").stdout == "a\n  references →  “Nobody” (no note)\n  ← references  b\n"
    alone = desk.run("path", "a", "c")
    assert (alone.exit_code, alone.stdout) == (1, "No way from a to c.\n")
    assert desk.run("neighbors", "c").stdout == "Nothing is joined to c.\n"

"""Exports that other programs take in as data, each read back by one of these and found to be the graph."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import duckdb
import networkx as nx
import pytest

from tests.exports.graphs import Stored, export, rows, stored

if TYPE_CHECKING:
    from pathlib import Path

# XML knows no way to hold these.
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")

COLUMNS = (
    *("source", "kind", "target", "provenance", "rule_id", "confidence", "scope", "path", "line", "mirror"),
    *("verdict", "judge", "model", "p_yes", "asked_at"),
)


def spelled(value: object) -> object:
    return NO_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", value) if isinstance(value, str) else value


def test_that_networkx_reads_the_graph_from_graphml(vault: Path) -> None:
    graph = nx.parse_graphml(export(vault, "graphml"), force_multigraph=True)
    expected = stored(vault)
    names = {number: data["node"] for number, data in graph.nodes(data=True)}
    nodes = [{**data, "aliases": json.loads(data.get("aliases", "[]"))} for _, data in graph.nodes(data=True)]
    assert by_name(nodes, "node") == {
        spelled(node["id"]): {
            "node": spelled(node["id"]),
            "label": spelled(node["name"]),
            **{key: spelled(node[key]) for key in ("path", "type", "summary", "entity") if node[key] is not None},
            "aliases": node["aliases"],
        }
        for node in expected.nodes.values()
    }
    edges = [
        {**data, "source": names[source], "target": names[target]} for source, target, data in graph.edges(data=True)
    ]
    assert in_order(edges) == in_order(
        [{key: spelled(value) for key, value in edge.items() if value is not None} for edge in expected.edges.values()]
    )


def by_name(nodes: list[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    return {node[key]: node for node in nodes}


def in_order(edges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(edges, key=lambda edge: (edge["source"], edge["kind"], edge["target"]))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_that_duckdb_reads_both_tables(vault: Path, form: str, tmp_path: Path) -> None:
    export(vault, form, "--output", str(tmp_path / f"it's a {{graph}}.{form}"))
    expected = stored(vault)
    with duckdb.connect() as connection:
        nodes, edges = (
            rows(connection, f"FROM read_{form}('{tmp_path}/it''s a {{graph}}.{table}.{form}')")
            for table in ("nodes", "edges")
        )
    if form == "csv":
        nodes = [{**node, "aliases": json.loads(node["aliases"])} for node in nodes]
    assert nodes == [
        {key: node[key] for key in ("id", "name", "path", "type", "aliases", "summary", "entity")}
        for node in in_file(expected)
    ]
    assert [tuple(edge) for edge in edges] == [COLUMNS] * len(edges)
    assert [{**edge, "asked_at": None} for edge in edges] == [
        {key: None if key == "asked_at" else edge[key] for key in COLUMNS} for _, edge in sorted(expected.edges.items())
    ]


def in_file(expected: Stored) -> list[dict[str, Any]]:
    return sorted(expected.nodes.values(), key=lambda node: (node["path"] is None, node["id"]))


def test_that_an_engine_runs_the_cypher(vault: Path) -> None:
    # Not while tests are collected: with it in the process, scikit-learn's OpenMP finds no room, and no model loads.
    import kglite  # noqa: PLC0415

    text = export(vault, "cypher")
    expected = stored(vault)
    database = kglite.KnowledgeGraph()
    for _ in range(2):
        # The second time changes nothing.
        for statement in text.splitlines():
            database.cypher(statement)
    nodes = list(database.cypher("MATCH (n:KantenwerkNode) RETURN labels(n) AS labels, properties(n) AS node"))
    # The engine calls by the name of `type` what others call a label.
    keys = ("id", "name", "path", "aliases", "summary", "entity")
    assert by_name([{key: row["node"].get(key) for key in keys} for row in nodes], "id") == {
        name: {key: node[key] for key in keys} for name, node in expected.nodes.items()
    }
    assert {row["node"]["id"]: row["labels"][1:] for row in nodes} == {
        name: ["Note" if node["path"] else "Mention"] for name, node in expected.nodes.items()
    }
    found = list(
        database.cypher("MATCH (a)-[e]->(b) RETURN a.id AS source, type(e) AS kind, b.id AS target, properties(e) AS e")
    )
    edges: list[dict[str, Any]] = [
        {**row["e"], "source": row["source"], "kind": row["kind"], "target": row["target"]} for row in found
    ]
    assert in_order([{key: edge[key] for key in edge if key != "type"} for edge in edges]) == in_order(
        [{key: value for key, value in edge.items() if value is not None} for edge in expected.edges.values()]
    )

"""Cypher, for Neo4j and others that speak it; one statement a line, and the same again changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kantenwerk.graph.exports.model import EDGE_FIELDS, NODE_FIELDS, Exported
from kantenwerk.graph.exports.text import flat, quoted, spelled

_LABEL = "KantenwerkNode"
_HEAD = f"CREATE CONSTRAINT kantenwerk_node IF NOT EXISTS FOR (n:{_LABEL}) REQUIRE n.id IS UNIQUE;\n"
_NODE_PROPERTIES = tuple(field for field in NODE_FIELDS if field != "id")
_EDGE_PROPERTIES = tuple(field for field in EDGE_FIELDS if field not in {"source", "target"})
# Some versions read `\\u0060` as a backtick even inside of backticks.
_NO_NAME = re.compile(r"[\\`]")


def cypher(graph: Exported) -> Iterator[str]:
    """Yield statements that merge nodes by their ids and edges by their ends and kind."""
    yield _HEAD
    for node in graph.nodes():
        label = "Note" if node.path is not None else "Mention"
        yield f"MERGE (n:{_LABEL} {{id: {_value(node.id)}}}) SET n:{label}, n += {_map(node, _NODE_PROPERTIES)};\n"
    for edge in graph.edges():
        ends = (f"({name}:{_LABEL} {{id: {_value(node)}}})" for name, node in (("a", edge.source), ("b", edge.target)))
        merged = f"MERGE (a)-[e:{_name(edge.kind)}]->(b) SET e += {_map(edge, _EDGE_PROPERTIES)}"
        yield f"MATCH {', '.join(ends)} {merged};\n"


def _map(item: object, names: Sequence[str]) -> str:
    values = ((name, getattr(item, name)) for name in names)
    return "{" + ", ".join(f"{name}: {_value(value)}" for name, value in values) + "}"


def _value(value: str | float | Sequence[str] | None) -> str:
    match value:
        case None:
            return "null"
        case str():
            return quoted(value, "'")
        case bool() | int() | float():
            return flat(value) or ""
        case _:
            return f"[{', '.join(map(_value, value))}]"


def _name(kind: str) -> str:
    """Return a kind as the name of a type; the property `kind` has what cannot stand there."""
    return f"`{_NO_NAME.sub('_', spelled(kind))}`"

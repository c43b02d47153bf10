"""The stored graph as an export reads it, row by row; knows the tables, and not the database's library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kantenwerk.graph.exports.model import EDGE_FIELDS, NODE_FIELDS, Choice, ExportEdge, ExportNode
from kantenwerk.graph.snapshot import Reader, fetched

_ALL_NODES = "FROM export_nodes ORDER BY path IS NULL, id"
_ALL_EDGES = "FROM export_edges ORDER BY source, kind, target"

_NODES = """
    SELECT id, title AS name, path, type, aliases, nullif(summary, '') AS summary FROM notes
    UNION ALL SELECT id, name, NULL, NULL, [], NULL FROM mentions
"""
_EDGES = """
    SELECT edges.* EXCLUDE (chunk), notes.path, v.judge, v.model, v.p_yes, v.asked_at
    FROM edges
    LEFT JOIN notes ON notes.id = edges.source AND edges.line IS NOT NULL
    LEFT JOIN verdicts v ON v.key = edges.verdict
"""
_FOLDED_NODES = f"""
    WITH nodes AS ({_NODES}),
    others AS (
        SELECT entity, list(name ORDER BY node) AS names
        FROM entity_of JOIN nodes ON id = node WHERE node <> entity GROUP BY entity
    )
    SELECT id, name, path, type, aliases || coalesce(names, []) AS aliases, summary
    FROM nodes LEFT JOIN others ON others.entity = id
    WHERE id NOT IN (SELECT node FROM entity_of WHERE node <> entity)
"""  # noqa: S608 - of the code's own parts, as are those below
_FOLDED_EDGES = """
    SELECT *, NULL::VARCHAR AS rule_id, NULL::VARCHAR AS scope, NULL::VARCHAR AS path, NULL::INTEGER AS line,
           NULL::VARCHAR AS verdict, NULL::VARCHAR AS judge, NULL::VARCHAR AS model, NULL::DOUBLE AS p_yes,
           NULL::VARCHAR AS asked_at
    FROM entity_edges
"""


class StoredExport:
    """What a choice leaves of the stored graph.

    Args:
        connection: An open database with a graph; the choice is put into temporary views.
        choice: What to export.
    """

    def __init__(self, connection: Reader, choice: Choice) -> None:
        self._connection = connection
        self._create_views(choice)

    def nodes(self) -> Iterator[ExportNode]:
        """Yield the notes, then the mentions, each in the order of their ids."""
        for node, name, path, kind, aliases, *rest in self._rows(_ALL_NODES):
            yield ExportNode(node, name, path, kind, tuple(aliases), *rest)

    def edges(self) -> Iterator[ExportEdge]:
        """Yield the edges in the order of source, kind and target."""
        for row in self._rows(_ALL_EDGES):
            yield ExportEdge(*row)

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of the edges, in order."""
        return tuple(kind for (kind,) in self._rows("SELECT DISTINCT kind FROM export_edges ORDER BY kind"))

    def all_kinds(self) -> tuple[str, ...]:
        """Return the kinds of all edges of the graph, chosen or not."""
        return tuple(kind for (kind,) in self._rows("SELECT DISTINCT kind FROM edges ORDER BY kind"))

    def counts(self) -> tuple[int, int]:
        """Return how many nodes and edges there are."""
        ((nodes, edges),) = self._rows(
            "SELECT (SELECT count(*) FROM export_nodes), (SELECT count(*) FROM export_edges)"
        )
        return nodes, edges

    def write_parquet(self, nodes: Path, edges: Path) -> None:
        """Write both tables as Parquet files.

        Raises:
            Exception: one of the database's own, where a file cannot be written.
        """
        for query, path in ((_ALL_NODES, nodes), (_ALL_EDGES, edges)):
            name = str(path).replace("'", "''")
            self._connection.execute(f"COPY ({query}) TO '{name}' (FORMAT parquet)")

    def _create_views(self, choice: Choice) -> None:
        conditions = [
            "true" if choice.mirrors else "NOT mirror",
            "true" if choice.unproven else "NOT starts_with(provenance, 'candidate:')",
        ]
        joined = "true"
        if choice.kinds is not None:
            # A view has no parameters.
            self._connection.execute(
                "CREATE TEMP TABLE export_kinds AS SELECT unnest(?::VARCHAR[]) AS kind", [list(choice.kinds)]
            )
            conditions.append("kind IN (SELECT kind FROM export_kinds)")
            joined = "id IN (SELECT source FROM export_edges UNION ALL SELECT target FROM export_edges)"
        edges, nodes = (_FOLDED_EDGES, _FOLDED_NODES) if choice.entities else (_EDGES, _NODES)
        self._connection.execute(
            f"CREATE TEMP VIEW export_edges AS SELECT {', '.join(EDGE_FIELDS)} FROM ({edges}) "  # noqa: S608
            f"WHERE {' AND '.join(conditions)} ORDER BY source, kind, target"
        )
        self._connection.execute(
            f"CREATE TEMP VIEW export_nodes AS SELECT {', '.join(NODE_FIELDS)} FROM ("  # noqa: S608
            f"SELECT n.*, coalesce(e.entity, n.id) AS entity FROM ({nodes}) n LEFT JOIN entity_of e ON e.node = n.id"
            f") WHERE {joined}"
        )

    def _rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        return fetched(self._connection.execute(sql))

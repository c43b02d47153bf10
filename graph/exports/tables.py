"""CSV: a table of the nodes and one of the edges."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from kantenwerk.graph.exports.model import EDGE_FIELDS, NODE_FIELDS, Exported
from kantenwerk.graph.exports.text import flat


def node_table(graph: Exported) -> Iterator[str]:
    """Yield the nodes; aliases are a JSON array."""
    yield from _table(NODE_FIELDS, graph.nodes())


def edge_table(graph: Exported) -> Iterator[str]:
    """Yield the edges."""
    yield from _table(EDGE_FIELDS, graph.edges())


def _table(names: tuple[str, ...], items: Iterable[object]) -> Iterator[str]:
    line = io.StringIO(newline="")
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow(names)
    for item in items:
        writer.writerow([flat(getattr(item, name)) for name in names])
        yield line.getvalue()
        line.seek(0)
        line.truncate()
    yield line.getvalue()

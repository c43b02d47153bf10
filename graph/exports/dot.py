"""DOT, for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from kantenwerk.graph.exports.model import EDGE_FIELDS, Exported, ExportEdge, ExportNode
from kantenwerk.graph.exports.text import flat, spelled

_HEAD = """digraph kantenwerk {
  graph [charset="UTF-8", rankdir=LR];
  node [shape=box, style=rounded];
"""
# Shown by other attributes, or the edge's ends.
_SHOWN = {"source", "kind", "target"}


def dot(graph: Exported) -> Iterator[str]:
    """Yield a directed graph; mentions and unproven edges are dashed."""
    yield _HEAD
    for node in graph.nodes():
        yield f"  {_text(node.id)} [{_list(_node(node))}];\n"
    for edge in graph.edges():
        yield f"  {_text(edge.source)} -> {_text(edge.target)} [{_list(_edge(edge))}];\n"
    yield "}\n"


def _node(node: ExportNode) -> Iterator[tuple[str, str | None]]:
    yield "label", _shown(node.name)
    yield "tooltip", _shown(node.summary or node.path or node.id)
    yield "style", "rounded,dashed" if node.path is None else None
    yield "path", node.path
    yield "type", node.type


def _edge(edge: ExportEdge) -> Iterator[tuple[str, str | None]]:
    yield "key", edge.kind
    yield "label", _shown(edge.kind)
    yield "tooltip", _shown(f"{edge.path}:{edge.line}") if edge.path else None
    yield "style", "dashed" if edge.is_unproven else None
    for field in EDGE_FIELDS:
        if field not in _SHOWN:
            yield field, flat(getattr(edge, field))


def _list(attributes: Iterator[tuple[str, str | None]]) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in attributes if value is not None)


def _shown(text: str) -> str:
    """Return text that Graphviz shows as it is: there entities are read, and a backslash calls for a name."""
    return spelled(text).replace("&", "&amp;")


def _text(text: str) -> str:
    """Return a quoted string; a backslash is written twice, which stays two in it, and a label shows as one."""
    return '"' + spelled(text.replace("\\", "\\\\")).replace('"', '\\"') + '"'

"""JSON Canvas 1.0, which Obsidian opens: a note is a card with the note, a mention one with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from math import ceil, sqrt

from kantenwerk.graph.exports.model import Exported, ExportEdge, ExportNode
from kantenwerk.graph.exports.text import as_json

_WIDTH, _HEIGHT = 400, 240
_ACROSS, _DOWN = _WIDTH + 160, _HEIGHT + 120
_RED = "1"
# What Markdown may read as more than a character.
_MARKDOWN = re.compile(r"[!-/:-@\[-`{-~]")


def canvas(graph: Exported) -> Iterator[str]:
    """Yield a canvas with the notes in rows, a folder beginning a new one, and the mentions below."""
    nodes = sorted(graph.nodes(), key=_place)
    columns = max(1, ceil(sqrt(len(nodes))))
    yield '{"nodes":['
    row, column, folder = 0, 0, None
    for number, node in enumerate(nodes):
        if column == columns or (number and _place(node)[:2] != folder):
            row, column = row + 1, 0
        folder = _place(node)[:2]
        yield ("," if number else "") + "\n" + as_json(_card(node, column * _ACROSS, row * _DOWN))
        column += 1
    yield '\n],"edges":['
    for number, edge in enumerate(graph.edges()):
        yield ("," if number else "") + "\n" + as_json(_arrow(edge))
    yield "\n]}\n"


def _place(node: ExportNode) -> tuple[bool, str, str]:
    folder, _, name = (node.path or "").rpartition("/")
    return node.path is None, folder, name or node.id


def _card(node: ExportNode, x: int, y: int) -> dict[str, object]:
    place = {"x": x, "y": y, "width": _WIDTH, "height": _HEIGHT}
    if node.path is not None:
        return {"id": _id(node.id), "type": "file", **place, "file": node.path}
    text = " ".join(_MARKDOWN.sub(r"\\\g<0>", node.name).split())
    return {"id": _id(node.id), "type": "text", **place, "text": text}


def _arrow(edge: ExportEdge) -> dict[str, object]:
    ends = {"fromNode": _id(edge.source), "toNode": _id(edge.target)}
    colour = {"color": _RED} if edge.is_unproven else {}
    return {"id": _id(edge.source, edge.kind, edge.target), **ends, "label": edge.kind, **colour}


def _id(*names: str) -> str:
    """Return an id as Obsidian makes them, the same in every export."""
    return blake2b("\0".join(names).encode(errors="replace"), digest_size=8).hexdigest()

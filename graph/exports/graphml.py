"""GraphML, for networkx, Gephi, yEd, igraph and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kantenwerk.graph.exports.model import EDGE_FIELDS, NODE_FIELDS, Exported
from kantenwerk.graph.exports.text import flat, spelled

_TYPES = {"confidence": "double", "p_yes": "double", "line": "int", "mirror": "boolean"}
# `id` and `name` are taken: by the attribute of XML, and by what Gephi shows.
_NODE_KEYS = tuple({"id": "node", "name": "label"}.get(field, field) for field in NODE_FIELDS)
_EDGE_KEYS = tuple(field for field in EDGE_FIELDS if field not in {"source", "target"})
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile('[&<>"\t\n\r\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]')
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def graphml(graph: Exported) -> Iterator[str]:
    """Yield a directed graph; XML ids are numbers, and `node` is what the graph calls a node."""
    yield _HEAD
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            kind = _TYPES.get(key, "string")
            yield f'  <key id="{domain}.{key}" for="{domain}" attr.name="{key}" attr.type="{kind}"/>\n'
    yield '  <graph id="kantenwerk" edgedefault="directed">\n'
    numbers: dict[str, int] = {}
    for number, node in enumerate(graph.nodes()):
        numbers[node.id] = number
        data = (_data(f"node.{key}", getattr(node, field)) for key, field in zip(_NODE_KEYS, NODE_FIELDS, strict=True))
        yield f'    <node id="n{number}">{"".join(data)}</node>\n'
    for number, edge in enumerate(graph.edges()):
        ends = f'source="n{numbers[edge.source]}" target="n{numbers[edge.target]}"'
        data = (_data(f"edge.{key}", getattr(edge, key)) for key in _EDGE_KEYS)
        yield f'    <edge id="e{number}" {ends}>{"".join(data)}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def _data(key: str, value: str | float | Sequence[str] | None) -> str:
    text = None if value == () else flat(value)
    return "" if text is None else f'<data key="{key}">{_xml(text)}</data>'


def _xml(text: str) -> str:
    return _ESCAPED.sub(
        lambda found: f"&#{ord(found.group())};", _NO_XML.sub(lambda found: spelled(found.group()), text)
    )

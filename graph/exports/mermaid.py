"""Mermaid, for diagrams in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kantenwerk.graph.exports.model import Exported
from kantenwerk.graph.exports.text import spelled

# Mermaid refuses to draw more, unless a page is set up otherwise.
MOST_EDGES = 500
# What is more than a character somewhere: to Mermaid, to Markdown in its labels, to HTML.
_SPECIAL = re.compile(r"(?:(?<=\w)(?:[-.](?=\w)|:(?= ))|[\w ,/()])+|(.)", re.DOTALL)


def mermaid(graph: Exported) -> Iterator[str]:
    """Yield a flowchart; mentions are round, unproven edges dotted."""
    yield "flowchart LR\n"
    numbers: dict[str, int] = {}
    for number, node in enumerate(graph.nodes()):
        numbers[node.id] = number
        name = _label(node.name)
        yield f"  n{number}[{name}]\n" if node.path is not None else f"  n{number}([{name}])\n"
    for edge in graph.edges():
        arrow = "-.->" if edge.is_unproven else "-->"
        yield f"  n{numbers[edge.source]} {arrow}|{_label(edge.kind)}| n{numbers[edge.target]}\n"


def _label(text: str) -> str:
    shown = spelled(text) or " "
    return '"' + _SPECIAL.sub(lambda found: f"#{ord(found[1])};" if found[1] else found[0], shown) + '"'

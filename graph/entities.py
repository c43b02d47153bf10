"""Which nodes are one thing: the connected components of accepted resolutions, each named by one of its nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from kantenwerk.graph.model import is_mention


def entities(pairs: Iterable[tuple[str, str]], path_of: Callable[[str], str]) -> dict[str, str]:
    """Return the entity of every node in `pairs`: a note's id where it has one, of several the shortest path's.

    Args:
        pairs: The nodes that accepted resolutions join.
        path_of: Gives the path of a note's id.
    """
    leads_to: dict[str, str] = {}

    def root(node: str) -> str:
        while (parent := leads_to.setdefault(node, node)) != node:
            leads_to[node] = leads_to.get(parent, parent)
            node = parent
        return node

    for one, other in pairs:
        leads_to[root(one)] = root(other)
    members: dict[str, list[str]] = defaultdict(list)
    for node in tuple(leads_to):
        members[root(node)].append(node)

    def order(node: str) -> tuple[bool, int, str, str]:
        path = "" if is_mention(node) else path_of(node)
        return is_mention(node), len(path), path, node

    return {node: min(nodes, key=order) for nodes in members.values() for node in nodes}

"""What the writers of exports are handed: nodes and edges as other programs see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Protocol

from kantenwerk.graph.model import CANDIDATE


@dataclass(frozen=True, slots=True)
class Choice:
    """What of the graph is exported; `kinds` is None for all, `entities` folds the nodes that are one thing."""

    mirrors: bool
    unproven: bool
    entities: bool = False
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ExportNode:
    """A note, or a mention, which has neither path nor type; `entity` is the node that stands for what it is."""

    id: str
    name: str
    path: str | None
    type: str | None
    aliases: tuple[str, ...]
    summary: str | None
    entity: str


@dataclass(frozen=True, slots=True)
class ExportEdge:
    """An edge with the note and line that say so, and what is known of its verdict; what it has not is None."""

    source: str
    kind: str
    target: str
    provenance: str
    rule_id: str | None
    confidence: float
    scope: str | None
    path: str | None
    line: int | None
    mirror: bool
    verdict: str | None
    judge: str | None
    model: str | None
    p_yes: float | None
    asked_at: str | None

    @property
    def is_unproven(self) -> bool:
        """Whether nobody has answered for it yet."""
        return self.provenance.startswith(CANDIDATE)


NODE_FIELDS = tuple(field.name for field in fields(ExportNode))
EDGE_FIELDS = tuple(field.name for field in fields(ExportEdge))


class Exported(Protocol):
    """A graph that is read from beginning to end, as often as asked, and never whole."""

    def nodes(self) -> Iterator[ExportNode]:
        """Yield the notes, then the mentions, each in the order of their ids."""

    def edges(self) -> Iterator[ExportEdge]:
        """Yield the edges in the order of source, kind and target."""

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of the edges, in order."""

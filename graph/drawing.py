"""The stored graph as one web page: read as values, laid out, and put as JSON into a page that is built elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kantenwerk.graph.layout import layout
from kantenwerk.graph.model import CANDIDATE, Edge, Resolution, Verdict
from kantenwerk.graph.snapshot import Snapshot

# Where the built page wants its data; it stands there once.
SLOT = "{{graph}}"
# Of a longer line its beginning is shown.
_LONGEST = 1000
# JSON knows these escapes, and HTML then sees no tag, no comment and no line break that JavaScript would.
_ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


@dataclass(frozen=True, slots=True)
class Face:
    """What a node shows of itself; a mention has neither path nor type."""

    node: str
    name: str
    path: str | None = None
    type: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that the page tells; `entities` gives the entity of every node that a resolution joins to another.

    `inverses` gives each kind's inverse, and `lines` the text of a line of a note, as far as it is known.
    """

    name: str
    faces: tuple[Face, ...]
    edges: tuple[Edge, ...]
    entities: dict[str, str] = field(default_factory=dict)
    resolutions: tuple[Resolution, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    inverses: dict[str, str] = field(default_factory=dict)
    lines: dict[tuple[str, int], str] = field(default_factory=dict)


def read_drawing(name: str, snapshot: Snapshot) -> Drawing:
    """Return the stored graph under a name; the same graph in the same order, however it came into the file."""
    return Drawing(
        name=name,
        faces=tuple(
            Face(node, shown, path, kind, tuple(also)) for node, shown, path, kind, also in snapshot.all_nodes()
        ),
        edges=tuple(snapshot.all_edges()),
        entities=snapshot.entities(),
        resolutions=tuple(sorted(row for rows in snapshot.resolutions().values() for row in rows if row.a != row.b)),
        verdicts=tuple(snapshot.all_verdicts()),
    )


def page_of(drawing: Drawing, template: str) -> str:
    """Return the page with the drawing in it as JSON, in which nothing can end the element that holds it."""
    before, slot, after = template.partition(SLOT)
    if not slot or SLOT in after:
        raise ValueError(f"the page must hold {SLOT} once")
    text = json.dumps(_content(drawing), ensure_ascii=False, separators=(",", ":"))
    return before + text.translate(_ESCAPES) + after


def _content(drawing: Drawing) -> dict[str, Any]:
    """Return what page/src/model.ts reads: rows with places in lists instead of names, for they are many."""
    entity_ids = list(dict.fromkeys(drawing.entities.get(face.node, face.node) for face in drawing.faces))
    entities = {entity: place for place, entity in enumerate(entity_ids)}
    nodes = {face.node: place for place, face in enumerate(drawing.faces)}
    kinds, provenances, rules, types, texts = _Places(), _Places(), _Places(), _Places(), _Places()
    verdicts = {verdict.key: place for place, verdict in enumerate(drawing.verdicts)}
    faces = [
        [
            face.node,
            face.name,
            entities[drawing.entities.get(face.node, face.node)],
            face.path,
            None if face.type is None else types.of(face.type),
            face.aliases,
        ]
        for face in drawing.faces
    ]
    edges = [
        [
            nodes[edge.source],
            kinds.of(edge.kind),
            nodes[edge.target],
            provenances.of(edge.provenance),
            rules.of(edge.rule_id),
            round(edge.confidence, 4),
            edge.line,
            verdicts.get(edge.verdict) if edge.verdict else None,
            int(edge.mirror),
            None if (text := drawing.lines.get((edge.source, edge.line or 0))) is None else texts.of(_cut(text)),
        ]
        for edge in drawing.edges
        if edge.source in nodes and edge.target in nodes
    ]
    return {
        "name": drawing.name,
        "nodes": faces,
        "entities": _entity_rows(drawing, entity_ids, nodes, entities),
        "edges": edges,
        "kinds": kinds.names,
        "inverses": [kinds.known(drawing.inverses.get(kind)) for kind in kinds.names],
        "provenances": provenances.names,
        "rules": rules.names,
        "types": types.names,
        "texts": texts.names,
        "verdicts": [
            [v.judge, v.model, v.answer, v.p_yes, round(v.confidence, 4), v.asked_at[:10]] for v in drawing.verdicts
        ],
        "resolutions": [
            [nodes[row.a], nodes[row.b], row.method, row.score, row.state, row.model, row.reason, row.decided_by]
            for row in drawing.resolutions
            if row.a in nodes and row.b in nodes
        ],
    }


def _entity_rows(
    drawing: Drawing, entity_ids: Sequence[str], nodes: dict[str, int], entities: dict[str, int]
) -> list[list[float]]:
    """Return for each entity the node that it is named by, and its place; only what is stated draws it nearer."""
    places = layout(
        len(entity_ids),
        (
            (
                entities[drawing.entities.get(edge.source, edge.source)],
                entities[drawing.entities.get(edge.target, edge.target)],
            )
            for edge in drawing.edges
            if _is_stated(edge) and edge.source in nodes and edge.target in nodes
        ),
    )
    return [[nodes[entity], round(x, 1), round(y, 1)] for entity, (x, y) in zip(entity_ids, places, strict=True)]


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _is_stated(edge: Edge) -> bool:
    return not edge.mirror and not edge.provenance.startswith(CANDIDATE)


class _Places:
    """Gives each name its place in a list."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._places = {name: place for place, name in enumerate(names)}

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def known(self, name: str | None) -> int | None:
        return None if name is None else self._places.get(name)

    def of(self, name: str) -> int:
        return self._places.setdefault(name, len(self._places))

"""`kantenwerk show`: a note with what it is called, its edges by kind, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import typer

from kantenwerk.cli.stored import Place, Stored, opened
from kantenwerk.cli.tables import Cell, hanging, table_lines
from kantenwerk.cli.terminal import as_json, counted, one_line, painted
from kantenwerk.graph.findings import as_stored
from kantenwerk.graph.model import Edge, Finding, Resolution
from kantenwerk.graph.queries import Node

_LABEL = 12
_STANDING = {"accepted": "also named", "proposed": "may be", "rejected": "is not"}
_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is shown of one entity; `nodes` begins with the one after which it is called.

    `back` holds the edge that says the same from the other side, by source, kind and target.
    """

    nodes: tuple[Node, ...]
    resolutions: tuple[Resolution, ...]
    out: tuple[Edge, ...]
    into: tuple[Edge, ...]
    findings: tuple[Finding, ...]
    names: dict[str, str]
    back: dict[tuple[str, str, str], Edge]

    def mirror(self, edge: Edge) -> str:
        """Say which mirror an edge has, or that it is one."""
        if edge.mirror:
            return "a mirror"
        back = self.back.get(edge.triple)
        if back is None:
            return "no mirror"
        return f"mirror {back.kind}" if back.mirror else f"and {back.kind}, stated as well"

    def own_name(self, node: str) -> str:
        """Return a node's name, whatever it means."""
        known = next((one for one in self.nodes if one.id == node), None)
        return self.names[node] if known is None or known.path else f"“{one_line(known.name)}”"


def show(place: Place, name: str, *, full: bool, in_json: bool) -> int:
    """Print what the graph knows of a note, or of a name without one, and return 0.

    Raises:
        ConfigError: nothing is called so, or several are.
        StoreError: there is no graph yet.
    """
    with opened(place) as stored:
        shown = _shown(stored, name)
    if in_json:
        typer.echo(as_json(_as_object(shown)))
    else:
        for line in _lines(shown, full=full):
            typer.echo(line)
    return 0


def _shown(stored: Stored, name: str) -> Shown:
    members = stored.graph.members(stored.entity(name))
    nodes = stored.graph.nodes(members)
    edges = stored.graph.edges_at(members)
    resolutions = stored.graph.resolutions_of(members)
    inverse = stored.config.vocabulary.inverse
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    return Shown(
        nodes=tuple(nodes[node] for node in members if node in nodes),
        resolutions=tuple(resolutions),
        out=tuple(sorted((edge for edge in edges if edge.source in members), key=lambda e: (e.kind, e.target))),
        into=tuple(sorted((edge for edge in edges if edge.target in members), key=lambda e: (e.kind, e.source))),
        findings=tuple(stored.graph.findings_in([node.path for node in nodes.values() if node.path])),
        names=stored.names({*ends, *members, *(node for row in resolutions for node in row.pair)}),
        back={(edge.target, inverse(edge.kind), edge.source): edge for edge in edges},
    )


# --- for people


def _lines(shown: Shown, *, full: bool) -> Iterator[str]:
    yield painted(shown.names[shown.nodes[0].id], "cyan", bold=True)
    for label, text in (*_note_rows(shown.nodes[0]), *_name_rows(shown)):
        yield from hanging(f"  {label:<{_LABEL}}{one_line(text)}", 2 + _LABEL)
    for title, edges, is_out in (("Out", shown.out, True), ("In", shown.into, False)):
        rows = [_edge_cells(edge, shown, is_out=is_out) for edge in edges if full or not edge.mirror]
        yield ""
        yield painted(f"{title}: {counted(len(rows), 'edge')}", "yellow", bold=True)
        yield from table_lines(rows, folded=1, indent=2)
    if shown.findings:
        yield ""
        yield painted(f"Findings: {len(shown.findings)}", "yellow", bold=True)
        yield from table_lines([_finding_cells(found) for found in shown.findings], folded=3, indent=2)


def _note_rows(note: Node) -> Iterator[tuple[str, str]]:
    if note.path is None:
        return
    yield "file", note.path
    if note.id != note.name:
        yield "id", note.id
    yield "title", note.title
    yield "type", note.type or ""
    if note.aliases:
        yield "aliases", ", ".join(note.aliases)
    if note.summary:
        yield "summary", note.summary


def _name_rows(shown: Shown) -> Iterator[tuple[str, str]]:
    """Yield what else the note is taken for, and what it may be."""
    for row in shown.resolutions:
        other = row.a if row.b == shown.nodes[0].id else row.b
        score = "" if row.score is None else f" {row.score:.2f}"
        yield _STANDING[row.state], f"{shown.own_name(other)}  [{row.method}{score}: {row.reason}]"


def _edge_cells(edge: Edge, shown: Shown, *, is_out: bool) -> tuple[Cell, ...]:
    here, there = (edge.source, edge.target) if is_out else (edge.target, edge.source)
    # Of a note with several names: by which one the edge knows it.
    by_name = f" as {shown.own_name(here)}" if here != shown.nodes[0].id else ""
    return (
        Cell(one_line(f"{edge.kind} →" if is_out else f"← {edge.kind}"), "cyan"),
        Cell(f"{shown.names[there]}{by_name}"),
        Cell(one_line(edge.provenance)),
        Cell(f"{edge.confidence:.2f}"),
        Cell(f"line {edge.line}" if edge.line else ""),
        Cell(one_line(shown.mirror(edge)), "dim"),
    )


def _finding_cells(found: Finding) -> tuple[Cell, ...]:
    return (
        Cell(f"{found.line}"),
        Cell(found.severity, _COLOURS[found.severity]),
        Cell(found.code),
        Cell(one_line(found.message)),
    )


# --- for programs


def _as_object(shown: Shown) -> dict[str, Any]:
    return {
        "entity": shown.nodes[0].id,
        "nodes": [asdict(node) for node in shown.nodes],
        "resolutions": [asdict(row) for row in shown.resolutions],
        "out": [edge._asdict() for edge in shown.out],
        "in": [edge._asdict() for edge in shown.into],
        "findings": [as_stored(found) for found in shown.findings],
    }

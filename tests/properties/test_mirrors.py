"""What the stored edges owe to the links behind them, and mirrors to edges."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import given

from kantenwerk.graph.model import Edge
from tests.properties.histories import History, histories
from tests.properties.profiles import examples, slow
from tests.properties.vaults import new_vault, or_refusal, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from kantenwerk.config import Config
    from tests.properties.vaults import Row

Triple = tuple[str, str, str]
ORDER = ("explicit", "explicit:note_zone", "rule", "candidate", "structure")


@dataclass(frozen=True, order=True)
class Claim:
    """What one link says about an edge: its rank in the design's order, and how sure it is."""

    rank: int
    doubt: float
    provenance: str


def claim(provenance: str, confidence: float) -> Claim:
    family = "candidate" if provenance.startswith("candidate:") else provenance
    return Claim(ORDER.index(family), -confidence, provenance)


@dataclass(frozen=True)
class Graph:
    """What the database holds, as far as edges go."""

    types: dict[str, str]
    mentions: set[str]
    verdicts: dict[str, float]
    links: list[Row]
    edges: dict[Triple, Edge]


def read_graph(database: Path) -> Graph:
    notes, mentions, verdicts, links, edges = rows_of(
        database,
        "SELECT id, type FROM notes",
        "SELECT id FROM mentions",
        "SELECT key, confidence FROM verdicts",
        "SELECT source, kind, target, state, rule_id, verdict FROM links WHERE target IS NOT NULL",
        "SELECT source, kind, target, provenance, rule_id, confidence, scope, chunk, line, verdict, mirror FROM edges",
    )
    by_triple = {edge.triple: edge for edge in (Edge(*row) for row in edges)}
    assert len(by_triple) == len(edges), "source, kind and target are unique"
    return Graph(dict(notes), {node for (node,) in mentions}, dict(verdicts), links, by_triple)


def claims_of_links(graph: Graph, config: Config) -> dict[Triple, list[Claim]]:
    """Return what the stored links say about edges, by the table in the design's section 4."""
    said: dict[Triple, list[Claim]] = defaultdict(list)
    for source, kind, target, state, rule, verdict in graph.links:
        match state:
            case "explicit":
                zone = rule == "explicit:note_zone"
                said[source, kind, target].append(claim("explicit:note_zone" if zone else "explicit", 1.0))
                if kind == "references":
                    for default in config.types.of(graph.types[source]).edge_defaults:
                        said[source, default.kind, target].append(claim("rule", default.confidence))
            case "verified":
                said[source, kind, target].append(claim("explicit", graph.verdicts[verdict]))
            case "unproven":
                said[source, kind, target].append(claim(rule, config.validator.unproven_confidence))
    return said


def check_edges(graph: Graph, config: Config) -> None:
    said = claims_of_links(graph, config)
    assert {triple for triple, edge in graph.edges.items() if not edge.mirror} == said.keys()
    for triple, claims in said.items():
        best, edge = min(claims), graph.edges[triple]
        assert (edge.provenance, edge.confidence) == (best.provenance, -best.doubt)


def check_mirrors(edges: dict[Triple, Edge], config: Config) -> None:
    for (source, kind, target), edge in edges.items():
        other = edges.get((target, config.vocabulary.inverse(kind), source))
        assert edge.source != edge.target
        if edge.mirror:
            assert (edge.provenance, edge.rule_id, edge.verdict, edge.line) == ("structure", "structure", None, None)
            assert other is not None
            assert not other.mirror
            assert not other.provenance.startswith("candidate:")
            assert config.vocabulary.is_mirrored(other.kind)
            assert edge.confidence == other.confidence
        elif config.vocabulary.is_mirrored(kind) and not edge.provenance.startswith("candidate:"):
            assert other is not None


def check_nodes(graph: Graph) -> None:
    """Every end of an edge or link is a note or a mention, and every mention is spoken of."""
    notes, mentions = graph.types.keys(), graph.mentions
    targets = {target for _, _, target, *_ in graph.links}
    assert not notes & mentions
    assert {source for source, *_ in graph.links} <= notes
    assert targets <= notes | mentions
    assert mentions == targets - notes
    assert {node for source, _, target in graph.edges for node in (source, target)} <= notes | mentions


def check_through_turns(history: History) -> None:
    with new_vault() as vault:
        history.begin(vault)
        for turn in [[], *history.turns]:
            for step in turn:
                step.take(vault)
            result = or_refusal(lambda: vault.plan(vault.database, ask=history.with_model))
            if not isinstance(result, str):
                vault.apply(result, vault.database)
                graph, config = read_graph(vault.database), vault.config()
                check_edges(graph, config)
                check_mirrors(graph.edges, config)
                check_nodes(graph)


@given(history=histories(turns=2))
@examples(10)
def test_that_edges_and_mirrors_follow_from_the_links(history: History) -> None:
    check_through_turns(history)


@given(history=histories(turns=2, with_model=True))
@examples(10)
def test_that_edges_and_mirrors_follow_from_the_links_where_a_model_is_asked(history: History) -> None:
    check_through_turns(history)


@slow
@given(history=histories(turns=5, with_model=True))
def test_that_edges_and_mirrors_always_follow_from_the_links(history: History) -> None:
    check_through_turns(history)

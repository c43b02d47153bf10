"""What the stored edges owe to the links behind them, and mirrors to edges."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import given
from tests.properties.histories import History, histories
from tests.properties.profiles import examples, slow
from tests.properties.vaults import new_vault, or_refusal, rows_of

from kantenwerk.graph.model import Edge

if TYPE_CHECKING:
    from tests.properties.vaults import Vault

    from kantenwerk.config import Config

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


def claims_of_links(vault: Vault, config: Config) -> dict[Triple, list[Claim]]:
    """Return what the stored links say about edges, by the table in the design's section 4."""
    types: dict[str, str] = dict(rows_of(vault.database, "SELECT id, type FROM notes"))
    verdicts: dict[str, float] = dict(rows_of(vault.database, "SELECT key, confidence FROM verdicts"))
    links = rows_of(
        vault.database, "SELECT source, kind, target, state, rule_id, verdict FROM links WHERE target IS NOT NULL"
    )
    said: dict[Triple, list[Claim]] = defaultdict(list)
    for source, kind, target, state, rule, verdict in links:
        match state:
            case "explicit":
                zone = rule == "explicit:note_zone"
                said[source, kind, target].append(claim("explicit:note_zone" if zone else "explicit", 1.0))
                if kind == "references":
                    for default in config.types.of(types[source]).edge_defaults:
                        said[source, default.kind, target].append(claim("rule", default.confidence))
            case "verified":
                said[source, kind, target].append(claim("explicit", verdicts[verdict]))
            case "unproven":
                said[source, kind, target].append(claim(rule, config.validator.unproven_confidence))
    return said


def stored_edges(vault: Vault) -> dict[Triple, Edge]:
    edges = [
        Edge(*row)
        for row in rows_of(
            vault.database,
            "SELECT source, kind, target, provenance, rule_id, confidence, scope, chunk, line, verdict, mirror "
            "FROM edges",
        )
    ]
    by_triple = {edge.triple: edge for edge in edges}
    assert len(by_triple) == len(edges), "source, kind and target are unique"
    return by_triple


def check_edges(vault: Vault) -> None:
    config = vault.config()
    edges = stored_edges(vault)
    said = claims_of_links(vault, config)
    assert {triple for triple, edge in edges.items() if not edge.mirror} == said.keys()
    for triple, claims in said.items():
        best = min(claims)
        assert (edges[triple].provenance, edges[triple].confidence) == (best.provenance, -best.doubt)
    check_mirrors(edges, config)


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


def check_nodes(vault: Vault) -> None:
    """Every end of an edge or link is a note or a mention, and every mention is spoken of."""
    notes = {node for (node,) in rows_of(vault.database, "SELECT id FROM notes")}
    mentions = {node for (node,) in rows_of(vault.database, "SELECT id FROM mentions")}
    links = rows_of(vault.database, "SELECT source, target FROM links WHERE target IS NOT NULL")
    ends = {node for row in rows_of(vault.database, "SELECT source, target FROM edges") for node in row}
    assert not notes & mentions
    assert {source for source, _ in links} <= notes
    assert {target for _, target in links} <= notes | mentions
    assert mentions == {target for _, target in links} - notes
    assert ends <= notes | mentions


def check_through_turns(history: History) -> None:
    with new_vault() as vault:
        history.begin(vault)
        for turn in [[], *history.turns]:
            for step in turn:
                step.take(vault)
            result = or_refusal(lambda: vault.plan(vault.database, ask=history.with_model))
            if not isinstance(result, str):
                vault.apply(result, vault.database)
                check_edges(vault)
                check_nodes(vault)


@given(history=histories(turns=2))
@examples(14)
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

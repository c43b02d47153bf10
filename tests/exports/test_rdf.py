"""Exports as RDF, read back by rdflib: the graph, why each edge is there, and what its kinds mean."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from rdflib import OWL, PROV, RDF, RDFS, SKOS, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from tests.exports.graphs import MODEL, export, imported, stored

if TYPE_CHECKING:
    from pathlib import Path

KW = Namespace("urn:kantenwerk:term/")
VAULT = Namespace("urn:kantenwerk:")
# rdflib's own reader of JSON-LD uses it.
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
ANSWERED = ("judge", "model", "p_yes", "asked_at")


@cache
def read(vault: Path, form: str, *options: str) -> Graph:
    graph = Graph()
    graph.parse(data=export(vault, form, *options), format={"jsonld": "json-ld"}.get(form, form))
    return graph


def value(graph: Graph, subject: Node | None, predicate: URIRef) -> object:
    found = graph.value(subject, predicate) if subject is not None else None
    return found.toPython() if isinstance(found, Literal) else found


def end(graph: Graph, subject: Node, predicate: URIRef) -> Node:
    (found,) = graph.objects(subject, predicate)
    return found


def comments(graph: Graph, subject: Node) -> dict[str | None, str]:
    """The comments of a thing, by their language."""
    return {found.language: str(found) for found in graph.objects(subject, RDFS.comment) if isinstance(found, Literal)}


def texts(graph: Graph, subject: Node, predicate: URIRef) -> set[str]:
    return {str(found) for found in graph.objects(subject, predicate)}


def test_that_both_formats_say_the_same(vault: Path) -> None:
    one, other = read(vault, "turtle"), read(vault, "jsonld")
    assert len(one) > 100
    assert set(one) == set(other)


def test_that_nodes_and_edges_are_those_of_the_graph(vault: Path) -> None:
    graph, expected = read(vault, "turtle"), stored(vault)
    ids = {subject: str(node) for subject, node in graph.subject_objects(KW.id)}
    assert sorted(ids.values()) == sorted(expected.nodes)
    for subject, name in ids.items():
        node = expected.nodes[name]
        found = {key: value(graph, subject, KW[key]) for key in ("path", "type")}
        found |= {"name": value(graph, subject, RDFS.label), "summary": value(graph, subject, RDFS.comment)}
        assert found == {key: node[key] for key in found}
        assert texts(graph, subject, SKOS.altLabel) == set(node["aliases"])
        assert ids[next(graph.objects(subject, KW.entity), subject)] == node["entity"]
        assert (subject, RDF.type, KW.Note if node["path"] else KW.Mention) in graph
    edges = {}
    for statement in graph.subjects(RDF.type, RDF.Statement):
        source, kind, target = (end(graph, statement, part) for part in (RDF.subject, RDF.predicate, RDF.object))
        edges[ids[source], kind_of(kind), ids[target]] = told(graph, statement)
        is_proven = not str(value(graph, statement, KW.provenance)).startswith("candidate:")
        # What nobody answered for is described, and not claimed.
        assert ((source, kind, target) in graph) == is_proven
    assert edges.keys() == expected.edges.keys()
    for triple, edge in expected.edges.items():
        keys = ("provenance", "confidence", "mirror", "scope", "path", "line", *ANSWERED)
        moment = datetime.fromisoformat(edge["asked_at"]) if edge["asked_at"] else None
        assert edges[triple] == {**{key: edge[key] for key in keys}, "rule": edge["rule_id"], "asked_at": moment}


def kind_of(kind: Node) -> str:
    return unquote(str(kind).removeprefix("urn:kantenwerk:kind/"))


def told(graph: Graph, statement: Node) -> dict[str, Any]:
    """What is told of an edge, that of its verdict along the ways of PROV-O."""
    own = {
        key: value(graph, statement, KW[key])
        for key in ("provenance", "confidence", "mirror", "rule", "scope", "path", "line")
    }
    origins = set(graph.objects(statement, PROV.wasDerivedFrom))
    verdicts = [origin for origin in origins if (origin, RDF.type, KW.Verdict) in graph]
    verdict = verdicts[0] if verdicts else None
    judge = graph.value(verdict, PROV.wasAttributedTo) if verdict else None
    is_model = (judge, RDF.type, PROV.SoftwareAgent) in graph
    source = graph.value(statement, RDF.subject)
    assert (source in origins) == (own["line"] is not None), "from its note, where it has a line of one"
    if own["mirror"]:
        (other,) = origins
        ends = [graph.value(other, part) for part in (RDF.subject, RDF.object)]
        assert ends == [graph.value(statement, RDF.object), source], "from the edge that it mirrors"
    return {
        **own,
        "judge": None if judge is None else "model" if is_model else "person",
        "model": value(graph, judge, RDFS.label),
        "p_yes": value(graph, verdict, KW.pYes),
        "asked_at": value(graph, verdict, PROV.generatedAtTime),
    }


def test_whose_verdicts_the_vaults_hold(example_vault: Path, hostile_vault: Path) -> None:
    assert {edge["judge"] for edge in stored(example_vault).edges.values()} == {None, "person"}
    models = {edge["model"] for edge in stored(hostile_vault).edges.values()}
    assert models == {None, MODEL}


def test_that_kinds_are_an_ontology(example_vault: Path) -> None:
    graph = read(example_vault, "turtle")
    kinds = set(graph.subjects(RDF.type, OWL.ObjectProperty))
    assert {kind_of(kind) for kind in kinds} >= {kind for _, kind, _ in stored(example_vault).edges}
    depends_on, required_by = VAULT["kind/depends_on"], VAULT["kind/required_by"]
    assert (depends_on, OWL.inverseOf, required_by) in graph
    assert (required_by, OWL.inverseOf, depends_on) in graph
    symmetric = {kind_of(kind) for kind in graph.subjects(RDF.type, OWL.SymmetricProperty)}
    assert symmetric == {"related_to"}
    for kind in kinds:
        assert comments(graph, kind).keys() == {"en", "de"}
    assert "A depends_on B: " in comments(graph, depends_on)["de"]
    assert "hängt ab von" in texts(graph, depends_on, SKOS.altLabel)


def test_that_a_kind_explained_in_one_language_is_not_so_in_two(tmp_path: Path) -> None:
    (tmp_path / ".kantenwerk").mkdir()
    (tmp_path / ".kantenwerk/edges.yaml").write_text(
        "kinds:\n  blocks:\n    inverse: blocked_by\n    meaning: {en: a thing in the way}\n", "utf-8"
    )
    (tmp_path / "a.md").write_text("[[rel:blocks|b]] [[rel:was_auch_immer|b]]\n", "utf-8")
    (tmp_path / "b.md").write_text("b\n", "utf-8")
    graph = read(imported(tmp_path), "turtle")
    languages = {kind_of(kind): comments(graph, kind).keys() for kind in graph.subjects(RDF.type, OWL.ObjectProperty)}
    assert languages == {
        "blocks": {"en"},
        "blocked_by": {"en"},
        # That nobody explained it can be said in both.
        "was_auch_immer": {"en", "de"},
        "inverse_of_was_auch_immer": {"en", "de"},
    }


@pytest.mark.parametrize("form", ["turtle", "jsonld"])
def test_that_names_begin_as_one_likes(hostile_vault: Path, form: str) -> None:
    graph = read(hostile_vault, form, "--base-iri", "https://example.org/my%20vault#")
    names = {name for triple in graph for name in triple if isinstance(name, URIRef)}
    own = {name for name in names if name.startswith("https://example.org/my%20vault#")}
    assert URIRef("https://example.org/my%20vault#note/deep/er/down") in own
    assert {name for name in names - own if "kantenwerk" in name} == {name for name in names if name in KW}

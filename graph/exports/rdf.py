"""The graph as RDF: nodes and edges, why each edge is there in the words of PROV-O, kinds as an ontology."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import get_args
from urllib.parse import quote

from kantenwerk.config import Vocabulary
from kantenwerk.config.model import Language
from kantenwerk.graph.exports.model import Exported, ExportEdge, ExportNode
from kantenwerk.graph.model import MENTION, is_mention

DEFAULT_BASE = "urn:kantenwerk:"
PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "prov": "http://www.w3.org/ns/prov#",
    # Terms of the program's own, whatever the vault's base is.
    "kw": "urn:kantenwerk:term/",
}
_BASE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`\x7f-\x9f]*")
_MOMENT = re.compile(r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")


@dataclass(frozen=True, slots=True)
class Iri:
    """A name: a whole IRI, or a prefixed one."""

    text: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, with its language or with the prefixed name of its type."""

    text: str
    language: str | None = None
    datatype: str | None = None


Value = Iri | Literal | int | bool


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of one thing; its types are prefixed names, properties prefixed names or whole IRIs."""

    subject: Iri
    types: tuple[str, ...]
    facts: tuple[tuple[str, Value], ...]


def base_problem(base: str) -> str | None:
    """Return what is wrong with the beginning that all IRIs of an export shall have, if anything."""
    if not _BASE.fullmatch(base):
        return (
            'it must begin with a scheme and hold neither blanks nor any of <>"{}|\\^`, as https://example.org/vault/'
        )
    scheme = base.partition(":")[0]
    if scheme in PREFIXES:
        return f"`{scheme}:` is a prefix of these files: name another scheme"
    if base[-1] not in "/#:":
        return f"it must end in `/`, `#` or `:`, for names are put behind it; did you mean `{base}/`?"
    return None


def descriptions(graph: Exported, vocabulary: Vocabulary, base: str) -> Iterator[Description]:
    """Yield kinds, nodes, and then every edge: as a triple unless it is unproven, and as a statement with its why."""
    names = _Names(base, vocabulary)
    kinds = graph.kinds()
    for kind in sorted({*kinds, *map(vocabulary.inverse, kinds)}):
        yield _kind(kind, names)
    for node in graph.nodes():
        yield _node(node, names)
    judges: set[tuple[str | None, str | None]] = set()
    for edge in graph.edges():
        if not edge.is_unproven:
            yield Description(names.node(edge.source), (), ((names.kind(edge.kind).text, names.node(edge.target)),))
        yield _statement(edge, names)
        if edge.verdict is not None and edge.judge is not None:
            if (edge.judge, edge.model) not in judges:
                judges.add((edge.judge, edge.model))
                yield _judge(edge, names)
            yield _verdict(edge, names)


@dataclass(frozen=True, slots=True)
class _Names:
    """Gives everything its IRI."""

    base: str
    vocabulary: Vocabulary

    def node(self, node: str) -> Iri:
        return self._iri("mention", node.removeprefix(MENTION)) if is_mention(node) else self._iri("note", node)

    def kind(self, kind: str) -> Iri:
        return self._iri("kind", kind)

    def edge(self, source: str, kind: str, target: str) -> Iri:
        digest = blake2b(f"{source}\0{kind}\0{target}".encode(errors="replace"), digest_size=16)
        return self._iri("edge", digest.hexdigest())

    def verdict(self, key: str) -> Iri:
        return self._iri("verdict", key)

    def judge(self, edge: ExportEdge) -> Iri:
        return self._iri("judge", "person" if edge.judge == "person" else f"model/{edge.model or ''}")

    def _iri(self, room: str, name: str) -> Iri:
        return Iri(f"{self.base}{room}/{quote(name, errors='replace')}")


def _kind(kind: str, names: _Names) -> Description:
    vocabulary = names.vocabulary
    inverse = vocabulary.inverse(kind)
    types = ("owl:ObjectProperty", *(("owl:SymmetricProperty",) if inverse == kind else ()))
    facts: list[tuple[str, Value]] = [("rdfs:label", Literal(kind.replace("_", " ")))]
    entry = vocabulary.entries.get(kind)
    facts += [("skos:altLabel", Literal(alias.replace("_", " "))) for alias in (entry.aliases if entry else ())]
    for language in get_args(Language):
        if _is_told(kind, language, vocabulary):
            text = f"{vocabulary.meaning(kind, language)}. {vocabulary.direction(kind, language)}"
            facts.append(("rdfs:comment", Literal(text, language)))
    return Description(names.kind(kind), types, (*facts, ("owl:inverseOf", names.kind(inverse))))


def _is_told(kind: str, language: Language, vocabulary: Vocabulary) -> bool:
    """Tell whether a kind is explained in a language; what is written in one alone is given for both."""
    entries = (vocabulary.entries.get(name) for name in (kind, vocabulary.inverse(kind)))
    meanings = next((entry.meaning for entry in entries if entry is not None and entry.meaning), None)
    return meanings is None or language in meanings


def _node(node: ExportNode, names: _Names) -> Description:
    optional = (
        ("kw:path", node.path),
        ("kw:type", node.type),
        *(("skos:altLabel", alias) for alias in node.aliases),
        ("rdfs:comment", node.summary),
    )
    facts: list[tuple[str, Value]] = [("kw:id", Literal(node.id)), ("rdfs:label", Literal(node.name))]
    facts += [(name, Literal(text)) for name, text in optional if text is not None]
    if node.entity != node.id:
        facts.append(("kw:entity", names.node(node.entity)))
    return Description(
        names.node(node.id), ("kw:Mention" if node.path is None else "kw:Note", "prov:Entity"), tuple(facts)
    )


def _statement(edge: ExportEdge, names: _Names) -> Description:
    facts: list[tuple[str, Value]] = [
        ("rdf:subject", names.node(edge.source)),
        ("rdf:predicate", names.kind(edge.kind)),
        ("rdf:object", names.node(edge.target)),
        ("kw:provenance", Literal(edge.provenance)),
        ("kw:confidence", _double(edge.confidence)),
        ("kw:mirror", edge.mirror),
    ]
    optional = (("kw:rule", edge.rule_id), ("kw:scope", edge.scope), ("kw:path", edge.path))
    facts += [(name, Literal(text)) for name, text in optional if text is not None]
    if edge.line is not None:
        facts += [("kw:line", edge.line), ("prov:wasDerivedFrom", names.node(edge.source))]
    if edge.mirror:
        inverse = names.vocabulary.inverse(edge.kind)
        facts.append(("prov:wasDerivedFrom", names.edge(edge.target, inverse, edge.source)))
    if edge.verdict is not None:
        facts.append(("prov:wasDerivedFrom", names.verdict(edge.verdict)))
    name = names.edge(edge.source, edge.kind, edge.target)
    return Description(name, ("rdf:Statement", "prov:Entity"), tuple(facts))


def _verdict(edge: ExportEdge, names: _Names) -> Description:
    facts: list[tuple[str, Value]] = [("prov:wasAttributedTo", names.judge(edge))]
    if edge.p_yes is not None:
        facts.append(("kw:pYes", _double(edge.p_yes)))
    if edge.asked_at is not None and _MOMENT.fullmatch(edge.asked_at):
        facts.append(("prov:generatedAtTime", Literal(edge.asked_at, datatype="xsd:dateTime")))
    return Description(names.verdict(edge.verdict or ""), ("kw:Verdict", "prov:Entity"), tuple(facts))


def _judge(edge: ExportEdge, names: _Names) -> Description:
    if edge.judge == "person":
        return Description(names.judge(edge), ("prov:Person", "prov:Agent"), ())
    label = Literal(edge.model or "a model")
    return Description(names.judge(edge), ("prov:SoftwareAgent", "prov:Agent"), (("rdfs:label", label),))


def _double(number: float) -> Literal:
    return Literal(str(number), datatype="xsd:double")

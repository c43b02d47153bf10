"""RDF as JSON-LD 1.1, a thing a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from kantenwerk.config import Vocabulary
from kantenwerk.graph.exports.model import Exported
from kantenwerk.graph.exports.rdf import PREFIXES, Description, Iri, Literal, Value, descriptions
from kantenwerk.graph.exports.text import as_json


def jsonld(graph: Exported, vocabulary: Vocabulary, base: str) -> Iterator[str]:
    """Yield the graph in JSON-LD; its context is in the file, so that nothing is fetched to read it."""
    yield f'{{"@context":{as_json(PREFIXES)},"@graph":['
    before = "\n"
    for described in descriptions(graph, vocabulary, base):
        yield before + as_json(_object(described))
        before = ",\n"
    yield "\n]}\n"


def _object(described: Description) -> dict[str, Any]:
    found: dict[str, Any] = {"@id": described.subject.text}
    if described.types:
        found["@type"] = list(described.types)
    for name, value in described.facts:
        found.setdefault(name, []).append(_value(value))
    return found


def _value(value: Value) -> object:
    match value:
        case Iri(text):
            return {"@id": text}
        case Literal(text, language, datatype):
            more = {"@language": language} if language else {"@type": datatype} if datatype else {}
            return {"@value": text, **more} if more else text
        case bool() | int():
            return value
        case _:
            assert_never(value)

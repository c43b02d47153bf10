"""RDF as Turtle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from kantenwerk.config import Vocabulary
from kantenwerk.graph.exports.model import Exported
from kantenwerk.graph.exports.rdf import PREFIXES, Description, Iri, Literal, Value, descriptions
from kantenwerk.graph.exports.text import quoted


def turtle(graph: Exported, vocabulary: Vocabulary, base: str) -> Iterator[str]:
    """Yield the graph in Turtle, a thing after the other."""
    yield from (f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    for described in descriptions(graph, vocabulary, base):
        yield f"\n<{described.subject.text}> " + " ;\n    ".join(_facts(described)) + " .\n"


def _facts(described: Description) -> Iterator[str]:
    if described.types:
        yield f"a {', '.join(described.types)}"
    for name, value in described.facts:
        yield f"{_property(name)} {_value(value)}"


def _property(name: str) -> str:
    prefix, _, _ = name.partition(":")
    return name if prefix in PREFIXES else f"<{name}>"


def _value(value: Value) -> str:
    match value:
        case Iri(text):
            return f"<{text}>"
        case Literal(text, language, datatype):
            return quoted(text, '"') + (f"@{language}" if language else f"^^{datatype}" if datatype else "")
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            assert_never(value)

"""How text of notes goes into files of other programs: nothing in it may end a string or drive a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

# What moves a cursor, ends a line somewhere, turns the direction of text, or is half a character.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def spelled(text: str) -> str:
    """Return `text` with control characters spelled out, for formats that have no way to hold them."""
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def quoted(text: str, quote: str) -> str:
    """Return a string literal as JSON, Turtle and Cypher know it, with control characters as escapes."""
    text = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return quote + _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04X}", text) + quote


def as_json(content: object) -> str:
    """Return JSON in one line, with control characters as escapes."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04X}", text)


def flat(value: str | float | Sequence[str] | None) -> str | None:
    """Return a value as text, a list as a JSON array, for formats that know neither types nor lists."""
    match value:
        case None | str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case _:
            return as_json(list(value))

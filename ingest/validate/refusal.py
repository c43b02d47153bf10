"""Reads what an endpoint says when it refuses, and makes it fit to be told. Pure."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_QUOTABLE = 12
"""Shorter keys are placeholders ("ollama"), whose beginnings are ordinary words."""


_MASKED = re.compile(r"\S*\*{3}\S*")


def error_message(body: str) -> str:
    """Return the endpoint's own words about an error, as far as they are words."""
    # Some quote the key with asterisks in its middle: what is left of it is still too much.
    return _MASKED.sub("[key]", _words(body))


def error_codes(body: str) -> frozenset[str]:
    """Return the names that an endpoint gives an error, under `code` and `type`."""
    match _parsed(body):
        case {"error": dict(error)} | dict(error):
            return frozenset(str(error.get(name)) for name in ("code", "type"))
        case _:
            return frozenset()


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait: in seconds, or until a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        return _seconds_until(value)
    return max(seconds, 0.0) if not math.isnan(seconds) else None


def without_key(text: str, key: str) -> str:
    """Take the key out of a text, whole or by its beginning, also percent-encoded and with escapes of JSON."""
    if not key:
        return text
    hidden = _spelled(key).sub("[key]", text)
    return _spelled(key[:8], r"\S*").sub("[key]", hidden) if len(key) >= _QUOTABLE else hidden


@lru_cache(maxsize=64)
def _spelled(text: str, behind: str = "") -> re.Pattern[str]:
    return re.compile("".join(map(_any_spelling, text)) + behind)


def _any_spelling(character: str) -> str:
    encoded = "".join(f"%{byte:02x}" for byte in character.encode(errors="replace"))
    return rf"(?:\\{{0,4}}{re.escape(character)}|(?i:{encoded}|\\{{1,4}}u{ord(character):04x}))"


def _parsed(body: str) -> object:
    try:
        parsed: object = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return parsed


def _words(body: str) -> str:
    match _parsed(body):
        case {"error": {"message": str(message)}} | {"error": str(message)} | {"message": str(message)}:
            return message
        case str(message):
            return "" if message.lstrip().startswith("<") else message
        case _:
            return body


def _seconds_until(date: str) -> float | None:
    try:
        then = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return None
    aware = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return max((aware - datetime.now(tz=UTC)).total_seconds(), 0.0)

"""Tells which Dataview field a wikilink belongs to: `kind:: [[A]], [[B]]` or `(kind:: [[A]])`."""

from __future__ import annotations

import re

from kantenwerk.ingest.parse.inline import Wikilink

# No two parts in a row may take the same blanks: a long run of these would take the square of its length.
_FIELD = re.compile(
    r"(?:^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[.\]\s+)?|[(\[]\s*)[*_]{0,2}([\w-](?:[\w -]*(?:[^\W_]|-))?)[*_]{0,2}\s*::\s*$"
)


class Fields:
    """Tells the fields of one text's wikilinks, which are asked about in their order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._kind: str | None = None

    def kind_of(self, link: Wikilink) -> str | None:
        """Return the field's name as written, or None for a link in no field."""
        text = self._text
        begin = max(text.rfind("\n", self._end, link.start) + 1, self._end)
        before = text[begin : link.start]
        begins_line = begin == 0 or text[begin - 1] == "\n"
        if begins_line or before.replace(",", " ").strip():
            # What stands between two links is no line's beginning.
            found = _FIELD.search(before if begins_line else f"]{before}")
            self._kind = found.group(1) if found else None
        self._end = link.end
        return self._kind

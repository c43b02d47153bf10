"""Names the heading that a link to one which is not there most likely means.

Only the check does this: an import would have to look at such a link again whenever any heading of its note changes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kantenwerk.config.suggest import nearest
from kantenwerk.graph.model import Finding, ParsedNote
from kantenwerk.ingest.lines import Lines
from kantenwerk.ingest.parse.plain import heading_key, plain
from kantenwerk.ingest.pipeline import ImportResult

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
# Among more of them nobody looks for the nearest one, and each is compared with every heading that is missing.
_MOST_HEADINGS = 500


def with_nearest_heading(findings: Iterable[Finding], result: ImportResult, sources: Lines) -> Iterator[Finding]:
    """Yield the findings, those of missing headings with the nearest one that the note has, if one is near."""
    search = _Search(result, sources)
    for found in findings:
        near = search.nearest(found) if found.code == "heading-not-found" else None
        yield replace(found, help=f"did you mean `#{near}`? Else {found.help}") if near else found


class _Search:
    """Looks at each note once, however many links to its headings lead nowhere."""

    def __init__(self, result: ImportResult, sources: Lines) -> None:
        self._result = result
        self._sources = sources
        self._headings: dict[str, dict[str, str]] = {}
        self._names: dict[tuple[str, int, str], set[str]] = defaultdict(set)
        self._joined: dict[tuple[str, int, str], dict[str, None]] = defaultdict(dict)
        self._seen: set[str] = set()

    def nearest(self, found: Finding) -> str | None:
        headings: dict[str, str] = {}
        for note in self._targets(found):
            headings |= self._headings_of(note)
        near = nearest(heading_key(found.subject.rpartition("#")[2]), headings)
        return headings[near] if near else None

    def _headings_of(self, note: ParsedNote) -> dict[str, str]:
        if note.path not in self._headings:
            lines = filter(None, map(_HEADING.fullmatch, self._sources.of(note.path)))
            texts = [line.group(1).rstrip(" \t#") for line in lines] if len(note.headings) <= _MOST_HEADINGS else []
            # What looks like a heading may stand in code.
            found = {key: text for text in texts if (key := heading_key(plain(text))) in note.headings}
            self._headings[note.path] = found
        return self._headings[note.path]

    def _targets(self, found: Finding) -> Iterator[ParsedNote]:
        """Yield the notes that the line's links with this anchor lead to; one without a name leads to its own."""
        notes, node = self._result.reached.notes, self._result.changes.ids[found.path]
        self._read(node)
        names = self._names[node, found.line, found.subject]
        joined = dict.fromkeys(target for name in names for target in self._joined[node, found.line, name])
        targets = [notes[target] for target in joined if target in notes]
        yield from targets or [notes[node]]

    def _read(self, node: str) -> None:
        """Note the links of a note by their lines."""
        if node not in self._seen:
            self._seen.add(node)
            for written in self._result.reached.notes[node].links:
                self._names[node, written.line, f"#{written.anchor}"].add(written.written)
            for link in self._result.wanted.links[node]:
                if link.target is not None:
                    self._joined[node, link.line, link.written][link.target] = None

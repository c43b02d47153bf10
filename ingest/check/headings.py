"""Names the heading that a link to one which is not there most likely means.

Only the check does this: an import would have to look at such a link again whenever any heading of its note changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kantenwerk.config.suggest import nearest
from kantenwerk.graph.model import Finding, ParsedNote
from kantenwerk.ingest.check.sources import Sources
from kantenwerk.ingest.parse.plain import heading_key, plain
from kantenwerk.ingest.pipeline import ImportResult

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")


def with_nearest_heading(findings: Iterable[Finding], result: ImportResult, sources: Sources) -> Iterator[Finding]:
    """Yield the findings, those of missing headings with the nearest one that the note has, if one is near."""
    for found in findings:
        near = _nearest(found, result, sources) if found.code == "heading-not-found" else None
        yield replace(found, help=f"did you mean `#{near}`? Else {found.help}") if near else found


def _nearest(found: Finding, result: ImportResult, sources: Sources) -> str | None:
    headings: dict[str, str] = {}
    for note in _targets(found, result):
        lines = filter(None, map(_HEADING.fullmatch, sources.lines(note.path)))
        texts = [line.group(1).rstrip(" \t#") for line in lines]
        # What looks like a heading may stand in code.
        headings |= {key: text for text in texts if (key := heading_key(plain(text))) in note.headings}
    near = nearest(heading_key(found.subject.rpartition("#")[2]), headings)
    return headings[near] if near else None


def _targets(found: Finding, result: ImportResult) -> Iterator[ParsedNote]:
    """Yield the notes that the line's links with this anchor lead to; a link without a name leads to its own."""
    notes, node = result.reached.notes, result.changes.ids[found.path]
    links = [link for link in notes[node].links if link.line == found.line]
    names = {link.written for link in links if f"#{link.anchor}" == found.subject}
    joined = (link for link in result.wanted.links[node] if link.line == found.line and link.written in names)
    targets = [notes[link.target] for link in joined if link.target in notes]
    yield from targets or [notes[node]]

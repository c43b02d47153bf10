"""Collects what a note's reader finds: links with their place, findings, and anchors of the note itself."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from sys import intern

from kantenwerk.config import Config
from kantenwerk.config.names import trim
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Chunk, Finding, Scope, Severity, WrittenLink
from kantenwerk.ingest.parse.chunks import chunk_at
from kantenwerk.ingest.parse.plain import has_heading
from kantenwerk.ingest.parse.target import Target, is_url


@dataclass(frozen=True, slots=True)
class Place:
    """Where a link stands: its rule, scope and line of the file.

    A candidate of scope `chunk` also has the lines of the heading that it belongs to and of its section's.
    """

    rule_id: str
    scope: Scope
    line: int
    candidate: bool = False
    section: tuple[int, int] | None = None


@dataclass(slots=True)
class Collector:
    """One note's links and findings, in the order in which they are found."""

    path: str
    config: Config
    findings: list[Finding] = field(default_factory=list)
    _links: list[tuple[str, Target, Place]] = field(default_factory=list)
    _own_anchors: list[tuple[str, int]] = field(default_factory=list)

    def tell(
        self, code: str, line: int, message: str, advice: str, severity: Severity | None = None, *, subject: str = ""
    ) -> None:
        """Add a finding at a line of the file."""
        self.findings.append(finding(code, self.path, line, message, advice, severity, subject=subject))

    def add(self, kind: str, target: Target, place: Place) -> None:
        """Add a link; a target without a name is none, and an address is a finding."""
        if not target.name:
            if target.anchor is not None and not place.candidate:
                self._own_anchors.append((target.anchor, place.line))
            return
        if is_url(target.name):
            self.tell(
                "external-target",
                place.line,
                f"`{target.name}` is an address, not a note",
                "link to a note that holds it",
                subject=target.name,
            )
            return
        normal = self.config.vocabulary.normalise(kind)
        self._check_kind(kind, normal, place.line)
        self._links.append((normal, target, place))

    def links(self, chunks: tuple[Chunk, ...]) -> tuple[WrittenLink, ...]:
        """Return all links with the chunks that they stand in.

        Links of many notes say the same names and kinds: each text is in memory once.
        """
        return tuple(
            WrittenLink(
                kind=intern(kind),
                written=intern(target.name),
                anchor=target.anchor,
                candidate=place.candidate,
                rule_id=place.rule_id,
                scope=place.scope,
                chunk=_chunk(place, chunks),
                line=place.line,
                relative=target.relative,
            )
            for kind, target, place in self._links
        )

    def check_own_anchors(self, headings: tuple[str, ...]) -> None:
        """Tell of `[[#heading]]` links to headings that this note does not have."""
        for anchor, line in self._own_anchors:
            if not has_heading(headings, anchor):
                self.tell(
                    "heading-not-found",
                    line,
                    f"this note has no heading `{anchor}`",
                    "correct the heading's text",
                    subject=f"#{anchor}",
                )

    def _check_kind(self, written: str, normal: str, line: int) -> None:
        vocabulary = self.config.vocabulary
        if vocabulary.is_known(normal):
            return
        nearest = vocabulary.nearest(normal)
        advice = f"did you mean `{nearest}`? Else add it" if nearest else "add it"
        self.tell(
            "unknown-kind",
            line,
            f"the kind `{trim(written)}` is not in the vocabulary",
            f"{advice} to .kantenwerk/edges.yaml",
            self.config.settings.unknown_kinds,
            subject=trim(written),
        )


def _chunk(place: Place, chunks: tuple[Chunk, ...]) -> str | None:
    if place.section is not None:
        first, end = place.section
        # The last chunk that ends before the zone, unless it begins before its section.
        index = bisect_left(chunks, end, key=lambda chunk: chunk.last_line) - 1
        return chunks[index].ordinal if index >= 0 and chunks[index].first_line > first else None
    return chunk_at(chunks, place.line) if place.scope == "chunk" else None

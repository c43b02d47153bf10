"""Tells what changed edits would come to: the note is parsed again, and what it says is held against before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kantenwerk.config import Config
from kantenwerk.graph.model import Finding, ParsedNote, WrittenLink
from kantenwerk.ingest.mend.edits import Edit, apply_edits, line_ends
from kantenwerk.ingest.parse.note import parse_note
from kantenwerk.ingest.parse.plain import heading_key
from kantenwerk.ingest.validate.evidence import NoteText, gather
from kantenwerk.ingest.validate.verdicts import Claim

# A finding's code and message.
Told = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a changed note says that it did not say before, and the other way round; line and chunk do not count.

    `is_same_note` says that its names, its summary and its headings (zones aside) are the same, `is_same_evidence`
    that its candidates, those gone aside, would be judged on the same texts.
    """

    gone: Counter[WrittenLink]
    new: Counter[WrittenLink]
    settled: Counter[Told]
    told: Counter[Told]
    is_same_note: bool
    is_same_evidence: bool

    @property
    def is_harmless(self) -> bool:
        """Tell whether nothing changed but links and what is told of them."""
        return self.is_same_note and self.is_same_evidence


@dataclass(frozen=True, slots=True)
class Trial:
    """A note as it is, its bytes, and the claims that its candidates make."""

    note: ParsedNote
    data: bytes
    claims: tuple[Claim, ...]
    config: Config

    def links_after(self, edits: Iterable[Edit]) -> Sequence[WrittenLink]:
        """Return the links of the changed note, in order."""
        after = parse_note(self.note.path, apply_edits(self.data, edits), self.config)
        return () if isinstance(after, Finding) else after.links

    def difference(self, edits: Iterable[Edit]) -> Difference | None:
        """Return how the changed note differs; None where it is no text any more, or other lines run together."""
        edits = tuple(edits)
        data = apply_edits(self.data, edits)
        after = parse_note(self.note.path, data, self.config)
        if isinstance(after, Finding) or line_ends(data) != line_ends(self.data) + sum(map(self._line_ends, edits)):
            return None
        old, new = Counter(map(unplaced, self.note.links)), Counter(map(unplaced, after.links))
        before, told = _told(self.note), _told(after)
        return Difference(
            gone=old - new,
            new=new - old,
            settled=before - told,
            told=told - before,
            is_same_note=self._face(self.note) == self._face(after),
            is_same_evidence=self._has_same_evidence(after),
        )

    def _line_ends(self, edit: Edit) -> int:
        """Return how many line ends come with an edit, or go."""
        return line_ends(edit.new) - line_ends(self.data[edit.start : edit.end])

    def _has_same_evidence(self, after: ParsedNote) -> bool:
        """Tell whether all claims that are left would be judged on what one of that name was judged on before."""
        text, budget = NoteText(tuple(after.chunks), after.summary), self.config.validator.context_tokens
        claims = {(claim.link.kind, claim.link.written): claim for claim in self.claims}
        shown = Counter(
            gather(claim.link._replace(chunk=link.chunk, scope=link.scope), text, claim.evidence.target, budget).digest
            for link in after.links
            if link.candidate and (claim := claims.get((link.kind, link.written)))
        )
        return not shown - Counter(claim.evidence_hash for claim in self.claims)

    def _face(self, note: ParsedNote) -> tuple[object, ...]:
        settings = self.config.settings
        zones = set(map(heading_key, (*settings.candidate_headings, *settings.smart_edges_headings)))
        headings = tuple(key for key in note.headings if key not in zones)
        return note.declared_id, note.title, note.aliases, note.type, note.summary, note.interface, headings


def unplaced(link: WrittenLink) -> WrittenLink:
    """Return a link without line and chunk, which shift with what comes or goes above it."""
    return link._replace(line=0, chunk=None)


def codes(told: Counter[Told]) -> set[str]:
    """Return the codes of findings."""
    return {code for code, _ in told}


def _told(note: ParsedNote) -> Counter[Told]:
    return Counter((found.code, found.message) for found in note.findings)

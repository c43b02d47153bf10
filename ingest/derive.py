"""From decisions to the wanted graph: links with their state, edges, mirrors and the text of the verdict file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from kantenwerk.config import Config
from kantenwerk.graph.decisions import VERDICTS, VerdictChange, VerdictFile, changed_text, parse_verdicts
from kantenwerk.graph.findings import finding
from kantenwerk.graph.mirror import with_mirrors
from kantenwerk.graph.model import Attachment, Edge, Finding, Link, is_mention
from kantenwerk.ingest.edges import note_edges
from kantenwerk.ingest.reach import Reached
from kantenwerk.ingest.staging import stage_of
from kantenwerk.ingest.validate.judge import Judgement
from kantenwerk.ingest.validate.outcome import Decision
from kantenwerk.ingest.validate.verdicts import Adoption, Claim, VerdictBook


@dataclass(slots=True)
class Wanted:
    """The graph that the reached notes say: links and findings by note, edges and the mirrors at either end, in order.

    `states` counts candidates by state; `spelled` has the name of every mention, as it is written first.
    """

    links: dict[str, Sequence[Link]] = field(default_factory=dict)
    attachments: dict[str, tuple[Attachment, ...]] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=lambda: defaultdict(list))
    edges: Sequence[Edge] = ()
    states: Counter[str] = field(default_factory=Counter)
    spelled: dict[str, str] = field(default_factory=dict)


def derive(reached: Reached, judgement: Judgement, book: VerdictBook, config: Config) -> Wanted:
    """Return what the reached part of the graph should be after the decisions; `joined` is taken over, note by note."""
    wanted, kept_links, kept_edges = Wanted(), stage_of(Link), stage_of(Edge)
    said: dict[str, Sequence[Edge]] = {}
    decided = {
        claim.link: (claim, decision) for claim, decision in zip(reached.claims, judgement.decisions, strict=True)
    }
    for node in tuple(reached.joined):
        note, joined = reached.notes[node], reached.joined.pop(node)
        links = list(joined.links)
        wanted.links[node] = joined.links
        if joined.has_pending:
            links = [_decided(link, *decided[link]) if link.state == "pending" else link for link in links]
            wanted.links[node] = kept_links.keep(links)
        if joined.attachments:
            wanted.attachments[node] = joined.attachments
        if joined.findings:
            wanted.findings[note.path].extend(joined.findings)
        for link in links:
            if link.candidate:
                wanted.states[link.state] += 1
            if link.target and is_mention(link.target):
                wanted.spelled.setdefault(link.target, link.written)
        verdicts = {link.verdict: book[link.verdict] for link in links if link.verdict}
        said[node] = kept_edges.keep(note_edges(links, note.type, verdicts, config))
    for found in judgement.findings:
        wanted.findings[found.path].append(found)
    # Edges into the reached notes decide, with theirs, which mirrors there are between the two.
    vocabulary = config.vocabulary
    edges = with_mirrors(said, reached.edges_into, vocabulary.inverse, vocabulary.is_mirrored)
    wanted.edges = kept_edges.keep_all(edges)
    return wanted


@dataclass(frozen=True, slots=True)
class Recorded:
    """What becomes of the verdict file: the change, the digest that it then has, and findings."""

    change: VerdictChange
    digest: str
    findings: tuple[Finding, ...]


def record(file: VerdictFile, adoption: Adoption, judgement: Judgement) -> Recorded:
    """Return what becomes of `verdicts.jsonl` after this run."""
    change = VerdictChange(adoption.moved, tuple(judgement.new_verdicts))
    if change:
        # Findings and line numbers are to be those of the file as it will be.
        file = parse_verdicts(changed_text(file, change).encode())
    orphaned = tuple(
        finding(
            "verdict-orphaned",
            VERDICTS,
            file.lines.get(orphan.key, 1),
            f"a person's verdict on `{orphan.source} {orphan.kind} {orphan.target}` has lost its candidate",
            "delete the line, or bring the candidate back",
        )
        for orphan in adoption.orphans
    )
    return Recorded(change, file.digest, (*file.findings, *orphaned))


def _decided(link: Link, claim: Claim, decision: Decision) -> Link:
    key = decision.verdict.key if decision.verdict else None
    return link._replace(state=decision.state, verdict=key, evidence_hash=claim.evidence_hash)

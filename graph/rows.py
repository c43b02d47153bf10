"""Between the frozen types and the rows of the database: which table, which columns, in which order."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from kantenwerk.graph.model import Attachment, Chunk, Edge, Finding, Link, ParsedNote, Resolution, Verdict, WrittenLink
from kantenwerk.graph.plan import Row

_VERDICT = attrgetter(
    "key",
    "source",
    "kind",
    "target",
    "answer",
    "p_yes",
    "confidence",
    "judge",
    "profile",
    "model",
    "prompt_hash",
    "evidence_hash",
    "asked_at",
    "tokens",
    "latency_ms",
)
_RESOLUTION = attrgetter("a", "b", "method", "score", "state", "model", "reason", "decided_by")
_FINDING = attrgetter("code", "severity", "path", "line", "message", "help")
_ATTACHMENT = attrgetter("source", "written", "path", "line")


class NoteNaming(NamedTuple):
    """What a note is called, as its author spells it."""

    node: str
    path: str
    title: str
    aliases: tuple[str, ...]
    declared_id: str | None
    is_interface: bool


def note_row(node: str, note: ParsedNote) -> Row:
    """Return the row of `notes`."""
    return (
        node,
        note.path,
        note.title,
        note.type,
        list(note.aliases),
        note.summary,
        note.content_hash,
        note.declared_id,
        list(note.headings),
        note.interface,
    )


def chunk_row(node: str, chunk: Chunk) -> Row:
    """Return a row of `chunks`."""
    return (node, *chunk_values(chunk))


def chunk_values(chunk: Chunk) -> Row:
    """Return a row of `chunks` from `ordinal` on."""
    return (chunk.ordinal, list(chunk.heading_path), chunk.first_line, chunk.last_line, chunk.text)


def written_row(node: str, link: WrittenLink, keys: tuple[str, str]) -> Row:
    """Return a row of `written`; `keys` are those by which the link is looked up."""
    return (node, *link, *keys)


def finding_row(finding: Finding, stage: str) -> Row:
    """Return a row of `findings`."""
    return (*_FINDING(finding), stage)


def edge_row(edge: Edge) -> Row:
    """Return a row of `edges`."""
    return tuple(edge)


def link_row(link: Link) -> Row:
    """Return a row of `links`."""
    return tuple(link)


def attachment_row(attachment: Attachment) -> Row:
    """Return a row of `attachments`."""
    return tuple(_ATTACHMENT(attachment))


def resolution_row(resolution: Resolution) -> Row:
    """Return a row of `resolutions`."""
    return tuple(_RESOLUTION(resolution))


def verdict_row(verdict: Verdict) -> Row:
    """Return a row of `verdicts`."""
    return tuple(_VERDICT(verdict))


def finding_of(row: tuple[Any, ...]) -> Finding:
    """Return the finding that a row (code, severity, path, line, message, help) holds."""
    code, severity, path, line, message, advice = row[:6]
    return Finding(path, line, code, severity, message, advice)


def chunk_of(row: tuple[Any, ...]) -> Chunk:
    """Return the chunk that a row of `chunks`, from `ordinal` on, holds."""
    ordinal, path, first, last, text = row
    return Chunk(ordinal, tuple(path), first, last, text)

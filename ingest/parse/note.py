"""Turns one file into a parsed note: the grammar of the design's section 3, put together."""

from __future__ import annotations

from sys import intern

from kantenwerk.config import Config
from kantenwerk.config.names import nfc, trim, without_extension
from kantenwerk.config.notetypes import type_key
from kantenwerk.config.suggest import nearest
from kantenwerk.graph.model import Finding, ParsedNote
from kantenwerk.ingest.parse.blocks import split_blocks
from kantenwerk.ingest.parse.body import TYPED_HELP, BodyReader
from kantenwerk.ingest.parse.chunks import make_chunks
from kantenwerk.ingest.parse.collect import Collector, Place
from kantenwerk.ingest.parse.decode import Text, content_hash, decode
from kantenwerk.ingest.parse.frontmatter import Frontmatter, read_frontmatter
from kantenwerk.ingest.parse.plain import plain
from kantenwerk.ingest.parse.properties import read_properties
from kantenwerk.ingest.parse.target import Malformed, Typed, is_kind, read_wikilink

DEFAULT_TYPE = "default"
_ADD_TYPE = "add it to .kantenwerk/types.yaml, or use a known one"


def parse_note(path: str, data: bytes, config: Config) -> ParsedNote | Finding:
    """Return what a file says, or the error that it is no text. Never raises, whatever the bytes are."""
    text = decode(path, data)
    if isinstance(text, Finding):
        return text
    front = read_frontmatter(path, text.lines)
    body = split_blocks(text.lines[front.body_start :])
    collector = Collector(path, config, [*text.findings, *front.findings])
    reader = BodyReader(body, front.body_start, config, collector)
    reader.read()
    note_type = _read_type(front, collector)
    chunks = make_chunks(reader.blocks, reader.lines, front.body_start, config.types.of(note_type).chunking)
    _read_properties(front, text, collector)
    # Many notes have the same ones, as types: each text is in memory once.
    headings = tuple(map(intern, reader.headings))
    collector.check_own_anchors(headings)
    if not front.body_start and not any(line.strip() for line in body.lines):
        collector.tell("note-empty", 1, "the note is empty", "write something, or delete it")
    return ParsedNote(
        path=path,
        declared_id=_text(front.get("id")),
        title=_text(front.get("title")) or reader.title or _stem(path),
        aliases=_aliases(front),
        type=note_type,
        summary=_summary(front) or reader.summary,
        content_hash=content_hash(data),
        headings=headings,
        chunks=chunks,
        links=collector.links(chunks),
        findings=tuple(collector.findings),
        interface=front.get("interface") is True,
    )


def _read_properties(front: Frontmatter, text: Text, collector: Collector) -> None:
    found = read_properties(collector.path, front, text.lines)
    collector.findings.extend(found.findings)
    for key, inner, line in found.links:
        read = read_wikilink(inner)
        if isinstance(read, Malformed):
            collector.tell("malformed-edge", line, f"`[[{inner}]]`: {read.why}", TYPED_HELP, subject=f"[[{inner}]]")
            continue
        kind, target = (read.kind, read.target) if isinstance(read, Typed) else (key, read)
        kind = kind if is_kind(trim(kind)) else "references"
        collector.add(kind, target, Place("explicit:property", "note", line))


def _read_type(front: Frontmatter, collector: Collector) -> str:
    written = front.get("type")
    line = front.line_of("type")
    if written is None or (isinstance(written, str) and not trim(written)):
        return DEFAULT_TYPE
    if not isinstance(written, str):
        collector.tell("type-not-string", line, "`type` is no text; the note counts as `default`", "write one word")
        return DEFAULT_TYPE
    types = collector.config.types
    if not types.is_known(trim(written)):
        near = nearest(type_key(trim(written)), types.by_key)
        collector.tell(
            "unknown-type",
            line,
            f"the type `{trim(written)}` is not in types.yaml and behaves as `default`",
            f"did you mean `{near}`? Else add it to .kantenwerk/types.yaml" if near else _ADD_TYPE,
            subject=trim(written),
        )
    return intern(trim(written))


def _aliases(front: Frontmatter) -> tuple[str, ...]:
    aliases: dict[str, None] = {}
    for key in ("aliases", "alias"):
        value = front.get(key)
        for item in value if isinstance(value, list) else [value]:
            if text := _text(item):
                aliases[text] = None
    return tuple(aliases)


def _summary(front: Frontmatter) -> str | None:
    for key in ("summary", "description"):
        if text := _text(front.get(key)):
            return plain(text)
    return None


def _text(value: object) -> str | None:
    """Return a non-empty string in NFC, or None for everything else."""
    return (nfc(trim(value)) or None) if isinstance(value, str) else None


def _stem(path: str) -> str:
    return without_extension(nfc(path.rpartition("/")[2]))

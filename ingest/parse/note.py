"""Turns one file into a parsed note: the grammar of the design's section 3, put together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from kantenwerk.config import Config
from kantenwerk.config.names import name_key, nfc, trim, without_extension
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding, ParsedNote, Scope, WrittenLink
from kantenwerk.ingest.parse.blocks import Body, is_closed, is_lazy, split_blocks
from kantenwerk.ingest.parse.chunks import Block, chunk_at, make_chunks
from kantenwerk.ingest.parse.decode import decode
from kantenwerk.ingest.parse.frontmatter import Frontmatter, read_frontmatter
from kantenwerk.ingest.parse.inline import MASK, MarkdownLink, Wikilink, scan, visible
from kantenwerk.ingest.parse.leaf import Leaf
from kantenwerk.ingest.parse.plain import has_heading, heading_key, plain
from kantenwerk.ingest.parse.properties import read_properties
from kantenwerk.ingest.parse.target import (
    Malformed,
    Target,
    Typed,
    is_kind,
    is_url,
    read_destination,
    read_edge_line,
    read_wikilink,
    strip_markers,
)

_CALLOUT = re.compile(r"\s*\[!edge(?:\|[^\]\n]*)?\][+-]?(?:\s+|$)(.*)", re.IGNORECASE)
_FIELD = re.compile(
    r"(?:^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[.\]\s+)?|[(\[])\s*[*_]{0,2}([\w -]+?)[*_]{0,2}\s*::\s*"
    r"(?:!?\[\[[^\[\]\n]*\]\][\s,]*)*$"
)
DEFAULT_TYPE = "default"


def content_hash(data: bytes) -> str:
    """Return the hash by which a file's content is recognised."""
    return blake2b(data, digest_size=16).hexdigest()


def parse_note(path: str, data: bytes, config: Config) -> ParsedNote | Finding:
    """Return what a file says, or the error that it is no text. Never raises, whatever the bytes are."""
    text = decode(path, data)
    if isinstance(text, Finding):
        return text
    meta = read_frontmatter(path, text.lines)
    body = split_blocks(text.lines[meta.body_start :])
    reader = _NoteReader(path, text.lines, meta, body, config)
    return reader.read(content_hash(data), text.findings)


@dataclass(slots=True)
class _Heading:
    """A heading that is still open; a rule takes the zone from it."""

    level: int
    text: str
    line: int
    containers: tuple[int, ...]
    zone: str | None
    is_zone: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a link stands: its rule, scope and line, and for candidates the section's first and last line."""

    rule_id: str
    scope: Scope
    line: int
    candidate: bool = False
    section: tuple[int, int] | None = None


@dataclass(slots=True)
class _NoteReader:
    path: str
    source: tuple[str, ...]
    meta: Frontmatter
    body: Body
    config: Config
    headings: list[str] = field(default_factory=list)
    title: str | None = None
    summary: str = ""
    findings: list[Finding] = field(default_factory=list)
    _stack: list[_Heading] = field(default_factory=list)
    _section: int = 0
    _blocks: list[Block] = field(default_factory=list)
    _links: list[tuple[str, Target, _Place]] = field(default_factory=list)
    _edge_quotes: set[int] = field(default_factory=set)
    _seen_quotes: set[int] = field(default_factory=set)
    _lines: list[str] = field(default_factory=list)

    def read(self, digest: str, findings: tuple[Finding, ...]) -> ParsedNote:
        """Return the whole note; `findings` are what decoding had to say."""
        self.findings.extend(findings)
        self.findings.extend(self.meta.findings)
        self._lines = [line.replace(MASK, "") for line in self.body.lines]
        for leaf in self.body.leaves:
            self._read_leaf(leaf)
        self._tell_of_unclosed()
        note_type = self._type()
        profile = self.config.types.of(note_type).chunking
        chunks = make_chunks(self._blocks, self._lines, self.meta.body_start, profile)
        self._read_properties()
        links = tuple(self._placed(link, chunks) for link in self._links)
        self._check_own_anchors()
        if not self.meta.meta and not any(line.strip() for line in self.body.lines):
            self._tell("note-empty", 1, "the note is empty", "write something, or delete it")
        return ParsedNote(
            path=self.path,
            declared_id=_text(self.meta.meta.get("id")),
            title=_text(self.meta.meta.get("title")) or self.title or _stem(self.path),
            aliases=self._aliases(),
            type=note_type,
            summary=self._summary(),
            content_hash=digest,
            headings=tuple(self.headings),
            chunks=chunks,
            links=links,
            findings=tuple(self.findings),
        )

    # --- the walk over the leaves

    def _read_leaf(self, leaf: Leaf) -> None:
        stack = self._stack
        while stack and leaf.containers[: len(stack[-1].containers)] != stack[-1].containers:
            stack.pop()
        zone = self._zone()
        if leaf.kind == "heading" and not self._is_underlined_edge(leaf, zone):
            self._open_heading(leaf)
            return
        if leaf.kind == "rule":
            self._end_zone()
        elif zone is None:
            self._read_text(leaf)
        elif zone.zone == "candidates":
            self._read_candidates(leaf, zone)
        else:
            self._read_smart_edges(leaf)
        if leaf.setext:
            self._end_zone()

    def _zone(self) -> _Heading | None:
        return next((heading for heading in reversed(self._stack) if heading.zone), None)

    def _end_zone(self) -> None:
        if self._zone() is not None:
            self._section += 1
        for heading in self._stack:
            heading.zone = None

    def _is_underlined_edge(self, leaf: Leaf, zone: _Heading | None) -> bool:
        """A zone's last lines above `---` are a setext heading to CommonMark, and lines and a rule to us."""
        if zone is None or not leaf.setext:
            return False
        lines = visible(leaf.text).split("\n")
        return len(lines) > 1 or isinstance(read_edge_line(lines[0]), Typed)

    def _open_heading(self, leaf: Leaf) -> None:
        text = plain(leaf.text)
        key = name_key(text)
        self.headings.append(heading_key(text))
        stack = self._stack
        while stack and stack[-1].containers == leaf.containers and stack[-1].level >= leaf.level:
            stack.pop()
        zone = None
        if key in _keys(self.config.settings.candidate_headings):
            zone = "candidates"
        elif key in _keys(self.config.settings.smart_edges_headings):
            zone = "smart"
        stack.append(_Heading(leaf.level, text, leaf.first, leaf.containers, zone, zone is not None))
        if not leaf.containers:
            self._section += 1
        elif self._zone() is None:
            self._add_block(leaf)
        if zone is None:
            if leaf.level == 1 and self.title is None and not leaf.containers and text:
                self.title = text
            self._read_inline(leaf, frozenset())

    # --- text outside every zone

    def _read_text(self, leaf: Leaf) -> None:
        self._hide_comments(leaf)
        self._add_block(leaf)
        if leaf.kind == "text" and not self.summary and not leaf.containers:
            self.summary = plain(leaf.text)
        if leaf.kind in {"text", "row"}:
            self._read_inline(leaf, self._read_callout(leaf, "explicit:callout"))
        elif leaf.kind == "fence" and not is_closed(leaf, self.body.lines):
            self._tell(
                "unclosed-fence",
                self._file_line(leaf.first),
                "the code fence never ends: all below it is code",
                "close it with a line of the same characters",
            )

    def _add_block(self, leaf: Leaf) -> None:
        """Note the leaf's lines as text of its section; what shares a top-level container is one block."""
        if self._path_of != self._section:
            self._path_of = self._section
            self._path = tuple(h.text for h in self._stack if not h.is_zone and not h.containers)
        path = self._path
        last = self._blocks[-1] if self._blocks else None
        if last and leaf.containers and last.section == self._section and self._same_container(leaf):
            self._blocks[-1] = Block(self._section, path, last.first, max(last.end, leaf.end))
        else:
            self._blocks.append(Block(self._section, path, leaf.first, leaf.end))
        self._last_container = leaf.containers[:1]

    _last_container: tuple[int, ...] = ()
    _path_of: int = -1
    _path: tuple[str, ...] = ()

    def _same_container(self, leaf: Leaf) -> bool:
        return leaf.containers[:1] == self._last_container

    def _hide_comments(self, leaf: Leaf) -> None:
        """Take comments out of the lines that chunks are made of."""
        if "%%" not in leaf.text and "<!--" not in leaf.text:
            return
        for index, (written, shown) in enumerate(
            zip(leaf.lines, visible(leaf.text).split("\n"), strict=True), start=leaf.first
        ):
            if written.replace(MASK, "") != shown:
                self._lines[index] = self._lines[index].replace(written.replace(MASK, ""), shown, 1)

    def _read_callout(self, leaf: Leaf, rule_id: str) -> frozenset[int]:
        """Read the edges of an `[!edge]` callout; return the indexes of the lines that are used up."""
        if not leaf.quotes:
            return frozenset()
        quote = leaf.quotes[-1]
        is_first = quote not in self._seen_quotes
        self._seen_quotes.update(leaf.quotes)
        used = set()
        for index, line in enumerate(visible(leaf.text).split("\n")):
            if is_lazy(leaf, index, self.body.lines):
                continue
            head = _CALLOUT.match(line)
            if head and is_first and index == 0:
                self._edge_quotes.add(quote)
            if head is None and quote not in self._edge_quotes:
                continue
            text = head.group(1) if head else line
            if not text.strip() or self._read_edge(text, leaf.first + index, rule_id, strict=True):
                used.add(index)
        return frozenset(used)

    def _read_edge(self, text: str, line: int, rule_id: str, *, strict: bool) -> bool:
        """Read one `kind:target` line; False where its links, if any, are to be read as text."""
        edge = read_edge_line(text)
        if isinstance(edge, Typed):
            self._add(edge.kind, edge.target, self._explicit(rule_id, line))
            return True
        if strict or self._begins_with_known_kind(text):
            has_links = bool(scan(text).links)
            if not has_links or self._begins_with_known_kind(text):
                self._tell(
                    "malformed-edge",
                    self._file_line(line),
                    f"`{trim(text)}` states no edge: {edge.why}",
                    "write one `kind:target` a line",
                )
            return not has_links
        return False

    def _begins_with_known_kind(self, text: str) -> bool:
        kind, colon, _ = strip_markers(text).partition(":")
        vocabulary = self.config.vocabulary
        return bool(colon) and is_kind(trim(kind)) and vocabulary.is_known(vocabulary.normalise(kind))

    # --- zones

    def _read_smart_edges(self, leaf: Leaf) -> None:
        if leaf.kind not in {"text", "row", "heading"}:
            return
        used = set(self._read_callout(leaf, "explicit:note_zone"))
        for index, line in enumerate(visible(leaf.text).split("\n")):
            is_line = leaf.kind != "row" and index not in used and not leaf.quotes and line.strip()
            if is_line and self._read_edge(line, leaf.first + index, "explicit:note_zone", strict=False):
                used.add(index)
        self._read_inline(leaf, frozenset(used), zone=True)

    def _read_candidates(self, leaf: Leaf, zone: _Heading) -> None:
        if leaf.kind == "fence":
            return
        lines = self.body.lines[leaf.first : leaf.end] if leaf.kind == "code" else leaf.lines
        for index, line in enumerate(visible("\n".join(lines)).split("\n"), start=leaf.first):
            if not line.strip():
                continue
            why = _why_no_candidate(leaf)
            edge = Malformed(why) if why else read_edge_line(line)
            if isinstance(edge, Typed):
                self._add(edge.kind, edge.target, self._candidate(index, zone))
            else:
                self._tell(
                    "malformed-candidate",
                    self._file_line(index),
                    f"`{trim(line)}` is no candidate: {edge.why}",
                    "write one `kind:target` a line",
                )

    def _candidate(self, line: int, zone: _Heading) -> _Place:
        rule_id = "candidate:" + _as_kind(zone.text)
        above = self._stack[: self._stack.index(zone)]
        owner = next((heading for heading in reversed(above) if not heading.is_zone), None)
        if owner is None or owner.level < 2:  # noqa: PLR2004 - a level 1 heading is the note's title
            return _Place(rule_id, "note", line, candidate=True)
        return _Place(rule_id, "chunk", line, candidate=True, section=(owner.line, zone.line))

    # --- links in running text

    def _read_inline(self, leaf: Leaf, used: frozenset[int], *, zone: bool = False) -> None:
        text = leaf.text
        for link in scan(text).links:
            index = text.count("\n", 0, link.start)
            if index in used:
                continue
            line = leaf.first + index
            if isinstance(link, MarkdownLink):
                self._read_markdown_link(link, line, zone=zone)
            else:
                before = text[text.rfind("\n", 0, link.start) + 1 : link.start]
                self._read_wikilink(link, line, before, zone=zone)

    def _read_markdown_link(self, link: MarkdownLink, line: int, *, zone: bool) -> None:
        target = read_destination(link.destination)
        if target is None:
            return
        kind, rule = ("embeds", "explicit:embed") if link.embed else ("references", "explicit:markdown")
        self._add(kind, target, self._explicit("explicit:note_zone" if zone else rule, line))

    def _read_wikilink(self, link: Wikilink, line: int, before: str, *, zone: bool) -> None:
        read = read_wikilink(link.inner)
        kind, rule = ("embeds", "explicit:embed") if link.embed else ("references", "explicit:wikilink")
        if isinstance(read, Malformed):
            self._tell("malformed-edge", self._file_line(line), f"`[[{link.inner}]]`: {read.why}", _TYPED_HELP)
            # The kind cannot be read, the target may: that the author named it is certain.
            read = Target(trim(link.inner.partition("|")[2]))
        elif isinstance(read, Typed):
            kind, rule, read = read.kind, "explicit:typed", read.target
        elif self.config.settings.dataview_fields and (found := _FIELD.search(before)):
            kind, rule = found.group(1), "explicit:field"
        self._add(kind, read, self._explicit("explicit:note_zone" if zone else rule, line))

    def _explicit(self, rule_id: str, line: int) -> _Place:
        return _Place(rule_id, "note" if rule_id == "explicit:note_zone" else "chunk", line)

    # --- frontmatter

    def _read_properties(self) -> None:
        found = read_properties(self.path, self.meta, self.source)
        self.findings.extend(found.findings)
        for key, inner, line in found.links:
            read = read_wikilink(inner)
            if isinstance(read, Malformed):
                self._tell("malformed-edge", line, f"`[[{inner}]]`: {read.why}", _TYPED_HELP)
                continue
            kind, target = (read.kind, read.target) if isinstance(read, Typed) else (key, read)
            kind = kind if is_kind(trim(kind)) else "references"
            self._add(kind, target, _Place("explicit:property", "note", line - 1 - self.meta.body_start))

    def _type(self) -> str:
        written = self.meta.meta.get("type")
        line = self.meta.lines.get(("type", -1), 1)
        if written is None or (isinstance(written, str) and not trim(written)):
            return DEFAULT_TYPE
        if not isinstance(written, str):
            self._tell("type-not-string", line, "`type` is no text; the note counts as `default`", "write one word")
            return DEFAULT_TYPE
        if not self.config.types.is_known(trim(written)):
            self._tell(
                "unknown-type",
                line,
                f"the type `{trim(written)}` is not in types.yaml and behaves as `default`",
                "add it to .kantenwerk/types.yaml, or use a known one",
            )
        return trim(written)

    def _aliases(self) -> tuple[str, ...]:
        aliases: dict[str, None] = {}
        for key in ("aliases", "alias"):
            value = self.meta.meta.get(key)
            for item in value if isinstance(value, list) else [value]:
                if text := _text(item):
                    aliases[text] = None
        return tuple(aliases)

    def _summary(self) -> str:
        for key in ("summary", "description"):
            if text := _text(self.meta.meta.get(key)):
                return plain(text)
        return self.summary

    # --- putting it together

    def _add(self, kind: str, target: Target, place: _Place) -> None:
        line = self._file_line(place.line)
        if not target.name:
            if target.anchor is not None and not place.candidate:
                self._own_anchors.append((target.anchor, line))
            return
        if is_url(target.name):
            self._tell(
                "external-target",
                line,
                f"`{target.name}` is an address, not a note",
                "link to a note that holds it",
            )
            return
        vocabulary = self.config.vocabulary
        normal = vocabulary.normalise(kind)
        if not vocabulary.is_known(normal):
            nearest = vocabulary.nearest(normal)
            advice = f"did you mean `{nearest}`? Else add it" if nearest else "add it"
            self.findings.append(
                finding(
                    "unknown-kind",
                    self.path,
                    line,
                    f"the kind `{trim(kind)}` is not in the vocabulary",
                    f"{advice} to .kantenwerk/edges.yaml",
                    self.config.settings.unknown_kinds,
                )
            )
        self._links.append((normal, target, place))

    _own_anchors: list[tuple[str, int]] = field(default_factory=list)

    def _placed(self, link: tuple[str, Target, _Place], chunks: tuple[Any, ...]) -> WrittenLink:
        kind, target, place = link
        line = self._file_line(place.line)
        chunk = None
        if place.section is not None:
            first, end = (self._file_line(edge) for edge in place.section)
            inside = [piece.ordinal for piece in chunks if first < piece.first_line and piece.last_line < end]
            chunk = inside[-1] if inside else None
        elif place.scope == "chunk":
            chunk = chunk_at(chunks, line)
        return WrittenLink(
            kind=kind,
            written=target.name,
            anchor=target.anchor,
            candidate=place.candidate,
            rule_id=place.rule_id,
            scope=place.scope,
            chunk=chunk,
            line=line,
            relative=target.relative,
        )

    def _check_own_anchors(self) -> None:
        for anchor, line in self._own_anchors:
            if not has_heading(tuple(self.headings), anchor):
                self._tell(
                    "heading-not-found",
                    line,
                    f"this note has no heading `{anchor}`",
                    "correct the heading's text",
                )

    def _tell_of_unclosed(self) -> None:
        for line, marker in self.body.unclosed:
            if marker != "$$":
                self._tell(
                    "unclosed-comment",
                    self._file_line(line),
                    f"the comment opened by `{marker}` never ends, so it hides nothing",
                    "close it, or put a backslash before it",
                )

    def _file_line(self, line: int) -> int:
        return line + 1 + self.meta.body_start

    def _tell(self, code: str, line: int, message: str, advice: str) -> None:
        self.findings.append(finding(code, self.path, line, message, advice))


_TYPED_HELP = "write `[[rel:kind|Target]]`"


def _why_no_candidate(leaf: Leaf) -> str | None:
    if leaf.kind == "code":
        return "four spaces make it code"
    if leaf.kind == "row":
        return "it is a table's row"
    return "it stands in a quote" if leaf.quotes else None


def _keys(names: tuple[str, ...]) -> Iterator[str]:
    return (name_key(name) for name in names)


def _as_kind(heading: str) -> str:
    return re.sub(r"[\s-]+", "_", name_key(heading))


def _text(value: object) -> str | None:
    """Return a non-empty string in NFC, or None for everything else."""
    return (nfc(trim(value)) or None) if isinstance(value, str) else None


def _stem(path: str) -> str:
    return without_extension(nfc(path.rpartition("/")[2]))

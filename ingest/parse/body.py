"""Reads a body's blocks: text with links and callouts, the zones, and which lines are text for chunks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kantenwerk.config import Config
from kantenwerk.config.names import kind_key, trim
from kantenwerk.ingest.parse.blocks import Body, is_closed, is_lazy
from kantenwerk.ingest.parse.chunks import Block
from kantenwerk.ingest.parse.collect import Collector, Place
from kantenwerk.ingest.parse.fields import Fields
from kantenwerk.ingest.parse.inline import MASK, MarkdownLink, Wikilink, scan, visible
from kantenwerk.ingest.parse.leaf import Leaf
from kantenwerk.ingest.parse.plain import anchor_keys, heading_keys, plain, shortened
from kantenwerk.ingest.parse.sections import Heading, Sections
from kantenwerk.ingest.parse.target import (
    Malformed,
    Typed,
    is_kind,
    read_destination,
    read_edge_line,
    read_name,
    read_wikilink,
    strip_markers,
    without_block_id,
)

_CALLOUT = re.compile(r"\s*\[!edge(?:\|[^\]\n]*)?\][+-]?\s*(.*)", re.IGNORECASE)
_RULE = re.compile(r"[\s>]*-{3,}\s*")
TYPED_HELP = "write `[[rel:kind|Target]]`"
ZONE_RULE = "explicit:note_zone"
# The heading that a note of its own belongs to; a deeper one has text of its own.
_TITLE_LEVEL = 1


@dataclass(slots=True)
class BodyReader:
    """Reads one body from top to bottom; `offset` turns a 0-based line of it into the file's.

    Afterwards `blocks` are the text of sections, `lines` the body's lines without comments, `headings` the keys
    of all headings and named places, `title` the first heading of level 1 and `summary` the first paragraph.
    """

    body: Body
    offset: int
    config: Config
    collector: Collector
    headings: list[str] = field(default_factory=list)
    title: str | None = None
    summary: str = ""
    blocks: list[Block] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _sections: Sections = field(init=False)
    _container: tuple[int, ...] = ()
    _edge_quotes: set[int] = field(default_factory=set)
    _seen_quotes: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin outside every section, with what was masked already gone from the lines."""
        self._sections = Sections(self.config.settings)
        self.lines = [line.replace(MASK, "") for line in self.body.lines]

    def read(self) -> None:
        """Read every leaf; links and findings go to the collector."""
        for leaf in self.body.leaves:
            self._sections.enter(leaf)
            self._read_leaf(leaf)
        for line, marker in self.body.unclosed:
            # Inside a line, `%%` without a second one is text more often than a comment.
            begins = self.body.lines[line].lstrip(" \t>*+-").startswith(marker)
            if marker == "<!--" or (marker == "%%" and begins):
                self.collector.tell(
                    "unclosed-comment",
                    self._line(line),
                    f"the comment opened by `{marker}` never ends, so it hides nothing",
                    "close it, or put a backslash before it",
                    subject=marker,
                )

    def _line(self, line: int) -> int:
        return line + 1 + self.offset

    def _read_leaf(self, leaf: Leaf) -> None:
        zone = self._sections.zone
        if leaf.kind not in {"fence", "code"}:
            self.headings.extend(anchor_keys(leaf.text))
        if leaf.kind == "heading" and not self._is_underlined_line(leaf, zone):
            self._read_heading(leaf)
            return
        if leaf.kind == "fence" and not is_closed(leaf, self.body.lines):
            self.collector.tell(
                "unclosed-fence",
                self._line(leaf.first),
                "the code fence never ends: all below it is code",
                "close it with a line of the same characters",
            )
        if leaf.kind == "rule":
            self._sections.end_zones()
        elif zone is None:
            self._read_text(leaf)
        elif zone.zone == "candidates":
            self._read_candidates(leaf, zone)
        else:
            self._read_smart_edges(leaf)
        if leaf.setext and _RULE.fullmatch(self.body.lines[leaf.end - 1]):
            self._sections.end_zones()

    def _read_heading(self, leaf: Leaf) -> None:
        written = without_block_id(leaf.text)
        text = plain(written)
        self.headings.extend(heading_keys(written, text))
        heading = self._sections.open(leaf, text)
        zone = self._sections.zone
        if heading.is_zone:
            return
        if zone is not None:
            self._read_zone_heading(leaf, zone)
            return
        if leaf.containers:
            self._add_block(leaf)
        if self.title is None and leaf.level == _TITLE_LEVEL and not leaf.containers and text:
            self.title = text
        self._read_inline(leaf, frozenset())

    def _read_zone_heading(self, leaf: Leaf, zone: Heading) -> None:
        """A heading inside a zone: its links are the zone's, and no candidates."""
        if zone.zone == "smart":
            self._read_inline(leaf, frozenset(), rule_id=ZONE_RULE)
        elif _has_links(leaf.text):
            self._tell_malformed_candidate(leaf.first, leaf.text, "it is a heading")

    # --- text outside every zone

    def _read_text(self, leaf: Leaf) -> None:
        self._add_block(leaf)
        if leaf.kind in {"text", "row"}:
            comments = scan(leaf.text).comments
            if comments == ((0, len(leaf.text)),) and not leaf.containers:
                self.lines[leaf.first : leaf.end] = [""] * (leaf.end - leaf.first)
                return
            if comments:
                self._hide_comments(leaf)
            if not self.summary and not leaf.containers and leaf.kind == "text" and leaf.text.strip(MASK):
                self.summary = plain(leaf.text)
            used = self._read_callout(leaf, "explicit:callout") if leaf.quotes else frozenset()
            self._read_inline(leaf, used)

    def _add_block(self, leaf: Leaf) -> None:
        """Note the leaf's lines as text of its section; what shares a top-level container is one block."""
        number, blocks = self._sections.number, self.blocks
        container = leaf.containers[:1]
        if container and container == self._container and blocks[-1].section == number:
            last = blocks[-1]
            blocks[-1] = Block(number, last.heading_path, last.first, max(last.end, leaf.end))
        else:
            blocks.append(Block(number, self._sections.path, leaf.first, leaf.end))
        self._container = container

    def _hide_comments(self, leaf: Leaf) -> None:
        """Take comments out of the lines that chunks are made of."""
        written = leaf.text.replace(MASK, "").split("\n")
        shown = visible(leaf.text).split("\n")
        for index, (before, after) in enumerate(zip(written, shown, strict=True), start=leaf.first):
            if before != after:
                # Without the blanks before it: a comment behind a line changes nothing of what a judge is shown.
                self.lines[index] = self.lines[index].replace(before, after, 1).rstrip()

    # --- lines `kind:target`

    def _is_underlined_line(self, leaf: Leaf, zone: Heading | None) -> bool:
        """A zone's last lines above `---` are a setext heading to CommonMark, and lines and a rule to us."""
        if zone is None or not leaf.setext:
            return False
        if zone.zone == "candidates" and "-" in self.body.lines[leaf.end - 1]:
            return True
        lines = visible(leaf.text).split("\n")
        return len(lines) > 1 or isinstance(read_edge_line(lines[0]), Typed) or _holds_links_alone(lines[0])

    def _read_callout(self, leaf: Leaf, rule_id: str) -> frozenset[int]:
        """Read the edges of an `[!edge]` callout; return the indexes of the lines that are used up."""
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
            if not text.strip() or self._read_edge(text, leaf.first + index, rule_id, is_surely_one=True):
                used.add(index)
        return frozenset(used)

    def _read_smart_edges(self, leaf: Leaf) -> None:
        if leaf.kind not in {"text", "row", "heading"}:
            return
        used = set(self._read_callout(leaf, ZONE_RULE)) if leaf.quotes else set()
        for index, line in enumerate(visible(leaf.text, with_math=False).split("\n")):
            if leaf.kind == "row":
                self._tell_of_edges_in_row(line, leaf.first)
            elif index in used or not line.strip():
                continue
            elif self._read_edge(line, leaf.first + index, ZONE_RULE, is_surely_one=False):
                used.add(index)
        self._read_inline(leaf, frozenset(used), rule_id=ZONE_RULE)

    def _tell_of_edges_in_row(self, row: str, line: int) -> None:
        for cell in map(trim, row.split("|")):
            if self._begins_with_known_kind(cell):
                self._tell_malformed_edge(line, cell, "it is a table's cell")

    def _read_edge(self, text: str, line: int, rule_id: str, *, is_surely_one: bool) -> bool:
        """Read one `kind:target` line; False where its links, if any, are to be read as text."""
        edge = read_edge_line(text)
        if isinstance(edge, Typed):
            self.collector.add(edge.kind, edge.target, self._explicit(rule_id, line))
            return True
        if not is_surely_one and self._is_field(text):
            return False
        has_links = _has_links(text)
        if self._begins_with_known_kind(text) or (is_surely_one and not has_links):
            self._tell_malformed_edge(line, text, edge.why)
            return not has_links
        return False

    def _is_field(self, text: str) -> bool:
        """Tell whether a line is a Dataview field, whose links are read as such."""
        first = next((link for link in scan(text).links if isinstance(link, Wikilink)), None)
        return first is not None and self._field(Fields(text), first) is not None

    def _field(self, fields: Fields, link: Wikilink) -> str | None:
        """Return the kind that a Dataview field gives a link, if the setting is on."""
        named = fields.kind_of(link) if self.config.settings.dataview_fields else None
        return named if named is not None and is_kind(named) else None

    def _tell_malformed_edge(self, line: int, text: str, why: str) -> None:
        self.collector.tell(
            "malformed-edge",
            self._line(line),
            f"`{shortened(text)}` states no edge: {why}",
            "write one `kind:target` a line",
            subject=strip_markers(text),
        )

    def _begins_with_known_kind(self, text: str) -> bool:
        kind, colon, _ = strip_markers(text).partition(":")
        vocabulary = self.config.vocabulary
        return bool(colon) and is_kind(trim(kind)) and vocabulary.is_known(vocabulary.normalise(kind))

    def _read_candidates(self, leaf: Leaf, zone: Heading) -> None:
        if leaf.kind == "fence":
            return
        is_code = leaf.kind == "code"
        text = "\n".join(self.body.lines[leaf.first : leaf.end]) if is_code else visible(leaf.text, with_math=False)
        for index, line in enumerate(text.split("\n"), start=leaf.first):
            if not line.strip():
                continue
            why = _why_no_candidate(leaf)
            edge = Malformed(why) if why else read_edge_line(line)
            if isinstance(edge, Typed):
                self.collector.add(edge.kind, edge.target, self._candidate(index, zone))
            else:
                self._tell_malformed_candidate(index, line, edge.why)

    def _tell_malformed_candidate(self, line: int, text: str, why: str) -> None:
        self.collector.tell(
            "malformed-candidate",
            self._line(line),
            f"`{shortened(text)}` is no candidate: {why}",
            "write one `kind:target` a line",
        )

    def _candidate(self, line: int, zone: Heading) -> Place:
        rule_id = "candidate:" + kind_key(zone.text)
        owner = self._sections.owner(zone)
        if owner is None or owner.level == _TITLE_LEVEL:
            return Place(rule_id, "note", self._line(line), candidate=True)
        section = (self._line(owner.line), self._line(zone.line))
        return Place(rule_id, "chunk", self._line(line), candidate=True, section=section)

    # --- links in running text

    def _read_inline(self, leaf: Leaf, used: frozenset[int], *, rule_id: str | None = None) -> None:
        text = leaf.text
        fields = Fields(text)
        index = position = 0
        for link in scan(text).links:
            # A link in another's text comes first, and begins behind it.
            if link.start < position:
                index = position = 0
            index += text.count("\n", position, link.start)
            position = link.start
            if index not in used:
                if isinstance(link, MarkdownLink):
                    self._read_markdown_link(link, leaf.first + index, rule_id)
                else:
                    self._read_wikilink(link, leaf.first + index, fields, rule_id)

    def _read_markdown_link(self, link: MarkdownLink, line: int, rule_id: str | None) -> None:
        target = read_destination(link.destination)
        if target is not None:
            kind, rule = ("embeds", "explicit:embed") if link.embed else ("references", "explicit:markdown")
            self.collector.add(kind, target, self._explicit(rule_id or rule, line))

    def _read_wikilink(self, link: Wikilink, line: int, fields: Fields, rule_id: str | None) -> None:
        read = read_wikilink(link.inner)
        named = self._field(fields, link)
        kind, rule = ("embeds", "explicit:embed") if link.embed else ("references", "explicit:wikilink")
        if isinstance(read, Malformed):
            written = f"[[{link.inner}]]"
            message = f"`{written}`: {read.why}"
            self.collector.tell("malformed-edge", self._line(line), message, TYPED_HELP, subject=written)
            # The kind cannot be read, the target may: that the author named it is certain.
            read = read_name(link.inner.partition("|")[2])
        elif isinstance(read, Typed):
            kind, rule, read = read.kind, "explicit:typed", read.target
        elif named is not None:
            kind, rule = named, "explicit:field"
        self.collector.add(kind, read, self._explicit(rule_id or rule, line))

    def _explicit(self, rule_id: str, line: int) -> Place:
        return Place(rule_id, "note" if rule_id == ZONE_RULE else "chunk", self._line(line))


def _has_links(text: str) -> bool:
    """Tell whether a text holds a link that may be one of the graph."""
    links = scan(text).links
    return any(isinstance(link, Wikilink) or read_destination(link.destination) is not None for link in links)


def _holds_links_alone(line: str) -> bool:
    links = scan(line).links
    between, end = [], 0
    for link in sorted(links, key=lambda link: link.start):
        between.append(line[end : link.start])
        end = max(end, link.end)
    return bool(links) and not "".join((*between, line[end:])).strip(" \t,")


def _why_no_candidate(leaf: Leaf) -> str | None:
    if leaf.kind == "code":
        return "four spaces make it code"
    if leaf.kind == "row":
        return "it is a table's row"
    return "it stands in a quote" if leaf.quotes else None

"""Splits a note's body into its leaf blocks with markdown-it-py, reduced to the block rules that matter here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from kantenwerk.ingest.parse.inline import MASK, Unclosed, scan

LeafKind = Literal["text", "heading", "row", "code", "fence", "rule"]

_RULES = [
    "table",
    "code",
    "fence",
    "blockquote",
    "hr",
    "list",
    "footnote_def",
    "heading",
    "lheading",
    "paragraph",
]
_CONTAINERS = {"blockquote", "list_item", "footnote_reference"}
_DEEPEST = 60
_QUOTE_PREFIX = re.compile(r"[ \t>]*")
_OPENER = re.compile(r"[\s>*+\-\d.)#\[\]xX]*(?:%%|<!--|\$\$)|.*\[\^.*(?:%%|<!--|\$\$)")
_FENCES = ("```", "~~~")
_FENCE_END = re.compile(r"[\s>]*(`{3,}|~{3,})\s*")
# Each one costs a second look at the note's blocks; a note with more is no note that a person wrote.
_MOST_MASKS = 200


@dataclass(frozen=True, slots=True)
class Leaf:
    """A block that holds no blocks: its raw lines without container markers, lines 0-based in the body.

    `containers` are the ids of the quotes and list items around it, outermost first; `quotes` those of
    the quotes alone. `level` is a heading's.
    """

    kind: LeafKind
    first: int
    end: int
    lines: tuple[str, ...]
    containers: tuple[int, ...] = ()
    quotes: tuple[int, ...] = ()
    level: int = 0
    setext: bool = False

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Body:
    """A body's lines, with comments and math that span blocks masked, its leaves, and openers without end."""

    lines: tuple[str, ...]
    leaves: tuple[Leaf, ...]
    unclosed: tuple[tuple[int, str], ...]


def split_blocks(lines: tuple[str, ...]) -> Body:
    """Return the leaf blocks of a body; a comment or display math over several blocks is masked first.

    What is a block depends on what is hidden, and the other way round: the openers that their own block does
    not close are masked up to their ends, and the blocks are read anew, until no such opener is left.
    """
    masked = list(lines)
    ignored: dict[int, str] = {}
    leaves = tuple(_leaves(masked))
    if any(_OPENER.match(line) for line in lines):
        for _ in range(_MOST_MASKS):
            if not _mask_openers(masked, leaves, ignored):
                break
            leaves = tuple(_leaves(masked))
    return Body(tuple(masked), leaves, tuple(sorted(ignored.items())))


def is_lazy(leaf: Leaf, index: int, lines: tuple[str, ...]) -> bool:
    """Tell whether line `index` of a quoted leaf came without its `>` (a lazy continuation)."""
    if index == 0 or not leaf.quotes:
        return False
    prefix = _QUOTE_PREFIX.match(lines[leaf.first + index])
    return prefix is None or prefix.group().count(">") < len(leaf.quotes)


def is_closed(leaf: Leaf, lines: tuple[str, ...]) -> bool:
    """Tell whether a fence ends with a fence of its own."""
    return leaf.end - leaf.first > 1 and _FENCE_END.fullmatch(lines[leaf.end - 1]) is not None


def _mask_openers(lines: list[str], leaves: tuple[Leaf, ...], ignored: dict[int, str]) -> bool:
    """Mask what the first unclosed opener hides, and what later ones hide that are certain to be openers still."""
    reached = -1
    for leaf in leaves:
        if leaf.kind not in {"text", "heading"} or leaf.first < reached:
            continue
        unclosed = scan(leaf.text).unclosed
        if unclosed is None:
            continue
        line = leaf.first + leaf.text.count("\n", 0, unclosed.start)
        is_certain = reached < 0 or (not leaf.containers and lines[line].startswith(unclosed.marker))
        if line in ignored or not is_certain:
            continue
        end = _end_of(lines, line, unclosed)
        if end is None:
            ignored[line] = unclosed.marker
            continue
        reached = end + 1
        may_shift_blocks = any(mark in text for text in lines[line : end + 1] for mark in _FENCES)
        _mask(lines, line, end, unclosed)
        if may_shift_blocks:
            # What was code behind a hidden fence is text now, or the other way round.
            break
    return reached >= 0


def _end_of(lines: list[str], first: int, unclosed: Unclosed) -> int | None:
    """Return the line in which the opener's closer stands, or None."""
    return next((number for number in range(first + 1, len(lines)) if unclosed.closer in lines[number]), None)


def _mask(lines: list[str], first: int, last: int, unclosed: Unclosed) -> None:
    """Mask from the opener in line `first` to its closer in line `last`; blank lines stay blank."""
    column = lines[first].index(unclosed.marker)
    lines[first] = lines[first][:column] + MASK * (len(lines[first]) - column)
    for inner in range(first + 1, last):
        lines[inner] = MASK * len(lines[inner]) if lines[inner].strip() else lines[inner]
    end = lines[last].index(unclosed.closer) + len(unclosed.closer)
    lines[last] = MASK * end + lines[last][end:]


def _leaves(lines: list[str]) -> Iterator[Leaf]:
    containers: list[int] = []
    quotes: list[int] = []
    opened: Token | None = None
    for number, token in enumerate(_markdown().parse("\n".join(lines))):
        name, _, edge = token.type.rpartition("_")
        if name in _CONTAINERS and edge == "open":
            containers.append(number)
            if name == "blockquote":
                quotes.append(number)
        elif name in _CONTAINERS:
            containers.pop()
            if name == "blockquote":
                quotes.pop()
        elif token.type == "inline":
            if opened is None or opened.type not in _CELLS:
                yield _text_leaf(token, opened, lines, tuple(containers), tuple(quotes))
        elif kind := _LEAF_KINDS.get(token.type):
            first, end = token.map or (0, 0)
            # A row as written: its cells would lose what stands beyond the header's last column.
            content = (lines[first],) if kind == "row" else ()
            yield Leaf(kind, first, end, content, tuple(containers), tuple(quotes))
        opened = token


_CELLS = {"th_open", "td_open"}
_LEAF_KINDS: dict[str, LeafKind] = {"tr_open": "row", "fence": "fence", "code_block": "code", "hr": "rule"}


def _text_leaf(
    token: Token, opened: Token | None, lines: list[str], containers: tuple[int, ...], quotes: tuple[int, ...]
) -> Leaf:
    first, end = token.map or (0, 0)
    content = tuple(token.content.split("\n"))
    while first < end - 1 and content[0] not in lines[first]:
        # A line of nothing but no-break spaces opens a paragraph, and then is stripped from its text.
        first += 1
    if opened is None or opened.type != "heading_open":
        return Leaf("text", first, end, content, containers, quotes)
    last = opened.map[1] if opened.map else end
    level = int(opened.tag[1])
    return Leaf("heading", first, last, content, containers, quotes, level, setext=opened.markup in {"-", "="})


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("zero", {"maxNesting": _DEEPEST * 2})
    markdown.use(footnote_plugin)
    markdown.core.ruler.enableOnly(["normalize", "block"])
    markdown.block.ruler.enableOnly(_RULES)
    markdown.block.ruler.before("table", "too_deep", _too_deep)
    markdown.block.ruler.enable("too_deep")
    return markdown


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the rule's signature
    """Take all that is nested deeper than anyone writes as one paragraph, so that no link in it is lost."""
    if silent or state.level < _DEEPEST:
        return False
    token = state.push("inline", "", 0)
    token.content = state.getLines(start, end, state.blkIndent, False)  # noqa: FBT003 - the library's signature
    token.map = [start, end]
    token.children = []
    state.line = end
    return True

"""Cuts lines into leaf blocks with markdown-it-py, reduced to the block rules that matter here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from kantenwerk.ingest.parse.leaf import Leaf, LeafKind

_RULES = ["table", "code", "fence", "blockquote", "hr", "list", "footnote_def", "heading", "lheading", "paragraph"]
_CONTAINERS = {"blockquote", "list_item", "footnote_reference"}
_DEEPEST = 60


def commonmark_leaves(lines: list[str], offset: int, ids: Iterator[int]) -> Iterator[Leaf]:
    """Yield the leaves of some lines as markdown-it-py cuts them; `offset` is the first one's number."""
    containers: list[int] = []
    quotes: list[int] = []
    opened: Token | None = None
    # With a line break at the end every line counts, also an empty last one.
    for token in _markdown().parse("\n".join((*lines, ""))):
        name, _, edge = token.type.rpartition("_")
        if name in _CONTAINERS and edge == "open":
            containers.append(next(ids))
            if name == "blockquote":
                quotes.append(containers[-1])
        elif name in _CONTAINERS:
            containers.pop()
            if name == "blockquote":
                quotes.pop()
        elif token.type == "inline":
            if opened is None or opened.type not in _CELLS:
                yield _text_leaf(token, opened, lines, offset, (tuple(containers), tuple(quotes)))
        elif kind := _LEAF_KINDS.get(token.type):
            first, end = token.map or (0, 0)
            # A row as written: its cells would lose what stands beyond the header's last column.
            content = lines[first] if kind == "row" else ""
            yield Leaf(kind, first + offset, end + offset, content, tuple(containers), tuple(quotes))
        opened = token


_CELLS = {"th_open", "td_open"}
_LEAF_KINDS: dict[str, LeafKind] = {"tr_open": "row", "fence": "fence", "code_block": "code", "hr": "rule"}


def _text_leaf(
    token: Token,
    opened: Token | None,
    lines: list[str],
    offset: int,
    around: tuple[tuple[int, ...], tuple[int, ...]],
) -> Leaf:
    first, end = token.map or (0, 0)
    content = token.content
    begin = content.split("\n", 1)[0]
    while first < end - 1 and begin not in lines[first]:
        # A line of nothing but no-break spaces opens a paragraph, and then is stripped from its text.
        first += 1
    if opened is None or opened.type != "heading_open":
        return Leaf("text", first + offset, end + offset, content, *around)
    last = opened.map[1] if opened.map else end
    is_setext = opened.markup in {"-", "="}
    return Leaf("heading", first + offset, last + offset, content, *around, int(opened.tag[1]), is_setext)


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

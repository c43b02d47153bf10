"""The README, taken apart: its code blocks, its tables, its links and its headings. Lines count from 0."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PATH = ROOT / "README.md"
_EXCUSE = re.compile(r"<!-- not run: \S.* -->")


@dataclass(frozen=True, slots=True)
class Block:
    """A code block: where its text stands, its language, and whether a comment before it says why it is not run."""

    first: int
    end: int
    language: str
    text: str
    excused: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table: where its rows stand, its head, and its rows; cells are the Markdown as written."""

    first: int
    end: int
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tokens(text: str) -> list[Token]:
    """The page as markdown-it-py reads it."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def blocks(text: str) -> list[Block]:
    """All code blocks, the indented ones too, which have no language."""
    found = []
    before = ""
    for token in tokens(text):
        if token.type in {"fence", "code_block"} and token.map:
            fences = token.type == "fence"
            excused = _EXCUSE.fullmatch(before.strip()) is not None
            place = (token.map[0] + fences, token.map[1] - fences)
            found.append(Block(*place, token.info.strip(), token.content, excused))
        before = token.content if token.type == "html_block" else ""
    return found


def tables(text: str) -> list[Table]:
    """All tables."""
    found: list[Table] = []
    rows: list[tuple[str, ...]] = []
    cells: list[str] = []
    place, before = (0, 0), ""
    for token in tokens(text):
        if token.type == "table_open" and token.map:
            rows, place = [], (token.map[0] + 2, token.map[1])
        elif token.type == "tr_open":
            cells = []
        elif token.type == "inline" and before in {"th_open", "td_open"}:
            cells.append(token.content)
        elif token.type == "tr_close":
            rows.append(tuple(cells))
        elif token.type == "table_close":
            found.append(Table(*place, rows[0], tuple(rows[1:])))
        before = token.type
    return found


def links(text: str) -> list[str]:
    """The destinations of all links."""
    children = [child for token in tokens(text) for child in token.children or ()]
    return [str(child.attrs["href"]) for child in children if child.type == "link_open"]


def anchors(text: str) -> list[str]:
    """The anchors that GitHub gives to the headings."""
    found = tokens(text)
    titles = [after.content for token, after in pairwise(found) if token.type == "heading_open"]
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def code_spans(cell: str) -> list[str]:
    """The code in a table's cell."""
    return re.findall(r"`([^`]+)`", cell)

"""The fast cutting of blocks is held equal to markdown-it-py's, leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.ingest.parse.blocks import mask, split_blocks
from kantenwerk.ingest.parse.commonmark import commonmark_leaves
from kantenwerk.ingest.parse.inline import scan
from kantenwerk.ingest.parse.leaf import Leaf

LINES = st.sampled_from(
    [
        "",
        "  ",
        "    ",
        "\t",
        "text",
        "text  ",
        "text [[A]] more",
        "é text",
        "\u00a0",
        "\u00a0text",
        "# head",
        "## head ##",
        "# ",
        "#",
        "##\ttab",
        "#tag",
        "####### seven",
        "- item",
        "* item",
        "+ item",
        "- [ ] task",
        "-  two",
        "-     code",
        "-\ttab",
        "* ",
        "- - x",
        "- # h",
        "- ```",
        "1. one",
        "2) two",
        "10. ten",
        "  - nested",
        "    indented",
        "- > q",
        "> quote",
        "> - x",
        ">",
        "\\- x",
        "-x",
        "---",
        "***",
        "* * *",
        "===",
        "--",
        "-",
        "- %% x",
        "> <!-- y",
        "- $$",
        "1. %%",
        "`code`",
        "```",
        "```py",
        "~~~",
        "  ```",
        "~~~~",
        "````",
        "a | b",
        "|---|---|",
        "| a | b |",
        "--- | ---",
        ":--",
        ": x",
        "| %% | x |",
        "[^1]: note",
        "[[A]]",
        "[x](y.md)",
        "**bold** text",
        "_em_",
        "***bold***",
        "<div>",
        "%%",
        "%% x",
        "x %%",
        "<!-- c",
        "-->",
        "--> y",
        "$$",
        "a $$",
    ]
)


def renumbered(leaves: list[Leaf]) -> list[Leaf]:
    """Ids of containers in the order of their appearance: which ones they are makes no difference."""
    names: dict[int, int] = {}

    def rename(ids: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(names.setdefault(one, len(names)) for one in ids)

    return [leaf._replace(containers=rename(leaf.containers), quotes=rename(leaf.quotes)) for leaf in leaves]


def slow_leaves(lines: list[str]) -> list[Leaf]:
    """All with markdown-it-py, and again from the top whenever something was masked."""
    ignored: set[tuple[int, str]] = set()
    while True:
        leaves = list(commonmark_leaves(lines, 0, count()))
        for leaf in leaves:
            if leaf.kind in {"text", "heading"} and any(mask_one(lines, leaf, ignored)):
                break
        else:
            return leaves


def mask_one(lines: list[str], leaf: Leaf, ignored: set[tuple[int, str]]) -> Iterator[bool]:
    for opener in scan(leaf.text).unclosed:
        line = leaf.first + leaf.text.count("\n", 0, opener.start)
        ends = [number for number in range(line + 1, len(lines)) if opener.closer in lines[number]]
        if ends and (line, opener.marker) not in ignored:
            mask(lines, leaf, opener, ends[0])
            yield True
        ignored.add((line, opener.marker))


def assert_equal(lines: list[str]) -> None:
    fast = renumbered(list(split_blocks(tuple(lines)).leaves))
    assert fast == renumbered(slow_leaves(list(lines)))


@given(st.lists(LINES, max_size=12))
def test_generated_lines(lines: list[str]) -> None:
    assert_equal(lines)


@given(st.text(alphabet=" \t\n#-*+>`~|:=_1.)[]^abä\u00a0\u2028\\", max_size=60))
def test_generated_text(text: str) -> None:
    assert_equal(text.split("\n"))


@pytest.mark.parametrize("path", sorted(Path("vault_example").rglob("*.md")), ids=str)
def test_example_vault(path: Path) -> None:
    assert_equal(path.read_text("utf-8-sig").split("\n"))

"""Texts in which brackets alone decide are read by one search: it finds what the scanner finds."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kantenwerk.ingest.parse.inline import scan

PIECES = [
    "[",
    "]",
    "[[",
    "]]",
    "](",
    ")",
    "(",
    "!",
    "|",
    "#",
    "a",
    "Note",
    " ",
    "\n",
    "<",
    ">",
    '"',
    "\ufdd0",
    "%",
    "x.md",
]
LINKS = ["[[A]]", "![[B|b]]", "[c](https://c.org)", "![d](http://d.org/(e)?f=[0])", '[g](ftp://h "i")', "[[rel:k|L]]"]
TEXTS = st.lists(st.sampled_from(PIECES + LINKS), max_size=14).map("".join)


@given(TEXTS)
@example("[[[A]]] [[[B]]")
@example("![[A]](https://b.org) [![c](https://c.org)](https://d.org)")
@example("!![a](https://b.org)[b]](https://c.org)")
@example("[[A\nB]] [a\nb](https://c.org)")
@settings(max_examples=300, deadline=None)
def test_that_both_find_the_same(text: str) -> None:
    # A backtick without a second one is text, and makes the text one that only the scanner reads.
    assert scan(text) == scan(f"{text}\n`")

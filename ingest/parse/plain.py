"""Markdown to the words a reader sees: for titles, headings and summaries."""

from __future__ import annotations

import re

from kantenwerk.config.names import name_key
from kantenwerk.ingest.parse.inline import visible

_WIKILINK = re.compile(r"!?\[\[([^\[\]\n]*)\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|~~|==|\*|(?<!\w)_|_(?!\w)|`+)")
_MARKUP = re.compile(r"[\[\]*_`~=%<\ufdd0]")
_BLANKS = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """Return `text` in one line without comments, brackets, addresses and emphasis."""
    if not _MARKUP.search(text):
        return " ".join(text.split())
    text = _WIKILINK.sub(_label, visible(text))
    text = _MARKDOWN_LINK.sub(r"\1", text)
    return _BLANKS.sub(" ", _EMPHASIS.sub("", text)).strip()


def heading_key(text: str) -> str:
    """Return the key by which a heading and a link's anchor compare: words only, as slugs keep no more."""
    return _NO_WORD.sub(" ", name_key(text)).strip()


def has_heading(headings: tuple[str, ...], anchor: str) -> bool:
    """Tell whether `#a#b` leads somewhere: every part a heading, in order; a block id always does."""
    position = 0
    for part in anchor.split("#"):
        if part.strip().startswith("^"):
            return True
        key = heading_key(part)
        if not key:
            continue
        if key not in headings[position:]:
            return False
        position = headings.index(key, position) + 1
    return True


def _label(match: re.Match[str]) -> str:
    name, bar, label = match.group(1).partition("|")
    return label.rpartition("|")[2] if bar else name

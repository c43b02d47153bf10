"""Markdown to the words a reader sees: for titles, headings and summaries."""

from __future__ import annotations

import re
from functools import lru_cache

from kantenwerk.config.names import name_key
from kantenwerk.ingest.parse.inline import visible

_WIKILINK = re.compile(r"!?\[\[([^\[\]\n]*)\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_CODE = re.compile(r"(`+)(.+?)\1")
_EMPHASIS = (
    re.compile(r"(\*\*|~~|==)(?=\S)(.+?)(?<=\S)\1"),
    re.compile(r"(\*)(?=\S)([^*]+?)(?<=\S)\*"),
    re.compile(r"(?<!\w)(__?)(?=[^\s_])(.+?)(?<=[^\s_])\1(?!\w)"),
)
_EMPHASISED = re.compile(r"[*_~=\\]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LONGEST = 60
# Emphasis and code may begin at every character and end at every other: in a text longer than people read at a glance
# the marks stay.
_LONGEST_WITH_MARKUP = 2_000
_MARKUP = re.compile(r"[\[\]*_`~=%<\\\ufdd0]")
# More headings of the same words no note has.
_MOST_DIGITS = 6
_BLANKS = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")
# What slugs leave out without a blank in its place: `create-a-bootstraptoml`, `whats-new`.
_LEFT_OUT = re.compile(r"[^\w\s-]+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_TAG_ID = re.compile(r"""<[a-zA-Z][^<>]*?\s(?:id|name)\s*=\s*["']?([^\s"'<>]+)""")
_OWN_ID = re.compile(r" ?\{ ?#([^\s{}]+)(?: [^{}]*)?\}$")


def plain(text: str) -> str:
    """Return `text` in one line without comments, brackets, addresses and emphasis."""
    if len(text) > _LONGEST_WITH_MARKUP or not _MARKUP.search(text):
        return " ".join(text.split())
    text = _WIKILINK.sub(_label, visible(text))
    text = _MARKDOWN_LINK.sub(r"\1", text)
    # Outside of code, emphasis goes; what stands in code stays as it is.
    pieces = _CODE.split(text)
    words = [
        _without_emphasis(piece) if index % 3 == 0 else piece for index, piece in enumerate(pieces) if index % 3 != 1
    ]
    return _BLANKS.sub(" ", "".join(words)).strip()


def shortened(text: str) -> str:
    """Return `text` in a length that a message can quote."""
    text = text.strip()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@lru_cache(maxsize=512)  # notes of one template have the same headings
def heading_keys(text: str, words: str) -> tuple[str, ...]:
    """Return the keys by which a heading can be linked: its words, also as slugs or Obsidian write them, and its id."""
    spellings = [words]
    if "[[" in text and "|" in text:
        # As Obsidian writes a link in a heading: both parts.
        spellings.append(plain(_WIKILINK.sub(lambda match: match.group(1).replace("|", " "), text)))
    if "<" in words:
        spellings.append(_TAG.sub("", words))
    if own := _OWN_ID.search(words):
        spellings += [words[: own.start()], own.group(1)]
    spellings += [_LEFT_OUT.sub("", spelling) for spelling in spellings if _LEFT_OUT.search(spelling)]
    return tuple(dict.fromkeys(map(heading_key, spellings)))


def anchor_keys(text: str) -> list[str]:
    """Return the keys of the places in a text that HTML names: `<a id="here"></a>`."""
    return [heading_key(found) for found in _TAG_ID.findall(visible(text))] if "<" in text and "=" in text else []


def heading_key(text: str) -> str:
    """Return the key by which a heading and a link's anchor compare: words only, as slugs keep no more."""
    return _NO_WORD.sub(" ", name_key(text)).strip()


def has_heading(headings: tuple[str, ...], anchor: str) -> bool:
    """Tell whether `#a#b` leads somewhere: every part a heading, in order; a block id always does."""
    position = 0
    for part in anchor.split("#"):
        if part.strip().startswith("^"):
            return True
        # With a block id behind it, or a `^` of its own.
        keys = [heading_key(part.partition("^")[0]), heading_key(part)]
        if not keys[0]:
            continue
        found = next((key for key in keys if key in headings[position:]), None)
        if found is not None:
            position = headings.index(found, position) + 1
        elif not _is_repeated(headings, keys[0]):
            return False
    return True


def _is_repeated(headings: tuple[str, ...], key: str) -> bool:
    """Tell whether a slug counts headings of the same words: `example-1` is the second `Example`."""
    words, _, number = key.rpartition(" ")
    return number.isdecimal() and len(number) <= _MOST_DIGITS and headings.count(words) > int(number)


def _without_emphasis(text: str) -> str:
    if not _EMPHASISED.search(text):
        return text
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    return _ESCAPE.sub(r"\1", text)


def _label(match: re.Match[str]) -> str:
    name, bar, label = match.group(1).partition("|")
    return label.rpartition("|")[2] if bar else name

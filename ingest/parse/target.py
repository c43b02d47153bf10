"""Reads what an author wrote as a link's target, and the `kind:target` lines of callouts and zones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category
from urllib.parse import unquote

from kantenwerk.config.names import nfc, trim
from kantenwerk.ingest.parse.inline import MarkdownLink, Wikilink, scan

_KIND = re.compile(r"[\w-]+(?: +[\w-]+){0,2}", re.ASCII)
_MOST_WORDS = 3
_TYPED = re.compile(r"\s*rel:", re.IGNORECASE)
_BLOCK = re.compile(r"(?<=[^\s#])\s*\^[A-Za-z0-9-]+\s*$")
# `C#` is a name and not an empty heading of `C`; so are F#, J# and their like, but for those in a heading's text.
_SHARP = re.compile(r"(?:[^#]*[\s(/])?[A-Za-z]#")
_URL = re.compile(
    r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*://|//|(?:mailto|tel|data|javascript|urn|doi|sms|cid|magnet|geo|callto):\S|www\.)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_MARKERS = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(?:\[[^\]\[]\]\s+)?")
_CODE = re.compile(r"(`+)[^`].*?\1")
_HARD_BREAK = re.compile(r"(?<!\\)(?:\\\\)*\\$")
_LINE_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")


@dataclass(frozen=True, slots=True)
class Target:
    """The name that a link uses, with what stays on the link: its anchor (without `#`), or None."""

    name: str
    anchor: str | None = None
    relative: bool = False


@dataclass(frozen=True, slots=True)
class Typed:
    """A kind as written and a target."""

    kind: str
    target: Target


@dataclass(frozen=True, slots=True)
class Malformed:
    """A text in a link's place that is none, and why."""

    why: str


def is_url(text: str) -> bool:
    """Tell whether `text` begins like an address on the web or a mail address."""
    return _URL.match(text) is not None


def is_kind(text: str) -> bool:
    """Tell whether `text` has a kind's shape: at most three words of letters, digits, `_`, `-`."""
    if text.isascii():
        return _KIND.fullmatch(text) is not None
    words = nfc(text).split()
    return 0 < len(words) <= _MOST_WORDS and all(map(_is_of_a_word, "".join(words)))


def _is_of_a_word(character: str) -> bool:
    """Letters, digits, `_`, `-`, and the marks that scripts such as Devanagari write their vowels with."""
    return character.isalnum() or character in "_-" or category(character)[0] == "M"


def read_name(text: str) -> Target:
    """Split `name#anchor|label` (or `name^block`); the label is dropped, the name trimmed and else literal."""
    name = text.split("|", 1)[0]
    anchor: str | None = None
    if "#" in name and not _SHARP.fullmatch(trim(name)):
        name, anchor = name.split("#", 1)
        anchor = anchor if trim(anchor) else None
    elif name.lstrip().startswith("^") and _BLOCK.search("x" + name.lstrip()):
        name, anchor = "", trim(name)
    elif block := _BLOCK.search(name):
        anchor = trim(block.group())
        name = name[: block.start()]
    return Target(trim(name), anchor)


def read_wikilink(inner: str) -> Target | Typed | Malformed:
    """Read the text between `[[` and `]]`; an empty target comes back with an empty name."""
    typed = _TYPED.match(inner)
    if typed is None:
        return read_name(inner)
    kind, bar, rest = inner[typed.end() :].partition("|")
    kind = trim(kind)
    if not bar:
        return Malformed("`rel:` needs a kind and a target: `[[rel:kind|Target]]`")
    if not is_kind(kind):
        return Malformed(f"`{kind}` is no kind: at most three words of letters, digits, `_`, `-`")
    return Typed(kind, read_name(rest))


def read_destination(destination: str) -> Target | None:
    """Read a Markdown link's destination, percent-decoded; None for a folder or an address outside the vault."""
    if is_url(destination):
        return None
    path, sharp, anchor = destination.partition("#")
    name = trim(unquote(path.split("?", 1)[0] if ".md?" in path.lower() else path))
    is_note = name[-3:].lower() == ".md"
    if (_SCHEME.match(destination) and not is_note) or name.endswith("/") or name in {".", ".."}:
        return None
    return Target(name, unquote(anchor) if sharp and anchor else None, relative=True)


def strip_markers(line: str) -> str:
    """Return a line without list markers, a task box, and the hard break or block id at its end."""
    matched = _MARKERS.match(line)
    rest = line[matched.end() :] if matched else line
    if _HARD_BREAK.search(rest):
        rest = rest[:-1]
    return trim(without_block_id(rest))


def without_block_id(line: str) -> str:
    """Return a line without the block id at its end."""
    return _LINE_BLOCK_ID.sub("", line)


def has_block_id(line: str) -> bool:
    """Tell whether a line ends with a block id, by which other notes may link to it."""
    return _LINE_BLOCK_ID.search(line) is not None


def read_edge_line(line: str) -> Typed | Malformed:
    """Read `kind:target`, split at the first colon; a wikilink or Markdown link as the whole target is fine."""
    kind, colon, written = strip_markers(line).partition(":")
    kind, written = trim(kind), trim(written)
    if not colon:
        return Malformed("there is no `kind:` before a target")
    if not kind or not is_kind(kind):
        return Malformed(f"`{kind}` is no kind: at most three words of letters, digits, `_`, `-`")
    if not written:
        return Malformed(f"`{kind}:` names no target")
    if written.startswith("//") or is_url(strip_markers(line)):
        return Malformed("a URL is no edge")
    target = _read_line_target(written)
    if isinstance(target, Malformed):
        return target
    if not target.name:
        return Malformed(f"`{kind}:` names no target")
    return Typed(kind, target)


def _read_line_target(written: str) -> Target | Malformed:
    if _CODE.fullmatch(written):
        return Malformed("the target is code")
    if written[0] == "<" and written[-1] == ">" and is_url(written[1:-1]):
        return Target(written[1:-1])
    found = scan(written)
    if not found.links:
        return read_name(written)
    if len(found.links) > 1:
        return Malformed("one line holds one edge, here are several links")
    link = found.links[0]
    if trim(written[: link.start] + written[link.end :]):
        return Malformed("there is text beside the link")
    match link:
        case MarkdownLink(destination=destination):
            if is_url(destination):
                return Target(destination)
            return read_destination(destination) or Malformed("the link leads to no note")
        case Wikilink(inner=inner):
            target = read_wikilink(inner)
            return target if isinstance(target, Target) else Malformed("a typed link cannot be a target")

"""Finds the piece of its line that a finding is about."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from urllib.parse import unquote

from kantenwerk.graph.model import Finding
from kantenwerk.ingest.lines import Lines
from kantenwerk.ingest.parse.inline import MarkdownLink, Wikilink, scan
from kantenwerk.ingest.parse.target import strip_markers

Span = tuple[int, int]

_FINDING = attrgetter("path", "line", "code", "severity", "message", "help", "subject")
# One character: behind a backslash, or as the percent-encoded bytes of its UTF-8.
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f])+", re.IGNORECASE)
_IN_A_WORD = re.compile(r"\w\w")
# What stands before and behind a link's target, which may also be in its label or in the text around.
_BEFORE = ("[[", "|", "(", "<", "]:")
_BEHIND = re.compile(r"\s*(?:\]\]|\\?\||[#^)>?]|$)|\s+[\"']")
# Among more of them on one line no eye finds the column, and each finding looks at all.
_MOST_LINKS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Finding):
    """A finding with its line as it stands in the file, and where on it the subject is.

    `column` begins at 1 and `end_column` is the first one behind the subject; both count characters.
    """

    column: int = 1
    end_column: int = 1
    source: str = ""


def place_all(findings: Iterable[Finding], sources: Lines) -> tuple[Placed, ...]:
    """Return the findings with their columns, in the order of these on each line.

    Those that say the same of a line take one occurrence after the other.
    """
    told: Counter[tuple[str, int, str, str]] = Counter()
    placed = []
    for found in findings:
        source = sources.line(found.path, found.line)
        same = (found.path, found.line, found.code, found.subject)
        column, end = place(source, found.subject, told[same])
        placed.append(Placed(*_FINDING(found), column=column, end_column=end, source=source))
        told[same] += 1
    return tuple(sorted(placed, key=lambda found: (found.path, found.line, found.column)))


def place(line: str, subject: str, number: int = 0) -> tuple[int, int]:
    """Return the columns of a subject, its first occurrence or a later one; without any, those of the line's text."""
    spans = _spans(line, subject) if subject else ()
    start, end = spans[min(number, len(spans) - 1)] if spans else _text(line)
    return start + 1, end + 1


@lru_cache(maxsize=512)  # a line may say the same many times
def _spans(line: str, subject: str) -> tuple[Span, ...]:
    """Return where a subject stands: as a link's target, else as words of their own, else anywhere."""
    spans = _occurrences(line, subject)
    if len(spans) > 1:
        words = [span for span in spans if not any(_is_in_word(line, end) for end in span)] or spans
        targets = _targets(line, words) if len(_links(line)) <= _MOST_LINKS else ()
        return tuple(targets) or tuple(words)
    return tuple(spans)


def _occurrences(line: str, subject: str) -> list[Span]:
    """Return where a text stands as it is, or with backslashes and percent signs for some of its characters."""
    spans = set(_found(line, subject))
    text, places = _unescaped(line)
    if places:
        spans |= {(places[start], places[end]) for start, end in _found(text, subject)}
    return sorted(spans)


def _found(text: str, subject: str) -> Iterator[Span]:
    start = text.find(subject)
    while start >= 0:
        yield start, start + len(subject)
        start = text.find(subject, start + len(subject))


@lru_cache(maxsize=4)  # all that is told of one line comes in a row
def _unescaped(line: str) -> tuple[str, list[int]]:
    """Return a line without its escapes, and for each character, and the end, its place in the line; none, if none."""
    pieces: list[str] = []
    places: list[int] = []
    last = 0
    for escape in _ESCAPE.finditer(line):
        pieces += (line[last : escape.start()], escape.group(1) or unquote(escape.group())[:1])
        places += [*range(last, escape.start()), escape.start()]
        last = escape.end()
    return "".join((*pieces, line[last:])), [*places, *range(last, len(line) + 1)] if last else []


@lru_cache(maxsize=4)
def _links(line: str) -> list[Wikilink | MarkdownLink]:
    return sorted(scan(line).links, key=lambda link: link.start)


def _is_in_word(line: str, position: int) -> bool:
    return position > 0 and _IN_A_WORD.match(line, position - 1) is not None


def _targets(line: str, spans: list[Span]) -> Iterator[Span]:
    """Yield those spans that are the targets of links, in their order on the line."""
    for link in _links(line):
        inside = spans[bisect_left(spans, (link.start, 0)) : bisect_left(spans, (link.end, 0))]
        yield from islice((span for span in inside if _is_target(line, link.start, span)), 1)


def _is_target(line: str, opening: int, span: Span) -> bool:
    start, end = span
    begins = line[start] == "#" or line[opening:start].rstrip().endswith(_BEFORE)
    return begins and _BEHIND.match(line, end) is not None


def _text(line: str) -> Span:
    """Return where a line's text stands, without blanks, marks of quotes and lists, and a block id."""
    text = strip_markers(line.lstrip(" \t>")) or line.strip()
    start = line.index(text)
    return start, start + len(text)

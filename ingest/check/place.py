"""Finds the piece of its line that a finding is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.sources import Sources
from kantenwerk.ingest.parse.inline import scan
from kantenwerk.ingest.parse.target import strip_markers

Span = tuple[int, int]

_FINDING = attrgetter("path", "line", "code", "severity", "message", "help", "subject")
_IN_A_WORD = re.compile(r"\w\w")
# What stands before and behind a link's target, which may also be in its label or in the text around.
_BEFORE = re.compile(r"(?:\[\[|\||\(\s*<?|\]:\s*<?)\s*$")
_BEHIND = re.compile(r"\s*(?:\]\]|\\?\||[#^)>?]|$)|\s+[\"']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Finding):
    """A finding with its line as it stands in the file, and where on it the subject is.

    `column` begins at 1 and `end_column` is the first one behind the subject; both count characters.
    """

    column: int = 1
    end_column: int = 1
    source: str = ""


def place_all(findings: Iterable[Finding], sources: Sources) -> tuple[Placed, ...]:
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
    spans = _spans(line, subject) if subject else []
    start, end = spans[min(number, len(spans) - 1)] if spans else _text(line)
    return start + 1, end + 1


def _spans(line: str, subject: str) -> list[Span]:
    """Return where a subject stands: as a link's target, else as words of their own, else anywhere."""
    pattern = _escaped(subject) if "%" in line or "\\" in line else re.escape(subject)
    spans = [found.span() for found in re.finditer(pattern, line)]
    if len(spans) > 1:
        words = [span for span in spans if not any(_is_in_word(line, end) for end in span)] or spans
        return list(_targets(line, words)) or words
    return spans


def _escaped(subject: str) -> str:
    """Return a pattern of a text with backslashes before its characters, or percent-encoded ones among them."""
    return "".join(rf"\\?(?:{re.escape(character)}|(?i:{_percent(character)}))" for character in subject)


def _percent(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode(errors="replace"))


def _is_in_word(line: str, position: int) -> bool:
    return position > 0 and _IN_A_WORD.match(line, position - 1) is not None


def _targets(line: str, spans: list[Span]) -> Iterator[Span]:
    """Yield those spans that are the targets of links, in their order on the line."""
    for link in sorted(scan(line).links, key=lambda link: link.start):
        inside = (span for span in spans if link.start <= span[0] and span[1] <= link.end)
        yield from islice((span for span in inside if _is_target(line, link.start, span)), 1)


def _is_target(line: str, opening: int, span: Span) -> bool:
    start, end = span
    begins = line[start] == "#" or _BEFORE.search(line[opening:start]) is not None
    return begins and _BEHIND.match(line, end) is not None


def _text(line: str) -> Span:
    """Return where a line's text stands, without blanks, marks of quotes and lists, and a block id."""
    text = strip_markers(line.lstrip(" \t>")) or line.strip()
    start = line.index(text)
    return start, start + len(text)

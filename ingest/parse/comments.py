"""Finds the comments in a note that speak to the check: `%% kantenwerk: ignore unresolved-target %%`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from kantenwerk.ingest.parse.blocks import split_blocks
from kantenwerk.ingest.parse.frontmatter import read_frontmatter
from kantenwerk.ingest.parse.inline import scan

MARK = "kantenwerk:"
_ORDER = re.compile(r"kantenwerk:\s*ignore(?:[:\s](.*))?")
_IN_YAML = re.compile(r"(?:^|(?<=\s))#\s*(kantenwerk:.*)")
_NAME = re.compile(r"[^\s,]+")
# What may stand around a comment that has its line for itself: marks of quotes, lists and tables.
_MARKERS = " \t>|*+-"


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """A comment that silences findings of some codes, or of all where it names none, on its own line.

    One that stands alone on its line silences the next line, too.
    """

    line: int
    codes: tuple[str, ...]
    is_alone: bool

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that the comment speaks about."""
        return (self.line, self.line + 1) if self.is_alone else (self.line,)


def ignore_comments(path: str, lines: tuple[str, ...]) -> tuple[IgnoreComment, ...]:
    """Return the comments of a note that silence findings; what stands in code or math is none."""
    body_start = read_frontmatter(path, lines).body_start
    return (*_in_frontmatter(lines[:body_start]), *_in_body(lines[body_start:], body_start))


def _in_body(lines: tuple[str, ...], offset: int) -> Iterator[IgnoreComment]:
    for leaf in split_blocks(lines).leaves:
        for start, end in scan(leaf.text).comments if MARK in leaf.text else ():
            comment = leaf.text[start:end]
            codes = _codes(comment[2:-2] if comment.startswith("%%") else comment[4:-3])
            if codes is not None:
                number = leaf.first + leaf.text.count("\n", 0, start)
                rest = lines[number].replace(comment, "", 1)
                yield IgnoreComment(number + offset + 1, codes, not rest.strip(_MARKERS))


def _in_frontmatter(lines: tuple[str, ...]) -> Iterator[IgnoreComment]:
    if not any(MARK in line for line in lines):
        return
    texts = tuple(_texts("\n".join(lines[1:-1])))
    for number, line in enumerate(lines):
        match = _IN_YAML.search(line)
        codes = _codes(match[1]) if match else None
        if match and codes is not None and not any(start <= (number - 1, match.start()) < end for start, end in texts):
            yield IgnoreComment(number + 1, codes, not line[: match.start()].strip())


def _texts(block: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where each text of a YAML block begins and ends, up to where it is no YAML; no comment stands inside."""
    try:
        for token in yaml.scan(block):
            if isinstance(token, yaml.ScalarToken):
                start, end = token.start_mark, token.end_mark
                yield (start.line, start.column), (end.line, end.column)
    except (yaml.YAMLError, ValueError):
        # As far as it is read, it is right.
        return


def _codes(text: str) -> tuple[str, ...] | None:
    """Return the codes that an order to ignore names, `None` where the text is no such order."""
    order = None if "\n" in text else _ORDER.fullmatch(text.strip())
    return tuple(_NAME.findall((order[1] or "").lower())) if order else None

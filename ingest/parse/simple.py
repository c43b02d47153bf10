"""Cuts the blocks that need no parser: paragraphs, headings, fences and flat lists that begin at the margin.

Most notes are made of little else, and a whole parser for them costs ten times as much. What is cut here is what
CommonMark says for certain; a region that holds anything else is left to markdown-it-py as a whole. A test holds
both equal, leaf by leaf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kantenwerk.ingest.parse.leaf import Leaf

# A line that begins at the margin like this may be something else than a paragraph's text, or may change it.
_SPECIAL = re.compile(
    r"\s|>|\||:|\[\^"  # blank or indented, quote, table, footnote
    r"|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)"  # list
    r"|-+[ \t]*$|=+[ \t]*$|-+[ \t]*\||-+:"  # underline of a heading or of a table's head
    r"|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$|(?:-[ \t]*){3,}$"  # rule
    r"|#{1,6}(?:[ \t]|$)|```|~~~"
)
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_ITEM = re.compile(r"[-*+] {1,4}(?=\S)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,}).*$")


def simple_leaves(lines: list[str], first: int, ids: Iterator[int]) -> Iterator[Leaf]:
    """Yield the leaves from line `first` on, as long as they are certain.

    Line `first` must stand outside every container; the line behind each leaf does so, too, but for the items of
    a list, which is certain as a whole.
    """
    number, count = first, len(lines)
    while number < count:
        line = lines[number]
        if not line.strip(" \t"):
            number += 1
        elif heading := _HEADING.match(line):
            yield _heading(line, number, heading.end())
            number += 1
        elif not _SPECIAL.match(line):
            end = _end_of_paragraph(lines, number)
            if end < 0:
                return
            yield Leaf("text", number, end, "\n".join(lines[number:end]).strip())
            number = end
        elif fence := _FENCE.match(line):
            end = _end_of_fence(lines, number, fence.group(1) or fence.group(2))
            yield Leaf("fence", number, end)
            number = end
        elif _ITEM.match(line):
            end = _end_of_list(lines, number)
            if end < 0:
                return
            yield from _items(lines, number, end, ids)
            number = end
        else:
            return


def end_of_region(lines: list[str], first: int, at_least: int) -> int:
    """Return the first line from `at_least` on that stands outside every container, unless a fence is open there.

    A heading at the margin does; so does a plain line at the margin behind a blank one.
    """
    blank = False
    for number in range(first, len(lines)):
        line = lines[number]
        if not line.strip(" \t"):
            blank = True
            continue
        if number >= at_least and (_HEADING.match(line) or (blank and not _SPECIAL.match(line))):
            return number
        blank = False
    return len(lines)


def _heading(line: str, number: int, level: int) -> Leaf:
    text = line[level:].rstrip(" \t")
    without_closing = text.rstrip("#")
    if without_closing and without_closing[-1] in " \t":
        text = without_closing
    return Leaf("heading", number, number + 1, text.strip(), level=level)


def _end_of_paragraph(lines: list[str], first: int) -> int:
    """Return the line behind a paragraph, or -1 where what follows it may belong to it."""
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if not line or _SPECIAL.match(line):
            return number if _ITEM.match(line) or _ends_text(line) else -1
    return len(lines)


def _ends_text(line: str) -> bool:
    """Tell whether a line at the margin ends a paragraph and every list and quote before it, whatever they are."""
    return not line.strip(" \t") or line[0] == ">" or bool(_HEADING.match(line) or _FENCE.match(line))


def _end_of_fence(lines: list[str], first: int, fence: str) -> int:
    closing = re.compile(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$")
    return next((number + 1 for number in range(first + 1, len(lines)) if closing.match(lines[number])), len(lines))


def _end_of_list(lines: list[str], first: int) -> int:
    """Return the line behind a list of flat items, or -1 where it is more than that."""
    blank = False
    for number in range(first, len(lines)):
        line = lines[number]
        if item := _ITEM.match(line):
            if _SPECIAL.match(line, item.end()):
                return -1
            blank = False
        elif not line.strip(" \t"):
            blank = True
        elif not _SPECIAL.match(line):
            # Without a blank line before it, it goes on with the item's paragraph.
            if blank:
                return number
        else:
            return number if _ends_text(line) else -1
    return len(lines)


def _items(lines: list[str], first: int, end: int, ids: Iterator[int]) -> Iterator[Leaf]:
    number = first
    while number < end:
        item = _ITEM.match(lines[number])
        begin, number = number, number + 1
        if item is None:
            continue
        while number < end and lines[number].strip(" \t") and not _ITEM.match(lines[number]):
            number += 1
        text = "\n".join((lines[begin][item.end() :], *lines[begin + 1 : number])).strip()
        yield Leaf("text", begin, number, text, (next(ids),))

"""Finds links in the raw text of one block, passing over code, comments, math and escapes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it.helpers.parse_link_destination import _Result as LinkDestination
    from markdown_it.helpers.parse_link_title import _State as LinkTitle

# Stands where a comment or display math that spans several blocks was; never part of a name.
MASK = "\ufdd0"

_MARK = re.compile(r"\\.|`+|%%|<!--|\$\$?|!?\[\[|\]\(|\[|\]", re.DOTALL)
_ANY_MARK = re.compile(r"\[\[|\]\(|%%|<!--|\$\$|\]:")
_ANY_OPENER = re.compile(r"%%|<!--|\$\$")
_TICKS = re.compile(r"`+")
# The common shape of a link out of the vault; whatever looks otherwise is read by the library.
_PLAIN_URL = re.compile(
    r"([a-z][a-z0-9+.-]*://[^\s()<>\\]*(?:\([^\s()<>\\]*\)[^\s()<>\\]*)*)(?:[ \t]+\"[^\"\n\\]*\")?[ \t]*\)"
)
# In a text without these only brackets decide, and where each is part of a plain link, one search finds all.
_NOT_BRACKETS_ALONE = re.compile(r"[\\`$]|%%|<!--|\]:")
_PLAIN_LINK = re.compile(
    rf"(?P<wiki>!?)\[\[(?P<inner>[^\[\]\n]*)\]\]|(?P<image>!?)\[[^\[\]\n]*\]\({_PLAIN_URL.pattern}|[\[\]]"
)
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*(?=\S)", re.MULTILINE)
_CLOSERS = {"%%": "%%", "<!--": "-->", "$$": "$$"}


@dataclass(frozen=True, slots=True)
class Wikilink:
    """`[[inner]]` or `![[inner]]` at text[start:end]."""

    start: int
    end: int
    embed: bool
    inner: str


@dataclass(frozen=True, slots=True)
class MarkdownLink:
    """`[text](destination)`, `![text](destination)` or `[label]: destination`; escapes are resolved."""

    start: int
    end: int
    embed: bool
    destination: str


@dataclass(frozen=True, slots=True)
class Unclosed:
    """A comment or display math that begins at `start` and does not end in this text."""

    start: int
    marker: str

    @property
    def closer(self) -> str:
        """What would end it."""
        return _CLOSERS[self.marker]


class Scan(NamedTuple):
    """What one text holds: links in order, comments and display math as spans, and the openers that it leaves open."""

    links: tuple[Wikilink | MarkdownLink, ...] = ()
    comments: tuple[tuple[int, int], ...] = ()
    math: tuple[tuple[int, int], ...] = ()
    unclosed: tuple[Unclosed, ...] = ()


_NOTHING = Scan()


@lru_cache(maxsize=512)  # one text is looked at for openers, for comments and for links
def scan(text: str) -> Scan:
    """Return the links and comments of one block's raw text; code, math and escaped characters hold none."""
    if not _ANY_MARK.search(text):
        return _NOTHING
    links = None if _NOT_BRACKETS_ALONE.search(text) else _plain_links(text)
    return _Scanner(text).run() if links is None else Scan(links)


def _plain_links(text: str) -> tuple[Wikilink | MarkdownLink, ...] | None:
    """Return the links of a text in which brackets alone decide, None where one of them is no part of a plain link."""
    links: list[Wikilink | MarkdownLink] = []
    for found in _PLAIN_LINK.finditer(text):
        start, end = found.span()
        if found["inner"] is not None:
            links.append(Wikilink(start, end, embed=bool(found["wiki"]), inner=found["inner"]))
        elif found["image"] is not None:
            links.append(MarkdownLink(start, end, embed=bool(found["image"]), destination=found[4]))
        else:
            return None
    return tuple(links)


def openers(text: str) -> tuple[Unclosed, ...]:
    """Return the comments and display math that begin in a text and do not end in it."""
    return scan(text).unclosed if _ANY_OPENER.search(text) else ()


def visible(text: str, *, with_math: bool = True) -> str:
    """Return `text` without its comments (and display math); line breaks stay, so that lines keep their numbers."""
    pieces = []
    position = 0
    found = scan(text)
    for start, end in found.comments if with_math else sorted((*found.comments, *found.math)):
        pieces.append(text[position:start])
        pieces.append("\n" * text.count("\n", start, end))
        position = end
    pieces.append(text[position:])
    return "".join(pieces).replace(MASK, "")


class _Scanner:
    """One pass from left to right; every `_take_…` returns where to go on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.links: list[Wikilink | MarkdownLink] = []
        self.comments: list[tuple[int, int]] = []
        self.math: list[tuple[int, int]] = []
        self.unclosed: list[Unclosed] = []
        self._tick_runs: dict[int, list[int]] | None = None
        self._never: set[tuple[str, int]] = set()
        self._brackets: list[int] = []
        self._last_link = -1
        self._line = (0, -1)
        self._next_close = -1
        found = _DEFINITION.finditer(text) if "]:" in text else ()
        self._definitions = {match.start(): match.end() for match in found}

    def run(self) -> Scan:
        position = 0
        while match := _MARK.search(self.text, position):
            position = self._take(match.group(), match.start())
        return Scan(tuple(self.links), tuple(self.comments), tuple(self.math), tuple(self.unclosed))

    def _take(self, mark: str, start: int) -> int:
        if mark[0] == "\\":
            return start + 2
        if mark[0] == "`":
            return self._take_code(start, len(mark))
        if mark in {"%%", "<!--", "$$"}:
            return self._take_hidden(start, mark)
        if mark == "$":
            return self._take_math(start)
        if mark == "](":
            return self._take_markdown_link(start)
        if mark == "[":
            return self._take_bracket(start)
        if mark == "]":
            if self._brackets:
                self._brackets.pop()
            return start + 1
        return self._take_wikilink(start, embed=mark[0] == "!")

    def _find(self, what: str, start: int, end: int) -> int:
        """`str.find` that remembers a miss, so that a thousand openers cost one search (per end)."""
        if (what, end) in self._never:
            return -1
        found = self.text.find(what, start, end)
        if found < 0:
            self._never.add((what, end))
        return found

    def _line_end(self, start: int) -> int:
        begin, end = self._line
        if not begin <= start <= end:
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            self._line = start, end
        return end

    def _ends_line(self, end: int) -> bool:
        return not self.text[end : self._line_end(end)].strip()

    def _begins_line(self, start: int) -> bool:
        line_start = self.text.rfind("\n", 0, start) + 1
        return not self.text[line_start:start].strip()

    def _code_end(self, start: int, length: int, limit: int | None = None) -> int:
        """Return where the code span opened at `start` ends (CommonMark: a run of equal length), or -1."""
        if self._tick_runs is None:
            self._tick_runs = {}
            for match in _TICKS.finditer(self.text):
                self._tick_runs.setdefault(len(match.group()), []).append(match.start())
            for runs in self._tick_runs.values():
                runs.reverse()
        runs = self._tick_runs.get(length, [])
        while runs and runs[-1] <= start:
            runs.pop()
        if not runs or (limit is not None and runs[-1] >= limit):
            return -1
        return runs[-1] + length

    def _take_code(self, start: int, length: int) -> int:
        end = self._code_end(start, length)
        if end < 0:
            return start + length
        return end

    def _take_hidden(self, start: int, mark: str) -> int:
        # `<!-->` is a whole comment, so the search for `-->` begins inside the opener.
        after = start + 2
        found = self._find(_CLOSERS[mark], after, len(self.text))
        if found < 0:
            # `$$` inside a line is a price more often than the beginning of math.
            # What the first one does not find, no later one finds.
            is_first = all(opener.marker != mark for opener in self.unclosed)
            if is_first and (mark != "$$" or self._begins_line(start) or self._ends_line(start + 2)):
                self.unclosed.append(Unclosed(start, mark))
            return start + len(mark)
        end = found + len(_CLOSERS[mark])
        (self.math if mark == "$$" else self.comments).append((start, end))
        return end

    def _take_math(self, start: int) -> int:
        """Inline math as in Pandoc and Obsidian: no blank inside the dollars, no digit behind the second."""
        text = self.text
        end = self._line_end(start)
        if start + 1 >= end or text[start + 1].isspace():
            return start + 1
        closer = self._find("$", start + 1, end)
        while closer >= 0:
            behind = text[closer + 1 : closer + 2]
            # Neither dollar of a `$$` closes a single one.
            if not (text[closer - 1].isspace() or text[closer - 1] in "\\$" or behind.isdigit() or behind == "$"):
                return closer + 1
            closer = text.find("$", closer + 1, end)
        return start + 1

    def _take_bracket(self, start: int) -> int:
        after = self._definitions.get(self.text.rfind("\n", 0, start) + 1)
        if after is not None and start < after and self._begins_line(start):
            return self._take_definition(start, after)
        self._brackets.append(start)
        return start + 1

    def _take_definition(self, start: int, after: int) -> int:
        end = self._line_end(after)
        found = _destination(self.text, after, end)
        # Prose such as `[Klaus]: yes` has this shape too, so only a note's path is taken.
        if not found.ok or ".md" not in found.str.lower() or not _ends_definition(self.text[found.pos : end]):
            return after
        self.links.append(MarkdownLink(start, found.pos, embed=False, destination=found.str))
        return found.pos

    def _take_markdown_link(self, start: int) -> int:
        text, after = self.text, start + 2
        opener = self._brackets.pop() if self._brackets else -1
        if opener < 0:
            return after
        embed = text[opener - 1 : opener] == "!" and not _is_escaped(text, opener - 1)
        # A link's text holds no link; the inner one came first. An image's may.
        link = self._read_markdown_link(after) if embed or opener > self._last_link else None
        if link is None:
            return after
        end, destination = link
        if not embed:
            self._last_link = start
        if destination:
            self.links.append(MarkdownLink(opener - embed, end, embed=embed, destination=destination))
        return end

    def _read_markdown_link(self, after: int) -> tuple[int, str] | None:
        """Return where the link ends whose destination begins at `after`, and the destination."""
        text, length = self.text, len(self.text)
        if address := _PLAIN_URL.match(text, after):
            return address.end(), address.group(1)
        position = _skip_blanks(text, after)
        if text.startswith("[[", position):
            # `[text]([[Page]])`, as Logseq writes it: the wikilink counts.
            return None
        found = _destination(text, position, length)
        if not found.ok:
            return None
        position = _skip_blanks(text, found.pos)
        if position > found.pos:
            title = _title(text, position, length)
            if title.ok:
                position = _skip_blanks(text, title.pos)
        return (position + 1, found.str) if text[position : position + 1] == ")" else None

    def _take_wikilink(self, start: int, *, embed: bool) -> int:
        text = self.text
        opener = start + 1 if embed else start
        close = self._close_behind(opener + 2)
        if close < 0 or not self._is_name(opener + 2, close):
            # Text, then: either bracket may still open a Markdown link.
            self._brackets.append(opener)
            return opener + 1
        inner = text[opener + 2 : close].replace("\\|", "|")
        self.links.append(Wikilink(opener - embed, close + 2, embed=embed, inner=inner))
        return close + 2

    def _close_behind(self, start: int) -> int:
        """Return the first `]]` from `start` on in its line, or -1; what one opener found, the next need not seek."""
        if self._next_close >= start:
            return self._next_close
        line_end = self._line_end(start)
        close = self._find("]]", start, line_end)
        while close >= 0 and _is_escaped(self.text, close):
            close = self.text.find("]]", close + 1, line_end)
        if close < 0:
            self._never.add(("]]", line_end))
        self._next_close = close
        return close

    def _is_name(self, start: int, close: int) -> bool:
        """Tell whether what stands before a `]]` is a name: no other link begins there, and no code ends behind it."""
        text = self.text
        # One bracket back: of three in a row the last two are the link's.
        if text.find("[[", start - 1, close) >= 0 or text.find("\\[", start, close) >= 0:
            return False
        while match := _TICKS.search(text, start, close):
            end = self._code_end(match.start(), len(match.group()))
            if end > close:
                return False
            start = end if end > 0 else match.end()
        return True


def _destination(text: str, start: int, end: int) -> LinkDestination:
    # Imported here: most notes hold no Markdown link within the vault, and an import without changes no note.
    from markdown_it.helpers import parseLinkDestination

    return parseLinkDestination(text, start, end)


def _title(text: str, start: int, end: int) -> LinkTitle:
    from markdown_it.helpers import parseLinkTitle

    return parseLinkTitle(text, start, end)


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n":
        position += 1
    return position


def _ends_definition(rest: str) -> bool:
    """Tell whether only a title or nothing follows a definition's destination."""
    rest = rest.strip()
    return not rest or (rest[0] in "\"'(" and rest[-1] in "\"')")


def _is_escaped(text: str, position: int) -> bool:
    backslashes = 0
    while position > backslashes and text[position - 1 - backslashes] == "\\":
        backslashes += 1
    return backslashes % 2 == 1

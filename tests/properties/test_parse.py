"""Whatever a file holds, parsing it gives a note with lines of that file, or says why it is none."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hypothesis import example, given
from hypothesis import strategies as st

from kantenwerk.config import load_config
from kantenwerk.graph.model import Finding, ParsedNote
from kantenwerk.ingest.parse.decode import decode
from kantenwerk.ingest.parse.note import parse_note
from tests.properties.profiles import examples, slow

CONFIG = load_config(None, environ={})
DATAVIEW = load_config(None, environ={}, overrides={"dataview_fields": True})
# What the grammar is made of; in any order it is mostly nonsense, and that is what must not break anything.
PIECES = (
    *("[[", "]]", "![[", "|", "\\|", "#", "^", "](", ")", "[", "]", "](<", ">)", "]: ", "[^1]: ", "[^1]"),
    *("rel:", "uses:", "uses:: ", "::", ":", "http://", "mailto:", "%20", "%", "&amp;"),
    *("X", "Y", "a/", "../", ".md", ".png", " ", "  ", "    ", "\t", "\u00a0", "\u200b", "Ö", "O\u0308", "😀"),
    *("\n", "\n", "\n", "\n\n", "\r\n", "\r", "\u2028", "\u0085", "\x0b", "\x0c", "\ufeff", "\ufdd0", "\x00"),
    *("> ", ">", "- ", "* ", "1. ", "[ ] ", "[!edge] ", "> [!edge] uses:X\n", "> [!EDGE]- \n> uses:X\n"),
    *("# ", "## ", "## Edge Pool\n", "# Candidates\n", "## Smart Edges\n", "uses:[[X]]\n", "===\n", "---\n", "***\n"),
    *("```\n", "```", "~~~\n", "`", "``", "%%", "%% ", "<!--", "-->", "<!-->", "$", "$$", "\\", "*", "**", "_", "=="),
    *("| a | b |\n| - | - |\n", "| [[X\\|y]] |\n", "[[X]]", "![[Y]]", "[x](Y.md)", "[x]: Y.md\n"),
)
META = (
    *("id: ", "title: ", "type: ", "aliases: ", "alias: ", "summary: ", "uses: ", "X", "1", "null", "~", "yes"),
    *("[", "]", "{", "}", ", ", "- ", "  ", "\n", "\n", '"', "'", '"[[X]]"', "[[X]]", "'[[X]], [[Y]]'", ": ", "? "),
    *("&a ", "*a", "<<: ", "!!str ", "!!python/none ", "!!binary ", "!x ", "2020-13-45", "2020-01-01", "0x", "1e999"),
    *("|\n", ">-\n", "# c", "%", "@", "`", "\t", "\u0000", "\u0007", "\u2028", "content: ", "handler: ", "1: ", "{}: "),
)
PATH = st.sampled_from(("X.md", "a/Y.MD", "Ö .md", ".md.md"))

jumbles = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40).map("".join)
metas = st.lists(st.one_of(st.sampled_from(META), st.text(max_size=3)), max_size=15).map("".join)
texts = st.one_of(
    jumbles,
    st.builds("---\n{}\n---\n{}".format, metas, jumbles),
    st.text(max_size=80),
)
contents = st.one_of(
    texts.map(lambda text: text.encode(errors="surrogatepass")),
    st.builds(
        lambda head, text: head + text.encode(), st.sampled_from((b"\xef\xbb\xbf", b"\xff\xfe", b"\xe4")), jumbles
    ),
    st.binary(max_size=60),
)


def last_line(path: str, data: bytes) -> int:
    """Return the number of the file's last line; a line break at the end begins no further line."""
    text = decode(path, data)
    if isinstance(text, Finding):
        return data.count(b"\n") + 1
    return max(1, len(text.lines) - (text.lines[-1] == ""))


def check(path: str, data: bytes) -> None:
    for config in (CONFIG, DATAVIEW):
        note = parse_note(path, data, config)
        assert note == parse_note(path, data, config)
        check_lines(path, data, note)


def check_lines(path: str, data: bytes, note: ParsedNote | Finding) -> None:
    last = last_line(path, data)
    if isinstance(note, Finding):
        assert 1 <= note.line <= last
        return
    assert all(found.path == path and 1 <= found.line <= last for found in note.findings)
    assert all(1 <= link.line <= last for link in note.links)
    end = 0
    for number, chunk in enumerate(note.chunks):
        assert chunk.ordinal == f"c{number:02d}"
        assert end < chunk.first_line <= chunk.last_line <= last
        assert chunk.text.strip()
        end = chunk.last_line
    assert {link.chunk for link in note.links} <= {None, *(chunk.ordinal for chunk in note.chunks)}
    assert all(link.written == link.written.strip() and link.written for link in note.links)
    assert not any("\ufdd0" in link.written for link in note.links) or "\ufdd0" in data.decode(errors="replace")


@given(path=PATH, data=contents)
@example(path="X.md", data=b"---\n")
@example(path="X.md", data=b"---\na: &a [*a]\n---\n")
@example(path="X.md", data=b"\r")
@example(path="X.md", data=b"```\n")
@examples(300)
def test_that_parsing_never_raises_and_speaks_of_lines_of_the_file(path: str, data: bytes) -> None:
    check(path, data)


@slow
@given(path=PATH, data=contents)
def test_that_parsing_really_never_raises(path: str, data: bytes) -> None:
    check(path, data)


@given(text=texts.filter(lambda text: "\r" not in text and "\x00" not in text))
@examples(60)
def test_that_line_ends_and_a_byte_order_mark_make_no_difference(text: str) -> None:
    text = text.lstrip("\ufeff")
    plain = parse_note("X.md", text.encode(errors="replace"), CONFIG)
    for other in (text.replace("\n", "\r\n"), text.replace("\n", "\r"), f"\ufeff{text}"):
        found = parse_note("X.md", other.encode(errors="replace"), CONFIG)
        assert isinstance(plain, ParsedNote)
        assert isinstance(found, ParsedNote)
        assert replace(found, content_hash=plain.content_hash) == plain


@dataclass(frozen=True)
class Piece:
    """Some lines of a note, and the names that its links use, each with its line in the piece (from 0)."""

    text: str
    links: tuple[tuple[int, str], ...] = ()


WORDS = st.sampled_from(("Some text", "Ein Satz", "1 of 2", "so: what", "a*b", "50 %"))
NAMES = st.sampled_from(("X", "Y Z", "a/X", "Ö", "C++", "a*b*c", "R&amp;D", "x_y_z", "3 < 4", "Dr. Who"))
TAILS = st.sampled_from(("", "|label", "#H", "#H|label", "^b1", "#^b1"))


def _line(before: str, name: str, tail: str, after: str) -> Piece:
    return Piece(f"{before} [[{name}{tail}]] {after}", ((0, name),))


def _prefixed(prefix: str, *pieces: Piece) -> Piece:
    """Return pieces below each other in one container."""
    lines: list[str] = []
    links: list[tuple[int, str]] = []
    for piece in pieces:
        links.extend((len(lines) + line, name) for line, name in piece.links)
        lines.extend(piece.text.split("\n"))
    return Piece("\n".join(prefix + line for line in lines), tuple(links))


def _hidden(opener: str, piece: Piece, closer: str) -> Piece:
    return Piece(f"{opener}{piece.text}{closer}")


linked_lines = st.builds(_line, WORDS, NAMES, TAILS, WORDS)
lines = st.one_of(linked_lines, linked_lines, WORDS.map(Piece))
shown = st.one_of(
    lines,
    st.builds(_prefixed, st.just(""), lines, lines),
    st.builds(_prefixed, st.sampled_from(("- ", "* ", "> ", "> > ", "- [ ] ", "1. ", "# ", "### ")), lines),
    st.builds(_prefixed, st.sampled_from(("> ", "  ", "- ")), lines, lines, lines),
)
hidden = st.one_of(
    st.builds(_hidden, st.just("```\n"), lines, st.just("\n```")),
    st.builds(_hidden, st.just("~~~ x\n"), shown, st.just("\n~~~")),
    st.builds(_hidden, st.just("text `"), lines, st.just("` text")),
    st.builds(_hidden, st.just("``"), lines, st.just("``")),
    st.builds(_hidden, st.sampled_from(("%%", "%%\n\n", "%% ")), shown, st.sampled_from(("%%", "\n\n%%"))),
    st.builds(_hidden, st.sampled_from(("<!-- ", "<!--\n")), shown, st.sampled_from((" -->", "\n\n-->"))),
    st.builds(_hidden, st.just("$$\n"), shown, st.just("\n$$")),
    st.builds(_hidden, st.just("text\n\n    "), lines, st.just("\n\ntext")),
    NAMES.map(lambda name: Piece(f"text \\[[{name}]] text")),
)


@st.composite
def simple_notes(draw: st.DrawFn) -> Piece:
    """Pieces with a blank line between them, and the lines and names of all links that count."""
    text = draw(st.sampled_from(("", "---\ntitle: T\n---\n", "---\n---\n", "\n\n", "# T\n\n")))
    links: list[tuple[int, str]] = []
    for piece in draw(st.lists(st.one_of(shown, shown, hidden), max_size=6)):
        start = text.count("\n") + 1
        links.extend((start + line, name) for line, name in piece.links)
        text += f"{piece.text}\n\n"
    return Piece(text, tuple(links))


def check_links(piece: Piece) -> None:
    note = parse_note("N.md", piece.text.encode(), CONFIG)
    assert isinstance(note, ParsedNote)
    found = [(link.line, link.written) for link in note.links]
    assert sorted(found) == sorted(piece.links)
    for link in note.links:
        assert re.search(r"\[\[" + re.escape(link.written), piece.text.split("\n")[link.line - 1])


@given(piece=simple_notes())
@examples(150)
def test_that_every_link_outside_code_and_comments_is_found_with_its_line(piece: Piece) -> None:
    check_links(piece)


@slow
@given(piece=simple_notes())
def test_that_every_link_outside_code_and_comments_is_really_found(piece: Piece) -> None:
    check_links(piece)

"""The written syntax, row by row: what one note's text is read as, with line numbers of the file."""

from __future__ import annotations

import pytest

from kantenwerk.config import Config, load_config
from kantenwerk.graph.model import Finding, ParsedNote
from kantenwerk.ingest.parse.note import parse_note

Expected = list[tuple[int, str, str]]


def parse(text: str, config: Config | None = None) -> ParsedNote:
    note = parse_note("folder/Note.md", text.encode(), config or load_config(None, environ={}))
    assert isinstance(note, ParsedNote)
    return note


def links(note: ParsedNote, *, candidates: bool = False) -> Expected:
    return [(link.line, link.kind, link.written) for link in note.links if link.candidate is candidates]


def codes(note: ParsedNote) -> list[tuple[int, str]]:
    return [(found.line, found.code) for found in note.findings]


EXPLICIT: dict[str, tuple[str, Expected]] = {
    "typed": ("[[rel:mastered_by|Klaus]]", [(1, "mastered_by", "Klaus")]),
    "typed, upper case and label": ("[[REL: Uses |B#H|label]]", [(1, "uses", "B")]),
    "wikilink": (
        "a [[Klaus]] b [[people/Klaus#Heading|he]]",
        [(1, "references", "Klaus"), (1, "references", "people/Klaus")],
    ),
    "block reference": ("[[Klaus^abc-1]] [[Klaus#^abc]]", [(1, "references", "Klaus")] * 2),
    "a sharp is part of the name": ("[[C#]] [[Über C#]]", [(1, "references", "C#"), (1, "references", "Über C#")]),
    "a sharp in an anchor is not": (
        "[[Klaus#Was ist C#]] [[Klaus#C++ / C#|c]] [[Klaus#F#]]",
        [(1, "references", "Klaus")] * 3,
    ),
    "markdown link": (
        "[t](people/Klaus.md) [t](a%20b.md#h)",
        [(1, "references", "people/Klaus.md"), (1, "references", "a b.md")],
    ),
    "markdown link with a title": (
        '[t](<a b.md> "x") [t](a\\(b.md)',
        [(1, "references", "a b.md"), (1, "references", "a(b.md")],
    ),
    "wikilink in a link's text": ("[see [[A]]](B.md)", [(1, "references", "A"), (1, "references", "B.md")]),
    "wikilink as a link's address, as Logseq writes it": (
        "[t]([[A]]) [t]([[A b|c]]) [t]([x]) [t]([[A]].md)",
        [(1, "references", "A"), (1, "references", "A b"), (1, "references", "[x]"), (1, "references", "A")],
    ),
    "image of a note": ("![x](B.md)", [(1, "embeds", "B.md")]),
    "reference definition": (
        "[x]: B.md\n[Klaus]: sagte, dass\n[^1]: [[F]]",
        [(1, "references", "B.md"), (3, "references", "F")],
    ),
    "embed": ("![[Klaus]] \\![[Klaus]]", [(1, "embeds", "Klaus"), (1, "references", "Klaus")]),
    "callout": ("> [!edge] mastered_by:Klaus", [(1, "mastered_by", "Klaus")]),
    "callout, folded": ("> [!edge]- uses:A\n\n> [!EDGE]+ uses:B", [(1, "uses", "A"), (3, "uses", "B")]),
    "callout, several lines": (
        "> [!edge] uses:A\n> part_of:[[B]]\n> [!edge] next:C\nup:D",
        [(1, "uses", "A"), (2, "part_of", "B"), (3, "next", "C")],
    ),
    "callout, a lazy line's link is text": ("> [!edge] uses:A\nsee [[D]]", [(1, "uses", "A"), (2, "references", "D")]),
    "callout, a list in it": ("> [!edge]\n> - uses:A\n> - part_of:B", [(2, "uses", "A"), (3, "part_of", "B")]),
    "callout, nested": ("> [!note] x\n> > [!edge] uses:A\n> part_of:B", [(2, "uses", "A")]),
    "callout, hard breaks": (
        "> [!edge] uses:A\\\n> up:[[B]]\\\n> next:C",
        [(1, "uses", "A"), (2, "up", "B"), (3, "next", "C")],
    ),
    "callout in a list": ("- x\n  > [!edge] uses:[[A]]\n  > up:B", [(2, "uses", "A"), (3, "up", "B")]),
    "callout with a blank quoted line": ("> [!edge] uses:A\n>\n> up:B", [(1, "uses", "A"), (3, "up", "B")]),
    "callout, addresses are no targets": (
        "> [!edge] uses:[A](https://x.org)\n> uses:<https://x.org>\n> up:[B](f/)",
        [],
    ),
    "edge line in another callout": ("> [!note] x\n> [!edge] uses:A\n> Hinweis: nichts", [(2, "uses", "A")]),
    "no callout": ("[!edge] uses:A\n\n\\> [!edge] uses:B\n\nuses:C", []),
    "zone": (
        "## Smart Edges\nuses:A\n- part_of: [[B]]\n[[rel:next|C]] ![[D]]\n> [!edge] up:E\n## Else\nuses:F",
        [(2, "uses", "A"), (3, "part_of", "B"), (4, "next", "C"), (4, "embeds", "D"), (5, "up", "E")],
    ),
    "property": (
        '---\nuses: "[[A]]"\nup:\n  - "[[B|b]]"\n  - "[[C#h]]"\ntitle: "[[T]]"\n---\n[[D]]',
        [(8, "references", "D"), (2, "uses", "A"), (4, "up", "B"), (5, "up", "C")],
    ),
    "escaped pipe": (
        "| [[A\\|x]] | [[rel:uses\\|B]] |\n|---|---|\n| [[C\\|x]] | y | [[D]] |",
        [(1, "references", "A"), (1, "uses", "B"), (3, "references", "C"), (3, "references", "D")],
    ),
    "blanks are trimmed": ("[[ \u00a0A\u200b ]] [[]] [[ ]] [[|x]] [[#h]]", [(1, "references", "A")]),
    "innermost, one line, escapes": (
        "[[a [[B]] c]] [[x\ny]] \\[[C]] [[D\\]] e]]",
        [(1, "references", "B"), (2, "references", "D\\]] e")],
    ),
    "an opener without an end takes nothing with it": (
        "[[1] x](A.md) [[B]]\n\n[[a `[[C]]` %% [[C]] %% <!-- [[C]] --> $[[C]]$ [[D]] ![[E]]",
        [(1, "references", "A.md"), (1, "references", "B"), (3, "references", "D"), (3, "embeds", "E")],
    ),
    "each bracket closes its own": (
        "[ ] \\[x](A.md) [1] y](A.md) [x [y] z](B.md) [[x] y](C.md)",
        [(1, "references", "B.md"), (1, "references", "C.md")],
    ),
    "no link in a link's text but an image": (
        "[a [b](A.md) c](B.md) [![b](C.md) c](D.md) ![a [b](E.md) c](F.md)",
        [
            (1, "references", "A.md"),
            (1, "embeds", "C.md"),
            (1, "references", "D.md"),
            (1, "references", "E.md"),
            (1, "embeds", "F.md"),
        ],
    ),
    "code": ("`[[A]]` ``x ` [[B]]`` [[C`]] d` [[E]]\n\n```\n[[F]]\n```\n\n    [[G]]", [(1, "references", "E")]),
    "code inside a name": ("[[the `git` note]]", [(1, "references", "the `git` note")]),
    "comments": ("%% [[A]] %% [[B]] <!-- [[C]]\n[[D]] --> [[E]]", [(1, "references", "B"), (2, "references", "E")]),
    "comments over blank lines": (
        "%%\n[[A]]\n\n# x\n```\n%% [[B]]\n\n<!--\n\n[[C]]\n\n--> [[D]]",
        [(6, "references", "B"), (12, "references", "D")],
    ),
    "a comment in a quote over blank lines": ("> %% [[A]]\n>\n> [[B]] %% [[C]]", [(3, "references", "C")]),
    "a comment within a line over a blank one": ("a %% x [[A]]\n\n[[B]] %% [[C]]", [(3, "references", "C")]),
    "percents without an end": ("5 %% more [[A]]", [(1, "references", "A")]),
    "a price is no math": (
        "Kostet $1 für [[A]], $$ [[B]]\n\n$$$ [[C]]",
        [(1, "references", "A"), (1, "references", "B"), (3, "references", "C")],
    ),
    "two dollars close no single one": (
        "$1 [[A]] und $$x$$ mehr [[B]]",
        [(1, "references", "A"), (1, "references", "B")],
    ),
    "no targets": ("[x](f/) [x](..) [[^b]] [x](magnet:?xt=1) [x](geo:37.7,-122)", []),
    "callout without a blank": ("> [!edge]uses:A", [(1, "uses", "A")]),
    "zone, quotes and headings in it": (
        "## Smart Edges\n### [[A]]\n> uses:B\n\n> [!note] x\n> up:C\n\nuses:`D`",
        [(2, "references", "A"), (3, "uses", "B"), (6, "up", "C")],
    ),
    "a kind that cannot be read": ("[[rel:a b c d|A#x]]", [(1, "references", "A")]),
    "kinds in other scripts": (
        "> [!edge] संबंधित:A\n> führt\u00a0hin zu:B",
        [(1, "संबंधित", "A"), (2, "führt_hin_zu", "B")],
    ),
    "keys that YAML reads as no words": ('---\non: "[[A]]"\n1: "[[B]]"\n---\n', [(2, "on", "A"), (3, "1", "B")]),
    "math": (
        "$[[1]]$ $$[[2]]$$ 5 $ [[A]] $ 6\n\n$$\n\n[[3]]\n\n$$\n[[B]]",
        [(1, "references", "A"), (8, "references", "B")],
    ),
    "html blocks are text": ("<div>\n[[A]]\n</div>", [(2, "references", "A")]),
    "footnotes": ("[^1]: x\n\n    [[A]]\n\n- y\n\n    [[B]]", [(3, "references", "A"), (7, "references", "B")]),
    "urls are no links": ("[[https://x.org/a]] [x](https://x.org/a.md) [x](mailto:a@b.c) <https://x.org>", []),
    "crlf and a byte-order mark": (
        "\ufeff---\r\ntype: x\r\n---\r\n[[A]]\r\n> [!edge] uses:B\r\n",
        [(4, "references", "A"), (5, "uses", "B")],
    ),
    "a deep nest loses nothing": ("> " * 90 + "[[A]]", [(1, "references", "A")]),
}


@pytest.mark.parametrize("name", EXPLICIT)
def test_explicit_links(name: str) -> None:
    text, expected = EXPLICIT[name]
    assert links(parse(text)) == expected


CANDIDATES: dict[str, tuple[str, Expected, list[tuple[int, str]]]] = {
    "forms": (
        "### Unzugeordnete Kanten\nuses:A\n- part_of: B\n1. up:C\n- [ ] next:[[D|d]]\n* prev:[t](E.md) ^id",
        [(2, "uses", "A"), (3, "part_of", "B"), (4, "up", "C"), (5, "next", "D"), (6, "prev", "E.md")],
        [],
    ),
    "hard breaks": (
        "## Edge Pool\nuses:A\\\nup:[[B]]  \npart_of:[[C]]\\",
        [(2, "uses", "A"), (3, "up", "B"), (4, "part_of", "C")],
        [],
    ),
    "the first colon splits": ("## edge pool\nuses:Kapitel 3: Rückblick", [(2, "uses", "Kapitel 3: Rückblick")], []),
    "a rule under the last line": (
        "# Candidates\nuses:A\npart_of:B\n---\nuses:C",
        [(2, "uses", "A"), (3, "part_of", "B")],
        [],
    ),
    "a heading of a lower level goes on": ("## Candidates\n### More\nuses:A\n## Else\nuses:B", [(3, "uses", "A")], []),
    "emphasis in the heading": ("## **Candidates** ##\nuses:A", [(2, "uses", "A")], []),
    "of nested zones the innermost decides": (
        "## Candidates\nuses:A\n### Smart Edges\nuses:B\n### Rest\nuses:C",
        [(2, "uses", "A"), (6, "uses", "C")],
        [],
    ),
    "malformed": (
        "## Candidates\na b c d: A\nuses:\n:A\n[[A]]\nx:[[A]] [[B]]\nhttps://x.org\n[[rel:uses|A]]\n> x:A",
        [],
        [(line, "malformed-candidate") for line in range(2, 10)],
    ),
    "a rule ends it, whatever stands above": (
        "# Edge Pool\n\nProse\n---\nuses:B\n\n[[A]]",
        [],
        [(3, "malformed-candidate")],
    ),
    "a heading in it holds no link": (
        "## Edge Pool\n### [[A]]\nuses:B",
        [(3, "uses", "B")],
        [(2, "malformed-candidate")],
    ),
    "code and math": (
        "## Edge Pool\nuses:`A`\n$$\nuses:B\n$$\n```\nx",
        [],
        [(2, "malformed-candidate"), (6, "unclosed-fence")],
    ),
    "addresses": (
        "## Edge Pool\nmailto:a@b.c\ndoi:10.1/2",
        [],
        [(2, "malformed-candidate"), (3, "malformed-candidate")],
    ),
    "comments and code": ("## Candidates\n%% uses:A %%\n```\nuses:B\n```\n<!--\nuses:C\n-->", [], []),
    "a URL as target": (
        "## Candidates\nuses:https://x.org\nuses:[x](https://x.org/a_(b) 't')\nuses: <https://x.org>\nuses:[[https://x.org]]",
        [],
        [(line, "external-target") for line in range(2, 6)],
    ),
    "a block id behind the heading": ("## Candidates ^abc\nuses:A\n# Other^abc\n", [(2, "uses", "A")], []),
}


@pytest.mark.parametrize("name", CANDIDATES)
def test_candidates(name: str) -> None:
    text, expected, findings = CANDIDATES[name]
    note = parse(text)
    assert links(note, candidates=True) == expected
    assert codes(note) == findings


def test_dataview_fields_are_a_setting() -> None:
    text = "uses:: [[A]], [[B]]\n(part_of:: [[C]]) and [up:: [[D]]] and [[E]]\n- **next**:: [[F]]"
    assert [kind for _, kind, _ in links(parse(text))] == ["references"] * 6
    config = load_config(None, environ={"KANTENWERK_DATAVIEW_FIELDS": "true"})
    note = parse(text, config)
    assert [kind for _, kind, _ in links(note)] == ["uses", "uses", "part_of", "up", "references", "next"]
    assert {link.rule_id for link in note.links} == {"explicit:field", "explicit:wikilink"}
    assert links(parse("has more words than three:: [[A]]", config)) == [(1, "references", "A")]


def test_a_dataview_field_in_the_zone_is_fine() -> None:
    text = "## Smart Edges\n- uses:: [[A]], [[B]]\npart_of: [[C]] [[D]]"
    config = load_config(None, environ={"KANTENWERK_DATAVIEW_FIELDS": "true"})
    note = parse(text, config)
    assert links(note)[:2] == [(2, "uses", "A"), (2, "uses", "B")]
    assert codes(note) == [(3, "malformed-edge")]
    assert codes(parse(text)) == [(2, "malformed-edge"), (3, "malformed-edge")]


def test_scope_and_chunk_of_candidates() -> None:
    note = parse(
        "intro\n\n## Candidates\nuses:A\n\n## Topic\ntext\n\n### Sub\nmore\n\n### Edge Pool\nuses:B\n\n## Bare\n"
        "### Candidates\nuses:C\n"
    )
    found = {link.written: (link.scope, link.chunk) for link in note.links}
    ordinals = {chunk.heading_path: chunk.ordinal for chunk in note.chunks}
    assert found == {"A": ("note", None), "B": ("chunk", ordinals["Topic", "Sub"]), "C": ("chunk", None)}


@pytest.mark.parametrize("line", ["[[A]]", "[[rel:uses|A]] ![[B]]", "- [[A]],\n[x](B.md)"])
def test_a_rule_under_links_ends_the_zone(line: str) -> None:
    note = parse(f"## Smart Edges\n{line}\n---\nuses:C\n")
    assert {link.rule_id for link in note.links} == {"explicit:note_zone"}
    assert not [chunk for chunk in note.chunks if "[[" in chunk.text]
    heading = parse("## Smart Edges\nuses:A\n\nAbout [[B]]\n---\ntext\n")
    assert [link.rule_id for link in heading.links] == ["explicit:note_zone", "explicit:wikilink"]


def test_zones_are_no_chunk_text_and_comments_neither() -> None:
    note = parse("a %% secret %% b\n\n## Smart Edges\nuses:A\n\n## Candidates\nuses:B\n\n---\nafter\n")
    assert [(chunk.text, chunk.first_line, chunk.last_line) for chunk in note.chunks] == [
        ("a  b", 1, 1),
        ("after", 10, 10),
    ]


def test_title_aliases_summary() -> None:
    note = parse("---\naliases: [a, 1, '']\nalias: b\n---\n# A [[b|c]] *d*\n\nFirst [[X|x]] `y`.\n\nSecond.\n")
    assert (note.title, note.aliases, note.summary) == ("A c d", ("a", "b"), "First x y.")
    assert parse("text").title == "Note"
    assert [
        parse(f"# {text}").title for text in ("`__init__` x", "5 * 3", "1\\. Foo", "snake_case_name", "__b__ *i*")
    ] == ["__init__ x", "5 * 3", "1. Foo", "snake_case_name", "b i"]
    assert parse("---\ntitle: T\nsummary: S\n---\n# H\nx").summary == "S"


def test_words_and_times_in_the_frontmatter_are_text() -> None:
    """As in YAML 1.2, which Obsidian reads; `true`, numbers and dates are none."""
    note = parse("---\naliases: [NO, on, Yes, 10:30, true, False, 12, 1.5, 2024-05-01]\ntitle: Off\ntype: no\n---\nx")
    assert (note.aliases, note.title, note.type) == (("NO", "on", "Yes", "10:30"), "Off", "no")
    assert parse("---\ninterface: True\n---\nx").interface


def test_keys_of_the_frontmatter_in_any_case() -> None:
    note = parse("---\nID: n\nTitle: T\nType: [x]\nALIASES: [a]\nAlias: b\nDescription: D\nInterface: true\n---\nx")
    assert (note.declared_id, note.title, note.aliases, note.summary, note.interface) == (
        "n",
        "T",
        ("a", "b"),
        "D",
        True,
    )
    assert codes(note) == [(4, "type-not-string")]
    assert parse("---\nTitle: x\ntitle: y\n---\n").title == "y"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\nx", [(1, "unclosed-fence")]),
        ("```\nx\n~~~", [(1, "unclosed-fence")]),
        ("````\nx\n```", [(1, "unclosed-fence")]),
        ("```\nx\n````", []),
        ("%% x\n\ny", [(1, "unclosed-comment")]),
        ("[[#Nothing]]\n# Something", [(1, "heading-not-found")]),
        ("> [!edge] uses", [(1, "malformed-edge")]),
        ("[[rel:uses]]", [(1, "malformed-edge")]),
        ("", [(1, "note-empty")]),
        ("---\na: 1\ndatum: 2024-13-45\n---\nx", [(3, "frontmatter-invalid")]),
        ("---\nx: !!bool perhaps\n---\nx", [(2, "frontmatter-invalid")]),
        ("---\n\u2028[\n---\nx", [(3, "frontmatter-invalid")]),
        ("---\na: \x85 b\nc: 1\nc: 2\n---\nx", [(4, "frontmatter-duplicate-key")]),
        (f"---\nx: {'1:' * 3_000}1\n---\nx", []),
        (f"---\nx: {'1' * 5_000}\n---\nx", [(2, "frontmatter-invalid")]),
        ("---\nx: !!int ''\n---\nx", [(2, "frontmatter-invalid")]),
        (
            "---\nup: [[2024-05-01]]\nnext:\n  [[a: b]]\nprev:\n- [[12]]\n---\nx",
            [(line, "property-link-unquoted") for line in (2, 4, 6)],
        ),
        ("[[A]] <!-- never", [(1, "unclosed-comment")]),
        ("---\na: b\n---\n", []),
        ("# A b ^id-1\n[[#A b]] [[#^id-1]] [[#A b ^id-1]]", []),
        ("# $E=mc^2$\n[[#$E=mc^2$]] [[#E=mc]]", [(2, "heading-not-found")]),
        (
            "# What's new in a.b/c?\n[x](#whats-new-in-abc) [x](#What's%20new%20in%20a.b/c) [[#Whats new]]",
            [(2, "heading-not-found")],
        ),
        ("# [[A|b]] c\n[[#b c]] [[#A b c]] [[#b c^x]]", []),
        ("## What's `new.toml`?\n[x](#whats-newtoml) [x](#what-s-new-toml)", []),
        ("## Pass/fail\n[x](#passfail) [[#Pass/fail]] [[#Pass fail]] [x](#pass-fai)", [(2, "heading-not-found")]),
        ("| <a id=\"ast\"></a> AST |\n|---|\n| <span name='fat-ptr'>x</span> |\n\n[x](#ast) [x](#fat-ptr)", []),
        (
            '`<a id="ast">`\n\n```\n<a id="gat">\n```\n<!-- <a id="x"> -->\n[x](#gat) [x](#x)',
            [(7, "heading-not-found"), (7, "heading-not-found")],
        ),
        ('## <a name="cc"></a>Coding\n[x](#cc) [x](#coding)', []),
        ("## Setup {#own-id .wide}\n[x](#own-id) [x](#setup) [x](#wide)", [(2, "heading-not-found")]),
        ("## Example\n## Example\n[x](#example-1) [x](#example-2)", [(3, "heading-not-found")]),
        ("---\ntype: [a]\nup: [[X]]\n---\nx", [(2, "type-not-string"), (3, "property-link-unquoted")]),
        ("---\ntype: other\n---\nx", [(2, "unknown-type")]),
        ("[[rel:usess|A]]", [(1, "unknown-kind")]),
    ],
)
def test_findings(text: str, expected: list[tuple[int, str]]) -> None:
    assert codes(parse(text)) == expected


def test_bytes_that_are_no_text() -> None:
    config = load_config(None, environ={})
    note = parse_note("x.md", b"a\nb\x00", config)
    assert isinstance(note, Finding)
    assert (note.code, note.line) == ("not-text", 2)
    latin = parse_note("x.md", "a\n[[Müller]]".encode("cp1252"), config)
    assert isinstance(latin, ParsedNote)
    assert links(latin) == [(2, "references", "Müller")]
    assert codes(latin) == [(2, "not-utf8")]


def counted_links(text: str) -> int:
    return len(parse(text).links)


@pytest.mark.parametrize(
    "text",
    [
        "- a\n  - b\n\n```\nx\n```\n" + "%% a\n\nb %%\n\n" * 400,
        "[[A]] " * 20_000,
        "[[A]]\n" * 20_000,
        "[[" * 100_000,
        "`" * 5_001 + " [[A]] " + "` " * 5_000,
        "<!-- a " * 40_000,
        "$a " * 40_000,
        "> " * 5_000 + "x",
        "![](" * 20_000,
        "[[\\]] " * 50_000,
        "[[a " * 50_000 + "]]",
        "## {#" + "a" * 100_000,
        "## {#a" * 20_000 + "\n[x](#a-" + "9" * 5_000 + ")",
        "<a id" * 20_000 + " " * 100_000,
        "<a " + "id =" * 50_000,
    ],
    ids=[
        "masks behind a fence",
        "one line",
        "many lines",
        "brackets",
        "ticks",
        "comments",
        "dollars",
        "quotes",
        "images",
        "escaped closers",
        "openers before one closer",
        "id of a heading",
        "ids and a long number",
        "ids of HTML",
        "attributes",
    ],
)
def test_a_hostile_note_costs_little(text: str) -> None:
    # No time is measured: what grows with the square of these would not end within the suite's patience.
    assert counted_links(text) in {0, 1, 20_000}

"""`check --fix` mends what is certain, tells what is not, and touches nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kantenwerk.graph.codes import read_codes

if TYPE_CHECKING:
    from tests.validation.desk import Desk


def fixed(desk: Desk, text: str | bytes) -> bytes:
    """Write a note, mend the vault, and return what the note holds then; a second time nothing is to do."""
    data = text.encode() if isinstance(text, str) else text
    path = desk.root / "A.md"
    path.write_bytes(data)
    assert desk.run("check", "--fix", "--apply").exit_code == 0
    after = path.read_bytes()
    again = desk.json("--fix", "--apply", command="check")
    assert again["edits"] == []
    assert path.read_bytes() == after
    return after


def all_fixed(desk: Desk, texts: dict[str, str]) -> dict[str, str]:
    """The same for many notes at once, which have nothing to do with each other."""
    for name, text in texts.items():
        desk.write(f"notes/{name}.md", text)
    assert desk.run("check", "--fix", "--apply").exit_code == 0
    after = {name: (desk.root / "notes" / f"{name}.md").read_bytes().decode() for name in texts}
    assert desk.json("--fix", command="check")["edits"] == []
    return after


def plan(desk: Desk, text: str) -> dict[str, Any]:
    """Write a note, and return what would be mended, having made sure that nothing was."""
    desk.write("A.md", text)
    found: dict[str, Any] = desk.json("--fix", command="check")
    assert (desk.root / "A.md").read_bytes() == text.encode()
    return found


# spellings


SPELLINGS = {
    "link": ("[[rel:Depends-On|B]]", "[[rel:depends_on|B]]"),
    "blanks-stay": ("[[rel: Depends On |B]]", "[[rel: depends_on |B]]"),
    "embed": ("![[REL:uses|B]] [[rel:USES|C]]", "![[REL:uses|B]] [[rel:uses|C]]"),
    "alias": ("[[rel:abhängig von|B]]", "[[rel:depends_on|B]]"),
    "decomposed": ("[[rel:abha\u0308ngig von|B]]", "[[rel:depends_on|B]]"),
    "inverse": ("[[rel:inverse_of_uses|B]]", "[[rel:used_by|B]]"),
    "table": ("| a |\n| - |\n| [[rel:Uses\\|B]] |", "| a |\n| - |\n| [[rel:uses\\|B]] |"),
    "two-in-a-line": ("[[rel:Uses|B]], [[rel:USES|C]]", "[[rel:uses|B]], [[rel:uses|C]]"),
    "callout": ("> [!edge] Depends-On:B", "> [!edge] depends_on:B"),
    "callout-lines": ("> [!EDGE]- Uses:B\n> Uses:[[C]]", "> [!EDGE]- uses:B\n> uses:[[C]]"),
    "callout-in-list": ("- x\n\n  > [!edge] Uses:B", "- x\n\n  > [!edge] uses:B"),
    "code-in-zone": ("## Smart Edges\n\n\t- Uses : B", "## Smart Edges\n\n\t- Uses : B"),
    "zone": ("## Smart Edges\n- [x] Uses : B", "## Smart Edges\n- [x] uses : B"),
    "pool": ("## Edge Pool\n1. [ ] Uses:\t[[B|b]]  ^id", "## Edge Pool\n1. [ ] uses:\t[[B|b]]  ^id"),
    "nested": ("## Edge Pool\n- Uses:B\n  - part of:C", "## Edge Pool\n- uses:B\n  - part_of:C"),
    "property": ("---\nDepends-On: '[[B]]'\n---\n", "---\ndepends_on: '[[B]]'\n---\n"),
    "property-list": ('---\n"Part of":\n  - "[[B]]"\n---\n', '---\n"part_of":\n  - "[[B]]"\n---\n'),
    "typed-property": ('---\nup: "[[rel:Uses|B]]"\n---\n', '---\nup: "[[rel:uses|B]]"\n---\n'),
}


def test_a_known_kind_in_another_spelling(desk: Desk) -> None:
    texts = {name: before for name, (before, _) in SPELLINGS.items()}
    assert all_fixed(desk, texts) == {name: after for name, (_, after) in SPELLINGS.items()}


LOOKALIKES = {
    "as-it-is": "[[rel:depends_on|B]]",
    "unknown": "[[rel:Dependz-On|B]]",
    "code-beside-a-link": "`[[rel:Uses|B]]` [[rel:uses|B]]",
    "comment-beside-a-link": "%% [[rel:Uses|B]] %% [[rel:uses|B]]",
    "fence": "```\n[[rel:Uses|B]]\n```",
    "escaped": "\\[[rel:Uses|B]] [[rel:uses|B]]",
    "text": "Uses:[[B]]",
    "quote-in-pool": "## Edge Pool\n> Uses:B",
    "alias-as-property": '---\nabhängig von: "[[B]]"\n---\n',
    "both-properties": '---\nUses: "[[B]]"\nuses: "[[C]]"\n---\n',
    "property-without-link": "---\nUses: B\n---\n",
    "nested-property": '---\nx:\n  Uses: "[[B]]"\nuses: "[[B]]"\n---\n',
}


def test_what_only_looks_like_it(desk: Desk) -> None:
    assert all_fixed(desk, LOOKALIKES) == LOOKALIKES


def test_a_text_that_verdicts_rest_on_stays(desk: Desk) -> None:
    pool = "# A\n\n## Why\n\nIt is [[rel:Uses|B]].\n\n### Edge Pool\n\n- Caused-By:C\n"
    found = plan(desk, pool)
    assert [(edit["line"], edit["old"], edit["new"]) for edit in found["edits"]] == [(9, "Caused-By", "caused_by")]
    ((line, message),) = [(one["line"], one["message"]) for one in found["skipped"]]
    assert (line, "judged" in message) == (5, True)
    # Where nobody is to judge, it is only text.
    assert len(plan(desk, pool.replace("- Caused-By:C\n", ""))["edits"]) == 1


def test_an_alias_of_the_vaults_own(desk: Desk) -> None:
    desk.write(".kantenwerk/edges.yaml", "kinds:\n  paid_by: {inverse: pays, aliases: [Zahlt Für Mich]}\n")
    assert fixed(desk, "[[rel:zahlt-für-mich|B]]").decode() == "[[rel:paid_by|B]]"


# redundant candidates

STATED = "[[rel:uses|B]]\n\n"


REDUNDANT = {
    "list": ("# Edge Pool\n- uses:B\n- uses:C\n", "# Edge Pool\n- uses:C\n"),
    "the-heading-stays": ("# Edge Pool\n- [ ] Uses: [[B|b]]\n", "# Edge Pool\n"),
    "no-last-line-end": ("# Edge Pool\nuses:C\nuses:B", "# Edge Pool\nuses:C\n"),
    "numbers": ("# Edge Pool\n1. uses:B\n2. uses:C\n", "# Edge Pool\n2. uses:C\n"),
    "rule": ("# Edge Pool\nuses:B\n\n---\n\nText.", "# Edge Pool\n\n---\n\nText."),
    "nested": ("# Edge Pool\n- uses:C\n  - uses:B\n- up:C", "# Edge Pool\n- uses:C\n- up:C"),
    "twice": ("# Edge Pool\n- uses:B\n- uses:B  \n", "# Edge Pool\n"),
}


def test_a_redundant_candidate(desk: Desk) -> None:
    texts = {name: STATED + before for name, (before, _) in REDUNDANT.items()}
    assert all_fixed(desk, texts) == {name: STATED + after for name, (_, after) in REDUNDANT.items()}


def test_line_ends_that_would_become_one(desk: Desk) -> None:
    """Without the line between, a CR and an LF would be a single end of line."""
    text = f"{STATED}# Edge Pool\ruses:B\n\nup:C\n"
    assert fixed(desk, text) == text.encode()
    assert fixed(desk, text.replace("\r", "\n")) == text.replace("\ruses:B", "").encode()


def test_a_candidate_that_another_note_states(desk: Desk) -> None:
    desk.write("B.md", "[[rel:used_by|A]]")
    assert fixed(desk, "# Edge Pool\nuses:B\nuses:C\n") == b"# Edge Pool\nuses:C\n"


@pytest.mark.parametrize(
    ("pool", "why"),
    [
        pytest.param("# Edge Pool\n- uses:B ^mark\n", "block id", id="block-id"),
        pytest.param("# Edge Pool\n- uses:B %% since May %%\n", "comment", id="comment"),
        pytest.param("# Edge Pool\n- uses:B\n    - uses:C\n", "read as before", id="holds-another"),
        pytest.param("# Edge Pool\n- uses:B %% since\n  May %%\n", "read as before", id="comment-of-two-lines"),
    ],
)
def test_a_redundant_candidate_whose_line_is_needed(desk: Desk, pool: str, why: str) -> None:
    found = plan(desk, STATED + pool)
    assert found["edits"] == []
    (skipped,) = found["skipped"]
    assert (skipped["path"], skipped["line"]) == ("A.md", 4)
    assert why in skipped["message"]


@pytest.mark.parametrize(
    "comment",
    ["%% kantenwerk: ignore redundant-candidate %%", "- %% kantenwerk: ignore %%", "<!-- kantenwerk: ignore -->"],
)
def test_a_redundant_candidate_that_a_comment_above_speaks_of(desk: Desk, comment: str) -> None:
    found = plan(desk, f"{STATED}# Edge Pool\n\n{comment}\n- uses:B\n")
    assert found["edits"] == []
    assert [(one["line"], one["message"]) for one in found["skipped"]] == [
        (6, "a comment above speaks of it: move or delete it yourself")
    ]


@pytest.mark.parametrize(
    "above",
    [
        "%% since May %%",
        "%% kantenwerk: ignore %%\n",
        "Text. %% kantenwerk: ignore %%",
        "`%% kantenwerk: ignore %%`",
    ],
)
def test_what_is_no_comment_on_the_line_below(desk: Desk, above: str) -> None:
    text = f"{STATED}# Edge Pool\n\n{above}\n"
    assert fixed(desk, f"{text}- uses:B\n") == text.encode()


def test_a_candidate_in_a_quote_is_none(desk: Desk) -> None:
    assert plan(desk, f"{STATED}# Edge Pool\n> uses:B\n") == {"edits": [], "skipped": []}


# property links


UNQUOTED = {
    "value": ("up: [[B]]", 'up: "[[B]]"'),
    "comment": ("up:   [[B#Why|b]]\t # really", 'up:   "[[B#Why|b]]"\t # really'),
    "item": ("up:\n  - [[B]]\n  - '[[C]]'", "up:\n  - \"[[B]]\"\n  - '[[C]]'"),
    "items": ("up:\n- [[B]]\n- [[C]]", 'up:\n- "[[B]]"\n- "[[C]]"'),
    "several": ('"part of": [[B, C]]', '"part_of": "[[B, C]]"'),
    "number": ("Uses: [[2024]]", 'uses: "[[2024]]"'),
}


def test_an_unquoted_property_link(desk: Desk) -> None:
    texts = {name: f"---\n{before}\n---\n" for name, (before, _) in UNQUOTED.items()}
    assert all_fixed(desk, texts) == {name: f"---\n{after}\n---\n" for name, (_, after) in UNQUOTED.items()}


@pytest.mark.parametrize(
    "front",
    [
        pytest.param("up: [[B,\n  C]]", id="two-lines"),
        pytest.param("up: [['B']]", id="quotes-inside"),
        pytest.param("up: [[[B]]]", id="list-in-a-list"),
        pytest.param("up: [[https://example.org]]", id="address"),
        pytest.param("up: [[rel:Uses|B]]", id="typed"),
    ],
)
def test_a_nested_list_that_is_not_surely_a_link(desk: Desk, front: str) -> None:
    found = plan(desk, f"---\n{front}\n---\n")
    assert found["edits"] == []
    assert [(one["path"], one["line"]) for one in found["skipped"]] == [("A.md", 2)]


@pytest.mark.parametrize("front", ["up: [B, C]", "aliases: [[B]]", 'up: "[[B]]"', "up: [[]]"])
def test_lists_that_are_lists(desk: Desk, front: str) -> None:
    assert plan(desk, f"---\n{front}\n---\n") == {"edits": [], "skipped": []}


def test_a_candidate_that_a_quoted_link_makes_redundant(desk: Desk) -> None:
    text = "---\nUses: [[B]]\n---\n# Edge Pool\n\n- [ ] uses:B\n- Uses:C\n"
    assert fixed(desk, text) == b'---\nuses: "[[B]]"\n---\n# Edge Pool\n\n- uses:C\n'


# bytes

MIXED = (
    "\ufeff---\r\nup: [[B]]\n---\r# A \t\r\n\r\n[[rel:uses|C]]  \r\n\x0b\u2028\n# Edge Pool\r\r\n"
    "- uses:C\r\n- Uses:B \t"
)


def test_that_nothing_else_changes(desk: Desk) -> None:
    after = MIXED.replace("[[B]]", '"[[B]]"').replace("- uses:C\r\n", "").replace("Uses:B", "uses:B")
    assert fixed(desk, MIXED) == after.encode()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(desk: Desk, end: str, mark: str) -> None:
    lines = ["---", "up: [[B]]", "---", "[[rel:Uses|C]] 😀 ", "", "# Edge Pool", "", "- uses:C", "- Up:C", ""]
    wanted = [*lines[:7], "- up:C", ""]
    wanted[1:4:2] = ['up: "[[B]]"', lines[3]]
    # The text is evidence for the last candidate, and stays.
    assert fixed(desk, mark + end.join(lines)) == (mark + end.join(wanted)).encode()


def test_a_note_that_is_not_utf_8(desk: Desk) -> None:
    text = "Grüße [[rel:Uses|B]]\n".encode("cp1252")
    assert fixed(desk, text) == text
    result = desk.run("check", "--fix")
    assert result.stdout == ""
    assert "A.md:1: the file is not UTF-8" in result.stderr


@pytest.mark.parametrize("text", [b"", b"\n", b"\xef\xbb\xbf", b"\0[[rel:Uses|B]]", b"---\n", b"---\n---", b"\r"])
def test_notes_with_nothing_in_them(desk: Desk, text: bytes) -> None:
    assert fixed(desk, text) == text


def test_many_spellings_at_once(desk: Desk) -> None:
    lines = [f"- Uses:B{number}" for number in range(300)]
    assert fixed(desk, "# Edge Pool\n" + "\n".join(lines)).count(b"- uses:B") == 300


# which of it is mended

ALL = "---\nup: [[B]]\n---\n# A\n\n[[rel:uses|B]]\n\n# T\n\n[[rel:Uses|C]]\n\n# Edge Pool\n\nuses:B\n"
CODES = ["kind-spelling", "property-link-unquoted", "redundant-candidate"]


def mended_codes(desk: Desk, *options: str) -> list[str]:
    return sorted(edit["code"] for edit in desk.json("--fix", *options, command="check")["edits"])


def test_codes_that_options_choose(desk: Desk) -> None:
    desk.write("A.md", ALL)
    assert mended_codes(desk) == CODES
    for code in CODES:
        assert mended_codes(desk, "--select", code) == [code]
        assert mended_codes(desk, "--ignore", code) == [other for other in CODES if other != code]
    assert mended_codes(desk, "--select", "all", "--ignore", "kind,property") == ["redundant-candidate"]
    assert mended_codes(desk, "--select", "orphan-note") == []
    result = desk.run("check", "--fix", "--ignore", "kind-speling")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "did you mean `kind-spelling`?" in result.stderr


def test_codes_that_the_settings_choose(desk: Desk) -> None:
    desk.write("A.md", ALL)
    desk.write("old/A2.md", ALL)
    for code in CODES:
        left = sorted([other for other in CODES if other != code] * 2)
        desk.write(".kantenwerk/settings.yaml", f"check: {{ignore: [{code}]}}\n")
        assert mended_codes(desk) == left
        assert mended_codes(desk, "--select", code) == [code] * 2
        desk.write(".kantenwerk/settings.yaml", f"check: {{severity: {{{code}: off}}}}\n")
        assert mended_codes(desk) == left
        desk.write(".kantenwerk/settings.yaml", f"check: {{per_path: [{{path: old/**, ignore: [{code}]}}]}}\n")
        assert mended_codes(desk) == sorted([*left, code])


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-on", "info"],
        ["--changed-since", "HEAD"],
        ["--baseline", "known.jsonl"],
        ["--write-baseline", "known.jsonl"],
        ["--frozen"],
        ["--explain", "kind-spelling"],
    ],
)
def test_options_that_say_nothing_to_it(desk: Desk, options: list[str]) -> None:
    desk.write("A.md", ALL)
    result = desk.run("check", "--fix", "--apply", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert options[0] in result.stderr
    assert (desk.root / "A.md").read_text("utf-8") == ALL


def test_what_explains_a_spelling(desk: Desk) -> None:
    result = desk.run("check", "--explain", "kind-spelling")
    assert result.stdout.startswith("## kind-spelling\n")
    said = read_codes()["kind-spelling"]
    for files, wanted in ((said.example, ["kind-spelling"]), (said.near, [])):
        for path, text in files.items():
            desk.write(path, text)
        assert mended_codes(desk) == wanted


# what is shown


def test_the_diff(desk: Desk) -> None:
    desk.write("A.md", "Text [[rel:Uses|B]].\n\n# T\n\nOn.\n\n## Smart Edges\n\nup:C\nDown:C\x1b[31m")
    result = desk.run("check", "--fix")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "--- A.md",
        "+++ A.md",
        "@@ -1,4 +1,4 @@",
        "-Text [[rel:Uses|B]].",
        "+Text [[rel:uses|B]].",
        " ",
        " # T",
        " ",
        "@@ -7,4 +7,4 @@",
        " ## Smart Edges",
        " ",
        " up:C",
        "-Down:C\\x1b[31m",
        "\\ No newline at end of file",
        "+down:C\\x1b[31m",
        "\\ No newline at end of file",
    ]
    assert result.stderr == "2 edits in 1 note; --apply writes them.\n"


def test_the_edits_say_which_bytes(desk: Desk) -> None:
    text = "ü [[rel:Uses|B]]\n# Edge Pool\nuses:B\n"
    found = plan(desk, text)
    data = text.encode()
    for edit in reversed(found["edits"]):
        assert data[edit["start"] : edit["end"]] == edit["old"].encode()
        data = data[: edit["start"]] + edit["new"].encode() + data[edit["end"] :]
        assert (edit["path"], edit["written"]) == ("A.md", False)
    assert data.decode() == "ü [[rel:uses|B]]\n# Edge Pool\n"
    assert [edit["code"] for edit in found["edits"]] == ["kind-spelling", "redundant-candidate"]


def test_a_vault_with_nothing_to_mend(desk: Desk) -> None:
    result = desk.run("check", "--fix")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing to mend.\n")
    result = desk.run("check", "--fix", "--apply")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing was written.\n")


def test_apply_is_for_fix(desk: Desk) -> None:
    result = desk.run("check", "--apply")
    assert result.exit_code == 2
    assert "--fix" in result.stderr

"""What only a look at the whole vault finds: circles, contradictions, aliases of two notes, notes that stand alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.ingest.validate.prompt import claim_key
from tests.check.vaults import build, messages, places

if TYPE_CHECKING:
    from pathlib import Path

ON, BY = "[[rel:depends_on|{}]]\n", "[[rel:required_by|{}]]\n"
DECIDED = "method: person, decided_by: person, decided_at: '2026-01-31T12:00:00+00:00'}\n"

# circles


def test_a_circle_is_told_once_at_its_first_edge_with_all_places(tmp_path: Path) -> None:
    # B says of itself that C depends on it, so that B → A → C → B.
    build(tmp_path, {"a.md": "\n" + ON.format("c"), "b.md": BY.format("c") + "\n" + ON.format("a"), "c.md": "x\n"})
    assert places(tmp_path, "edge-cycle") == [("a.md", 2)]
    assert messages(tmp_path, "edge-cycle") == [
        "`depends_on` goes in a circle: a → c → b → a (a.md:2 `depends_on`, b.md:1 `required_by`, b.md:3 `depends_on`)"
    ]


def test_an_edge_that_is_stated_from_both_sides_is_no_circle(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": ON.format("b"), "b.md": BY.format("a")})
    assert places(tmp_path, "edge-cycle") == []


def test_two_kinds_make_no_circle_together(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": ON.format("b"), "b.md": "[[rel:part_of|a]] [[rel:uses|a]]\n"})
    assert places(tmp_path, "edge-cycle") == []


def test_each_knot_is_told_and_a_kind_that_may_go_round_is_not(tmp_path: Path) -> None:
    build(
        tmp_path,
        {
            "a.md": ON.format("b") + "[[rel:part_of|b]] [[rel:uses|b]]\n",
            "b.md": ON.format("a") + "[[rel:part_of|a]] [[rel:uses|a]]\n",
            "c.md": ON.format("d") + ON.format("a"),
            "d.md": ON.format("c"),
        },
    )
    assert places(tmp_path, "edge-cycle") == [("a.md", 1), ("a.md", 2), ("c.md", 1)]


def test_a_circle_goes_through_a_name_that_was_taken_for_a_note(tmp_path: Path) -> None:
    build(tmp_path, {"checkout-service.md": ON.format("b"), "b.md": ON.format("checkout-svc")})
    assert places(tmp_path, "edge-cycle") == [("b.md", 1)]
    rejected = f"- {{a: 'mention:checkout-svc', b: checkout-service, state: rejected, {DECIDED}"
    build(tmp_path, {".kantenwerk/decisions.yaml": rejected})
    assert places(tmp_path, "edge-cycle") == []


def test_a_note_that_depends_on_itself_by_another_name_is_no_circle(tmp_path: Path) -> None:
    build(tmp_path, {"checkout-service.md": ON.format("checkout-svc")})
    assert places(tmp_path, "edge-cycle") == []


def test_what_a_rule_adds_is_no_edge_of_a_circle(tmp_path: Path) -> None:
    types = "types: {decision: {edge_defaults: [{kind: depends_on, confidence: 0.7}]}}\n"
    note = "---\ntype: decision\n---\n"
    build(tmp_path, {".kantenwerk/types.yaml": types, "a.md": note + "[[b]]\n", "b.md": note + "[[a]]\n"})
    assert places(tmp_path, "edge-cycle") == []


def test_a_candidate_closes_a_circle_when_it_is_proven(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": ON.format("b"), "b.md": "Text.\n\n## Candidates\n\ndepends_on:a\n"})
    assert places(tmp_path, "edge-cycle") == []
    answer = f"{claim_key('b', 'depends_on', 'a')}=yes"
    assert CliRunner().invoke(app, ["review", "--vault", str(tmp_path), "--answer", answer]).exit_code == 0
    assert places(tmp_path, "edge-cycle") == [("a.md", 1)]


def test_a_vault_may_let_a_kind_go_round_or_forbid_it(tmp_path: Path) -> None:
    kinds = "kinds: {depends_on: {acyclic: false}, next: {acyclic: true}}\n"
    build(
        tmp_path,
        {
            ".kantenwerk/edges.yaml": kinds,
            "a.md": ON.format("b") + "[[rel:next|b]]\n",
            "b.md": ON.format("a") + "[[rel:next|a]]\n",
        },
    )
    assert places(tmp_path, "edge-cycle") == [("a.md", 2)]


def test_a_long_circle_is_told_shortly(tmp_path: Path) -> None:
    build(tmp_path, {f"n{number:02}.md": ON.format(f"n{(number + 1) % 20:02}") for number in range(20)})
    (message,) = messages(tmp_path, "edge-cycle")
    assert "n07 → … → n00" in message
    assert message.endswith("n07.md:1 `depends_on`, and 12 more)")


# contradictions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[[rel:supports|b]]\n", "[[rel:contradicts|a]]\n"),
        ("[[rel:contradicts|b]]\n", "[[rel:supports|a]]\n"),
        ("[[rel:contradicts|b]]\n", "[[rel:supported_by|a]]\n"),
        ("[[rel:unterstützt|b]]\n", "[[rel:widerspricht|a]]\n"),
    ],
)
def test_a_contradiction_is_told_once_and_names_both_places(tmp_path: Path, one: str, other: str) -> None:
    build(tmp_path, {"a.md": one, "b.md": "\n" + other})
    assert places(tmp_path, "edge-contradiction") == [("b.md", 2)]
    (message,) = messages(tmp_path, "edge-contradiction")
    assert message.endswith("(a.md:1)")


def test_a_contradiction_in_one_note_stands_at_the_second_line(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "[[rel:supports|b]]\n\n[[rel:contradicts|b]]\n", "b.md": "[[rel:contradicts|a]]\n"})
    assert places(tmp_path, "edge-contradiction") == [("a.md", 3)]
    assert messages(tmp_path, "edge-contradiction") == ["`a contradicts b` cannot hold beside `a supports b` (a.md:1)"]


def test_a_kind_may_exclude_its_own_inverse(tmp_path: Path) -> None:
    kinds = "kinds: {next: {excludes: [prev]}, supports: {excludes: []}}\n"
    build(
        tmp_path,
        {
            ".kantenwerk/edges.yaml": kinds,
            "a.md": "[[rel:next|b]] [[rel:supports|b]] [[rel:contradicts|b]]\n",
            "b.md": "[[rel:next|a]] [[rel:next|c]]\n",
            "c.md": "[[rel:prev|b]]\n",
        },
    )
    assert places(tmp_path, "edge-contradiction") == [("b.md", 1)]


def test_a_suspected_contradiction_is_none(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "[[rel:supports|b]]\n\n## Candidates\n\ncontradicts:b\n", "b.md": "x\n"})
    assert places(tmp_path, "edge-contradiction") == []


# aliases


@pytest.mark.parametrize(
    ("frontmatter", "line"),
    [
        ("aliases: [Jule, Julia]", 2),
        ("alias: Julia", 2),
        ("Aliases:\n- Julia", 3),
        ("tags:\n- Julia\naliases:\n  - Jule\n  - 'Julia'", 6),
        ("title: Jule\naliases:\n- Jule\n- JULIA", 5),
        ('aliases: ["Ju\\u006cia"]', 1),
    ],
)
def test_an_alias_of_two_notes_is_told_at_its_line(tmp_path: Path, frontmatter: str, line: int) -> None:
    build(tmp_path, {"a.md": "---\naliases: julia\n---\n", "bb.md": f"---\n{frontmatter}\n---\n"})
    assert places(tmp_path, "duplicate-alias") == [("bb.md", line)]


def test_all_notes_but_the_first_are_told(tmp_path: Path) -> None:
    build(tmp_path, {f"{name}.md": "---\naliases: [X]\n---\n" for name in ("long name", "a", "bb")})
    assert places(tmp_path, "duplicate-alias") == [("bb.md", 2), ("long name.md", 2)]
    assert messages(tmp_path, "duplicate-alias") == ["the alias `X` is an alias of `a.md` too"] * 2


def test_a_title_counts_where_a_link_would_be_a_question(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "---\naliases: [Ledger]\n---\n", "books.md": "# Ledger\n"})
    assert messages(tmp_path, "duplicate-alias") == ["the alias `Ledger` is the title of `books.md` too"]
    # It is told once, also where that note has the alias besides.
    build(tmp_path, {"books.md": "---\naliases: [LEDGER]\n---\n# Ledger\n"})
    assert places(tmp_path, "duplicate-alias") == [("a.md", 2)]
    build(tmp_path, {"a.md": "---\naliases: [Ledger]\n---\n# Ledger\n"})
    assert places(tmp_path, "duplicate-alias") == [("books.md", 2)]
    # A file of that name settles it.
    build(tmp_path, {"ledger.md": "x\n"})
    assert places(tmp_path, "duplicate-alias") == []


def test_a_note_may_say_its_own_name_twice(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "---\ntitle: X\naliases: [X, x, A]\n---\n", "b.md": "---\naliases: [X y]\n---\n"})
    assert places(tmp_path, "duplicate-alias") == []


# lonely notes


def test_who_stands_alone(tmp_path: Path) -> None:
    build(
        tmp_path,
        {
            "alone.md": "[[nowhere]] ![[picture.png]] [[#Heading]] https://example.org\n\n# Heading\n",
            "also alone.md": "[[nowhere]]\n",
            "linked.md": "x\n",
            "links.md": "[[linked]]\n",
            "me.md": "---\ntype: user\n---\nx\n",
            "suspects.md": "x\n\n## Candidates\n\nuses:suspected\n",
            "suspected.md": "x\n",
            "checkout-service.md": "x\n",
            "likeness.md": "[[checkout-svc]]\n",
            "picture.png": b"",
        },
    )
    assert [path for path, _ in places(tmp_path, "orphan-note")] == ["alone.md", "also alone.md"]


def test_the_only_note_of_a_vault_is_not_told(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "x\n"})
    assert places(tmp_path, "orphan-note") == []


# typed links to nothing


def test_an_edge_to_nothing_names_its_kind(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "[[nothing]] ![[nothing]]\n\n[[rel:uses|nothing]]\n"})
    plain = "no note is called `nothing`"
    assert messages(tmp_path, "unresolved-target") == [plain, plain, f"{plain}, to which `uses` leads"]


def test_the_column_of_a_circle_is_that_of_the_link(tmp_path: Path) -> None:
    build(tmp_path, {"a.md": "See [[c]], and [[rel:depends_on|b]].\n", "b.md": "[[rel:depends_on|a]]\n", "c.md": "c\n"})
    result = CliRunner().invoke(app, ["check", "--vault", str(tmp_path), "--format", "json", "--select", "edge-cycle"])
    (found,) = json.loads(result.stdout)
    assert (found["line"], found["column"], found["end_column"]) == (1, 33, 34)

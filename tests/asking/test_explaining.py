"""`kantenwerk explain`: what the example vault has no case of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.servers.scripted import refuses, says
from tests.validation.desk import tree

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript
    from tests.validation.desk import Desk

NEEDS = "# A\n\nA needs B.\n\n## Candidates\n- depends_on:B\n"


def fill(desk: Desk, code: int = 0, /, **notes: str) -> None:
    """Write notes by their path without `.md`, and import them."""
    for path, text in notes.items():
        desk.write(f"{path}.md", text)
    desk.apply(code=code)


def explained(desk: Desk, *edge: str, code: int = 0) -> str:
    """The text of an explanation; nothing is written by it."""
    before = tree(desk.root)
    done = desk.run("explain", *edge)
    assert done.exit_code == code, done.output
    assert tree(desk.root) == before
    return done.output


def edges(desk: Desk, *edge: str) -> list[dict[str, Any]]:
    found = desk.json(*edge, command="explain")
    assert found["there"]
    return list(found["edges"])


def test_a_models_verdict(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(lambda _: says("YES", p_yes=0.9)), model="qwen3:8b")
    fill(desk, A=NEEDS, B="# B\n")
    said = explained(desk, "A", "depends_on", "B")
    assert "YES by qwen3:8b, 20" in said
    assert ", P(YES) 0.9" in said
    (key,) = {line["key"] for line in desk.verdicts()}
    assert f"kantenwerk explain-verdict {key}\n" in said
    assert desk.run("explain-verdict", key).exit_code == 0


def test_that_an_unproven_edge_says_so(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(lambda _: refuses(503)))
    fill(desk, 1, A=NEEDS, B="# B\n")
    (edge,) = edges(desk, "A", "depends_on", "B")
    assert (edge["provenance"], edge["mirrored_by"], edge["no_mirror"]) == ("candidate:candidates", None, "unproven")
    assert "none: an edge without a verdict has no mirror" in explained(desk, "A", "depends_on", "B")
    assert "there is    A depends_on B  [candidate:candidates, line 6]" in explained(
        desk, "B", "required_by", "A", code=1
    )


def test_that_a_kind_without_mirrors_says_so(desk: Desk) -> None:
    desk.write(".kantenwerk/edges.yaml", "kinds:\n  likes:\n    mirrored: false\n    meaning: {en: likes}\n")
    fill(desk, A="[[rel:likes|B]]\n", B="# B\n")
    (edge,) = edges(desk, "A", "likes", "B")
    assert (edge["mirrored_by"], edge["no_mirror"]) == (None, "unmirrored")


def test_that_what_says_the_same_stands_by_priority(desk: Desk) -> None:
    desk.write(".kantenwerk/types.yaml", "types:\n  talk:\n    edge_defaults: [{kind: uses, confidence: 0.7}]\n")
    said = "See [[B]].\n\n[[rel:uses|B]], [[rel:uses|B]]\n\n## Smart Edges\nuses:B\n\n[[rel:part_of|B]]\n"
    fill(desk, A=f"---\ntype: talk\n---\n{said}", B="# B\n")
    (edge,) = edges(desk, "A", "uses", "B")
    assert [(said["link"]["line"], said["edge"]["provenance"], said["is_written"]) for said in edge["said"]] == [
        (6, "explicit", True),
        (6, "explicit", False),
        (9, "explicit:note_zone", False),
        (4, "rule", False),
    ]
    said = explained(desk, "A", "uses", "B")
    assert "says the same, confidence 1.00: explicit:note_zone ranks after explicit" in said
    assert "says the same, confidence 0.70: rule ranks after explicit" in said
    assert "of equal rank, it comes after that one" in said
    assert "part_of" not in said


def test_that_an_edge_to_a_name_and_one_to_its_note_are_two(desk: Desk) -> None:
    fill(desk, A="[[checkout-service]] and [[checkout-svc]]\n", **{"checkout-service": "# C\n"})
    for name in ("checkout-service", "checkout-svc", "Checkout-Service.md", "mention:checkout-svc"):
        found = edges(desk, "A", "references", name)
        assert {edge["target"] for edge in found} <= {"checkout-service", "mention:checkout-svc"}
        assert found
    both = edges(desk, "checkout-service", "referenced_by", "A")
    assert [edge["source"] for edge in both] == ["checkout-service", "mention:checkout-svc"]
    assert [edge["said"][0]["meaning"]["method"] for edge in both] == ["path", "stem"]


def test_that_a_rejected_resolution_ends_that(desk: Desk) -> None:
    fill(desk, A="[[checkout-svc]]\n", **{"checkout-service": "# C\n"})
    assert desk.run("resolutions", "reject", "checkout-svc").exit_code == 0
    explained(desk, "A", "references", "checkout-service", code=1)
    assert "“checkout-svc” (no note)" in explained(desk, "A", "references", "checkout-svc")


@pytest.mark.parametrize(
    ("written", "how"),
    [
        ("[[people/Klaus]]", "by its path"),
        ("[[klaus-1]]", "by its id"),
        ("[[Klaus]]", "by its file name"),
        ("[[Doctor K]]", "by its title"),
        ("[[KE]]", "by an alias of it"),
        ("[x](../people/Klaus.md)", "by its path"),
        ("[[Klaus-Service]]", "by a likeness (stem "),
    ],
)
def test_how_a_name_was_resolved(desk: Desk, written: str, how: str) -> None:
    note = "---\nid: klaus-1\ntitle: Doctor K\naliases: [KE]\n---\n"
    fill(desk, **{"log/A": f"{written}\n", "people/Klaus": note})
    assert f" is people/Klaus, {how}" in explained(desk, "A", "references", "klaus-1").replace(" (people/Klaus)", "")


def test_that_a_choice_among_equal_names_is_told(desk: Desk) -> None:
    fill(desk, A="[[Kim]]\n", **{"b/Kim": "# Kim\n", "archive/Kim": "# Kim\n"})
    said = explained(desk, "A", "references", "b/Kim")
    assert "`Kim` is b/Kim, by its file name; it may also be `archive/Kim`\n" in said
    assert "finding     warning ambiguous-target" in said


def test_that_text_cannot_drive_the_terminal(desk: Desk) -> None:
    fill(desk, A="[[B\x1b[31m]] \x1b]0;x\x07 \u202etxt\n", **{"B\x1b[31m": "# B\n"})
    done = desk.run("explain", "A", "references", "B\x1b[31m")
    assert done.exit_code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(done.output)
    assert "\\x1b[31m" in done.output
    for command in (("explain", "A\x1b[1m", "uses", "B"), ("show", "\x1b[1m"), ("path", "A", "\x1b[1m")):
        assert "\x1b" not in desk.run(*command).output


def test_lines_that_are_not_there_any_more(desk: Desk) -> None:
    fill(desk, A="x\n\nx\n\n[[B]]\n", B="# B\n")
    desk.write("A.md", "[[B]]\n")
    said = explained(desk, "A", "references", "B")
    assert "A.md:5, explicit:wikilink, about the text around it; the note has changed since the import\n" in said
    assert "there is no such line any more" in said
    desk.write("A.md", "\0")
    assert "the file holds NUL bytes" in explained(desk, "A", "references", "B")


def test_that_an_edge_that_is_not_there_is_also_looked_for_from_the_other_side(desk: Desk) -> None:
    fill(desk, A="# A\n\nText.\n\n## Candidates\n- depends_on:B\n- contradicts:B\n- uses:C\n", B="# B\n", C="# C\n")
    for kind in ("required_by", "contradicts"):
        said = explained(desk, "B", kind, "A", code=1)
        assert "written in  A.md:" in said
        assert "pending: waits for a verdict" in said
    # The other way round it would be another edge.
    assert "written in" not in explained(desk, "B", "depends_on", "A", code=1)
    assert "written in" not in explained(desk, "B", "used_by", "A", code=1)

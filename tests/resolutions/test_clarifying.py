"""What people answer about names: which questions there are, what is recorded, and what the next import makes of it."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from kantenwerk.config import load_config
from kantenwerk.graph.resolutions import read_resolutions
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import run_import
from kantenwerk.ingest.questions import Place, Question, open_questions, question_text
from kantenwerk.ingest.resolve.guess import SearchFailed
from kantenwerk.ingest.resolve.similar import SimilarNames
from tests.validation.desk import Desk, tree

if TYPE_CHECKING:
    from collections.abc import Collection

    from typer.testing import Result

    from kantenwerk.ingest.pipeline import ImportResult
    from kantenwerk.ingest.resolve.guess import Guess, Meaning

NUREMBERG, AUGSBURG = "people/Julia Nürnberg", "people/Julia Augsburg"


@pytest.fixture
def names(desk: Desk) -> Desk:
    """Two Julias and two notes called Kim, spoken of in two notes."""
    desk.write(f"{NUREMBERG}.md", "---\nsummary: colleague\n---\n")
    desk.write(f"{AUGSBURG}.md", "---\nsummary: sister\n---\n")
    desk.write("people/Kim.md", "x\n")
    desk.write("old/Kim.md", "x\n")
    desk.write("days/Monday.md", "[[Julia]]\n[[Kim]]\n")
    desk.write("days/Tuesday.md", "\n[[julia.md]] [[Nobody]] [[Somebody]] [[Monday]]\n")
    return desk


def preview(desk: Desk) -> ImportResult:
    return run_import(desk.root, load_config(desk.root, environ={}), lambda: nullcontext(Snapshot(None)))


def questions(desk: Desk) -> list[Question]:
    return open_questions(preview(desk))


def run(desk: Desk, *options: str, code: int = 0) -> Result:
    """Run `kantenwerk clarify` on the vault."""
    result = desk.run("clarify", *options)
    assert result.exit_code == code, result.output
    return result


def recorded(desk: Desk) -> set[tuple[str, str | None, str, str]]:
    """What the file of decisions says."""
    file = read_resolutions(desk.root)
    assert not file.findings
    return {(said.a, said.b, said.state, said.method) for said in file.recorded.values()}


def targets(desk: Desk) -> dict[tuple[str, str], str]:
    """What each link means: the entity that its edge leads to."""
    rows = desk.rows(
        "SELECT source, written, coalesce(entity, target) FROM links LEFT JOIN entity_of ON node = target ORDER BY ALL"
    )
    return {(source, written): meant for source, written, meant in rows}


# questions


def test_which_questions_there_are(names: Desk) -> None:
    julia, kim = questions(names)
    assert (julia.name, julia.mention, julia.bound) == ("Julia", "mention:julia", None)
    assert [option.node for option in julia.options] == [AUGSBURG, NUREMBERG]
    assert julia.places == (Place("days/Monday.md", 1), Place("days/Tuesday.md", 2))
    assert (kim.name, kim.mention, kim.bound) == ("Kim", "mention:kim", "old/Kim.md")
    assert [option.path for option in kim.options] == ["old/Kim.md", "people/Kim.md"]


def test_how_a_question_reads(names: Desk) -> None:
    notes = preview(names).reached.notes
    julia, kim = questions(names)
    assert question_text(julia, notes) == f"Julia: {AUGSBURG} — sister — or {NUREMBERG} — colleague?"
    names.write("old/Kim.md", "# The other Kim\n")
    names.write("people/Kim.md", "Who is that?\n")
    names.write("z/kim.md", "")
    notes = preview(names).reached.notes
    _, kim = questions(names)
    assert question_text(kim, notes) == "Kim: z/kim, old/Kim — The other Kim — or people/Kim — Who is that?"


def test_that_a_name_of_one_note_is_no_question(names: Desk) -> None:
    names.write("days/Kim.md", "The folder's own note is meant.\n")
    names.write("days/Wednesday.md", "[[people/Kim]], [[../old/Kim.md]]\n")
    assert [asked.name for asked in questions(names)] == ["Julia"]


@pytest.mark.parametrize(
    "options",
    [
        ("--answer", f"Julia={NUREMBERG}", "--answer", "Kim=people/Kim"),
        ("--new", "JULIA", "--new", "kim.md"),
        ("--none", "Julia", "--none", "Kim"),
    ],
)
def test_that_what_is_answered_is_no_question(names: Desk, options: tuple[str, ...]) -> None:
    run(names, *options)
    assert questions(names) == []
    assert "No questions" in run(names, "--list").stdout


def test_that_an_answer_for_one_note_leaves_the_question_to_others(names: Desk) -> None:
    run(names, "--answer", f"Julia={NUREMBERG}", "--source", "Monday")
    julia, _ = questions(names)
    assert julia.places == (Place("days/Tuesday.md", 2),)
    run(names, "--none", "Julia", "--source", "Tuesday")
    assert [asked.name for asked in questions(names)] == ["Kim"]


def test_that_a_note_that_was_rejected_is_no_option(names: Desk) -> None:
    names.write("people/Julia Bamberg.md", "aunt\n")
    names.apply()
    assert names.run("resolutions", "reject", "Julia", AUGSBURG).exit_code == 0
    julia, _ = questions(names)
    assert {option.node for option in julia.options} == {NUREMBERG, "people/Julia Bamberg"}


# answers


def test_what_an_answer_for_all_notes_comes_to(names: Desk) -> None:
    names.apply()
    run(names, "--answer", f"Julia={NUREMBERG}.md", "--answer", "Kim=people/Kim")
    assert recorded(names) == {
        ("mention:julia", NUREMBERG, "accepted", "person"),
        ("mention:kim", "people/Kim", "accepted", "person"),
    }
    names.apply()
    found = targets(names)
    assert found["days/Monday", "Julia"] == found["days/Tuesday", "julia.md"] == NUREMBERG
    assert found["days/Monday", "Kim"] == "people/Kim"
    assert "ambiguous-target" not in names.codes()
    tables = names.tables()
    assert names.rebuild() == tables


def test_what_an_answer_for_one_note_comes_to(names: Desk) -> None:
    names.apply()
    run(names, "--answer", f"Julia={NUREMBERG}", "--source", "days/Monday.md")
    shown = run(names, "--answer", f"Julia={AUGSBURG}").stdout
    assert "keeps its own answer in `days/Monday.md`" in shown
    run(names, "--new", "Kim", "--source", "days/Monday")
    assert recorded(names) == {
        ("mention:julia#days/monday", NUREMBERG, "accepted", "person"),
        ("mention:julia", AUGSBURG, "accepted", "person"),
        ("mention:kim#days/monday", None, "new", "person"),
    }
    names.apply()
    found = targets(names)
    assert found["days/Monday", "Julia"] == NUREMBERG
    assert found["days/Tuesday", "julia.md"] == AUGSBURG
    assert found["days/Monday", "Kim"] == "mention:kim#days/monday"
    tables = names.tables()
    assert names.rebuild() == tables


def test_what_none_of_these_comes_to(names: Desk) -> None:
    names.apply()
    run(names, "--none", "Julia")
    assert recorded(names) == {
        ("mention:julia", NUREMBERG, "rejected", "stem"),
        ("mention:julia", AUGSBURG, "rejected", "stem"),
    }
    names.apply()
    assert targets(names)["days/Monday", "Julia"] == "mention:julia"
    tables = names.tables()
    assert names.rebuild() == tables
    # A note that comes later may be meant after all.
    names.write("people/Julia Bamberg.md", "aunt\n")
    (julia,) = (asked for asked in questions(names) if asked.name == "Julia")
    assert [option.node for option in julia.options] == ["people/Julia Bamberg"]


def test_that_people_may_correct_themselves(names: Desk) -> None:
    for options, wanted in (
        (("--answer", f"Julia={NUREMBERG}"), {("mention:julia", NUREMBERG, "accepted", "person")}),
        (("--answer", f"Julia={AUGSBURG}"), {("mention:julia", AUGSBURG, "accepted", "person")}),
        (("--none", "Julia"), {("mention:julia", AUGSBURG, "rejected", "person")}),
        (
            ("--new", "Julia"),
            {("mention:julia", AUGSBURG, "rejected", "person"), ("mention:julia", None, "new", "person")},
        ),
        (("--answer", f"Julia={AUGSBURG}"), {("mention:julia", AUGSBURG, "accepted", "person")}),
    ):
        run(names, *options)
        assert recorded(names) == wanted


def test_that_a_clear_binding_may_be_corrected(names: Desk) -> None:
    names.write("checkout-service.md", "x\n")
    names.write("a.md", "---\ntitle: Start\n---\n[[checkout-svc]] [[Julia N.]]\n")
    names.write("b.md", "[[Start]]\n")
    run(names, "--answer", "checkout-svc=Monday", "--answer", "Start=b")
    names.apply()
    found = targets(names)
    assert found["a", "checkout-svc"] == "days/Monday"
    assert found["b", "Start"] == "b"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--answer", "Monday=Tuesday"), "a note's own name goes before any answer"),
        (("--answer", "Julia"), "write NAME=NOTE"),
        (("--answer", "=Monday"), "no link says ``"),
        (("--answer", "Julia="), "``: no such note"),
        (("--answer", "Jula=Monday"), "did you mean `Julia`?"),
        (("--answer", "Julia=Julia Nurnberg"), "did you mean `Julia Nürnberg`?"),
        (("--answer", "Julia=kim"), "`old/Kim.md` or `people/Kim.md`"),
        (("--new", "Jula"), "did you mean `Julia`?"),
        (("--none", "Nobody"), "no note is proposed"),
        (("--none", "Julia", "--new", "julia"), "answered twice"),
        (("--new", "Kim", "--source", "Tuesday"), "no link in `days/Tuesday.md`"),
        (("--new", "Kim", "--source", "Tusday"), "did you mean `Tuesday`?"),
        (("--source", "Monday"), "--source limits"),
        (("--list", "--new", "Kim"), "--list only shows"),
    ],
)
def test_that_nothing_is_written_if_one_of_several_is_wrong(names: Desk, options: tuple[str, ...], told: str) -> None:
    before = tree(names.root)
    right = () if {"--list", "--source"} & set(options) else ("--new", "Somebody")
    result = run(names, *right, *options, code=2)
    assert told in result.stderr
    assert result.stdout == ""
    assert tree(names.root) == before


def test_that_names_and_notes_may_hold_the_sign(desk: Desk) -> None:
    desk.write("x=y.md", "")
    desk.write("y.md", "")
    desk.write("z.md", "[[a=b]] [[a]] [[c]]\n")
    for answer, wanted in (
        ("a=b=x=y", ("mention:a=b", "x=y")),
        ("a=b=y", ("mention:a=b", "y")),
        ("c=x=y", ("mention:c", "x=y")),
        ("a=x=y", ("mention:a", "x=y")),
    ):
        run(desk, "--answer", answer)
        assert wanted in {(a, b) for a, b, *_ in recorded(desk)}, answer
    assert run(desk, "--answer", "d=x=y", code=2).stderr.startswith("kantenwerk: no link says `d")


def test_that_a_path_is_answered_as_it_is_written(desk: Desk) -> None:
    desk.write("notes/a.md", "[[../Kim]] and [[./Jo]]\n")
    desk.write("people/Kim Test.md", "x\n")
    run(desk, "--answer", "../Kim=Kim Test", "--answer", "notes/Jo=Kim Test")
    desk.apply()
    found = targets(desk)
    assert found["notes/a", "../Kim"] == found["notes/a", "./Jo"] == "people/Kim Test"


def test_that_json_tells_what_was_written(names: Desk) -> None:
    (first,) = json.loads(run(names, "--answer", f"JULIA={NUREMBERG}", "--format", "json").stdout)
    assert first == {
        "name": "Julia",
        "mention": "mention:julia",
        "note": NUREMBERG,
        "state": "accepted",
        "written": True,
    }
    (again,) = json.loads(run(names, "--answer", f"JULIA={NUREMBERG}", "--format", "json").stdout)
    assert again == first | {"written": False}


def test_that_no_name_drives_a_terminal(desk: Desk) -> None:
    evil = "\x1b[31m\x07\u202eJulia\x9b"
    desk.write("p1.md", f'---\ntitle: "Anna Eins"\nsummary: "{evil.encode("unicode_escape").decode()}"\n---\n')
    desk.write("p2.md", "---\ntitle: Anna Zwei\n---\n")
    desk.write("a.md", f"[[Anna]] {evil} 🚀 'x' \"y\"\n[[{evil}]]\n")
    listed = run(desk, "--list").stdout
    as_json = run(desk, "--list", "--format", "json").stdout
    told = run(desk, "--new", evil, "--answer", "Anna=p1").stdout
    wrong = run(desk, "--answer", f"{evil}x={evil}", "--new", f"{evil}y", code=2).stderr
    for shown in (listed, as_json, told, wrong):
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(shown)
    assert "\\x1b[31m\\x07\\u202eJulia" in listed
    assert json.loads(as_json)[0]["options"][0]["summary"].startswith("\x1b")
    assert questions(desk) == []


def test_that_long_lines_and_many_places_are_cut(names: Desk) -> None:
    names.write("long.md", f"{'before ' * 100}[[Julia]]{' after' * 100}\n" + "[[Julia]]\n" * 9)
    lines = run(names, "--list").stdout.splitlines()
    assert "  … and 7 more places" in lines
    (line,) = (line for line in lines if line.startswith("  long.md:1: "))
    assert "[[Julia]]" in line
    assert len(line) < 200


def test_that_a_search_that_failed_is_told(names: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    search = SimilarNames.resolve

    def resolve(self: SimilarNames, written: str, *, meaning: Meaning, without: Collection[str] = ()) -> Guess:
        if written == "Ablage":
            return SearchFailed("the model is gone")
        return search(self, written, meaning=meaning, without=without)

    monkeypatch.setattr(SimilarNames, "resolve", resolve)
    names.write("a.md", "[[Ablage]]\n")
    result = run(names, "--list", code=1)
    assert "Julia: " in result.stdout
    assert result.stderr == "a.md:1: what `Ablage` means was not found out: the model is gone\n"
    assert "was not found out" in run(names, "--none", "Ablage", code=1).stderr
    # What a person says needs no search.
    run(names, "--answer", "Ablage=Monday")
    assert run(names, "--list").stderr == ""

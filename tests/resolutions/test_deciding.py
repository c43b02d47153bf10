"""What a person decides on two nodes: beside the notes, at once in the graph, and for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kantenwerk.graph.lock import apply_lock
from kantenwerk.graph.model import Resolution
from kantenwerk.graph.recorded import RecordedResolution
from kantenwerk.graph.resolutions import ResolutionFile, file_after, parse_resolutions
from kantenwerk.ingest.deciding import Decision, graph_plan, recorded_change, rows_after
from kantenwerk.ingest.mentions import Recorded
from tests.servers.scripted import says
from tests.validation.desk import Desk, note, tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer.testing import Result

    from tests.servers.scripted import ServeScript

NOW = "2026-01-31T12:00:00+00:00"
SVC, SERVICE = "mention:checkout-svc", "checkout-service"
RESOLVED = ("resolutions", "entity_of", "entities", "entity_edges")


@pytest.fixture
def names(desk: Desk) -> Desk:
    """A name that is clearly a note's, one that may be two, one that nothing is like, and two notes of one name."""
    desk.write("checkout-service.md", "# Checkout\n\nTakes orders.\n")
    desk.write("outbox.md", "# Outbox\n")
    desk.write("people/Julia Nürnberg.md", "colleague\n")
    desk.write("people/Julia Augsburg.md", "sister\n")
    desk.write("people/Kim.md", "x\n")
    desk.write("old/Kim.md", "x\n")
    desk.write("day.md", "[[checkout-svc]] and [[Julia]] and [[Ablage]]\n")
    desk.write("night.md", "[[Checkout-svc]]\n")
    desk.apply()
    return desk


def run(desk: Desk, *words: str, code: int = 0) -> Result:
    """Run `kantenwerk resolutions` on the vault."""
    result = desk.run("resolutions", *words)
    assert result.exit_code == code, result.output
    return result


def resolved(desk: Desk) -> dict[str, list[str]]:
    """All that a decision may change in the graph."""
    tables = desk.tables()
    return {name: tables[name] for name in RESOLVED}


def others(desk: Desk) -> dict[str, list[str]]:
    """All that it may not."""
    tables = desk.tables() | {"imports": [repr(row) for row in desk.rows("SELECT * FROM imports")]}
    return {name: rows for name, rows in tables.items() if name not in RESOLVED}


def row(desk: Desk, a: str, b: str) -> list[tuple[object, ...]]:
    return desk.rows(f"SELECT state, method, decided_by FROM resolutions WHERE a = '{a}' AND b = '{b}'")


def entity(desk: Desk, node: str) -> str:
    ((found,),) = desk.rows(f"SELECT entity FROM entities WHERE node = '{node}'")
    return str(found)


# at once and for good


def test_that_a_rejection_changes_no_edge_and_splits_the_entity(names: Desk) -> None:
    edges = names.rows("SELECT * FROM edges ORDER BY ALL")
    before = others(names)
    assert entity(names, SVC) == SERVICE
    reason = names.rows(f"SELECT reason, score FROM resolutions WHERE a = '{SVC}'")
    run(names, "reject", "checkout-svc")
    assert names.rows("SELECT * FROM edges ORDER BY ALL") == edges
    assert others(names) == before
    assert (entity(names, SVC), entity(names, SERVICE)) == (SVC, SERVICE)
    assert row(names, SVC, SERVICE) == [("rejected", "stem", "person")]
    assert names.rows(f"SELECT reason, score FROM resolutions WHERE a = '{SVC}'") == reason
    # For good: after an import, and from nothing.
    at_once = resolved(names)
    names.apply()
    assert resolved(names) == at_once
    assert names.rows("SELECT * FROM edges ORDER BY ALL") == edges
    names.rebuild()
    assert resolved(names) == at_once
    assert names.rows("SELECT * FROM edges ORDER BY ALL") == edges


def test_that_an_acceptance_brings_it_back(names: Desk) -> None:
    edges = names.rows("SELECT * FROM edges ORDER BY ALL")
    run(names, "reject", "checkout-svc")
    names.apply()
    run(names, "accept", "Checkout-SVC")
    assert entity(names, SVC) == SERVICE
    assert row(names, SVC, SERVICE) == [("accepted", "stem", "person")]
    at_once = resolved(names)
    names.apply()
    assert resolved(names) == at_once
    names.rebuild()
    assert resolved(names) == at_once
    assert names.rows("SELECT * FROM edges ORDER BY ALL") == edges


@pytest.mark.parametrize(
    "decisions",
    [
        ["accept checkout-svc"],
        ["reject checkout-svc", "accept checkout-svc"],
        ["reject Julia|people/Julia Augsburg"],
        ["reject Julia|people/Julia Augsburg", "reject Julia|people/Julia Nürnberg"],
        ["accept Julia|people/Julia Augsburg"],
        ["accept Julia|people/Julia Augsburg", "add Julia|people/Julia Nürnberg"],
        ["reject Julia|people/Julia Nürnberg", "accept Julia|Julia Augsburg"],
        ["add Ablage|outbox"],
        ["add outbox|Ablage", "reject Ablage"],
        ["add checkout-svc|outbox"],
        ["add people/Kim|old/Kim"],
        ["add people/Kim|old/Kim", "reject people/Kim"],
        ["add outbox|old/Kim", "add Ablage|outbox", "add old/Kim|checkout-service", "reject outbox|old/Kim"],
    ],
    ids=" then ".join,
)
def test_that_the_rows_are_those_of_the_next_import(names: Desk, decisions: list[str]) -> None:
    before = others(names)
    for decision in decisions:
        verb, _, nodes = decision.partition(" ")
        run(names, verb, *nodes.split("|"))
    assert others(names) == before
    at_once = resolved(names)
    names.apply()
    assert resolved(names) == at_once
    names.rebuild()
    assert resolved(names) == at_once


@pytest.mark.parametrize("words", ["accept checkout-svc", "reject checkout-svc", "add Ablage outbox"])
def test_that_a_second_time_changes_nothing(names: Desk, words: str) -> None:
    run(names, *words.split())
    before = resolved(names), others(names)
    names.close()
    files = tree(names.root)
    assert "nothing changed" in run(names, *words.split()).stdout
    after = tree(names.root)
    assert after.pop(".kantenwerk") != files.pop(".kantenwerk"), "the lock came and went"
    after.pop(".kantenwerk/lock"), files.pop(".kantenwerk/lock")
    assert after == files
    assert (resolved(names), others(names)) == before


def test_that_what_is_recorded_comes_into_a_graph_that_does_not_say_it(names: Desk) -> None:
    run(names, "reject", "checkout-svc")
    decided = (names.root / ".kantenwerk/decisions.yaml").read_bytes()
    wanted = resolved(names)
    (names.root / ".kantenwerk/decisions.yaml").unlink()
    names.apply()
    assert entity(names, SVC) == SERVICE
    names.close()
    (names.root / ".kantenwerk/decisions.yaml").write_bytes(decided)
    run(names, "reject", "checkout-svc")
    assert resolved(names) == wanted
    assert (names.root / ".kantenwerk/decisions.yaml").read_bytes() == decided


def test_that_a_name_in_one_note_is_decided_by_itself(names: Desk) -> None:
    assert names.run("clarify", "--answer", "checkout-svc=outbox", "--source", "night").exit_code == 0
    names.apply()
    assert entity(names, f"{SVC}#night") == "outbox"
    assert entity(names, SVC) == SERVICE
    shown = run(names).stdout
    assert "checkout-svc (in night) → outbox" in shown.replace("Checkout", "checkout")
    run(names, "reject", "checkout-svc#night")
    assert entity(names, f"{SVC}#night") == f"{SVC}#night"
    assert entity(names, SVC) == SERVICE


# what was proven


def test_that_the_next_import_drops_the_edge_of_a_verified_candidate(desk: Desk, scripted: ServeScript) -> None:
    desk.write("checkout-service.md", "# Checkout\n\nTakes orders.\n")
    desk.write("A.md", note("A", "A needs the checkout.", ["depends_on:checkout-svc"]))
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    edge = ("A", "depends_on", SVC)
    assert desk.triples() == {edge}
    before = desk.tables()
    run(desk, "reject", "checkout-svc")
    assert desk.triples() == {edge}
    desk.apply()
    assert desk.triples() == set()
    assert desk.edges() == []
    assert desk.stand("checkout-svc").state == "unresolved"
    tables = desk.tables()
    assert desk.rebuild() == tables
    # Nobody is asked again when a person takes it back: the verdict is on that note and this text.
    asked = len(server.requests)
    run(desk, "accept", "checkout-svc")
    desk.apply()
    assert desk.triples() == {edge}
    assert len(server.requests) == asked
    assert desk.tables()["edges"] == before["edges"]


# without a graph, and what goes wrong


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("reject checkout-svc", "{a: 'mention:checkout-svc', b: checkout-service, state: rejected, method: stem"),
        ("accept Julia|Julia Nürnberg", "{a: 'mention:julia', b: people/Julia Nürnberg, state: accepted, method: stem"),
        ("add people/Kim|old/Kim.md", "{a: old/Kim, b: people/Kim, state: accepted, method: person"),
        ("add outbox|mention:Ablage", "{a: 'mention:ablage', b: outbox, state: accepted, method: person"),
    ],
)
def test_that_without_a_graph_it_is_recorded_all_the_same(names: Desk, words: str, wanted: str) -> None:
    run(names, *_split(words))
    with_graph = resolved(names)
    (names.root / ".kantenwerk/decisions.yaml").unlink()
    names.forget()
    shown = run(names, *_split(words)).stdout
    assert "there is no graph yet" in shown
    assert not names.database.exists()
    assert wanted in (names.root / ".kantenwerk/decisions.yaml").read_text("utf-8")
    names.apply()
    assert resolved(names) == with_graph


@pytest.mark.parametrize(
    "words",
    [
        "accept Nobody",
        "reject Ablage",
        "accept checkout-svc|outbox",
        "accept Julia",
        "reject Julia",
        "add Ablage|nowhere",
        "add nowhere|outbox",
        "add Ablage|Kim",
        "add Ablage|Julia",
        "add outbox|outbox.md",
        "add Ablage|mention:ablage",
        "accept |",
    ],
)
def test_that_a_slip_writes_nothing(names: Desk, words: str) -> None:
    names.close()
    before = tree(names.root)
    for has_graph in (True, False):
        result = run(names, *_split(words), code=2)
        assert result.stdout == ""
        assert result.stderr.startswith("kantenwerk: `")
        assert tree(names.root) == before
        if has_graph:
            names.forget()
            before = tree(names.root)


def test_that_one_writes_at_a_time(names: Desk) -> None:
    names.close()
    with apply_lock(names.root):
        before = (names.root / ".kantenwerk/graph.duckdb").read_bytes()
        shown = run(names, "reject", "checkout-svc", code=3).stderr
        assert "another import writes this vault" in shown
        assert names.run("clarify", "--new", "Ablage").exit_code == 3
        assert not (names.root / ".kantenwerk/decisions.yaml").exists()
        assert (names.root / ".kantenwerk/graph.duckdb").read_bytes() == before


def test_that_decisions_that_cannot_be_read_are_not_written(names: Desk) -> None:
    names.close()
    (names.root / ".kantenwerk/decisions.yaml").mkdir()
    before = names.database.read_bytes()
    for words in ("reject checkout-svc", "accept Julia|Julia Nürnberg"):
        assert "it cannot be read" in run(names, *_split(words), code=1).stderr
    assert names.run("clarify", "--new", "Ablage").exit_code == 1
    assert names.database.read_bytes() == before


def test_that_a_name_may_hold_anything(desk: Desk) -> None:
    stem = "a=b 'c' \"d\" 🚀 {e}, [f] #g: h"
    desk.write("note.md", "x\n")
    desk.write("a.md", f"[[{stem.replace('[', '').replace(']', '').replace('#', '')} Name\x1b[31m\x07\u202e]]\n")
    desk.apply()
    ((written,),) = desk.rows("SELECT DISTINCT written FROM links")
    assert "\x1b" in written
    for words in (("add", written, "note"), ("reject", written), ("accept", f"mention:{written.upper()}"), ()):
        shown = run(desk, *words).output
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
        assert "\\x1b[31m\\x07\\u202e" in shown
    at_once = resolved(desk)
    assert len(at_once["resolutions"]) == 1
    desk.apply()
    assert resolved(desk) == at_once
    shown = run(desk, "--format", "json").stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def _split(words: str) -> list[str]:
    verb, _, nodes = words.partition(" ")
    return [verb, *nodes.split("|")]


# the functions


def said(a: str, b: str | None, state: str, by: str = "person", method: str = "person") -> str:
    """A line of the file."""
    named = f"b: {b}, " if b else ""
    return f"- {{a: '{a}', {named}state: {state}, method: {method}, decided_by: {by}, decided_at: '{NOW}'}}\n"


def file_of(*lines: str) -> ResolutionFile:
    return parse_resolutions("".join(lines).encode())


def stem(b: str, state: str = "proposed", by: str | None = None, score: float = 0.9) -> Resolution:
    return Resolution(SVC, b, "stem", score, state, None, f"like {b}", by)  # type: ignore[arg-type]


def change_of(decision: Decision, rows: Iterable[Resolution], file: ResolutionFile) -> set[str]:
    """What a file says after a decision, in short."""
    change = recorded_change(decision, rows, file, NOW)
    after = file_after(file, change)
    assert not after.findings
    return {f"{one.a} {one.b} {one.state} {one.method} {one.decided_by}" for one in after.recorded.values()}


def test_that_a_decision_keeps_how_it_was_found() -> None:
    change = recorded_change(Decision(SVC, "b", "accepted"), [stem("a"), stem("b")], file_of(), NOW)
    assert change.added == (
        RecordedResolution(SVC, "b", "accepted", "stem", "person", NOW, score=0.9, reason="like b"),
    )
    change = recorded_change(Decision(SVC, "c", "accepted"), [stem("a"), stem("b")], file_of(), NOW)
    assert change.added == (RecordedResolution(SVC, "c", "accepted", "person", "person", NOW),)


@pytest.mark.parametrize(
    ("before", "decision", "after"),
    [
        # The same again, by whomever, in whichever spelling.
        ([said(SVC, "a", "accepted")], Decision(SVC, "a", "accepted"), {f"{SVC} a accepted person person"}),
        ([said(SVC, "a", "accepted", "model")], Decision(SVC, "a", "accepted"), {f"{SVC} a accepted person person"}),
        (
            [said("mention:Checkout-SVC", "a", "accepted")],
            Decision(SVC, "b", "accepted"),
            {f"{SVC} b accepted person person"},
        ),
        (
            [said("mention:Checkout-SVC", "a", "rejected")],
            Decision(SVC, "a", "accepted"),
            {f"{SVC} a accepted person person"},
        ),
        # A name is one thing; what it is not may be many.
        (
            [said(SVC, "a", "accepted"), said(SVC, "b", "rejected")],
            Decision(SVC, "c", "rejected"),
            {
                f"{SVC} a accepted person person",
                f"{SVC} b rejected person person",
                f"{SVC} c rejected person person",
            },
        ),
        (
            [said(SVC, None, "new"), said(SVC, "b", "rejected")],
            Decision(SVC, "a", "accepted"),
            {f"{SVC} a accepted person person", f"{SVC} b rejected person person"},
        ),
        (
            [said(SVC, "a", "accepted", "model", "semantic")],
            Decision(SVC, None, "new"),
            {f"{SVC} None new person person"},
        ),
        (
            [said(SVC, "a", "accepted", "model", "semantic")],
            Decision(SVC, "a", "rejected"),
            {f"{SVC} a rejected semantic person"},
        ),
        # A note may be several others; a name in one note is another name.
        (
            [said("m", "n", "accepted")],
            Decision("m", "o", "accepted"),
            {"m n accepted person person", "m o accepted person person"},
        ),
        (
            [said(f"{SVC}#x", "a", "accepted")],
            Decision(SVC, "b", "accepted"),
            {f"{SVC}#x a accepted person person", f"{SVC} b accepted person person"},
        ),
    ],
)
def test_what_a_decision_changes_in_the_file(before: list[str], decision: Decision, after: set[str]) -> None:
    assert change_of(decision, [], file_of(*before)) == after
    once = file_after(file_of(*before), recorded_change(decision, [], file_of(*before), NOW))
    assert not recorded_change(decision, [], once, "2027-01-01T00:00:00+00:00")


def test_which_rows_a_name_has_after_a_decision() -> None:
    stored = [stem("a"), stem("b")]
    paths = {"a": "a.md", "b": "b.md"}

    def after(*lines: str) -> list[tuple[str, str]]:
        rows = rows_after(SVC, stored, Recorded.of(file_of(*lines)), paths)
        return sorted((row.b, row.state) for row in rows)

    assert after() == [("a", "proposed"), ("b", "proposed")]
    assert after(said(SVC, "a", "accepted")) == [("a", "accepted")]
    assert after(said(SVC, "a", "rejected")) == [("a", "rejected"), ("b", "proposed")]
    assert after(said("mention:Checkout-SVC", "a", "rejected")) == [("a", "rejected"), ("b", "proposed")]
    assert after(said(SVC, None, "new"), said(SVC, "a", "rejected")) == [("a", "rejected")]
    # A note that is gone, and what a model said, leave the question open.
    assert after(said(SVC, "gone", "accepted")) == [("a", "proposed"), ("b", "proposed")]
    assert after(said(SVC, "a", "accepted", "model")) == [("a", "proposed"), ("b", "proposed")]
    # A person's row that nobody says any more is no row.
    stored.append(stem("b", "accepted", "person"))
    assert after() == [("a", "proposed"), ("b", "proposed")]


def test_that_entities_follow_all_that_is_accepted() -> None:
    stored = {
        SVC: (stem("a", "accepted", "rule"),),
        "a": (Resolution("a", "b", "person", None, "accepted", None, "", "person"),),
    }
    entity_of = dict.fromkeys((SVC, "a", "b"), "a")
    paths = {"a": "a.md", "b": "bb.md"}
    file = file_of(said(SVC, "a", "rejected"), said("a", "b", "accepted"))
    changes = {change.table: change for change in graph_plan([SVC], stored, entity_of, file, paths).tables}
    assert changes["resolutions"].owners == (SVC,)
    assert changes["entity_of"].owners == (SVC,)
    assert changes["entity_of"].fresh == ()
    assert graph_plan([], stored, entity_of, file, paths).is_empty

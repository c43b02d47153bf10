"""Interfaces, generic nouns: a note of that name is a fact, and without one there is nothing."""

from __future__ import annotations

import pytest

from tests.names.embedders import Told, hand_in
from tests.names.graph import assert_rebuilt, checked, entity, found, mentions, resolutions, targets
from tests.servers.scripted import ServeScript, says
from tests.validation.desk import Desk, note

SETTING = "interfaces: [Kaffee, Meeting]\n"


@pytest.fixture
def coffee(desk: Desk) -> Desk:
    """A vault that speaks of a generic noun, stated and suspected, and of a name that is like it."""
    desk.write(".kantenwerk/settings.yaml", SETTING)
    desk.write("A.md", note("A", "[[Kaffee]] and [[kaffee.md|one more]]", ["uses:Kaffee"]))
    return desk


def assert_nothing(desk: Desk) -> None:
    """See that the noun is no node, joined to nothing, and no more than a hint."""
    assert set(targets(desk).values()) == {(None, "unresolved")}
    assert desk.edges() == []
    assert (mentions(desk), resolutions(desk)) == (set(), set())
    assert {(line, code) for _, line, code, _ in found(desk)} == {(5, "interface-target"), (9, "interface-target")}
    assert set(desk.rows("SELECT severity FROM findings")) == {("info",)}


def test_without_a_note_there_is_no_edge_and_no_node_and_nobody_is_asked(coffee: Desk, scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    coffee.point(server)
    spy = hand_in(coffee, Told())
    said = checked(coffee)
    coffee.apply()
    assert_nothing(coffee)
    assert (server.requests, spy.texts) == ([], [])
    assert found(coffee) == said
    assert "No questions" in coffee.run("clarify", "--list").stdout


def test_a_likeness_does_not_make_one_up(coffee: Desk) -> None:
    for name in ("Kaffee GmbH", "Kaffees", "Kaffe", "Kaffeemaschine"):
        coffee.write(f"{name}.md", "x\n")
    hand_in(coffee, Told())
    coffee.apply()
    assert_nothing(coffee)
    assert_rebuilt(coffee)


def test_a_note_of_that_name_is_a_fact(coffee: Desk) -> None:
    path, text = "drinks/K", "---\naliases: kaffee\n---\n"
    coffee.apply()
    assert_nothing(coffee)
    coffee.write(f"{path}.md", text)
    coffee.apply()
    assert {target for target, _ in targets(coffee).values()} == {path}
    assert coffee.triples() == {("A", "references", path)}
    assert coffee.stand("Kaffee").state == "pending"
    assert "interface-target" not in coffee.codes()
    assert_rebuilt(coffee)
    (coffee.root / f"{path}.md").unlink()
    coffee.apply()
    assert_nothing(coffee)


@pytest.mark.parametrize("is_listed", [True, False], ids=["listed", "by its note"])
def test_nothing_is_taken_for_an_interface_that_does_not_carry_its_name(
    desk: Desk,
    is_listed: bool,  # noqa: FBT001 - one of two
) -> None:
    if is_listed:
        desk.write(".kantenwerk/settings.yaml", SETTING)
    desk.write("Kaffee.md", "Black.\n" if is_listed else "---\ninterface: true\n---\nBlack.\n")
    desk.write("A.md", "[[Kaffee]] [[Kaffees]] [[Kaffee GmbH]] [[Kaffe]]\n")
    spy = hand_in(desk, Told())
    said = checked(desk)
    desk.apply()
    assert desk.triples() == {("A", "references", "Kaffee")} | {
        ("A", "references", f"mention:{name}") for name in ("kaffees", "kaffee gmbh", "kaffe")
    }
    assert (resolutions(desk), spy.texts) == (set(), [])
    assert desk.codes() == {"unresolved-target": 3}
    assert found(desk) == said


def test_what_becomes_an_interface_or_stops_being_one_is_looked_at_again(desk: Desk) -> None:
    desk.write("A.md", "[[Kaffees]]\n")
    for is_interface, node in (("false", "Kaffee"), ("true", "mention:kaffees"), ("false", "Kaffee")):
        desk.write("Kaffee.md", f"---\ninterface: {is_interface}\n---\nBlack.\n")
        desk.apply()
        assert entity(desk, "mention:kaffees") == node
        assert_rebuilt(desk)


def test_a_noun_that_is_listed_loses_its_mention_and_gets_it_back(coffee: Desk) -> None:
    coffee.write(".kantenwerk/settings.yaml", "")
    coffee.apply()
    assert (mentions(coffee), coffee.triples()) == ({"mention:kaffee"}, {("A", "references", "mention:kaffee")})
    coffee.write(".kantenwerk/settings.yaml", SETTING)
    coffee.apply()
    assert_nothing(coffee)
    coffee.write(".kantenwerk/settings.yaml", "interfaces: [Tee]\n")
    coffee.apply()
    assert mentions(coffee) == {"mention:kaffee"}
    assert_rebuilt(coffee)


def test_what_a_person_says_of_an_interface_counts(coffee: Desk) -> None:
    coffee.write("Kaffeemaschine.md", "x\n")
    coffee.apply()
    assert coffee.run("clarify", "--answer", "Kaffee=Kaffeemaschine").exit_code == 0
    coffee.apply()
    assert coffee.triples() == {("A", "references", "mention:kaffee")}
    assert entity(coffee, "mention:kaffee") == "Kaffeemaschine"
    assert coffee.stand("Kaffee").state == "pending"
    assert_rebuilt(coffee)


def test_a_suspected_interface_is_never_searched(coffee: Desk) -> None:
    coffee.write("A.md", note("A", "x", ["uses:Kaffee"]))
    coffee.write("Kaffee GmbH.md", "x\n")
    coffee.apply()
    assert resolutions(coffee) == set()
    coffee.write("B.md", "# Another note\n")
    coffee.apply()
    assert resolutions(coffee) == set()
    assert_rebuilt(coffee)


def test_several_notes_of_that_name_are_a_question(coffee: Desk) -> None:
    for name in ("drinks/One", "drinks/Other"):
        coffee.write(f"{name}.md", "---\naliases: Kaffee\n---\n")
    coffee.apply()
    assert coffee.codes() == {"ambiguous-target": 3}
    assert "drinks/One" in coffee.run("clarify", "--list").stdout
    assert coffee.stand("Kaffee").state == "ambiguous"

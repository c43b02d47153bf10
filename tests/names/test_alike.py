"""Names that no note carries, from note to graph: taken for one thing, kept apart, or a question."""

from __future__ import annotations

import json

import pytest

from tests.names.embedders import Told, hand_in
from tests.names.graph import assert_rebuilt, checked, entity, found, mentions, resolutions, targets
from tests.servers.scripted import ServeScript, says
from tests.validation.desk import Desk, note, tree

NUREMBERG, AUGSBURG = "people/Julia Nürnberg", "people/Julia Augsburg"
OF_TOWNS = ("people/Julia aus Kiel", "people/Julia aus Bonn")
NOTES = (
    *("checkout-service", "checkout-api", "notifications-service", "nordlicht-service", "Pyrite Logistik GmbH"),
    *("Lea", "Max", "Anne"),
)
WRITTEN = ("checkout-svc", "notif-svc", "Granite Logistik GmbH", "Lena", "Anna", "Julia", "Julia aus Mainz")


def speaking(*written: str) -> str:
    """The text of a note that speaks of every name twice, stated and suspected."""
    return note("A", " ".join(f"[[{name}]]" for name in written), [f"related_to:{name}" for name in written])


def speak_of(desk: Desk, written: str, *names: str) -> str:
    """Write a note that speaks of a name, and notes with other names; return the name's mention."""
    for name in names:
        desk.write(f"{name}.md", f"# {name}\n")
    desk.write("A.md", speaking(written))
    return f"mention:{written.lower()}"


@pytest.fixture(scope="module")
def names(shared: Desk) -> Desk:
    """A graph with all names of the issue; no model is there."""
    hand_in(shared, Told(is_gone=True))
    speak_of(shared, "", *NOTES)
    for path, summary in ((NUREMBERG, "colleague"), (AUGSBURG, "sister"), *zip(OF_TOWNS, "xy", strict=True)):
        shared.write(f"{path}.md", f"---\nsummary: {summary}\n---\n")
    shared.write("A.md", speaking(*WRITTEN))
    before = tree(shared.root)
    said = checked(shared)
    assert tree(shared.root) == before, "check writes nothing"
    shared.apply()
    assert found(shared) == said, "and says what the import says"
    return shared


def states(desk: Desk, written: str) -> tuple[tuple[str | None, str], tuple[str | None, str]]:
    """Target and state of the link that is stated, and of the one that is suspected."""
    return targets(desk)[written, False], targets(desk)[written, True]


def rows(desk: Desk, mention: str) -> set[tuple[str, str, str, str | None]]:
    """What a mention may be: note, method, state and who decided."""
    return {row[1:] for row in resolutions(desk) if row[0] == mention}


def codes(desk: Desk, written: str) -> list[str]:
    """The codes of what is said of a name."""
    return sorted(code for _, _, code, message in found(desk) if f"`{written}`" in message)


def listed(desk: Desk, written: str) -> dict[str, str]:
    """The notes that `clarify --list` names for a name, with their summaries."""
    questions = json.loads(desk.run("clarify", "--list", "--format", "json").stdout)
    options = [question["options"] for question in questions if question["name"] == written]
    return {option["note"]: option["summary"] for found in options for option in found}


def assert_joined(desk: Desk, written: str, node: str, reason: str) -> None:
    mention = f"mention:{written}"
    assert states(desk, written) == ((mention, "explicit"), (mention, "pending"))
    assert ("A", "references", mention) in desk.triples()
    assert rows(desk, mention) == {(node, "stem", "accepted", "rule")}
    assert desk.rows(f"SELECT reason FROM resolutions WHERE a = '{mention}'") == [(reason,)]
    assert entity(desk, mention) == entity(desk, node) == node
    assert ("A", "references", node) in desk.rows("SELECT source, kind, target FROM entity_edges")
    assert codes(desk, written) == ["stem-target", "stem-target"]
    assert listed(desk, written) == {}


def assert_apart(desk: Desk, written: str) -> None:
    mention = f"mention:{written.lower()}"
    assert states(desk, written) == ((mention, "explicit"), (None, "unresolved"))
    assert rows(desk, mention) == set()
    assert entity(desk, mention) == mention
    assert codes(desk, written) == ["unresolved-target", "unresolved-target"]
    assert listed(desk, written) == {}


def assert_asked(desk: Desk, written: str, *nodes: str) -> None:
    mention = f"mention:{written.lower()}"
    assert states(desk, written) == ((mention, "explicit"), (None, "ambiguous"))
    assert rows(desk, mention) == {(node, "stem", "proposed", None) for node in nodes}
    assert entity(desk, mention) == mention
    assert not {(one, other) for one in nodes for other in nodes if one != other and entity(desk, one) == other}
    messages = [message for _, _, code, message in found(desk) if message.startswith(f"`{written}` may mean ")]
    assert len(messages) == 2
    assert all(f"`{node}.md`" in message for message in messages for node in nodes)
    assert codes(desk, written) == ["ambiguous-target", "ambiguous-target"]
    assert set(listed(desk, written)) == set(nodes)


def test_checkout_svc_is_checkout_service(names: Desk) -> None:
    assert_joined(names, "checkout-svc", "checkout-service", "same: checkout; svc = service; nothing against")


def test_notif_svc_is_notifications_service(names: Desk) -> None:
    reason = "svc = service; notif for notifications; nothing against"
    assert_joined(names, "notif-svc", "notifications-service", reason)


def test_granite_and_pyrite_stay_apart(names: Desk) -> None:
    assert_apart(names, "Granite Logistik GmbH")


def test_anna_is_not_max(desk: Desk) -> None:
    speak_of(desk, "Anna", "Max")
    desk.apply()
    assert_apart(desk, "Anna")


def test_lena_and_lea_are_a_question(names: Desk) -> None:
    assert_asked(names, "Lena", "Lea")


def test_anna_and_anne_are_a_question_and_max_is_none_of_them(names: Desk) -> None:
    assert_asked(names, "Anna", "Anne")


def test_julia_is_a_question_that_names_all_and_what_tells_them_apart(names: Desk) -> None:
    assert_asked(names, "Julia", NUREMBERG, AUGSBURG, *OF_TOWNS)
    assert listed(names, "Julia").items() >= {NUREMBERG: "colleague", AUGSBURG: "sister"}.items()
    shown = names.run("clarify", "--list").stdout
    assert f"{AUGSBURG} — sister" in shown
    assert f"{NUREMBERG} — colleague" in shown


def test_julia_of_one_town_may_be_julia_of_another(names: Desk) -> None:
    assert_asked(names, "Julia aus Mainz", NUREMBERG, AUGSBURG, *OF_TOWNS)


def test_the_level_caps_what_is_joined_and_changes_no_edge(desk: Desk) -> None:
    mention = speak_of(desk, "checkout-svc", "checkout-service")
    for level, state in (("exact", "unresolved"), ("stem", "pending")):
        desk.apply("--set", f"resolution.level={level}")
        assert bool(resolutions(desk)) == (level == "stem")
        assert desk.stand("checkout-svc").state == state
        assert desk.triples() == {("A", "references", mention)}


def test_a_note_that_comes_makes_a_question_of_a_binding_and_none_when_it_goes(
    desk: Desk, scripted: ServeScript
) -> None:
    mention = speak_of(desk, "checkout-svc", "checkout-service")
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    edges = {("A", "references", mention), ("A", "related_to", mention)}
    assert desk.triples() == edges
    desk.write("Checkout-Dienst.md", "# Checkout-Dienst\n")
    desk.apply()
    assert {(a, b, state) for a, b, _, state, _ in resolutions(desk)} == {
        (mention, name, "proposed") for name in ("checkout-service", "Checkout-Dienst")
    }
    assert (desk.stand("checkout-svc").state, entity(desk, mention)) == ("ambiguous", mention)
    assert desk.triples() == {("A", "references", mention)}
    assert_rebuilt(desk)
    (desk.root / "Checkout-Dienst.md").unlink()
    desk.apply()
    assert desk.triples() == edges
    assert entity(desk, mention) == "checkout-service"
    assert len(server.requests) == 1, "the verdict is still there"
    assert_rebuilt(desk)


def test_two_notes_equally_near_by_their_parts_are_asked_about_by_these(desk: Desk) -> None:
    mention = speak_of(desk, "checkout-svc", "checkout-service", "Checkout-Dienst")
    said = checked(desk)
    desk.apply()
    assert resolutions(desk) == {
        (mention, name, "stem", "proposed", None) for name in ("checkout-service", "Checkout-Dienst")
    }
    assert found(desk) == said


def test_a_note_that_takes_the_name_ends_what_machines_said_of_it_and_nothing_that_a_person_said(desk: Desk) -> None:
    for name in ("checkout-service", "payment-service"):
        desk.write(f"{name}.md", f"# {name}\n")
    desk.write("A.md", "[[checkout-svc]] [[payment-svc]]\n")
    desk.apply()
    assert desk.run("resolutions", "accept", "payment-svc").exit_code == 0
    before = desk.tables()
    for name in ("checkout-svc", "payment-svc"):
        desk.write(f"{name}.md", f"# {name}\n")
    desk.apply()
    assert mentions(desk) == set()
    assert desk.triples() == {("A", "references", name) for name in ("checkout-svc", "payment-svc")}
    assert resolutions(desk) == {("mention:payment-svc", "payment-service", "stem", "accepted", "person")}
    assert_rebuilt(desk)
    for name in ("checkout-svc", "payment-svc"):
        (desk.root / f"{name}.md").unlink()
    desk.apply()
    after = desk.tables()
    for table in ("links", "edges", "resolutions", "entity_of"):
        assert after[table] == before[table], table

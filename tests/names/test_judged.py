"""A candidate whose name is joined to a note: what is judged, what a rejection takes away, and what is redundant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest.validate.prompt import claim_key
from tests.names.graph import assert_rebuilt, entity, resolutions
from tests.servers.scripted import Response, ServeScript, refuses, says
from tests.validation.desk import Desk, Found, note

if TYPE_CHECKING:
    from tests.validation.desk import Triple

SVC, SERVICE = "mention:checkout-svc", "services/checkout-service"
EDGE = ("A", "depends_on", SVC)


@pytest.fixture
def names(desk: Desk) -> Desk:
    """A note with a candidate whose name is joined to another note."""
    desk.write(f"{SERVICE}.md", "---\ntitle: The checkout service\nsummary: Takes orders.\n---\n")
    desk.write("A.md", note("A", "A needs the checkout.", ["depends_on:checkout-svc"]))
    return desk


def decide(desk: Desk, *words: str) -> None:
    result = desk.run("resolutions", *words)
    assert result.exit_code == 0, result.output


def judge_as_person(desk: Desk, written: str, target: str) -> None:
    """Let a person say YES to the candidate of A with this name, on the note that it means."""
    ((digest,),) = desk.rows(f"SELECT evidence_hash FROM links WHERE candidate AND written = '{written}'")
    blank = dict.fromkeys(("p_yes", "profile", "model", "prompt_hash", "tokens", "latency_ms"))
    line = blank | {
        "key": claim_key("A", "depends_on", target),
        "source": "A",
        "kind": "depends_on",
        "target": target,
        "answer": "YES",
        "confidence": 1.0,
        "judge": "person",
        "evidence_hash": digest,
        "asked_at": "2026-01-02T03:04:05+00:00",
    }
    desk.add_lines(json.dumps(line))


# what is judged


def test_the_edge_leads_to_the_name_and_the_verdict_is_on_the_note(names: Desk, scripted: ServeScript) -> None:
    names.point(scripted(says("YES", p_yes=0.9)))
    names.apply()
    assert names.rows("SELECT target, state FROM links") == [(SVC, "verified")]
    assert names.edges(mirror=False) == [Found(*EDGE, "explicit", "explicit", 0.9, mirror=False)]
    assert [edge[:3] for edge in names.edges(mirror=True)] == [(SVC, "required_by", "A")]
    (verdict,) = names.verdicts()
    assert (verdict["source"], verdict["kind"], verdict["target"]) == ("A", "depends_on", SERVICE)
    assert names.rows("SELECT count(*) FROM edges JOIN verdicts ON verdict = key AND NOT mirror") == [(1,)]
    assert names.rows("SELECT source, target FROM entity_edges WHERE NOT mirror") == [("A", SERVICE)]
    assert_rebuilt(names)


def test_the_judge_is_told_the_name_and_the_note(names: Desk, scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    names.point(server)
    names.apply()
    (prompt,) = server.prompts
    target = prompt.partition("TARGET")[2].partition("RELATION")[0]
    for told in ("checkout-svc", "The checkout service", "Takes orders."):
        assert f"\n{told}\n" in target


def test_another_spelling_is_another_question(names: Desk, scripted: ServeScript) -> None:
    names.write("A.md", note("A", "A needs it.", ["depends_on:checkout-svc", "depends_on:Checkout Dienst"]))
    server = scripted([says("YES"), says("NO")])
    names.point(server)
    names.apply()
    assert len(server.requests) == 2
    assert names.triples() == {EDGE}
    assert {line["target"] for line in names.verdicts()} == {SERVICE}


def test_a_candidate_is_judged_again_when_the_note_behind_its_name_changes(names: Desk, scripted: ServeScript) -> None:
    server = scripted([says("YES"), says("NO")])
    names.point(server)
    names.apply()
    names.write(f"{SERVICE}.md", "---\ntitle: The checkout service\nsummary: Was switched off.\n---\n")
    names.apply()
    assert "Was switched off." in server.prompts[1]
    assert names.triples() == set()
    assert_rebuilt(names)


def test_a_likeness_of_names_is_sure_enough_to_stand_unproven(names: Desk, scripted: ServeScript) -> None:
    names.point(scripted(refuses(503)))
    names.apply(code=1)
    assert names.edges(mirror=False) == [
        Found(*EDGE, "candidate:candidates", "candidate:candidates", 0.3, mirror=False)
    ]
    decide(names, "reject", "checkout-svc")
    names.apply()
    assert names.edges() == []
    assert names.states() == {"unresolved": 1}


# what a rejection takes away


def test_a_rejection_voids_the_verdict_of_a_name_that_may_mean_others(desk: Desk, scripted: ServeScript) -> None:
    people = [f"people/Julia {town}" for town in ("Augsburg", "Bamberg", "Nürnberg")]
    for person in people:
        desk.write(f"{person}.md", f"Lives in {person}.\n")
    desk.write("A.md", note("A", "A met Julia.", ["depends_on:Julia"]))
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert (desk.states(), server.requests) == ({"ambiguous": 1}, [])
    decide(desk, "accept", "Julia", people[2])
    desk.apply()
    edge: Triple = ("A", "depends_on", "mention:julia")
    assert desk.triples() == {edge}
    before = desk.tables()
    decide(desk, "reject", "Julia", people[2])
    assert desk.triples() == {edge}
    desk.apply()
    assert (desk.triples(), desk.states()) == (set(), {"ambiguous": 1})
    assert {(b, state) for _, b, _, state, _ in resolutions(desk)} == {
        (people[0], "proposed"),
        (people[1], "proposed"),
        (people[2], "rejected"),
    }
    assert entity(desk, people[2]) == people[2]
    assert_rebuilt(desk)
    assert [line["answer"] for line in desk.verdicts()] == ["YES"], "what was paid for is kept"
    decide(desk, "accept", "Julia", people[2])
    desk.apply()
    after = desk.tables()
    assert len(server.requests) == 1
    for table in ("links", "edges", "verdicts", "entity_of", "entity_edges"):
        assert after[table] == before[table], table


def test_a_rejection_voids_a_persons_verdict_too_and_says_so(names: Desk) -> None:
    names.apply()
    judge_as_person(names, "checkout-svc", SERVICE)
    names.apply()
    assert names.triples() == {EDGE}
    before = names.tables()
    decide(names, "reject", "checkout-svc")
    # A note that names the other itself is not concerned.
    names.write("B.md", "[[checkout-service]]\n")
    names.apply()
    assert (names.triples(), names.states()) == ({("B", "references", SERVICE)}, {"unresolved": 1})
    assert names.codes()["verdict-orphaned"] == 1
    assert names.answers() == ["YES"]
    assert_rebuilt(names)
    decide(names, "accept", "checkout-svc")
    names.apply()
    assert set(names.tables()["edges"]) >= set(before["edges"])
    assert "verdict-orphaned" not in names.codes()


def test_where_one_of_two_is_rejected_the_other_is_judged_by_itself(desk: Desk, scripted: ServeScript) -> None:
    desk.write("Falke GmbH.md", "A company.\n")
    desk.write("Falke AG.md", "Another company.\n")
    desk.write("A.md", note("A", "A buys from Falke.", ["depends_on:Falke"]))
    answers = {"A company.": "YES", "Another company.": "NO"}

    def answer(request: object) -> Response:
        prompt = str(getattr(request, "prompt", ""))
        return says(next(said for text, said in answers.items() if f"\n{text}\n" in prompt))

    server = scripted(answer)
    desk.point(server)
    decide(desk, "accept", "Falke", "Falke GmbH")
    desk.apply()
    assert desk.triples() == {("A", "depends_on", "mention:falke")}
    decide(desk, "reject", "Falke", "Falke GmbH")
    desk.apply()
    assert desk.triples() == set()
    assert sorted((line["target"], line["answer"]) for line in desk.verdicts()) == [
        ("Falke AG", "NO"),
        ("Falke GmbH", "YES"),
    ]
    assert_rebuilt(desk)


# redundancy


NAMED, CALLED = "checkout-service", "checkout-svc"


@pytest.mark.parametrize(("stated", "suspected"), [(NAMED, CALLED), (CALLED, "Checkout Dienst")])
def test_what_is_stated_of_the_same_thing_here_is_not_asked(desk: Desk, stated: str, suspected: str) -> None:
    desk.write(f"{NAMED}.md", "# Checkout service\n")
    desk.write("A.md", note("A", f"[[rel:depends_on|{stated}]]", [f"depends_on:{suspected}"]))
    desk.apply()
    assert desk.stand(suspected).state == "redundant"
    assert len(desk.triples()) == 1
    decide(desk, "reject", CALLED)
    desk.apply()
    assert desk.stand(suspected).state == ("unresolved" if suspected == CALLED else "pending")
    assert_rebuilt(desk)


@pytest.mark.parametrize(("stated", "suspected"), [("billing-svc", NAMED), ("billing-service", CALLED)])
def test_what_is_stated_of_the_same_thing_from_the_other_side_is_not_asked(
    desk: Desk, stated: str, suspected: str
) -> None:
    desk.write("billing-service.md", note("Billing", "x", [f"depends_on:{suspected}"]))
    desk.write(f"{NAMED}.md", "# Checkout service\n")
    desk.apply()
    assert desk.stand(suspected).state == "pending"
    # The note with the candidate does not change, the other one does.
    desk.write(f"{NAMED}.md", f"# Checkout service\n\n[[rel:required_by|{stated}]]\n")
    desk.apply()
    assert desk.stand(suspected).state == "redundant"
    assert desk.codes("billing-service.md")["redundant-candidate"] == 1
    assert_rebuilt(desk)
    desk.write(f"{NAMED}.md", "# Checkout service\n")
    desk.apply()
    assert desk.stand(suspected).state == "pending"
    assert_rebuilt(desk)


# two notes that are one thing


def test_joining_two_notes_keeps_what_was_proven_of_each(desk: Desk) -> None:
    desk.write("old/Kim.md", "Left in 2019.\n")
    desk.write("people/Kim.md", "Runs the shop.\n")
    desk.write("A.md", note("A", "A needs Kim.", ["depends_on:people/Kim"]))
    desk.apply()
    judge_as_person(desk, "people/Kim", "people/Kim")
    desk.apply()
    edges = desk.edges()
    assert desk.triples() == {("A", "depends_on", "people/Kim")}
    decide(desk, "add", "people/Kim", "old/Kim")
    desk.apply()
    assert desk.edges() == edges
    assert "verdict-orphaned" not in desk.codes()


def test_nobody_is_asked_whether_a_note_is_its_own_neighbour(desk: Desk, scripted: ServeScript) -> None:
    desk.write("checkout-service.md", note("Checkout", "x", ["related_to:checkout-svc"]))
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert server.requests == []
    assert desk.edges() == []

"""What a person said goes before what a model says, and goes with its claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.servers.scripted import says
from tests.validation.desk import Desk, Triple, note

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript
    from tests.validation.conftest import Begin

EDGE: Triple = ("A", "depends_on", "B")


def build(desk: Desk) -> None:
    """One candidate that a person has proven."""
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB.\n")
    desk.write("C.md", "# C\n\nC.\n")
    desk.apply()
    desk.judge(*EDGE)
    desk.apply()
    assert desk.triples() == {EDGE}


@pytest.fixture
def judged(begin: Begin) -> Desk:
    """That vault, and nobody else to ask."""
    return begin(build)


def told(desk: Desk, command: str, *options: str) -> list[dict[str, Any]]:
    """The findings of a command that writes nothing; that nothing links a note any more is told by `check` alone."""
    answer = desk.json(*options, command=command)
    found: list[dict[str, Any]] = answer if isinstance(answer, list) else answer["findings"]
    return [one for one in found if one["code"] != "orphan-note"]


def assert_told(desk: Desk, code: str, path: str, line: int) -> None:
    """A preview, an import and `check` tell the same, and nothing else."""
    wanted = [(code, "warning", path, line)]
    for command in ("import", "check"):
        found = told(desk, command)
        assert [(one["code"], one["severity"], one["path"], one["line"]) for one in found] == wanted, command
    desk.apply()
    assert desk.rows("SELECT code, severity, path, line FROM findings") == wanted
    desk.rebuild()
    assert desk.rows("SELECT code, severity, path, line FROM findings") == wanted


def test_a_yes(judged: Desk) -> None:
    (edge,) = judged.edges(mirror=False)
    assert edge[3:6] == ("explicit", "explicit", 1.0)
    assert len(judged.edges(mirror=True)) == 1
    assert judged.states() == {"verified": 1}
    assert not judged.codes()
    assert judged.rows("SELECT judge, answer FROM edges JOIN verdicts ON edges.verdict = verdicts.key") == [
        ("person", "YES")
    ]
    before = judged.tables()
    assert judged.rebuild() == before


def test_a_person_goes_before_a_model(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", note("A", "A braucht B und C.", ["depends_on:B", "depends_on:C"]))
    for name in "BC":
        desk.write(f"{name}.md", f"# {name}\n\n{name}.\n")
    server = scripted(says("YES", p_yes=0.99))
    desk.point(server)
    desk.apply()
    assert desk.triples() == {EDGE, ("A", "depends_on", "C")}
    desk.judge(*EDGE, answer="NO")
    assert [edge["target"] for edge in desk.json()["removed"] if not edge["mirror"]] == ["B"]
    desk.apply()
    assert desk.triples() == {("A", "depends_on", "C")}
    assert desk.stand("B").state == "rejected"
    assert desk.codes() == {"candidate-rejected": 1}
    # Another model does not get to say anything about it either.
    server.requests.clear()
    desk.change(model="another")
    desk.apply()
    assert len(server.requests) == 1
    assert desk.triples() == {("A", "depends_on", "C")}
    before = desk.tables()
    assert desk.rebuild() == before
    assert len(server.requests) == 1


def test_a_verdict_that_is_taken_back(judged: Desk, scripted: ServeScript) -> None:
    judged.verdicts_file.write_text("", "utf-8")
    judged.apply()
    assert judged.states() == {"pending": 1}
    assert judged.edges() == []
    server = scripted(says("NO"))
    judged.point(server)
    judged.apply()
    assert (len(server.requests), judged.states()) == (1, {"rejected": 1})


def test_a_person_who_is_not_sure(judged: Desk, scripted: ServeScript) -> None:
    judged.verdicts_file.write_text("", "utf-8")
    judged.judge(*EDGE, answer="UNSURE")
    server = scripted(says("YES"))
    judged.point(server)
    judged.apply()
    assert judged.states() == {"pending": 1}
    assert server.requests == []
    ((message,),) = judged.rows("SELECT message FROM findings")
    assert "model" not in message, "it was a person who left it open"


# evidence that changed


def test_a_verdict_stands_when_its_text_changes(judged: Desk, scripted: ServeScript) -> None:
    server = scripted(says("NO"))
    judged.point(server)
    judged.write("A.md", note("A", "A braucht B nicht mehr.", ["depends_on:B"]))
    assert_told(judged, "verdict-stale", "A.md", 9)
    assert judged.triples() == {EDGE}
    assert server.requests == []
    # Looked at again, and confirmed.
    judged.verdicts_file.unlink()
    judged.judge(*EDGE)
    judged.apply()
    assert not judged.codes()


def test_a_verdict_stands_when_its_target_changes(judged: Desk) -> None:
    judged.write("B.md", "# B\n\nB ist jetzt anders.\n")
    assert_told(judged, "verdict-stale", "A.md", 9)
    assert judged.triples() == {EDGE}


def test_a_rejection_stands_when_its_text_changes(judged: Desk) -> None:
    judged.verdicts_file.unlink()
    judged.judge(*EDGE, answer="NO")
    judged.apply()
    judged.write("A.md", note("A", "A braucht B doch.", ["depends_on:B"]))
    judged.apply()
    assert judged.codes() == {"candidate-rejected": 1, "verdict-stale": 1}
    assert judged.edges() == []


# notes that move


def moved(judged: Desk, old: str, new: str) -> None:
    target = judged.root / new
    target.parent.mkdir(exist_ok=True)
    (judged.root / old).rename(target)


def assert_moved(judged: Desk, edge: Triple) -> None:
    judged.apply()
    assert judged.triples() == {edge}
    assert not judged.codes()
    (line,) = judged.verdicts()
    assert (line["source"], line["kind"], line["target"]) == edge


def test_a_note_that_is_renamed_keeps_its_verdicts(judged: Desk) -> None:
    moved(judged, "A.md", "Anders.md")
    for command in ("import", "check"):
        assert told(judged, command) == []
    assert_moved(judged, ("Anders", "depends_on", "B"))
    before, file = judged.tables(), judged.verdicts_file.read_bytes()
    assert judged.rebuild() == before
    assert judged.verdicts_file.read_bytes() == file


def test_a_note_that_moves_keeps_its_verdicts(judged: Desk) -> None:
    moved(judged, "A.md", "deep/A.md")
    assert_moved(judged, ("deep/A", "depends_on", "B"))


def test_a_target_that_moves_keeps_its_verdicts(judged: Desk) -> None:
    moved(judged, "B.md", "deep/B.md")
    assert_moved(judged, ("A", "depends_on", "deep/B"))


def test_both_move_at_once(judged: Desk) -> None:
    moved(judged, "A.md", "one/A.md")
    moved(judged, "B.md", "two/B.md")
    assert_moved(judged, ("one/A", "depends_on", "two/B"))


def test_a_note_that_gets_an_id_of_its_own_keeps_its_verdicts(judged: Desk) -> None:
    judged.write("A.md", "---\nid: a-1\n---\n" + (judged.root / "A.md").read_text("utf-8"))
    assert_moved(judged, ("a-1", "depends_on", "B"))


def test_a_preview_moves_no_verdict(judged: Desk) -> None:
    file = judged.verdicts_file.read_bytes()
    moved(judged, "A.md", "deep/A.md")
    plan = judged.json()
    assert {(edge["source"], edge["verdict"] is not None) for edge in plan["added"] if not edge["mirror"]} == {
        ("deep/A", True)
    }
    assert judged.verdicts_file.read_bytes() == file


def test_a_copy_takes_no_verdict_away(judged: Desk) -> None:
    judged.write("copy/A.md", (judged.root / "A.md").read_text("utf-8"))
    judged.apply()
    assert judged.stand("B", "A").state == "verified"
    assert judged.stand("B", "copy/A").state == "pending"
    # The original goes, and there is but one claim that it can mean.
    (judged.root / "A.md").unlink()
    judged.apply()
    assert judged.triples() == {("copy/A", "depends_on", "B")}


def test_two_heirs_are_one_too_many(judged: Desk) -> None:
    text = (judged.root / "A.md").read_text("utf-8")
    (judged.root / "A.md").unlink()
    for folder in ("one", "two"):
        judged.write(f"{folder}/A.md", text)
    judged.apply()
    assert judged.states() == {"pending": 2}
    assert judged.codes()["verdict-orphaned"] == 1
    assert judged.edges() == []
    (judged.root / "one" / "A.md").unlink()
    judged.apply()
    assert judged.triples() == {("two/A", "depends_on", "B")}
    assert not judged.codes()


# claims that go


def test_a_verdict_whose_claim_is_gone(judged: Desk) -> None:
    judged.write("A.md", note("A", "A braucht B.", ["depends_on:C"]))
    judged.apply()
    judged.write("A.md", "# A\n\nNichts mehr.\n")
    assert_told(judged, "verdict-orphaned", ".kantenwerk/verdicts.jsonl", 1)
    assert judged.edges() == []
    assert len(judged.verdicts()) == 1, "it waits for its claim"
    judged.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    judged.apply()
    assert judged.triples() == {EDGE}
    assert not judged.codes()


@pytest.mark.parametrize("path", ["A.md", "B.md"])
def test_a_verdict_whose_note_is_gone(judged: Desk, path: str) -> None:
    text = (judged.root / path).read_text("utf-8")
    (judged.root / path).unlink()
    judged.apply()
    assert judged.codes()["verdict-orphaned"] == 1
    assert judged.edges() == []
    judged.write(path, text)
    judged.apply()
    assert judged.triples() == {EDGE}
    assert not judged.codes()


def test_a_verdict_whose_claim_the_author_states(judged: Desk) -> None:
    judged.write("A.md", note("A", "A braucht B: [[rel:depends_on|B]].", ["depends_on:B"]))
    judged.apply()
    assert judged.states() == {"redundant": 1}
    assert judged.codes() == {"redundant-candidate": 1}, "its claim is still there"
    assert [edge.rule_id for edge in judged.edges()] == ["explicit:typed", "structure"]


def test_a_claim_that_is_made_twice_is_stale_once_neither_text_is_what_was_judged(desk: Desk) -> None:
    again = "\n## Nochmals\n\nA braucht B wirklich.\n\n### Candidates\n\n- depends_on:B\n"
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]) + again)
    desk.write("B.md", "# B\n\nB.\n")
    desk.apply()
    desk.judge("A", "depends_on", "B")
    desk.apply()
    assert desk.states() == {"verified": 2}
    assert not desk.codes(), "one of the two texts is the one that was judged"
    desk.write("A.md", note("A", "A braucht B kaum.", ["depends_on:B"]) + again.replace("wirklich", "nicht"))
    desk.apply()
    assert desk.codes() == {"verdict-stale": 2}


def test_what_a_person_said_holds_where_validation_is_off(judged: Desk, scripted: ServeScript) -> None:
    judged.write("D.md", note("D", "D braucht B.", ["depends_on:B"]))
    judged.write(".kantenwerk/types.yaml", "types:\n  default:\n    chunking_profile: sliding\n")
    server = scripted(says("YES"))
    judged.point(server)
    judged.apply()
    assert judged.triples() == {EDGE}
    assert judged.stand("B", "D").state == "pending"
    assert server.requests == []


def test_what_a_model_said_does_not_hold_where_validation_is_off(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB.\n")
    desk.point(scripted(says("YES")))
    desk.apply()
    desk.write(".kantenwerk/types.yaml", "types:\n  default:\n    chunking_profile: sliding\n")
    desk.apply()
    assert desk.states() == {"pending": 1}
    assert desk.edges() == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("A.md", "# A\n\nA braucht B: [[rel:depends_on|B]].\n", id="here"),
        pytest.param("B.md", "# B\n\n[[rel:required_by|A]]\n", id="from-the-other-side"),
    ],
)
def test_a_verdict_whose_candidate_is_gone_and_whose_claim_the_author_states(
    judged: Desk, path: str, text: str
) -> None:
    judged.write("A.md", "# A\n\nA braucht B.\n")
    judged.apply()
    assert judged.codes() == {"verdict-orphaned": 1}
    judged.write(path, text)
    judged.apply()
    assert not judged.codes(), "the candidate is not missed"
    # Also where nothing of these two notes is looked at again.
    judged.write("C.md", "# C\n\nC ist neu.\n")
    judged.apply()
    assert not judged.codes()
    before = judged.tables()
    assert judged.rebuild() == before
    judged.write(path, "# Nichts\n")
    judged.apply()
    assert judged.codes() == {"verdict-orphaned": 1}


def test_a_verdict_whose_claim_a_link_to_another_name_of_the_note_states(judged: Desk) -> None:
    judged.write("B.md", "---\naliases: [Bee]\n---\n# B\n\nB.\n")
    judged.write("A.md", "# A\n\nA braucht B: [[rel:depends_on|Bee]].\n")
    judged.apply()
    assert judged.codes() == {"alias-target": 1}


def test_a_rejection_whose_claim_is_gone_is_settled(judged: Desk) -> None:
    judged.verdicts_file.unlink()
    judged.judge(*EDGE, answer="NO")
    judged.write("A.md", "# A\n\nA braucht B.\n")
    judged.apply()
    assert not judged.codes(), "its line was deleted, as candidate-rejected says"
    judged.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    judged.apply()
    assert judged.states() == {"rejected": 1}, "what a person said is not forgotten"
    before = judged.tables()
    assert judged.rebuild() == before


@pytest.mark.parametrize("path", ["A.md", "B.md"])
def test_a_rejection_whose_note_is_gone(judged: Desk, path: str) -> None:
    judged.verdicts_file.unlink()
    judged.judge(*EDGE, answer="NO")
    judged.apply()
    (judged.root / path).unlink()
    judged.apply()
    assert judged.codes()["verdict-orphaned"] == 1


def test_a_rejection_passes_on_to_a_note_that_moved(judged: Desk) -> None:
    judged.verdicts_file.unlink()
    judged.judge(*EDGE, answer="NO")
    judged.apply()
    moved(judged, "A.md", "deep/A.md")
    judged.apply()
    assert judged.states() == {"rejected": 1}
    assert judged.codes() == {"candidate-rejected": 1}

"""What people say of candidates: which there are, what is recorded, and what the next import makes of it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from kantenwerk.graph.decisions import VerdictChange, changed_text, parse_verdicts
from kantenwerk.graph.lock import apply_lock
from kantenwerk.ingest.validate.prompt import claim_key
from tests.servers.scripted import refuses, says
from tests.validation.desk import Desk, note, read_lines, tree

if TYPE_CHECKING:
    from typer.testing import Result

    from tests.servers.scripted import ServeScript

B = claim_key("A", "depends_on", "B")
C = claim_key("A", "uses", "C")
BRINGS = "`kantenwerk import --apply` brings it into the graph.\n"


def run(desk: Desk, *options: str, code: int = 0) -> Result:
    """Run `kantenwerk review` on the vault."""
    result = desk.run("review", *options)
    assert result.exit_code == code, result.output
    return result


def listed(desk: Desk, *states: str) -> dict[str, dict[str, Any]]:
    """The listed candidates, by key."""
    options = [option for state in states for option in ("--state", state)]
    found = desk.json("--list", *options, command="review")
    assert len({one["key"] for one in found}) == len(found)
    return {one["key"]: one for one in found}


def answers(desk: Desk) -> dict[str, str]:
    return {line["key"]: line["answer"] for line in read_lines(desk.verdicts_file)}


def kept(desk: Desk) -> tuple[bytes, int]:
    """What the file of verdicts holds, and when it was written."""
    return desk.verdicts_file.read_bytes(), desk.verdicts_file.stat().st_mtime_ns


# the list


def test_what_is_listed(desk: Desk) -> None:
    before = tree(desk.root)
    first, second = desk.json("--list", command="review")
    assert (first["key"], second["key"]) == (B, C)
    assert first == {
        "key": B,
        "source": "A",
        "kind": "depends_on",
        "target": "B",
        "state": "pending",
        "stale": False,
        "path": "A.md",
        "line": 9,
        "written": "B",
        "evidence": "A > Grund\nA braucht B und [b]C[/b].",
        "context": "",
        "evidence_hash": first["evidence_hash"],
        "target_title": "B",
        "target_summary": "Sends mail.",
        "verdict": None,
    }
    assert tree(desk.root) == before, "nothing is written, and no database is needed"


def test_what_is_listed_as_text(desk: Desk) -> None:
    listing = run(desk, "--list")
    assert listing.stderr == ""
    first, second, end = listing.stdout.split("\n\n")
    assert end == ""
    head, key, place, meaning, direction, *evidence = first.splitlines()
    assert (head, key, place) == ("A depends_on B  [pending]", f"  key {B}", "  A.md:9: depends_on:B")
    assert meaning.startswith("  depends_on: ")
    assert direction.startswith("  A depends_on B: ")
    assert evidence == [
        "  | A > Grund",
        "  | A braucht B und [b]C[/b].",
        "  → B (Bee): Sends mail.",
        "  no verdict yet: nobody was asked",
    ]
    assert second.startswith("A uses C  [pending]\n")


def test_that_nobody_is_asked_where_there_is_no_terminal(desk: Desk) -> None:
    asked = run(desk)
    assert asked.stdout == run(desk, "--list").stdout
    assert asked.stderr.startswith("2 candidates: answer them on a terminal with `kantenwerk review`, or with --answer")


def test_that_a_vault_may_have_no_such_candidate(desk: Desk) -> None:
    assert run(desk, "--state", "failed", "--state", "stale").stdout == "No candidate is failed or stale.\n"
    assert listed(desk, "failed") == {}


def test_that_a_claim_made_twice_is_listed_once(desk: Desk) -> None:
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B", "depends_on:B.md"]))
    assert listed(desk).keys() == {B}


def test_how_candidates_stand_after_a_model_was_asked(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(says("YES", p_yes=0.75)))
    desk.apply("--max-calls", "1")
    stood = listed(desk, "verified", "pending")
    assert {key: one["state"] for key, one in stood.items()} == {B: "verified", C: "pending"}
    assert (stood[B]["verdict"]["judge"], stood[B]["verdict"]["p_yes"]) == ("model", pytest.approx(0.75))
    assert "  tiny said YES, P(YES) 0.75 on " in run(desk, "--list", "--state", "verified").stdout
    assert listed(desk).keys() == {C}


@pytest.mark.parametrize(("fault", "state", "code"), [(503, "unproven", 1), (400, "failed", 1)])
def test_what_only_the_database_knows(desk: Desk, scripted: ServeScript, fault: int, state: str, code: int) -> None:
    desk.point(scripted(refuses(fault)))
    desk.apply(code=code)
    assert desk.states() == {state: 2}
    assert {one["state"] for one in listed(desk, state).values()} == {state}
    assert listed(desk, "pending") == {}
    # On another text nobody was asked yet.
    desk.write("A.md", note("A", "A braucht B und C sehr.", ["depends_on:B", "uses:C"]))
    assert listed(desk, "pending").keys() == {B, C}
    desk.forget()
    assert listed(desk, "pending").keys() == {B, C}


# answers


@pytest.mark.parametrize(("answer", "state"), [("yes", "verified"), ("NO", "rejected")])
def test_an_answer(desk: Desk, answer: str, state: str) -> None:
    digest = listed(desk)[B]["evidence_hash"]
    told = run(desk, "--answer", f"{B}={answer}").stdout
    word = "right" if state == "verified" else "wrong"
    assert told == f"`A depends_on B`: {word}\nRecorded in {desk.verdicts_file}: {BRINGS}"
    (line,) = read_lines(desk.verdicts_file)
    assert datetime.fromisoformat(line.pop("asked_at")).utcoffset() is not None
    assert line == {
        "key": B,
        "source": "A",
        "kind": "depends_on",
        "target": "B",
        "answer": answer.upper(),
        "p_yes": None,
        "confidence": 1.0,
        "judge": "person",
        "profile": None,
        "model": None,
        "prompt_hash": None,
        "evidence_hash": digest,
        "tokens": None,
        "latency_ms": None,
    }
    assert not desk.database.exists()
    assert listed(desk).keys() == {C}
    assert listed(desk, state)[B]["verdict"]["answer"] == answer.upper()
    desk.apply()
    assert desk.stand("B").state == state
    assert desk.codes()["verdict-stale"] == 0


def test_that_the_same_answer_twice_changes_nothing(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes")
    before = kept(desk)
    assert run(desk, "--answer", f"{B}=yes").stdout == (
        "`A depends_on B`: right (recorded already)\nNothing was written: no answer is new.\n"
    )
    assert kept(desk) == before


def test_that_another_answer_takes_its_place(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes")
    run(desk, "--answer", f"{B}=no")
    assert answers(desk) == {B: "NO"}


def test_that_an_answer_is_withdrawn(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(says("NO")))
    desk.apply()
    models = answers(desk)
    run(desk, "--answer", f"{B}=yes", "--answer", f"{C}=yes")
    assert listed(desk, "verified").keys() == {B, C}, "a person goes before a model"
    told = run(desk, "--answer", f"{B}=ask").stdout
    assert told.startswith("`A depends_on B`: no person's verdict any more\nRecorded in ")
    assert answers(desk) == {**models, C: "YES"}
    assert {key: one["state"] for key, one in listed(desk, "verified", "rejected").items()} == {
        B: "rejected",
        C: "verified",
    }
    assert "(nobody had said anything)" in run(desk, "--answer", f"{B}=ask").stdout
    assert answers(desk) == {**models, C: "YES"}


def test_several_answers_as_json(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=no")
    assert desk.json("--answer", f"{B}=no", "--answer", f"{C}=yes", command="review") == [
        {"key": B, "source": "A", "kind": "depends_on", "target": "B", "answer": "no", "written": False},
        {"key": C, "source": "A", "kind": "uses", "target": "C", "answer": "yes", "written": True},
    ]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("0123=yes", "no candidate has the key `0123`: "),
        (f"{C}=perhaps", "write KEY=yes, KEY=no or KEY=ask"),
        (C, "write KEY=yes, KEY=no or KEY=ask"),
        ("=yes", "write KEY=yes, KEY=no or KEY=ask"),
        (f"{B}=no", "is answered twice"),
        ("\x1b[2J=yes", "no candidate has the key `\\x1b[2J`: "),
    ],
)
def test_that_one_wrong_answer_writes_none(desk: Desk, wrong: str, told: str) -> None:
    before = tree(desk.root)
    result = run(desk, "--answer", f"{B}=yes", "--answer", wrong, code=2)
    assert told in result.stderr
    assert "\x1b" not in result.output
    assert tree(desk.root) == before


def test_that_answers_and_lists_do_not_go_together(desk: Desk) -> None:
    for option in (("--list",), ("--state", "failed")):
        assert "leave them out to answer" in run(desk, *option, "--answer", f"{B}=yes", code=2).stderr


def test_that_nothing_is_written_while_an_import_writes(desk: Desk) -> None:
    with apply_lock(desk.root):
        result = run(desk, "--answer", f"{B}=yes", code=3)
        assert "another import writes this vault" in result.stderr
        assert listed(desk).keys() == {B, C}
    assert not desk.verdicts_file.exists()


def test_that_answers_need_no_database(desk: Desk) -> None:
    desk.write(".kantenwerk/graph.duckdb", "damaged" * 1000)
    assert str(desk.database) in run(desk, "--list", code=3).stderr
    run(desk, "--answer", f"{B}=yes")
    assert answers(desk) == {B: "YES"}


def test_a_verdict_whose_edge_is_stated(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes")
    desk.write("A.md", note("A", "[[rel:depends_on|B]]", ["depends_on:B"]))
    assert listed(desk, "verified") == {}
    assert "or its edge is stated; KEY=ask withdraws" in run(desk, "--answer", f"{B}=no", code=2).stderr
    run(desk, "--answer", f"{B}=ask")
    assert answers(desk) == {}


def test_that_damaged_lines_and_unknown_fields_survive(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes", "--answer", f"{C}=yes")
    first, second = desk.verdicts_file.read_text("utf-8").splitlines()
    owned = {**json.loads(first), "role": "owner"}
    desk.verdicts_file.write_text(f"{json.dumps(owned)}\n{second}\n<<<<<<< ours\n", "utf-8")
    run(desk, "--answer", f"{owned['key']}=no")
    text = desk.verdicts_file.read_text("utf-8")
    assert '"role":"owner"' in text
    assert "<<<<<<< ours\n" in text
    run(desk, "--answer", f"{owned['key']}=ask")
    assert desk.verdicts_file.read_text("utf-8").splitlines() == ["<<<<<<< ours", second]


def test_a_change_that_only_withdraws(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes", "--answer", f"{C}=yes")
    file = parse_verdicts(desk.verdicts_file.read_bytes())
    change = VerdictChange(removed=(B, "unknown"))
    assert change
    assert parse_verdicts(changed_text(file, change).encode()).verdicts.keys() == {C}


# texts and notes that change


def test_evidence_that_changed(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes")
    desk.write("A.md", note("A", "A braucht B nicht mehr.", ["depends_on:B", "uses:C"]))
    assert listed(desk).keys() == {C}
    for state in ("verified", "stale"):
        assert listed(desk, state)[B]["stale"] is True
    text = run(desk, "--list", "--state", "verified").stdout
    assert text.startswith("A depends_on B  [verified, stale]\n")
    assert "; the text has changed since\n" in text
    # Looked at again, and confirmed.
    assert run(desk, "--answer", f"{B}=yes").stdout.startswith("`A depends_on B`: right\nRecorded in ")
    assert listed(desk, "stale") == {}


@pytest.mark.parametrize(("answer", "left"), [("no", ["NO"]), ("ask", [])])
def test_a_note_that_was_renamed(desk: Desk, answer: str, left: list[str]) -> None:
    run(desk, "--answer", f"{B}=yes")
    (desk.root / "A.md").rename(desk.root / "Z.md")
    key = claim_key("Z", "depends_on", "B")
    assert listed(desk, "verified").keys() == {key}
    assert "(recorded already)" in run(desk, "--answer", f"{key}=yes").stdout
    run(desk, "--answer", f"{key}={answer}")
    assert list(answers(desk).values()) == left
    assert listed(desk, "rejected").keys() == ({key} if left else set())
    desk.apply()
    assert desk.codes()["verdict-orphaned"] == 0


def test_a_verdict_that_lost_its_candidate(desk: Desk) -> None:
    run(desk, "--answer", f"{B}=yes")
    desk.write("A.md", "# A\n\nNichts mehr.\n")
    assert "its candidate is gone" in run(desk, "--answer", f"{B}=yes", code=2).stderr
    run(desk, "--answer", f"{B}=ask")
    assert answers(desk) == {}


def test_that_hostile_text_does_not_drive_the_terminal(desk: Desk) -> None:
    desk.write("A.md", note("A", "A \x1b[2J braucht \u202eB\x07.", ["depends_on:B"]))
    desk.write("B.md", '---\ntitle: "B\\e]0;x\\a"\nsummary: "one\\e[31m two"\n---\n# B\n')
    (desk.root / "B.md").rename(desk.root / "B\x1b[1m.md")
    desk.write("A2.md", note("A2\x1b[5m", "x", ["depends_on:B\x1b[1m", "bad\x1b[0mkind:C"]))
    for output in (run(desk, "--list").output, run(desk, "--list", "--format", "json").output):
        assert output
        assert not set(output) & {"\x1b", "\x07", "\u202e"}
    for key in listed(desk):
        assert "\x1b" not in run(desk, "--answer", f"{key}=no").output

"""The log lines of the design's section 9."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.servers.scripted import Response, refuses, says
from tests.validation.desk import Desk, note, start

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript

BEGIN = "🚀 [PHASE 3] Validating: Note-A -> Ziel-Notiz (related_to) | Scope: chunk | Context: chunk c00"
ASKED = "⚖️ [VALIDATING] Relation 'related_to' -> 'Ziel-Notiz' (Profile: ingest_validator)"
ENDS = {
    "VERIFIED": "✅ [PHASE 3] VERIFIED: Note-A -> Ziel-Notiz (related_to) | rule_id: explicit",
    "REJECTED": "🚫 [PHASE 3] REJECTED: Note-A -> Ziel-Notiz (related_to)",
}
OTHERS: dict[str, Response] = {"UNPROVEN": refuses(500), "FAILED": refuses(400), "PENDING": refuses(401)}


def write_pair(desk: Desk) -> None:
    desk.write("sub/Note-A.md", note("Ein Titel", "A hängt mit dem Ziel zusammen.", ["related_to:Ziel-Notiz"]))
    desk.write("sub/Ziel-Notiz.md", "# Noch ein Titel\n\nDas Ziel.\n")


def log(desk: Desk, *options: str, code: int = 0) -> list[str]:
    return desk.apply("--verbose", *options, code=code).stderr.splitlines()


@pytest.mark.parametrize(("answer", "end"), [("YES", "VERIFIED"), ("NO", "REJECTED")])
def test_a_verdict(desk: Desk, scripted: ServeScript, answer: str, end: str) -> None:
    write_pair(desk)
    desk.point(scripted(says(answer)))
    assert log(desk) == [BEGIN, ASKED, ENDS[end]]
    # A recorded verdict: nobody is asked, and the candidate is shown all the same.
    desk.forget()
    assert log(desk) == [BEGIN, ENDS[end]]
    # Nothing is judged, nothing is shown.
    assert log(desk) == []


@pytest.mark.parametrize("end", OTHERS)
def test_no_verdict(desk: Desk, scripted: ServeScript, end: str) -> None:
    write_pair(desk)
    desk.point(scripted(OTHERS[end]))
    lines = [line for line in log(desk, code=1) if not line.startswith("sub/") and "run-refused" not in line]
    assert lines[:2] == [BEGIN, ASKED]
    assert len(lines) == 3, "nothing is asked again where there are no retries"
    shape = rf"\S+ \[PHASE 3\] {end}: Note-A -> Ziel-Notiz \(related_to\) \| .*answered {OTHERS[end].status}.*"
    assert re.fullmatch(shape, lines[-1])


def test_nobody_to_ask(desk: Desk) -> None:
    write_pair(desk)
    begin, end = log(desk)
    assert begin == BEGIN
    assert re.fullmatch(r"\S+ \[PHASE 3\] PENDING: Note-A -> Ziel-Notiz \(related_to\)( \| .+)?", end)


def test_a_budget_that_is_used_up(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.write("sub/Note-B.md", note("B", "B auch.", ["related_to:Ziel-Notiz"]))
    desk.point(scripted(says("YES")))
    lines = log(desk, "--max-calls", "1")
    assert lines[:3] == [BEGIN, ASKED, ENDS["VERIFIED"]]
    assert BEGIN.replace("Note-A", "Note-B") in lines
    assert ASKED not in lines[3:]
    assert "PENDING: Note-B -> Ziel-Notiz (related_to) | the budget of 1 calls is used up" in lines[-1]


def test_retries_are_shown(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.point(scripted([refuses(503, headers={"Retry-After": "0"}), says("YES")]), retries=1)
    lines = log(desk)
    assert lines[:2] == [BEGIN, ASKED]
    assert "503" in lines[2]
    assert lines[3:] == [ENDS["VERIFIED"]]


def test_where_the_evidence_is_from(desk: Desk, scripted: ServeScript) -> None:
    long = "\n\n".join(f"## S{number}\n\n" + "wort " * 120 for number in range(9))
    desk.write("Short.md", "# Short\n\nText.\n\n# Candidates\n- uses:B\n")
    desk.write("Long.md", f"# Long\n\n{long}\n\n# Candidates\n- uses:B\n")
    desk.write("Empty.md", "# Empty\n\nText.\n\n## Leer\n\n### Candidates\n- uses:B\n")
    desk.write("B.md", "# B\n\nB.\n")
    desk.point(scripted(says("YES")), context_tokens=800)
    assert [line for line in log(desk) if "Validating" in line] == [
        "🚀 [PHASE 3] Validating: Empty -> B (uses) | Scope: chunk | Context: note, whole",
        "🚀 [PHASE 3] Validating: Long -> B (uses) | Scope: note | Context: note, 5 chunks",
        "🚀 [PHASE 3] Validating: Short -> B (uses) | Scope: note | Context: note, whole",
    ]


def test_one_question_for_two_candidates(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.write("sub/Note-B.md", (desk.root / "sub/Note-A.md").read_text("utf-8"))
    desk.point(scripted(says("YES")))
    lines = log(desk)
    for line in (BEGIN, ENDS["VERIFIED"]):
        assert line in lines
        assert line.replace("Note-A", "Note-B") in lines


def test_the_log_leaves_the_report_alone(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.point(scripted(says("YES")))
    desk.preview("--verbose")
    assert desk.json("--apply", "--verbose")["candidates"] == {"verified": 1}
    desk.forget()
    result = desk.apply()
    assert "PHASE" not in result.output
    assert result.stderr == ""


def test_a_console_that_cannot_print_it_all(desk: Desk, scripted: ServeScript) -> None:
    desk.write("Größe.md", note("A", "A und B.", ["related_to:Ziel-Notiz"]))
    desk.write("Ziel-Notiz.md", "# Ziel\n\nZiel.\n")
    desk.point(scripted(says("YES")))
    env = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    with start(desk.root, "--apply", "--verbose", env=env, encoding="cp1252") as process:
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0, stderr
    assert stderr.splitlines() == [
        "? [PHASE 3] Validating: Größe -> Ziel-Notiz (related_to) | Scope: chunk | Context: chunk c00",
        "?? [VALIDATING] Relation 'related_to' -> 'Ziel-Notiz' (Profile: ingest_validator)",
        "? [PHASE 3] VERIFIED: Größe -> Ziel-Notiz (related_to) | rule_id: explicit",
    ]


def test_a_name_cannot_drive_the_terminal(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", note("A", "A und B.", ["uses:B"]))
    (desk.root / "A.md").rename(desk.root / "A\x1b[2J.md")
    desk.write("B.md", "# B\n\nB.\n")
    desk.point(scripted(says("MAYBE\x1b[2J")))
    result = desk.apply("--verbose", code=1)
    assert "\x1b" not in result.output

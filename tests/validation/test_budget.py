"""What asking may cost, who is asked first, and that a preview costs nothing."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.servers.scripted import refuses, says
from tests.validation.desk import Desk, note, tree

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript

MANY = 101


def write_some(desk: Desk, count: int) -> None:
    """One note with so many candidates, all of one target."""
    desk.write("A.md", note("A", "A und B.", [f"kind{number}:B" for number in range(count)]))
    desk.write("B.md", "# B\n\nB.\n")


def test_max_calls(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 5)
    server = scripted(says("YES"))
    desk.point(server, concurrency=4)
    desk.apply("--max-calls", "2")
    assert len(server.requests) == 2
    assert desk.states() == {"verified": 2, "pending": 3}
    assert desk.codes()["candidate-pending"] == 3
    assert {
        "max_calls" in message
        for (message,) in desk.rows("SELECT message FROM findings WHERE code = 'candidate-pending'")
    } == {True}
    desk.apply("--max-calls", "2")
    assert len(server.requests) == 4
    desk.apply()
    assert len(server.requests) == 5
    assert desk.states() == {"verified": 5}
    assert desk.rows("SELECT calls FROM imports ORDER BY id") == [(2,), (2,), (1,)]


def test_that_the_report_tells_of_a_budget_that_is_used_up(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 3)
    desk.point(scripted(says("YES")))
    result = desk.apply("--max-calls", "1")
    assert "1 verified" in result.stdout
    assert "2 pending" in result.stdout
    assert "budget" in result.stdout


def test_the_profile_s_budget_and_the_option_over_it(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 4)
    server = scripted(says("YES"))
    desk.point(server, max_calls=1)
    desk.apply()
    assert len(server.requests) == 1
    desk.apply("--max-calls", "2")
    assert len(server.requests) == 3


def test_a_retry_is_a_call(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 2)
    server = scripted([refuses(503, headers={"Retry-After": "0"}), says("YES")])
    desk.point(server, retries=3)
    desk.apply("--max-calls", "2")
    assert len(server.requests) == 2
    assert desk.states() == {"verified": 1, "pending": 1}


def test_no_calls_at_all(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 3)
    server = scripted(says("YES"))
    desk.point(server)
    assert "asks about" not in desk.preview("--max-calls", "0").stdout
    result = desk.apply("--max-calls", "0")
    assert server.requests == []
    assert desk.states() == {"pending": 3}
    assert desk.edges() == []
    assert "3 pending" in result.stdout
    assert "3 to ask" in result.stdout
    assert "no endpoint" not in result.output.lower()
    ((advice,),) = desk.rows("SELECT DISTINCT help FROM findings WHERE code = 'candidate-pending'")
    desk.apply()
    assert len(server.requests) == 3
    assert "endpoint" not in advice, "no endpoint was missing"


def test_a_budget_of_tokens(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 4)
    server = scripted(says("YES", tokens=500))
    desk.point(server, max_tokens=1200)
    plan = desk.json("--apply")
    assert len(server.requests) == 2
    assert plan["candidates"] == {"verified": 2, "pending": 2}
    assert plan["validation"]["tokens_used"] == 1000
    assert any("max_tokens" in found["message"] for found in plan["findings"])


def test_counts_of_tokens_beyond_all_measure(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 1)
    desk.point(scripted(says("YES", tokens=2**40)))
    desk.apply()
    assert desk.states() == {"verified": 1}


# at a terminal


def at_terminal(desk: Desk, *options: str, types: str = "") -> tuple[int, str, str]:
    """Run an import with a terminal as its input and its stderr; return exit code, stdout and what it showed."""
    desk.close()
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "kantenwerk", "import", "--vault", str(desk.root), "--apply", *options]
    with subprocess.Popen(
        command, stdin=follower, stdout=subprocess.PIPE, stderr=follower, text=True, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(follower)
        shown, end, typed = b"", time.monotonic() + 30, False
        while process.poll() is None and time.monotonic() < end:
            if select.select([leader], [], [], 0.05)[0]:
                try:
                    shown += os.read(leader, 65536)
                except OSError:
                    break
            if not typed and b"[y/N]" in shown:
                os.write(leader, types.encode())
                typed = True
        stdout, _ = process.communicate(timeout=10)
    os.close(leader)
    return process.returncode, stdout, shown.decode()


def test_many_calls_are_confirmed_at_a_terminal(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, MANY)
    server = scripted(says("YES"))
    desk.point(server, concurrency=16)
    code, _, shown = at_terminal(desk, types="n\n")
    assert "[y/N]" in shown
    assert f"{MANY} times" in shown
    assert "tokens" in shown
    assert code not in {0, 70}
    assert server.requests == []
    assert not desk.database.exists()
    code, stdout, shown = at_terminal(desk, types="y\n")
    assert (code, len(server.requests)) == (0, MANY), shown
    question, _, after = shown.partition("[y/N]")
    assert "reading notes" in question
    assert "reading notes" not in after, "no bar moves while a person is asked"
    assert f"/{MANY}" in after, "how many are answered is seen"
    assert "101 verified" in stdout


def test_who_said_yes_before_is_not_asked_at_a_terminal(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, MANY)
    server = scripted(says("YES"))
    desk.point(server, concurrency=16)
    code, _, shown = at_terminal(desk, "--yes")
    assert "[y/N]" not in shown
    assert (code, len(server.requests)) == (0, MANY)


def test_nobody_is_at_a_terminal(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, MANY)
    server = scripted(says("YES"))
    desk.point(server, concurrency=16)
    result = desk.apply()
    assert "[y/N]" not in result.output
    assert len(server.requests) == MANY


# previews


@pytest.mark.parametrize("stands", [False, True], ids=["new", "imported"])
def test_a_preview_asks_nobody_and_writes_nothing(desk: Desk, scripted: ServeScript, *, stands: bool) -> None:
    write_some(desk, 2)
    if stands:
        desk.apply()
        desk.write("A.md", note("A", "A und B, geändert.", ["uses:B", "based_on:B"]))
    desk.write(".obsidian/app.json", "{}")
    server = scripted(says("YES"))
    desk.point(server)
    before = tree(desk.root.parent)
    for command in ("import", "import --dry-run --format json", "import --verbose --full", "check"):
        assert desk.run(*command.split()).exit_code == 0
        assert tree(desk.root.parent) == before, command
    assert server.requests == []
    assert (desk.root / ".kantenwerk").exists() is stands


def test_a_preview_tells_what_asking_would_cost(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 3)
    desk.write("C.md", note("C", "C und B.", ["uses:B", "uses:Nirgends"]))
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply("--max-calls", "1")
    desk.write("C.md", note("C", "C und doch B.", ["uses:B", "uses:Nirgends"]))
    plan = desk.json()
    calls = plan["validation"].pop("calls")
    assert [(call["path"], call["kind"], call["written"]) for call in calls if call["path"] == "C.md"] == [
        ("C.md", "uses", "B")
    ]
    assert len(calls) == 3
    assert plan["validation"] | {"tokens": 0} == {
        "endpoint": True,
        "known": 1,
        "to_ask": 3,
        "tokens": 0,
        "calls_made": 0,
        "tokens_used": 0,
        "refused": None,
        "disconnected": None,
    }
    assert 300 < plan["validation"]["tokens"] < 6000
    text = desk.preview().stdout
    assert "1 verified" in text
    assert "3 to ask" in text
    assert "Nothing was written" in text
    desk.apply()
    assert len(server.requests) == 4


@pytest.mark.parametrize("fault", [500, 400, 401])
def test_a_preview_knows_what_the_last_run_left_open(desk: Desk, scripted: ServeScript, fault: int) -> None:
    write_some(desk, 1)
    desk.point(scripted(refuses(fault)))
    desk.apply(code=1)
    server = scripted(says("YES"))
    desk.point(server)
    plan = desk.json()
    assert plan["validation"]["to_ask"] == 1
    assert plan["added"] == plan["changed"] == plan["removed"] == []
    assert server.requests == []


def test_that_a_preview_plans_what_an_import_writes(desk: Desk, scripted: ServeScript) -> None:
    write_some(desk, 2)
    desk.point(scripted(says("YES")))
    desk.apply()
    desk.forget()
    plan = desk.json()
    written = desk.json("--apply")
    assert plan["added"] == written["added"] != []

"""Verdicts are kept the moment they are given: a kill costs at most the calls in flight, and nothing is paid twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kantenwerk.graph.decisions import read_verdicts
from kantenwerk.graph.journal import JOURNAL, append_verdict, fold_journal, verdicts_with_journal
from tests.servers.scripted import Received, Response, ScriptedServer, late, says
from tests.validation.desk import Desk, asks_about, note, start

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript
    from tests.validation.conftest import Begin
    from tests.validation.desk import Tables

NAMES = [f"Target{number:02}" for number in range(24)]
IN_FLIGHT = 3


def build(desk: Desk) -> None:
    """Many candidates, imported while there was nobody to ask."""
    desk.write("A.md", note("A", "A braucht alle.", [f"depends_on:{name}" for name in NAMES]))
    for name in NAMES:
        desk.write(f"{name}.md", f"# {name}\n\n{name} ist ein Ziel.\n")
    desk.apply()


def answer(request: Received) -> Response:
    """About every third NO, else YES, each after a while."""
    number = next(index for index, name in enumerate(NAMES) if asks_about(request, name))
    return late(says("NO" if number % 3 == 0 else "YES"), 0.03)


def asked(requests: list[Received]) -> Counter[str]:
    return Counter(name for request in requests for name in NAMES if asks_about(request, name))


def kill_after(desk: Desk, requests: list[Received], many: int, wait_s: float) -> None:
    """Start an import, and kill it so long after so many questions have come."""
    before = len(requests)
    process = start(desk.root, "--apply", env=os.environ)
    deadline = time.monotonic() + 60
    while len(requests) < before + many and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    time.sleep(wait_s)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def graph(desk: Desk) -> Tables:
    """All that the graph says but when it was asked, and what that took."""
    of_verdicts = "SELECT key, source, kind, target, answer, p_yes, confidence, judge, model FROM verdicts ORDER BY ALL"
    return {**desk.tables(), "verdicts": [repr(row) for row in desk.rows(of_verdicts)]}


def undisturbed(desk: Desk) -> None:
    """The same vault, imported with nobody in the way."""
    build(desk)
    with ScriptedServer(answer) as server:
        desk.point(server)
        desk.apply()
    desk.unplug()


def kill_and_go_on(begin: Begin, scripted: ServeScript, moments: list[tuple[int, float]]) -> None:
    wanted = graph(begin(undisturbed))
    shutil.rmtree(begin(undisturbed).root)
    desk = begin(build)
    server = scripted(answer)
    desk.point(server, timeout_s=60, concurrency=IN_FLIGHT)
    desk.close()
    for many, wait_s in moments:
        kill_after(desk, server.requests, many, wait_s)
    recorded = len(read_verdicts(desk.root).verdicts)
    # What the journal holds is known here; another machine has no journal, and must say the same of the vault.
    assert desk.json()["validation"]["to_ask"] == len(NAMES) - len(verdicts_with_journal(desk.root).verdicts)
    codes = [found["code"] for found in desk.json(command="check")]
    assert codes.count("candidate-pending") == len(NAMES) - recorded
    assert desk.apply().exit_code == 0
    counts = asked(server.requests)
    assert set(counts) == set(NAMES)
    # What was in flight at a kill may have been asked once more, and nothing else.
    assert sum(counts.values()) - len(NAMES) <= IN_FLIGHT * len(moments)
    assert not (desk.root / JOURNAL).exists()
    assert desk.states() == {"verified": 16, "rejected": 8}
    assert graph(desk) == wanted
    before = len(server.requests)
    assert desk.apply().exit_code == 0
    assert len(server.requests) == before


def test_a_kill_loses_no_verdict_that_was_given(begin: Begin, scripted: ServeScript) -> None:
    kill_and_go_on(begin, scripted, [(9, 0.0)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_kills_at_random_moments_lose_no_verdict(begin: Begin, scripted: ServeScript, seed: int) -> None:
    chance = random.Random(seed)
    # The last questions are followed by what is written of them.
    kill_and_go_on(begin, scripted, [(chance.randint(0, 24), chance.uniform(0, 0.3)) for _ in range(2)])


def test_a_line_cut_short_costs_only_itself(desk: Desk) -> None:
    (desk.root / ".kantenwerk").mkdir()
    verdict = read_verdicts(desk.root)
    assert verdict.verdicts == {}
    line = {
        **dict.fromkeys(("p_yes", "profile", "model", "prompt_hash", "tokens", "latency_ms")),
        "key": "k",
        "source": "A",
        "kind": "uses",
        "target": "B",
        "answer": "YES",
        "confidence": 1.0,
        "judge": "model",
        "evidence_hash": "e",
        "asked_at": "2026-01-01T00:00:00+00:00",
    }
    (desk.root / JOURNAL).write_text(json.dumps(line) + '\n{"key": "cut', "utf-8")
    found = read_verdicts(desk.root).verdicts
    assert found == {}
    fold_journal(desk.root)
    (kept,) = read_verdicts(desk.root).verdicts.values()
    append_verdict(desk.root, kept)
    fold_journal(desk.root)
    assert list(read_verdicts(desk.root).verdicts) == ["k"]
    assert not (desk.root / JOURNAL).exists()


def test_why_each_candidate_is_asked_about(begin: Begin, scripted: ServeScript) -> None:
    desk = begin(build)
    server = scripted(answer)
    desk.point(server, concurrency=8)
    assert "Target00 — nobody was asked yet" in desk.run("import", "--explain-calls").stdout
    desk.apply()
    said = desk.run("import", "--explain-calls").stdout
    assert "Calls:      0 questions" in said
    desk.write("Target01.md", "# Target01\n\nEin anderes Ziel.\n")
    said = desk.run("import", "--explain-calls").stdout
    assert "Calls:      1 question\n  A.md:" in said
    assert "depends_on:Target01 — its evidence is not what it was on 20" in said
    desk.apply()
    desk.write("Target01.md", "# Target01\n\nTarget01 ist ein Ziel.\n")
    desk.apply()
    assert "Calls:      0 questions" in desk.run("import", "--explain-calls").stdout
    desk.change(model="other")
    said = desk.run("import", "--explain-calls").stdout
    assert "Calls:      24 questions" in said
    assert said.count("now it is other") == 24


def test_tokens_are_a_budget(begin: Begin, scripted: ServeScript) -> None:
    desk = begin(build)
    server = scripted(answer)
    desk.point(server)
    desk.run("import", "--apply", "--max-tokens", "0")
    assert server.requests == []
    assert desk.states() == {"pending": 24}

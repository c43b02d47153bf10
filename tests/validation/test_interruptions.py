"""What ends an import early, or stands in its way, while models are asked."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import duckdb
import pytest
import typer

from kantenwerk.cli.guard import guarded
from kantenwerk.ingest.pipeline import run_import
from tests.servers.scripted import Received, Response, late, says
from tests.validation.desk import Desk, asks_about, note, start

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from tests.servers.scripted import ScriptedServer, ServeScript
    from tests.validation.conftest import Begin

QUICK, SLOW = ["T0", "T1", "T2"], ["T3", "T4", "T5"]


def answer(request: Received) -> Response:
    """At once about some, and not in this test's time about others."""
    return says("YES") if any(asks_about(request, name) for name in QUICK) else late(says("YES"), 60.0)


def build(desk: Desk) -> None:
    """Six candidates, imported while there was nobody to ask."""
    desk.write("A.md", note("A", "A braucht alle.", [f"depends_on:{name}" for name in QUICK + SLOW]))
    for name in QUICK + SLOW:
        desk.write(f"{name}.md", f"# {name}\n\n{name}.\n")
    desk.apply()


@pytest.fixture
def full(begin: Begin) -> Desk:
    """That vault."""
    return begin(build)


@pytest.fixture
def started(full: Desk) -> Iterator[Callable[[ScriptedServer], subprocess.Popen[str]]]:
    """Starts an import in a process of its own, waits until it waits for an answer, and ends it after the test."""
    running: list[subprocess.Popen[str]] = []

    def begin(server: ScriptedServer) -> subprocess.Popen[str]:
        full.point(server, timeout_s=60, concurrency=2)
        full.close()
        process = start(full.root, "--apply", env=os.environ)
        running.append(process)
        wait_until(lambda: len(server.requests) == 5)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.02)


def test_ctrl_c_keeps_what_was_answered(
    full: Desk, scripted: ServeScript, started: Callable[[ScriptedServer], subprocess.Popen[str]]
) -> None:
    server = scripted(answer)
    graph = full.database.read_bytes()
    process = started(server)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert time.monotonic() - begun < 10, "no call in flight is waited for"
    assert process.returncode == 130
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert full.database.read_bytes() == graph
    assert sorted(path.name for path in full.database.parent.glob("graph*")) == ["graph.duckdb"]
    lines = full.verdicts_file.read_text("utf-8").splitlines()
    assert len(lines) == 3
    assert full.states() == {"pending": 6}

    rest = scripted(says("YES"))
    full.point(rest)
    full.apply()
    assert len(rest.requests) == 3
    assert all(any(asks_about(request, name) for name in SLOW) for request in rest.requests)
    assert full.states() == {"verified": 6}
    assert set(lines) <= set(full.verdicts_file.read_text("utf-8").splitlines())


def test_two_imports_at_once(
    full: Desk, scripted: ServeScript, started: Callable[[ScriptedServer], subprocess.Popen[str]]
) -> None:
    process = started(scripted(answer))
    other = scripted(says("NO"))
    full.point(other)
    begun = time.monotonic()
    result = full.run("import", "--apply")
    assert time.monotonic() - begun < 3
    assert result.exit_code == 3
    assert str(process.pid) in result.stderr
    assert result.stdout == ""
    # Who only reads is not in anybody's way, and no lock of the database is held while models are asked.
    assert full.json()["validation"]["to_ask"] == 3, "the journal holds what was answered"
    assert full.run("check").exit_code == 0
    assert full.states() == {"pending": 6}
    assert other.requests == []
    # A kill leaves a lock file behind that locks nobody out, the graph as it was, and the verdicts given so far.
    process.kill()
    process.communicate()
    full.apply()
    assert full.states() == {"verified": 3, "rejected": 3}
    assert len(other.requests) == 3


def test_a_graph_that_cannot_be_written_costs_no_verdict(full: Desk, scripted: ServeScript) -> None:
    held: list[duckdb.DuckDBPyConnection] = []

    def hold(_request: Received) -> Response:
        # Somebody opens the graph while the model is asked.
        if not held:
            held.append(duckdb.connect(str(full.database), read_only=True))
        return says("YES")

    server = scripted(hold)
    full.point(server)
    result = full.run("import", "--apply")
    held[0].close()
    assert result.exit_code == 3
    assert "graph.duckdb" in result.stderr
    assert full.states() == {"pending": 6}
    full.apply()
    assert len(server.requests) == 6
    assert full.states() == {"verified": 6}


def test_a_bug_while_asking_costs_no_verdict(full: Desk, scripted: ServeScript) -> None:
    """Whatever ends a run: what was paid for is kept."""
    server = scripted(says("YES"))
    full.point(server)

    def fails(*args: object, **options: object) -> None:
        run_import(*args, **options)  # type: ignore[arg-type]
        raise RuntimeError("boom")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kantenwerk.cli.importing.run_import", fails)
        result = full.run("import", "--apply")
    assert result.exit_code == 70
    assert len(server.requests) == 6
    full.apply()
    assert len(server.requests) == 6
    assert full.states() == {"verified": 6}


def test_ctrl_c_at_a_question_is_an_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    @guarded
    def asks() -> None:
        try:
            raise KeyboardInterrupt  # noqa: TRY301
        except KeyboardInterrupt:
            # As typer's own questions do.
            raise typer.Abort  # noqa: B904

    with pytest.raises(typer.Exit) as ended:
        asks()
    assert ended.value.exit_code == 130
    assert "interrupted" in capsys.readouterr().err

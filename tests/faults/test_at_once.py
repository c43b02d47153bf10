"""Imports, readers, editors and answers at once, each a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from kantenwerk.graph.decisions import read_verdicts
from kantenwerk.graph.resolutions import read_resolutions
from tests.faults.commands import ANN, PENDING, WRITING
from tests.validation.desk import note, start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.validation.desk import Desk

# Saves notes as editors do, in place, by rename, in two steps, deleted and written anew, until its input ends.
EDITOR = """
import itertools, os, pathlib, sys, threading
root = pathlib.Path(sys.argv[1])
over = threading.Thread(target=sys.stdin.read)
over.start()
print(flush=True)
for number in itertools.takewhile(lambda _: over.is_alive(), itertools.count()):
    text = f"# E{number % 5}\\n\\n[[A]], [[E{(number + 1) % 5}]] und [[Neu {number % 7}]].\\n"
    file = root / f"E{number % 5}.md"
    match number % 4:
        case 0:
            file.write_text(text)
        case 1:
            new = file.with_suffix(".md.new")
            new.write_text(text)
            os.replace(new, file)
        case 2:
            with file.open("w") as out:
                out.write(text[:9])
                out.flush()
                out.write(text[9:])
        case 3:
            file.unlink(missing_ok=True)
            file.write_text(text)
"""

# Opens the graph, asks and closes it, until its input ends; another one's lock is all that may keep it from that.
READER = """
import duckdb, sys, threading
over = threading.Thread(target=sys.stdin.read)
over.start()
print(flush=True)
while over.is_alive():
    try:
        with duckdb.connect(sys.argv[1], read_only=True) as graph:
            graph.execute("SELECT count(*) FROM edges").fetchall()
    except duckdb.IOException as error:
        assert "lock" in str(error), error
"""


def begin(desk: Desk, *words: str) -> subprocess.Popen[str]:
    # A command of a command takes the option after it.
    front = 2 if words[0] == "resolutions" else 1
    options = [*words[:front], "--vault", str(desk.root), *words[front:]]
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "kantenwerk", *options]
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=os.environ)


@contextmanager
def editor(desk: Desk) -> Iterator[None]:
    """Let notes be saved all the time."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", EDITOR, str(desk.root)], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield


def ended(processes: list[subprocess.Popen[str]]) -> list[tuple[int, str]]:
    told = [process.communicate(timeout=60)[1] for process in processes]
    assert not any("Traceback" in text or "a bug" in text for text in told), told
    return [(process.returncode, text) for process, text in zip(processes, told, strict=True)]


def test_imports_beside_an_editor(desk: Desk) -> None:
    with editor(desk):
        for _ in range(6):
            # 1: a note was gone when it was to be read.
            assert desk.run("import", "--apply").exit_code in {0, 1}
            desk.close()
    desk.apply()
    assert {f"E{number}" for number in range(5)} <= {node for (node,) in desk.rows("SELECT id FROM notes")}
    assert desk.tables() == desk.rebuild()


def test_imports_at_once(desk: Desk) -> None:
    desk.close()
    results = ended([start(desk.root, "--apply", env=os.environ) for _ in range(3)])
    codes = sorted(code for code, _ in results)
    assert codes[0] == 0
    assert set(codes) <= {0, 3}
    for code, text in results:
        assert code == 0 or "another import writes this vault" in text or "is open in another process" in text
    assert desk.tables() == desk.rebuild()


def test_a_query_at_once_with_imports(desk: Desk) -> None:
    """Who comes too early is told by whom, and comes again."""
    desk.close()
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(desk.database)], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        for number in range(4):
            desk.write("B.md", f"# B\n\n[[A]] und [[Neu {number}]]\n")
            result = desk.run("import", "--apply")
            assert result.exit_code in {0, 3}
            assert result.exit_code == 0 or f"is open in another process (PID {reader.pid}, " in result.stderr
        stderr = reader.communicate()[1]
    assert reader.returncode == 0, stderr
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_answers_at_once(desk: Desk) -> None:
    """Each is recorded, or is told that it is not; none overwrites another."""
    names = [f"Ziel{number}" for number in range(4)]
    for name in names:
        desk.write(f"{name}.md", f"# {name}\n")
    desk.write("C.md", note("C", "C.", [f"uses:{name}" for name in names]))
    keys = [entry["key"] for entry in desk.json("--list", command="review") if entry["source"] == "C"]
    assert len(keys) == len(names)
    results = ended([begin(desk, "review", "--answer", f"{key}=yes") for key in keys])
    recorded = read_verdicts(desk.root).verdicts
    for key, (code, text) in zip(keys, results, strict=True):
        assert (code, key in recorded) == ((0, True) if code == 0 else (3, False))
        assert code == 0 or "another import writes this vault" in text
    assert any(code == 0 for code, _ in results)


@pytest.mark.parametrize("name", ["clarify --answer", "resolutions reject", "review --answer"])
def test_an_answer_beside_an_import(desk: Desk, name: str) -> None:
    desk.close()
    (imported, _), (answered, text) = ended([start(desk.root, "--apply", env=os.environ), begin(desk, *WRITING[name])])
    assert {imported, answered} <= {0, 3}
    is_recorded = {
        "clarify --answer": lambda: ("mention:julia", ANN) in read_resolutions(desk.root).recorded,
        "resolutions reject": lambda: bool(read_resolutions(desk.root).recorded),
        "review --answer": lambda: PENDING in read_verdicts(desk.root).verdicts,
    }[name]()
    assert is_recorded == (answered == 0) or "recorded all the same" in text
    desk.apply()
    assert desk.tables() == desk.rebuild()

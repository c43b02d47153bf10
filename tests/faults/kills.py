"""Imports that are killed: a vault that changes, the moments, and what must hold afterwards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, pairwise, repeat
from pathlib import Path

import duckdb

from kantenwerk.graph.decisions import read_verdicts
from kantenwerk.graph.resolutions import read_resolutions
from tests.servers.scripted import Received, Response, ScriptedServer, late, says
from tests.validation.desk import PUBLIC, asks_about, note

PARTS = ("start", "read", "ask", "decisions", "open", "rows", "commit", "close", "report")
"""The parts of an import in their order."""
WRITING = ("open", "rows", "commit", "close")
"""Those in which the database is open for writing."""
HOLDING = "Falkenhorst Holding International Online"
"""A note that `Falkenhorst` means only by its meaning, so that `decisions.yaml` changes."""
NOTES, TARGETS = 60, 12
_MARKED = str(Path(__file__).with_name("marked.py"))
_BESIDE = ("verdicts.jsonl", "decisions.yaml")
# When a verdict was given, and what that took, is another thing every time.
_QUERIES = {"verdicts": "SELECT key, source, kind, target, answer, confidence, judge, model FROM verdicts"}

State = dict[str, list[str]]


@dataclass(slots=True)
class Tally:
    """What many kills came to."""

    kills: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    asked_again: int = 0
    too_late: int = 0


def answer(request: Received) -> Response:
    """About every third NO, else YES."""
    number = next((number for number in range(TARGETS) if asks_about(request, f"Target{number}")), 0)
    return late(says("NO" if number % 3 == 0 else "YES"), 0.01)


def write_before(vault: Path) -> None:
    """Write the vault as it is before the change: notes that link each other, and candidates."""
    vault.mkdir(parents=True)
    for number in range(NOTES):
        text = f"# Note {number}\n\nSiehe [[Note {(number + 1) % NOTES}]], [[Nobody {number % 7}]] und [[Target1]].\n"
        (vault / f"Note {number}.md").write_text(text, "utf-8")
    for number in range(TARGETS):
        (vault / f"Target{number}.md").write_text(f"# Target{number}\n\nTarget{number} ist ein Ziel.\n", "utf-8")
    (vault / f"{HOLDING}.md").write_text(f"# {HOLDING}\n\nEine Firma.\n", "utf-8")
    (vault / "Pool.md").write_text(note("Pool", "Alle brauchen alles.", ["uses:Target0", "uses:Target1"]), "utf-8")


def change(vault: Path) -> None:
    """Change, add, rename and delete notes; there are candidates to ask about and a name to find by its meaning."""
    for number in range(0, NOTES, 2):
        text = f"# Note {number}\n\nJetzt [[Note {(number + 7) % NOTES}]] und > [[Nobody {number % 5}]].\n"
        (vault / f"Note {number}.md").write_text(text, "utf-8")
    (vault / "Note 1.md").unlink()
    (vault / "Pool.md").rename(vault / "Becken.md")
    pool = [f"depends_on:Target{number}" for number in range(TARGETS)]
    text = note("Mehr", "Alle hängen ab.", [*pool, "uses:Falkenhorst"])
    (vault / "Mehr.md").write_text(text, "utf-8")


@dataclass(frozen=True, slots=True)
class Scene:
    """A vault with a change that waits to be imported, the graph before and after, and how long an import takes."""

    vault: Path
    old: State
    new: State
    kept: frozenset[str]
    lasts: Mapping[str, float]
    questions: int


class Range:
    """Two scenes, an import with changes and a first one, and the kills of them.

    Args:
        folder: An empty folder to work in.
        server: Who is asked.
    """

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.server, self.tally = server, Tally()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KANTENWERK_", "OPENAI_"))}
        self.env = {
            **kept,
            "HOME": str(folder / "home"),
            "XDG_CONFIG_HOME": str(folder / "home"),
            "KANTENWERK_LLM_BASE_URL": server.base_url,
            "KANTENWERK_LLM_MODEL": "tiny",
            "KANTENWERK_RESOLUTION_SEMANTIC_BINDS": "true",
        }
        self.vault = folder / "vault"
        write_before(self.vault)
        self.first = self._scene(folder / "first", {})
        change(self.vault)
        self.later = self._scene(folder / "later", self.first.new)
        assert self.later.old.keys() == self.later.new.keys()
        assert not any(self.later.old[name] == self.later.new[name] for name in ("edges", *_BESIDE))

    def state(self) -> State:
        """Return all that the graph and the files beside the notes say; these must be whole."""
        verdicts, names = read_verdicts(self.vault), read_resolutions(self.vault)
        assert not verdicts.damaged
        assert not names.damaged
        said = [(one.key, one.source, one.kind, one.target, one.answer) for one in verdicts.verdicts.values()]
        decided = [(one.a, one.b, one.state, one.method) for one in names.recorded.values()]
        beside = [sorted(map(repr, rows)) for rows in (said, decided)]
        return graph(self.vault / ".kantenwerk" / "graph.duckdb") | dict(zip(_BESIDE, beside, strict=True))

    def kill(self, part: str | None, share: float, *, is_first: bool = False) -> None:
        """Kill an import after a share of one part of it, or of all of it; see what is left, and import again."""
        scene = self.first if is_first else self.later
        shutil.rmtree(self.vault)
        shutil.copytree(scene.vault, self.vault)
        asked = len(self.server.requests)
        wait = share * (sum(scene.lasts.values()) if part is None else scene.lasts[part])
        reached = self._run_until(part or PARTS[0], wait)
        if reached is None:
            self.tally.too_late += 1
        else:
            self.tally.kills[reached] += 1
        self._look(scene)
        done = subprocess.run(_command(self.vault), env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert self.state() == scene.new
        assert self._kept() == scene.kept, "a kill left something behind"
        self.tally.asked_again += len(self.server.requests) - asked - scene.questions

    def _look(self, scene: Scene) -> None:
        """Hold what a kill left against what was and what was to be."""
        found = self.state()
        for name in _BESIDE:
            assert found[name] in (scene.old.get(name, []), scene.new[name]), name
        stored = {name: rows for name, rows in found.items() if name not in _BESIDE}
        if stored == {name: rows for name, rows in scene.new.items() if name not in _BESIDE}:
            self.tally.left["new"] += 1
            # The graph is written last: it never says more than the files beside the notes.
            assert found == scene.new
        else:
            assert stored == {name: rows for name, rows in scene.old.items() if name not in _BESIDE}
            self.tally.left["old"] += 1

    def _scene(self, vault: Path, old: State) -> Scene:
        """Keep the vault as it stands, import, and return both with how long each part took."""
        shutil.copytree(self.vault, vault)
        asked = len(self.server.requests)
        with self._marked() as (process, marks):
            moments = [(PARTS[0], time.perf_counter())]
            moments.extend((name, time.perf_counter()) for name in marks)
            moments.append(("", time.perf_counter()))
            stderr = process.communicate()[1]
        assert process.returncode == 0, stderr
        assert tuple(name for name, _ in moments) == (*PARTS, "")
        lasts = {name: ended - begun for (name, begun), (_, ended) in pairwise(moments)}
        return Scene(vault, old, self.state(), self._kept(), lasts, len(self.server.requests) - asked)

    def _kept(self) -> frozenset[str]:
        return frozenset(path.name for path in (self.vault / ".kantenwerk").iterdir())

    def _run_until(self, part: str, wait_s: float) -> str | None:
        """Kill an import so long after the beginning of a part; return the part it was in, None if it was done."""
        with self._marked() as (process, marks):
            reached = PARTS[0]
            while reached != part:
                reached = next(marks)
            time.sleep(wait_s)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            reached = [reached, *marks][-1]
        return reached if process.returncode == -signal.SIGKILL else None

    @contextmanager
    def _marked(self) -> Iterator[tuple[subprocess.Popen[str], Iterator[str]]]:
        """Start an import that says where it is."""
        reading, writing = os.pipe()
        process = subprocess.Popen(
            _command(self.vault, _MARKED),
            env=self.env | {"MARKS": str(writing)},
            pass_fds=(writing,),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(writing)
        with os.fdopen(reading) as marks:
            yield process, (line.strip() for line in marks)


def moments(count: int, chance: random.Random) -> Iterator[tuple[str | None, float]]:
    """Yield when to kill: of three times one is any moment, one is in any part, one while the graph is written."""
    turns = (repeat(None), cycle(PARTS), cycle(WRITING))
    for number in range(count):
        yield next(turns[number % len(turns)]), chance.uniform(0, 1.1)


def graph(database: Path) -> State:
    """Return all that a graph says to the public; none says nothing."""
    if not database.exists():
        return {}
    with duckdb.connect(str(database), read_only=True) as connection:
        if not connection.execute("SHOW TABLES").fetchall():
            return {}
        return {
            name: sorted(map(repr, connection.execute(_QUERIES.get(name, f"SELECT * FROM {name}")).fetchall()))
            for name in PUBLIC
        }


def _command(vault: Path, *program: str) -> list[str]:
    return [sys.executable, *(program or ("-m", "kantenwerk")), "import", "--vault", str(vault), "--apply"]

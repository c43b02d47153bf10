"""A vault, an endpoint to ask, and the real command between them."""

from __future__ import annotations

import gc
import json
import logging
import os
import subprocess
import sys
import warnings
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from tests.engine import reading, share_duckdb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import duckdb
    from typer.testing import Result

    from kantenwerk.graph.model import Answer
    from tests.servers.scripted import Received, ScriptedServer

PREFIX = "KANTENWERK_LLM_"
QUICK = {f"{PREFIX}RETRIES": "0", f"{PREFIX}CONCURRENCY": "1", f"{PREFIX}TIMEOUT_S": "5"}
"""No waits for what does not come, and one question after the other, so that their order is known."""
EXACT = {"KANTENWERK_RESOLUTION_LEVEL": "exact"}
"""No name is searched for beyond those that notes carry."""
PUBLIC = (
    "notes",
    "mentions",
    "chunks",
    "links",
    "attachments",
    "edges",
    "resolutions",
    "embeddings",
    "verdicts",
    "findings",
    "entity_of",
    "entities",
    "entity_edges",
)
"""The tables of the design's section 7.1 but `imports`, which tells of runs and not of the vault."""

Triple = tuple[str, str, str]
Tables = dict[str, list[str]]


class Found(NamedTuple):
    """An edge as the database has it."""

    source: str
    kind: str
    target: str
    provenance: str
    rule_id: str
    confidence: float
    mirror: bool


class Stand(NamedTuple):
    """How a candidate stands in the database."""

    state: str
    verdict: str | None
    rule_id: str
    scope: str
    chunk: str | None


@dataclass(frozen=True, slots=True)
class Desk:
    """Works on one vault with the settings that the environment of the test gives."""

    root: Path
    patch: pytest.MonkeyPatch
    _readers: list[duckdb.DuckDBPyConnection] = field(default_factory=list)
    _open: ExitStack = field(default_factory=ExitStack)

    # --- before

    def write(self, path: str, text: str) -> None:
        """Write a note, or a file of `.kantenwerk`."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def point(self, server: ScriptedServer | str, **changes: object) -> None:
        """Ask this server from now on, with these keys of the profile changed."""
        self.change(base_url=server if isinstance(server, str) else server.base_url, **{"model": "tiny", **changes})

    def change(self, **changes: object) -> None:
        """Change keys of the profile."""
        for key, value in changes.items():
            self.patch.setenv(PREFIX + key.upper(), str(value))

    def unplug(self) -> None:
        """Configure no endpoint any more."""
        for key in ("BASE_URL", "MODEL"):
            self.patch.delenv(PREFIX + key, raising=False)

    # --- the command

    def run(self, command: str, *options: str) -> Result:
        """Run a command on the vault, in this process."""
        self.close()
        result = CliRunner().invoke(app, [command, "--vault", str(self.root), *options])
        assert "Traceback" not in result.output
        # `--verbose` talks for as long as the process lives, and the next command is in the same one.
        log = logging.getLogger("kantenwerk")
        log.handlers.clear()
        log.setLevel(logging.NOTSET)
        return result

    def apply(self, *options: str, code: int = 0) -> Result:
        """Import with --apply."""
        return self._import("--apply", *options, code=code)

    def preview(self, *options: str, code: int = 0) -> Result:
        """Import without writing."""
        return self._import(*options, code=code)

    def _import(self, *options: str, code: int) -> Result:
        result = self.run("import", *options)
        if result.exit_code != code:
            told = f"exit code {result.exit_code}, not {code}: {result.output}"
            del result
            # What a failed write leaves behind must not fail another test, whenever it is collected.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()
            pytest.fail(told)
        return result

    def json(self, *options: str, command: str = "import", code: int = 0) -> Any:  # noqa: ANN401 - JSON is anything
        """Run a command and read its JSON."""
        result = self.run(command, "--format", "json", *options)
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    # --- after

    @property
    def database(self) -> Path:
        """The graph's file."""
        return self.root / ".kantenwerk" / "graph.duckdb"

    @property
    def verdicts_file(self) -> Path:
        """The file of verdicts beside the notes."""
        return self.root / ".kantenwerk" / "verdicts.jsonl"

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the database, which stays open until the next command."""
        if not self._readers:
            self._readers.append(self._open.enter_context(reading(self.database)))
        return self._readers[0].execute(sql).fetchall()

    def close(self) -> None:
        """Close the database, so that others may write it."""
        self._readers.clear()
        self._open.close()

    def tables(self) -> Tables:
        """All that the graph says to the public."""
        return {name: sorted(map(repr, self.rows(f"SELECT * FROM {name}"))) for name in PUBLIC}

    def edges(self, *, mirror: bool | None = None) -> list[Found]:
        """All edges, or those that are mirrors, or those that are none."""
        where = "" if mirror is None else f"WHERE mirror = {mirror}"
        return [
            Found(*row)
            for row in self.rows(
                f"SELECT source, kind, target, provenance, rule_id, confidence, mirror FROM edges {where} ORDER BY ALL"
            )
        ]

    def triples(self) -> set[Triple]:
        """The edges that are no mirrors."""
        return {(edge.source, edge.kind, edge.target) for edge in self.edges(mirror=False)}

    def stand(self, written: str, source: str | None = None) -> Stand:
        """How the one candidate with this target stands."""
        where = f"written = '{written}'" + (f" AND source = '{source}'" if source else "")
        found = self.rows(f"SELECT state, verdict, rule_id, scope, chunk FROM links WHERE candidate AND {where}")
        assert len(found) == 1, found
        return Stand(*found[0])

    def states(self) -> Counter[str]:
        """How many candidates stand in which state."""
        return Counter(state for (state,) in self.rows("SELECT state FROM links WHERE candidate"))

    def codes(self, path: str | None = None) -> Counter[str]:
        """The codes of the stored findings."""
        where = f"WHERE path = '{path}'" if path else ""
        return Counter(code for (code,) in self.rows(f"SELECT code FROM findings {where}"))

    def verdicts(self) -> list[dict[str, Any]]:
        """The verdicts beside the notes, checked to be those in the database."""
        kept = read_lines(self.verdicts_file)
        if self.database.exists():
            stored = self.rows("SELECT key, source, kind, target, answer, judge FROM verdicts")
            assert sorted(stored) == sorted(
                tuple(line[name] for name in ("key", "source", "kind", "target", "answer", "judge")) for line in kept
            )
        return kept

    def answers(self) -> list[str]:
        """What the recorded verdicts say."""
        return sorted(line["answer"] for line in self.verdicts())

    def rebuild(self, *options: str, code: int = 0) -> Tables:
        """Delete the database, import again, and return what the graph says then."""
        self.forget()
        self.apply(*options, code=code)
        return self.tables()

    def forget(self) -> None:
        """Delete the database."""
        self.close()
        self.database.unlink()

    def judge(self, source: str, kind: str, target: str, answer: Answer = "YES") -> None:
        """Let a person answer a candidate that has been imported, as the text file holds it."""
        from kantenwerk.ingest.validate.prompt import claim_key  # noqa: PLC0415 - with what it takes to start

        found = self.rows(
            f"SELECT evidence_hash FROM links WHERE candidate AND source = '{source}' AND kind = '{kind}' "
            f"AND target = '{target}'"
        )
        line = {
            "key": claim_key(source, kind, target),
            "source": source,
            "kind": kind,
            "target": target,
            "answer": answer,
            "p_yes": None,
            "confidence": 1.0,
            "judge": "person",
            "profile": None,
            "model": None,
            "prompt_hash": None,
            "evidence_hash": found[0][0],
            "asked_at": "2026-01-02T03:04:05+00:00",
            "tokens": None,
            "latency_ms": None,
        }
        self.add_lines(json.dumps(line, sort_keys=True))

    def add_lines(self, *lines: str) -> None:
        """Append lines to the file of verdicts."""
        self.verdicts_file.parent.mkdir(exist_ok=True)
        with self.verdicts_file.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)


@contextmanager
def new_desk(
    folder: Path,
    patch: pytest.MonkeyPatch,
    settings: Mapping[str, str],
    *,
    home: str = "home",
    shares_duckdb: bool = True,
) -> Iterator[Desk]:
    """A desk with an empty vault, no endpoint, a home of its own, and these settings and no others."""
    if shares_duckdb:
        share_duckdb(patch)
    for name in tuple(os.environ):
        if name.startswith("KANTENWERK_") or name in {"OPENAI_API_KEY", "EDITOR", "VISUAL"}:
            patch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        patch.setenv(name, str(folder / home))
    for name, value in settings.items():
        patch.setenv(name, value)
    root = folder / "vault"
    root.mkdir(exist_ok=True)
    desk = Desk(root, patch)
    yield desk
    desk.close()


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines; none is no lines."""
    if not path.exists():
        return []
    return [cast("dict[str, Any]", json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def note(title: str, text: str, candidates: Iterable[str], heading: str = "Candidates") -> str:
    """A note with one section of text and its candidates (scope chunk)."""
    lines = "\n".join(f"- {candidate}" for candidate in candidates)
    return f"# {title}\n\n## Grund\n\n{text}\n\n### {heading}\n\n{lines}\n"


def asks_about(request: Received, name: str) -> bool:
    """Tell whether a request is about the target with this name."""
    target = request.prompt.partition("TARGET")[2].partition("RELATION")[0]
    return name in target.split()


def tree(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Everything below a folder, with kinds, times and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        stat = path.lstat()
        kind = "folder" if path.is_dir() else "file"
        found[str(path.relative_to(folder))] = (
            f"{kind} {stat.st_mtime_ns} {stat.st_mode}",
            path.read_bytes() if path.is_file() else b"",
        )
    return found


def start(root: Path, *options: str, env: Mapping[str, str], encoding: str = "utf-8") -> subprocess.Popen[str]:
    """Start the command as a process of its own."""
    command = [sys.executable, "-m", "kantenwerk", "import", "--vault", str(root), *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=env, encoding=encoding)

"""A vault on disk that is changed step by step, its imports, and the tables that they leave."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar
from unittest import mock

import pytest

from kantenwerk.config import Config, Profile, VaultError, load_config
from kantenwerk.graph.decisions import VERDICTS, read_verdicts, write_verdicts
from kantenwerk.graph.model import Verdict
from kantenwerk.graph.plan import Plan, TableChange
from kantenwerk.graph.resolutions import write_resolutions
from kantenwerk.graph.rows import edge_row
from kantenwerk.graph.store import SCHEMA_VERSION, ImportRecord, apply_plan, open_snapshot
from kantenwerk.ingest.changes import Reading
from kantenwerk.ingest.pipeline import ImportResult, run_import
from kantenwerk.ingest.resolve.embedder import Vector
from kantenwerk.ingest.validate.judge import Asking
from kantenwerk.ingest.validate.outcome import AskingResult, Failed, Outcome, Question, Said, Unproven
from tests.engine import reading, share_duckdb

FOLDER = ".kantenwerk"
DATABASE = f"{FOLDER}/graph.duckdb"
# A file system in memory, where there is one: every example writes some databases.
_FAST = Path("/dev/shm")

# The tables that must be the same however a graph came about, with their columns. `imports` tells of the way, and
# of `files` only the content counts.
TABLES: Mapping[str, str] = {
    "notes": "*",
    "mentions": "*",
    "chunks": "*",
    "links": "*",
    "attachments": "*",
    "edges": "*",
    "resolutions": "*",
    "verdicts": "*",
    "findings": "*",
    "entity_of": "*",
    "files": "path, content_hash",
    "other_files": "*",
    "names": "*",
    "name_parts": "*",
    "written": "*",
    "meta": "*",
}
# A file read within two seconds of its last change is read again by the next import, which no test wants to wait for.
_LATER_NS = 60_000_000_000
Tables = dict[str, list[str]]
Row = tuple[Any, ...]
T = TypeVar("T")


def sorted_rows(rows: Iterable[Row]) -> list[str]:
    return sorted(map(repr, rows))


def rows_of(database: Path, *queries: str) -> list[list[Row]]:
    """Return the rows of each query; without a database there are none."""
    if not database.exists():
        return [[] for _ in queries]
    with reading(database) as connection:
        return [connection.execute(query).fetchall() for query in queries]


def stored_tables(database: Path) -> Tables:
    """Return all rows of the tables above, sorted."""
    with reading(database) as connection:
        return {
            table: sorted_rows(connection.execute(f"SELECT {columns} FROM {table}").fetchall())
            for table, columns in TABLES.items()
        }


def planned_tables(plan: Plan) -> Tables:
    """Return what the tables hold once a plan is written into an empty database."""
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    for change in plan.tables:
        rows.setdefault(change.table, []).extend(change.rows)
    rows["edges"] = [edge_row(edge) for edge in plan.edges.insertions]
    rows["files"] = [(path, digest) for path, _, _, _, digest in rows["files"]]
    rows["meta"] = [*plan.meta, ("schema_version", SCHEMA_VERSION)]
    spellings: dict[str, list[str]] = {}
    for _, _, written, target, *_ in rows["links"]:
        if target is not None and target.startswith("mention:"):
            spellings.setdefault(target, []).append(re.sub(r"\.md$", "", written, flags=re.IGNORECASE))
    rows["mentions"] = [(mention, min(names)) for mention, names in spellings.items()]
    return {table: sorted_rows(rows[table]) for table in TABLES}


def assert_same_plan(left: Plan, right: Plan) -> None:
    """Fail where two plans write different things; the order of rows is none of them."""
    assert (left.notes, left.edges, left.meta) == (right.notes, right.edges, right.meta)
    assert list(map(_content, left.tables)) == list(map(_content, right.tables))


def _content(change: TableChange) -> tuple[str, str | None, list[str], list[str]]:
    rows = [row[:1] + row[4:] if change.table == "files" else row for row in change.rows]
    return change.table, change.stage, sorted(change.owners), sorted_rows(rows)


def assert_equal(left: Tables, right: Tables, names: tuple[str, str]) -> None:
    """Fail with the rows that only one of two databases has."""
    lines: list[str] = []
    for table in TABLES:
        if left[table] != right[table]:
            for rows, others, name in ((left, right, names[0]), (right, left, names[1])):
                only = list(rows[table])
                for row in others[table]:
                    if row in only:
                        only.remove(row)
                lines.extend(f"{table}, {name} only: {row}" for row in only)
    if lines:
        pytest.fail("\n".join(lines))


@contextmanager
def new_vault() -> Iterator[Vault]:
    """An empty vault in a temporary folder; the clock runs ahead, so that stamps count at once."""
    with (
        tempfile.TemporaryDirectory(dir=_FAST if _FAST.is_dir() else None) as folder,
        pytest.MonkeyPatch.context() as patch,
        mock.patch("kantenwerk.ingest.scan.time", SimpleNamespace(time_ns=lambda: time.time_ns() + _LATER_NS)),
    ):
        share_duckdb(patch)
        yield Vault(Path(folder) / "vault")


@dataclass(slots=True)
class Vault:
    """A vault's folder and its database."""

    root: Path
    databases: int = 0
    asked: list[str] = field(default_factory=list)

    @property
    def database(self) -> Path:
        return self.root / DATABASE

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode(errors="surrogateescape") if isinstance(content, str) else content)

    def read(self, path: str) -> str | None:
        file = self.root / path
        return file.read_bytes().decode(errors="surrogateescape") if file.is_file() else None

    def delete(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)

    def move(self, old: str, new: str) -> None:
        source, target = self.root / old, self.root / new
        if source.is_file() and source != target:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)

    def config(self) -> Config:
        return load_config(self.root, environ={}, overrides={"resolution.semantic_threshold.default": 0.6})

    def plan(self, database: Path | None, *, ask: bool = False, verify: bool = False) -> ImportResult:
        """Return what an import into a database would write; None is a database without anything in it."""
        asking = Asking(self._answer, b"secret", lambda _verdict: None) if ask else None
        return run_import(
            self.root,
            self.config(),
            lambda: open_snapshot(database or self.root / FOLDER / "none.duckdb"),
            asking=asking,
            embedder=Letters(),
            reading=Reading(verify=verify),
        )

    def apply(self, result: ImportResult, database: Path) -> None:
        write_verdicts(self.root, result.verdicts)
        write_resolutions(self.root, result.resolutions)
        now = datetime.now(UTC)
        apply_plan(database, result.plan, ImportRecord(now, now, "0", 0, 0))

    def new_database(self) -> Path:
        self.databases += 1
        return self.root / FOLDER / f"other{self.databases}.duckdb"

    def _answer(
        self,
        questions: Iterable[Question],
        profile: Profile,
        *,
        on_outcome: Callable[[str, Outcome], None],
        on_start: Callable[[str], None],
    ) -> AskingResult:
        """A model that says the same whenever it is asked the same, and is out of order for some questions."""
        outcomes: dict[str, Outcome] = {}
        for question in questions:
            self.asked.append(question.key)
            on_start(question.key)
            outcomes[question.key] = _outcome(question.key, profile.model or "")
            on_outcome(question.key, outcomes[question.key])
        return AskingResult(outcomes, calls=len(outcomes))

    def record(self, verdict: Verdict) -> None:
        """Append a verdict to the file, as another program or a merge would."""
        line = json.dumps(asdict(verdict), ensure_ascii=False)
        self.write(VERDICTS, f"{self.read(VERDICTS) or ''}{line}\n")

    def forget(self, number: int, file: str = VERDICTS) -> None:
        """Delete one line of a file of decisions."""
        lines = (self.read(file) or "").splitlines(keepends=True)
        if lines:
            del lines[number % len(lines)]
            self.write(file, "".join(lines))

    def recorded(self) -> dict[str, Verdict]:
        return read_verdicts(self.root).verdicts


class Letters:
    """Embeds a text as how often it has each letter, so that names of the same letters mean the same."""

    model = "letters"
    version = "1"

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return [tuple(float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz") for text in texts]


def _outcome(key: str, model: str) -> Outcome:
    said = hashlib.sha256(f"{key} {model}".encode()).digest()[0] % 6
    match said:
        case 0 | 1:
            return Said("YES", None, 0.75 + said / 10, model, 7, 1)
        case 2:
            return Said("NO", None, 0.9, model, 7, 1)
        case 3:
            return Said("UNSURE", 0.5, 0.5, model, 7, 1)
        case 4:
            return Unproven("it was out of reach")
        case _:
            return Failed("it talked nonsense")


def or_refusal(run: Callable[[], T]) -> T | str:
    """Return what `run` returns, or the sentence with which it refuses a vault without notes."""
    try:
        return run()
    except VaultError as error:
        return str(error)

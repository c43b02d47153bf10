"""The DuckDB file: opened to read a snapshot, and written in the one transaction that applies a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kantenwerk.config.errors import QueryError, StoreError, advice_on, told
from kantenwerk.graph.model import Edge
from kantenwerk.graph.plan import Plan, Row, TableChange
from kantenwerk.graph.rows import edge_row
from kantenwerk.graph.snapshot import Snapshot, fetched

if TYPE_CHECKING:
    from kantenwerk.graph.exports.model import Choice
    from kantenwerk.graph.exports.stored import StoredExport
    from kantenwerk.graph.queries import StoredGraph

SCHEMA_VERSION = "3"
_Options = dict[str, str | bool | int | float | list[str]]
# DuckDB 1.5 and later open files of this storage version.
_STORAGE = "v1.5.0"
_FOREIGN = "{path} is a DuckDB file of another program: name another file with --db"
_ANEW = "the next `import --apply` builds it anew from the notes and the decisions beside them"
# A file that is shorter is what a kill left of the three blocks that a new one begins with.
_SHORTEST = 3 * 4096
# What a query of somebody else's may do: read this file, and nothing else on the machine.
_CONFINED: _Options = {
    "enable_external_access": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
}
# The rows that are handed to the database at once: more take memory, fewer take time.
_FLUSHED = 2_000
# What the database may hold in memory while it writes; the rest waits in a folder beside it until the commit.
_WRITING: _Options = {"memory_limit": "32MiB", "threads": 2}
# Quicker than `SHOW ALL TABLES`, which looks up the columns too.
_ANYTHING = "SELECT 1 FROM duckdb_tables() UNION ALL SELECT 1 FROM duckdb_views() WHERE NOT internal"
# A mention lives as long as a link speaks of it; of several spellings it has the first in order.
_MENTIONS = (
    "INSERT INTO mentions SELECT target, min(regexp_replace(written, '\\.md$', '', 'i')) FROM links "
    "WHERE {} GROUP BY target"
)
_NO_ROOM = re.compile("failed to pin block|Out of Memory Error")
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """What one import did, for the table `imports`."""

    started_at: datetime
    finished_at: datetime
    version: str
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gives: the names of its columns, and its rows as they come."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


@contextmanager
def open_snapshot(path: Path, *, may_be_none: bool = True) -> Iterator[Snapshot]:
    """Open the database read-only; one that is not there is empty, or an error.

    Raises:
        StoreError: it is damaged, of another version, or another process is writing it; or there is no graph yet.
    """
    with _opened(path) as connection:
        yield Snapshot(connection if may_be_none else _there(connection, path))


@contextmanager
def open_graph(path: Path) -> Iterator[StoredGraph]:
    """Open the database read-only, for people who ask it.

    Raises:
        StoreError: the same; or there is no graph yet.
    """
    from kantenwerk.graph.queries import StoredGraph  # noqa: PLC0415 - an import has no use for it

    with _opened(path) as connection:
        yield StoredGraph(_there(connection, path))


@contextmanager
def open_query(path: Path, query: str) -> Iterator[QueryResult]:
    """Run one query that may read the graph and nothing else: no file, no network, no extension, no variable.

    Raises:
        QueryError: it cannot be run.
        StoreError: as for `open_graph`.
    """
    with _opened(path, _CONFINED) as opened:
        connection = _there(opened, path)
        with _told():
            statements = connection.extract_statements(query)
            if len(statements) != 1:
                raise QueryError(f"{'several queries' if statements else 'no query'}: write one")
            connection.execute(statements[0])
        yield QueryResult(tuple(column[0] for column in connection.description or ()), _fetched(connection))


def _fetched(connection: duckdb.DuckDBPyConnection) -> Iterator[Row]:
    with _told():
        yield from fetched(connection)


@contextmanager
def _told() -> Iterator[None]:
    """Raise what the database says of a query in a sentence."""
    try:
        yield
    except duckdb.Error as error:
        # Below stands the query once more.
        said, _, rest = str(error).partition("\n\nLINE ")
        line = rest.partition(":")[0]
        place = f" (line {line})" if line.isdecimal() and line != "1" else ""
        raise QueryError(" ".join(said.split()).rstrip(".!?") + place) from error


@contextmanager
def open_export(path: Path, choice: Choice) -> Iterator[StoredExport]:
    """Open the database read-only to export what is chosen.

    Raises:
        StoreError: as for `open_graph`; or a file cannot be written.
    """
    from kantenwerk.graph.exports.stored import StoredExport  # noqa: PLC0415 - an import has no use for it

    with _opened(path) as connection:
        try:
            yield StoredExport(_there(connection, path), choice)
        except duckdb.IOException as error:
            raise StoreError(f"{path}: the export was not written: {_sentence(error)}") from error


def _there(connection: duckdb.DuckDBPyConnection | None, path: Path) -> duckdb.DuckDBPyConnection:
    if connection is None:
        raise StoreError(f"{path}: there is no graph yet: run `kantenwerk import --apply` first")
    return connection


@contextmanager
def _opened(path: Path, confined: _Options | None = None) -> Iterator[duckdb.DuckDBPyConnection | None]:
    """Open a database read-only; None where it holds no graph yet."""
    if _is_empty(path):
        yield None
        return
    connection = _connect(path, read_only=True, more=confined)
    try:
        yield connection if _has_graph(connection, path) else None
    except duckdb.Error as error:
        raise StoreError(_read_error(path, error)) from error
    finally:
        connection.close()


def has_log(path: Path) -> bool:
    """Tell whether a killed import left its log beside the database, which the next one that writes folds in."""
    return path.with_name(f"{path.name}.wal").exists()


def apply_plan(path: Path, plan: Plan, record: ImportRecord | None) -> None:
    """Write a plan in one transaction: all of it or, whatever happens, nothing.

    `record` is None where it comes from no import, but from a person's decision.

    Raises:
        StoreError: the database cannot be opened or written.
    """
    if _is_empty(path):
        path.resolve().unlink(missing_ok=True)
    try:
        try:
            _write(path, plan, record, _WRITING)
        except duckdb.Error as error:
            if not _NO_ROOM.search(str(error)):
                raise
            # Some thousand rows are in memory at once, however long their texts are.
            _write(path, plan, record, {})
    except duckdb.Error as error:
        raise StoreError(_write_error(path, error)) from error


def _write(path: Path, plan: Plan, record: ImportRecord | None, more: _Options) -> None:
    connection = _connect(path, read_only=False, more=more)
    _sweep(path)
    try:
        # Asked before the transaction begins, for a failed question would abort it.
        is_new = not _has_graph(connection, path)
        connection.begin()
        if is_new:
            _create(connection)
        _Writer(connection, is_new=is_new).write(plan, record)
        connection.commit()
    finally:
        connection.close()


def _sweep(path: Path) -> None:
    """Remove what a killed import left of what waited beside the database."""
    folder = path.with_name(f"{path.name}.tmp")
    with suppress(OSError):
        for file in folder.glob("duckdb_temp_*"):
            file.unlink()
        folder.rmdir()


class _Writer:
    """Writes a plan's rows with the appender; runs inside a transaction. `is_new` says that nothing is stored yet."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, is_new: bool) -> None:
        self._connection, self._is_new = connection, is_new

    def write(self, plan: Plan, record: ImportRecord | None) -> None:
        touched = set() if self._is_new else self._touched_mentions(plan)
        for change in plan.tables:
            self._change_table(change)
        self._delete_edges(plan.edges.deletions)
        self._append("edges", map(edge_row, plan.edges.insertions))
        if self._is_new:
            self._connection.execute(_MENTIONS.format("starts_with(target, 'mention:')"))
        else:
            self._rebuild_mentions(touched | self._touched_mentions(plan))
        if plan.meta:
            names = [name for name, _ in plan.meta]
            self._connection.execute("DELETE FROM meta WHERE name IN (SELECT unnest(?::VARCHAR[]))", [names])
            self._append("meta", plan.meta)
        if record is not None:
            self._record(plan, record)

    def _change_table(self, change: TableChange) -> None:
        if change.owners:
            narrowed = f"stage = '{change.stage}' AND" if change.stage else ""
            self._connection.execute(
                f"DELETE FROM {change.table} WHERE {narrowed} {change.column} "  # noqa: S608 - names from the code
                "IN (SELECT unnest(?::VARCHAR[]))",
                [list(change.owners)],
            )
        self._append(change.table, change.rows)

    def _append(self, table: str, rows: Iterable[Row]) -> None:
        appender = self._connection.appender(table)
        waiting = iter(rows)
        try:
            while batch := list(islice(waiting, _FLUSHED)):
                appender.append_rows(batch)
                # Without it the rows are lost in silence.
                appender.flush()
        except duckdb.Error:
            appender.clear()
            raise

    def _delete_edges(self, edges: tuple[Edge, ...]) -> None:
        if not edges:
            return
        self._connection.execute("CREATE TEMP TABLE doomed (source VARCHAR, kind VARCHAR, target VARCHAR)")
        self._append("doomed", (edge.triple for edge in edges))
        self._connection.execute(
            "DELETE FROM edges USING doomed WHERE edges.source = doomed.source AND edges.kind = doomed.kind "
            "AND edges.target = doomed.target"
        )
        self._connection.execute("DROP TABLE doomed")

    def _touched_mentions(self, plan: Plan) -> set[str]:
        """Return the mentions that the changed notes' links speak of, before or after the change."""
        change = next((change for change in plan.tables if change.table == "links"), None)
        if change is None or not change:
            return set()
        return Snapshot(self._connection).mentions_of({*change.owners, *change.fresh})

    def _rebuild_mentions(self, mentions: set[str]) -> None:
        if not mentions:
            return
        touched = [sorted(mentions)]
        self._connection.execute("DELETE FROM mentions WHERE id IN (SELECT unnest(?::VARCHAR[]))", touched)
        self._connection.execute(_MENTIONS.format("target IN (SELECT unnest(?::VARCHAR[]))"), touched)

    def _record(self, plan: Plan, record: ImportRecord) -> None:
        notes, edges = plan.notes, plan.edges
        self._connection.execute(
            "INSERT INTO imports SELECT coalesce(max(id), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM imports",
            [
                record.started_at,
                record.finished_at,
                record.version,
                len(notes.added),
                len(notes.changed),
                len(notes.removed),
                len(edges.added),
                len(edges.changed),
                len(edges.removed),
                record.calls,
                record.tokens,
            ],
        )


def _connect(path: Path, *, read_only: bool, more: _Options | None = None) -> duckdb.DuckDBPyConnection:
    config: _Options = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        **(more or {}),
    }
    if not read_only:
        config["storage_compatibility_version"] = _STORAGE
    try:
        return duckdb.connect(str(path), read_only=read_only, config=config)
    except duckdb.Error as error:
        raise StoreError(_open_error(path, error)) from error


def _is_empty(path: Path) -> bool:
    """Tell whether there is no database, or nothing but the beginning of one whose making was killed.

    Raises:
        StoreError: it cannot be told.
    """
    try:
        if not path.exists():
            return True
        if not path.is_file() or path.stat().st_size >= _SHORTEST:
            return False
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {told(error)}") from error
    return not head or head[8:] == b"DUCK"


def _open_error(path: Path, error: duckdb.Error) -> str:
    if path.is_dir():
        return f"{path} is a folder, not a database: name a file with --db"
    if not path.parent.is_dir():
        return f"{path}: the folder {path.parent} does not exist"
    if path.is_file() and not _is_duckdb(path):
        return f"{path} is no DuckDB database: name another file with --db"
    if held := _HOLDER.search(str(error)):
        return (
            f"{path} is open in another process (PID {held['pid']}, {held['program']}): "
            "close it there, or wait until it is done"
        )
    for mode, verb in (("rb", "read"), ("r+b", "written")):
        if path.exists() and (refused := _refusal(path, mode)):
            return f"{path} cannot be {verb}: {told(refused)}"
    return f"{path} cannot be opened ({_sentence(error)}). If it is damaged, delete it: {_ANEW}"


def _read_error(path: Path, error: duckdb.Error) -> str:
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        return (
            f"{path} lacks a table or a column of a graph of version {SCHEMA_VERSION} ({_sentence(error)}): "
            f"delete it, and {_ANEW}"
        )
    return f"{path} cannot be read ({_sentence(error)}). If it is damaged, delete it: {_ANEW}"


def _write_error(path: Path, error: duckdb.Error) -> str:
    advice = advice_on(str(error))
    todo = f": {advice}" if advice else f". If it is damaged, delete it: {_ANEW}"
    return f"{path}: the graph was not written and is as it was: {_sentence(error)}{todo}"


def _refusal(path: Path, mode: str) -> OSError | None:
    try:
        with path.open(mode):
            return None
    except OSError as error:
        return error


def _is_duckdb(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return True


def _sentence(error: Exception) -> str:
    return str(error).splitlines()[0].strip().rstrip(".!?")


def _create(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(files("kantenwerk.graph").joinpath("schema.sql").read_text("utf-8"))
    connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", [SCHEMA_VERSION])


def _has_graph(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Tell whether the file holds a graph; it does not when it is new, or when its first import was killed.

    Raises:
        StoreError: it holds something else, or a graph of another version.
    """
    try:
        # Read to the end: an appender refuses a connection with an unfinished result.
        rows = connection.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        if not connection.execute(_ANYTHING).fetchall():
            return False
        raise StoreError(_FOREIGN.format(path=path)) from None
    if rows != [(SCHEMA_VERSION,)]:
        raise StoreError(_version_error(path, [str(version) for (version,) in rows]))
    return True


def _version_error(path: Path, found: list[str]) -> str:
    known = f"this kantenwerk knows version {SCHEMA_VERSION}"
    if len(found) != 1 or not found[0].isdecimal():
        return f"{path} does not say which schema version it has; {known}: delete it, and {_ANEW}"
    if int(found[0]) < int(SCHEMA_VERSION):
        return f"{path} has schema version {found[0]}, of an older kantenwerk; {known}: delete it, and {_ANEW}"
    return f"{path} has schema version {found[0]}, {known}: update kantenwerk, or delete the file and import again"

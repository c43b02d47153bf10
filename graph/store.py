"""The DuckDB file: a snapshot to read from, and the one transaction that writes a plan."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb

from kantenwerk.config import StoreError
from kantenwerk.graph.model import Edge, Finding, ParsedNote
from kantenwerk.graph.plan import Plan, Row, TableChange
from kantenwerk.graph.rows import chunk_of, edge_row, finding_of, written_of

SCHEMA_VERSION = "1"
# DuckDB 1.5 and later open files of this storage version.
_STORAGE = "v1.5.0"
_EDGES = "SELECT source, kind, target, provenance, rule_id, confidence, scope, chunk, line, verdict, mirror FROM edges"
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """What one import did, for the table `imports`."""

    started_at: datetime
    finished_at: datetime
    version: str
    calls: int
    tokens: int


class Snapshot:
    """The stored graph as an import reads it; without a database everything is empty."""

    def __init__(self, connection: duckdb.DuckDBPyConnection | None) -> None:
        self._connection = connection

    def _rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        if self._connection is None:
            return []
        return self._connection.execute(sql, list(parameters)).fetchall()

    def _groups(self, sql: str, owners: Collection[str]) -> dict[str, tuple[Row, ...]]:
        """Return the rows of a query whose first column is the owner, grouped by it."""
        found = _grouped(self._rows(sql, list(owners))) if owners else {}
        return {owner: tuple(rows) for owner, rows in found.items()}

    def meta(self) -> dict[str, str]:
        """Return the named values that the last import left."""
        return dict(self._rows("SELECT name, value FROM meta"))

    def stamps(self) -> dict[str, tuple[int, int, int, str]]:
        """Return size, mtime, ctime and content hash of every file, by path."""
        rows = self._rows("SELECT path, size, mtime_ns, ctime_ns, content_hash FROM files")
        return {path: (size, mtime, ctime, digest) for path, size, mtime, ctime, digest in rows}

    def note_ids(self) -> dict[str, str]:
        """Return every note's id, by path."""
        return dict(self._rows("SELECT path, id FROM notes"))

    def declared_ids(self) -> dict[str, str]:
        """Return the ids that frontmatters declare, by path."""
        return dict(self._rows("SELECT path, declared_id FROM notes WHERE declared_id IS NOT NULL"))

    def other_files(self) -> frozenset[str]:
        """Return the paths of the files that are no notes."""
        return frozenset(path for (path,) in self._rows("SELECT path FROM other_files"))

    def names_of(self, nodes: Collection[str]) -> list[tuple[str, str, str, str]]:
        """Return note, key, role and path of all names of some notes."""
        return self._in("SELECT note, key, role, path FROM names WHERE note", nodes)

    def names_under(self, keys: Collection[str]) -> list[tuple[str, str, str, str]]:
        """Return note, key, role and path of all names with one of these keys."""
        return self._in("SELECT note, key, role, path FROM names WHERE key", keys)

    def speakers_of(self, keys: Collection[str]) -> set[str]:
        """Return the notes with a link whose name has one of these keys."""
        found = self._in("SELECT DISTINCT note FROM written WHERE whole_key", keys)
        found = [*found, *self._in("SELECT DISTINCT note FROM written WHERE last_key", keys)]
        return {note for (note,) in found}

    def linkers_to(self, nodes: Collection[str], *, candidates_only: bool = False) -> set[str]:
        """Return the notes with a link to one of these nodes."""
        narrowed = "candidate AND" if candidates_only else ""
        return {s for (s,) in self._in(f"SELECT DISTINCT source FROM links WHERE {narrowed} target", nodes)}  # noqa: S608

    def candidate_sources(self, states: Collection[str] | None = None) -> set[str]:
        """Return the notes with candidates, or with candidates in one of these states."""
        if states is None:
            return {s for (s,) in self._rows("SELECT DISTINCT source FROM links WHERE candidate")}
        found = self._in("SELECT DISTINCT source FROM links WHERE candidate AND state", states)
        return {source for (source,) in found}

    def prior_candidates(self, nodes: Collection[str]) -> dict[tuple[tuple[str, str, str], str | None], str]:
        """Return the state of some notes' candidates, by claim (source, kind, target) and evidence hash."""
        rows = self._in(
            "SELECT source, kind, target, evidence_hash, state FROM links WHERE candidate AND target IS NOT NULL "
            "AND source",
            nodes,
        )
        return {((source, kind, target), digest): state for source, kind, target, digest, state in rows}

    def candidate_states(self, without: Collection[str]) -> dict[str, int]:
        """Return how many candidates are in which state, those of some notes left out."""
        sql = (
            "SELECT state, count(*) FROM links WHERE candidate "
            "AND source NOT IN (SELECT unnest(?::VARCHAR[])) GROUP BY ALL"
        )
        return dict(self._rows(sql, list(without)))

    def candidate_triples(self) -> list[tuple[str, str, str, str | None]]:
        """Return source, kind, target and evidence hash of every candidate that means a node."""
        return self._rows(
            "SELECT source, kind, target, evidence_hash FROM links WHERE candidate AND target IS NOT NULL"
        )

    def parsed_notes(self, nodes: Collection[str]) -> dict[str, ParsedNote]:
        """Return notes as they were parsed, by id, without their findings (those stay as they are)."""
        chunks = self._groups(
            "SELECT note, ordinal, heading_path, first_line, last_line, text FROM chunks "
            "WHERE note IN (SELECT unnest(?::VARCHAR[])) ORDER BY note, first_line, ordinal",
            nodes,
        )
        written = self._groups(
            "SELECT note, kind, written, anchor, candidate, rule_id, scope, chunk, line, relative FROM written "
            "WHERE note IN (SELECT unnest(?::VARCHAR[])) ORDER BY note, rowid",
            nodes,
        )
        rows = self._in(
            "SELECT id, path, declared_id, title, aliases, type, summary, content_hash, headings FROM notes WHERE id",
            nodes,
        )
        return {
            node: ParsedNote(
                path=path,
                declared_id=declared,
                title=title,
                aliases=tuple(aliases),
                type=note_type,
                summary=summary,
                content_hash=digest,
                headings=tuple(headings),
                chunks=tuple(map(chunk_of, chunks.get(node, ()))),
                links=tuple(map(written_of, written.get(node, ()))),
                findings=(),
            )
            for node, path, declared, title, aliases, note_type, summary, digest, headings in rows
        }

    def faces(self, nodes: Collection[str]) -> dict[str, tuple[str, tuple[str, ...], str, str]]:
        """Return title, aliases, summary and path of some notes."""
        rows = self._in("SELECT id, title, aliases, summary, path FROM notes WHERE id", nodes)
        return {node: (title, tuple(aliases), summary, path) for node, title, aliases, summary, path in rows}

    def headings(self, nodes: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the heading keys of some notes."""
        rows = self._in("SELECT id, headings FROM notes WHERE id", nodes)
        return {node: tuple(headings) for node, headings in rows}

    def edges_of(self, nodes: Collection[str]) -> list[Edge]:
        """Return the edges that some notes say, and the mirrors at either end of these notes."""
        return self._edges(
            "(NOT mirror AND source IN (SELECT unnest($1::VARCHAR[]))) OR (mirror AND "
            "(source IN (SELECT unnest($1::VARCHAR[])) OR target IN (SELECT unnest($1::VARCHAR[]))))",
            nodes,
        )

    def edges_into(self, nodes: Collection[str]) -> list[Edge]:
        """Return the edges that lead to some notes, without mirrors."""
        return self._edges("NOT mirror AND target IN (SELECT unnest($1::VARCHAR[]))", nodes)

    def candidates_between(self, sources: Collection[str], targets: Collection[str]) -> set[str]:
        """Return those of `sources` that have a candidate to one of `targets`."""
        if not sources or not targets:
            return set()
        rows = self._rows(
            "SELECT DISTINCT source FROM links WHERE candidate AND source IN (SELECT unnest(?::VARCHAR[])) "
            "AND target IN (SELECT unnest(?::VARCHAR[]))",
            list(sources),
            list(targets),
        )
        return {source for (source,) in rows}

    def all_rows(self, table: str, column: str) -> dict[str, tuple[Row, ...]]:
        """Return all rows of a table by the value of one column."""
        return {
            owner: tuple(rows)
            for owner, rows in _grouped(self._rows(f"SELECT {column}, * FROM {table}")).items()  # noqa: S608
        }

    def rows_of(
        self, table: str, column: str, owners: Collection[str], stage: str | None = None
    ) -> dict[str, tuple[Row, ...]]:
        """Return whole rows of a table by the value of one column."""
        return self._owned(table, column, owners, stage)

    def stage_rows(self, stage: str) -> dict[str, tuple[Row, ...]]:
        """Return the rows of all findings of one stage, by path."""
        rows = self._rows("SELECT path, * FROM findings WHERE stage = ?", stage)
        return {path: tuple(found) for path, found in _grouped(rows).items()}

    def findings_by_stage(self) -> dict[tuple[str, str], list[Finding]]:
        """Return all findings, by stage and path."""
        found: dict[tuple[str, str], list[Finding]] = defaultdict(list)
        for row in self._rows("SELECT code, severity, path, line, message, help, stage FROM findings"):
            found[row[6], row[2]].append(finding_of(row))
        return found

    def _owned(
        self, table: str, column: str, owners: Collection[str], stage: str | None = None
    ) -> dict[str, tuple[Row, ...]]:
        narrowed = f"stage = '{stage}' AND" if stage else ""
        return self._groups(
            f"SELECT {column}, * FROM {table} WHERE {narrowed} {column} IN (SELECT unnest(?::VARCHAR[]))",  # noqa: S608
            owners,
        )

    def _edges(self, where: str, nodes: Collection[str]) -> list[Edge]:
        if not nodes:
            return []
        return [Edge(*row) for row in self._rows(f"{_EDGES} WHERE {where}", list(nodes))]

    def _in(self, sql: str, values: Collection[str]) -> list[tuple[Any, ...]]:
        return self._rows(f"{sql} IN (SELECT unnest(?::VARCHAR[]))", list(values)) if values else []


@contextmanager
def open_snapshot(path: Path) -> Iterator[Snapshot]:
    """Open the database read-only; one that is not there is empty.

    Raises:
        StoreError: it is damaged, of another version, or another process is writing it.
    """
    if not path.exists():
        yield Snapshot(None)
        return
    connection = _connect(path, read_only=True)
    try:
        yield Snapshot(connection if _has_graph(connection, path) else None)
    finally:
        connection.close()


def apply_plan(path: Path, plan: Plan, record: ImportRecord) -> None:
    """Write a plan in one transaction: all of it or, whatever happens, nothing.

    Raises:
        StoreError: the database cannot be opened or written.
    """
    connection = _connect(path, read_only=False)
    try:
        connection.begin()
        if not _has_graph(connection, path):
            _create(connection)
        _Writer(connection).write(plan, record)
        connection.commit()
    except duckdb.Error as error:
        raise StoreError(f"{path}: the graph was not written and is as it was: {_sentence(error)}") from error
    finally:
        connection.close()


class _Writer:
    """Writes a plan's rows with the appender; runs inside a transaction."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def write(self, plan: Plan, record: ImportRecord) -> None:
        touched = self._touched_mentions(plan)
        for change in plan.tables:
            self._change_table(change)
        self._delete_edges(plan.edges.deletions)
        self._append("edges", map(edge_row, plan.edges.insertions))
        touched |= self._touched_mentions(plan)
        self._rebuild_mentions(touched)
        if plan.meta:
            names = [name for name, _ in plan.meta]
            self._connection.execute("DELETE FROM meta WHERE name IN (SELECT unnest(?::VARCHAR[]))", [names])
            self._append("meta", plan.meta)
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
        try:
            appender.append_rows(rows)
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
        sources = {str(owner) for owner in change.owners} | {str(row[0]) for row in change.rows}
        rows = self._connection.execute(
            "SELECT DISTINCT target FROM links WHERE starts_with(target, 'mention:') "
            "AND source IN (SELECT unnest(?::VARCHAR[]))",
            [list(sources)],
        ).fetchall()
        return {target for (target,) in rows}

    def _rebuild_mentions(self, mentions: set[str]) -> None:
        """A mention lives as long as a link speaks of it; of several spellings it has the first in order."""
        if not mentions:
            return
        touched = [sorted(mentions)]
        self._connection.execute("DELETE FROM mentions WHERE id IN (SELECT unnest(?::VARCHAR[]))", touched)
        self._connection.execute(
            "INSERT INTO mentions SELECT target, min(regexp_replace(written, '\\.md$', '', 'i')) FROM links "
            "WHERE target IN (SELECT unnest(?::VARCHAR[])) GROUP BY target",
            touched,
        )

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


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for owner, *row in rows:
        groups[owner].append(tuple(row))
    return groups


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if not read_only:
        config["storage_compatibility_version"] = _STORAGE
    try:
        return duckdb.connect(str(path), read_only=read_only, config=config)
    except duckdb.Error as error:
        raise StoreError(_open_error(path, error)) from error


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
    return (
        f"{path} cannot be opened ({_sentence(error)}). If it is damaged, delete it: "
        "the next `import --apply` builds it anew from the notes and the decisions beside them"
    )


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
    tables = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    if not tables:
        return False
    # Read to the end: an appender refuses a connection with an unfinished result.
    rows = []
    if "meta" in tables:
        rows = connection.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchall()
    if not rows:
        raise StoreError(f"{path} is a DuckDB file of another program: name another file with --db")
    if rows != [(SCHEMA_VERSION,)]:
        raise StoreError(
            f"{path} has schema version {rows[0][0]}, this kantenwerk knows version {SCHEMA_VERSION}: "
            "update kantenwerk, or delete the file and import again"
        )
    return True

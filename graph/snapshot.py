"""The stored graph as an import reads it, in set operations; knows the tables, and not the database's library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

from kantenwerk.graph.model import Edge, ParsedNote, Resolution, Verdict, WrittenLink
from kantenwerk.graph.name_parts import StoredNameParts
from kantenwerk.graph.plan import Row
from kantenwerk.graph.rows import NoteNaming, chunk_of

# The columns of an `Edge` and of a `Verdict`, in the order of their fields.
EDGE = "source, kind, target, provenance, rule_id, confidence, scope, chunk, line, verdict, mirror"
VERDICT = (
    "key, source, kind, target, answer, p_yes, confidence, judge, profile, model, prompt_hash, evidence_hash, "
    "asked_at, tokens, latency_ms"
)
# As a range, so that a graph without unproven edges need not be searched for them.
UNPROVEN = "provenance >= 'candidate:' AND provenance < 'candidate;'"
_BATCH = 1000
_EDGES = f"SELECT {EDGE} FROM edges"  # noqa: S608
Keep = Callable[[list[Row]], Sequence[Row]]


class Result(Protocol):
    """What a query gives."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""

    def fetchmany(self, size: int, /) -> list[tuple[Any, ...]]:
        """Return the next rows, none at the end."""


class Reader(Protocol):
    """A connection that can be asked."""

    def execute(self, query: str, parameters: object = ..., /) -> Result:
        """Run a query."""


def fetched(result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query, few of which are in memory at once."""
    while rows := result.fetchmany(_BATCH):
        yield from rows


class Snapshot:
    """The stored graph as an import reads it; without a database everything is empty."""

    def __init__(self, connection: Reader | None) -> None:
        self._connection = connection

    def _rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        if self._connection is None:
            return []
        return self._connection.execute(sql, list(parameters)).fetchall()

    def _each(self, sql: str, *parameters: object) -> Iterator[tuple[Any, ...]]:
        """Yield rows, few of which are in memory at once."""
        if self._connection is not None:
            yield from fetched(self._connection.execute(sql, list(parameters)))

    def _groups(self, sql: str, *parameters: object, keep: Keep = tuple) -> dict[str, Sequence[Row]]:
        """Return the rows of a query whose first column is the owner, grouped by it."""
        found: dict[str, Sequence[Row]] = {}
        # Nobody's rows need not be asked for.
        for owner, group in groupby(self._each(sql, *parameters) if all(parameters) else (), key=itemgetter(0)):
            rows = [row[1:] for row in group]
            # Most owners' rows lie together.
            found[owner] = keep([*found.get(owner, ()), *rows])
        return found

    def meta(self) -> dict[str, str]:
        """Return the named values that the last import left."""
        return dict(self._rows("SELECT name, value FROM meta"))

    def stamps(self) -> dict[str, tuple[int, int, int]]:
        """Return size, mtime and ctime of every file, by path."""
        rows = self._rows("SELECT path, size, mtime_ns, ctime_ns FROM files")
        return {row[0]: row[1:] for row in rows}

    def content_hashes(self, paths: Collection[str]) -> dict[str, str]:
        """Return the content hash of some files, by path."""
        return dict(self._in("SELECT path, content_hash FROM files WHERE path", paths))

    def note_ids(self) -> dict[str, str]:
        """Return every note's id, by path."""
        return dict(self._rows("SELECT path, id FROM notes"))

    def ids_of(self, paths: Collection[str]) -> dict[str, tuple[str, str | None]]:
        """Return the ids of some notes and those that they declare, by path."""
        rows = self._in("SELECT path, id, declared_id FROM notes WHERE path", paths)
        return {path: (node, declared) for path, node, declared in rows}

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

    def all_names(self) -> list[tuple[str, str, str, str]]:
        """Return note, key, role and path of all names."""
        return self._rows("SELECT note, key, role, path FROM names")

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

    def stated_triples(self, nodes: Collection[str]) -> list[tuple[str, str, str]]:
        """Return source, kind and target of what some notes state."""
        return self._in("SELECT source, kind, target FROM links WHERE state = 'explicit' AND source", nodes)

    def parsed_notes(self, nodes: Collection[str]) -> dict[str, ParsedNote]:
        """Return notes as they were parsed, by id, without their findings (those stay as they are)."""
        chunks = self._groups(
            "SELECT note, ordinal, heading_path, first_line, last_line, text FROM chunks "
            "WHERE note IN (SELECT unnest(?::VARCHAR[])) ORDER BY note, first_line, ordinal",
            list(nodes),
        )
        written = self._groups(
            "SELECT note, kind, written, anchor, candidate, rule_id, scope, chunk, line, relative FROM written "
            "WHERE note IN (SELECT unnest(?::VARCHAR[])) ORDER BY note, rowid",
            list(nodes),
        )
        rows = self._in(
            "SELECT id, path, declared_id, title, aliases, type, summary, content_hash, headings, interface FROM notes "
            "WHERE id",
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
                interface=interface,
                chunks=tuple(map(chunk_of, chunks.get(node, ()))),
                links=tuple(map(WrittenLink._make, written.get(node, ()))),
                findings=(),
            )
            for node, path, declared, title, aliases, note_type, summary, digest, headings, interface in rows
        }

    def faces(self, nodes: Collection[str]) -> dict[str, tuple[str, tuple[str, ...], str, str]]:
        """Return title, aliases, summary and path of some notes."""
        rows = self._in("SELECT id, title, aliases, summary, path FROM notes WHERE id", nodes)
        return {node: (title, tuple(aliases), summary, path) for node, title, aliases, summary, path in rows}

    def note_names(self, nodes: Collection[str] | None = None) -> list[NoteNaming]:
        """Return what all notes are called, or some."""
        sql = "SELECT id, path, title, aliases, declared_id, interface FROM notes"
        rows = self._rows(sql) if nodes is None else self._in(f"{sql} WHERE id", nodes)
        return [NoteNaming(node, path, title, tuple(aliases), *rest) for node, path, title, aliases, *rest in rows]

    def name_parts(self, without: Collection[str]) -> StoredNameParts:
        """Return the names of all notes but some, of which a search reads no more than it needs."""
        return StoredNameParts(self._rows, without)

    def mentions_of(self, nodes: Collection[str]) -> set[str]:
        """Return the mentions that some notes have links to."""
        found = self._in("SELECT DISTINCT target FROM links WHERE starts_with(target, 'mention:') AND source", nodes)
        return {mention for (mention,) in found}

    def mention_uses(self, mentions: Collection[str] | None = None) -> list[tuple[str, str, str, str, bool]]:
        """Return source, its path, mention, name as written and whether it is explicit, of links to mentions."""
        sql = "SELECT DISTINCT source, path, target, written, NOT candidate FROM links JOIN notes ON notes.id = source"
        if mentions is None:
            return self._rows(f"{sql} WHERE starts_with(target, 'mention:')")
        return self._in(f"{sql} WHERE target", mentions)

    def homeless_candidates(self) -> list[tuple[str, str, str, str]]:
        """Return source, its path, name as written and state of all candidates that mean no node."""
        return self._rows(
            "SELECT DISTINCT source, path, written, state FROM links JOIN notes ON notes.id = source "
            "WHERE candidate AND target IS NULL AND state IN ('unresolved', 'ambiguous', 'failed')"
        )

    def resolutions(self) -> dict[str, tuple[Resolution, ...]]:
        """Return all resolutions, by the node that they are of."""
        found: dict[str, list[Resolution]] = defaultdict(list)
        for row in self._rows("SELECT a, b, method, score, state, model, reason, decided_by FROM resolutions"):
            found[row[0]].append(Resolution(*row))
        return {node: tuple(rows) for node, rows in found.items()}

    def entities(self) -> dict[str, str]:
        """Return the entity of every node that a resolution joins to another."""
        return dict(self._rows("SELECT node, entity FROM entity_of"))

    def lacks_embeddings(self) -> bool:
        """Tell whether a text could not be embedded by the last import that tried."""
        return bool(self._rows("SELECT 1 FROM embeddings WHERE vector IS NULL LIMIT 1"))

    def embeddings(self) -> list[tuple[str, str, str, tuple[float, ...] | None]]:
        """Return name, model, version and vector of all embeddings; a vector that could not be made is None."""
        rows = self._rows("SELECT name, model, version, vector FROM embeddings")
        return [(name, model, version, tuple(vector) if vector else None) for name, model, version, vector in rows]

    def headings(self, nodes: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the heading keys of some notes."""
        rows = self._in("SELECT id, headings FROM notes WHERE id", nodes)
        return {node: tuple(headings) for node, headings in rows}

    def edges_around(self, nodes: Collection[str], unmirrored: Collection[str] | None) -> list[Edge]:
        """Return the edges that some notes say or that lead to them, and the mirrors at either end of these notes.

        Args:
            nodes: The ids of the notes.
            unmirrored: The kinds whose edges had no mirror when they were stored, None where that is not known.
        """
        to_them = "target IN (SELECT unnest(?::VARCHAR[]))"
        own = self._edges("source IN (SELECT unnest(?::VARCHAR[]))", nodes)
        # Edges are stored by source, and to search them by target takes ten times as long. What leads to a note has
        # its mirror there, or an edge in its place; but for unproven edges and some kinds.
        ends = {edge.target for edge in own}.difference(nodes)
        found = [*own, *self._edges(f"source IN (SELECT unnest(?::VARCHAR[])) AND {to_them}", ends, nodes)]
        if unmirrored is None:
            found += self._edges(f"NOT mirror AND {to_them}", nodes)
        else:
            found += self._edges(f"{UNPROVEN} AND {to_them}", nodes)
            of_kinds = f"NOT mirror AND kind IN (SELECT unnest(?::VARCHAR[])) AND {to_them}"
            found += self._edges(of_kinds, unmirrored, nodes)
        return list({edge.triple: edge for edge in found}.values())

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

    def all_nodes(self) -> list[tuple[str, str, str | None, str | None, list[str]]]:
        """Return id, name, path, type and aliases of all notes and mentions, in order; mentions have only a name."""
        return self._rows(
            "SELECT id, title, path, type, aliases FROM notes "
            "UNION ALL SELECT id, name, NULL, NULL, [] FROM mentions ORDER BY id"
        )

    def all_edges(self) -> Iterator[Edge]:
        """Yield all edges, in order."""
        return map(Edge._make, self._each(f"{_EDGES} ORDER BY source, kind, target"))

    def all_verdicts(self) -> list[Verdict]:
        """Return all verdicts, in order."""
        rows = self._rows(f"SELECT {VERDICT} FROM verdicts ORDER BY key")  # noqa: S608
        return [Verdict(*row) for row in rows]

    def all_rows(self, table: str, column: str) -> dict[str, Sequence[Row]]:
        """Return all rows of a table by the value of one column."""
        return self._groups(f"SELECT {column}, * FROM {table}")  # noqa: S608

    def rows_of(
        self, table: str, column: str, owners: Collection[str], stage: str | None = None, keep: Keep = tuple
    ) -> dict[str, Sequence[Row]]:
        """Return whole rows of a table by the value of one column, those of an owner as `keep` keeps them."""
        narrowed = f"stage = '{stage}' AND" if stage else ""
        return self._groups(
            f"SELECT {column}, * FROM {table} WHERE {narrowed} {column} IN (SELECT unnest(?::VARCHAR[]))",  # noqa: S608
            list(owners),
            keep=keep,
        )

    def stage_rows(self, stage: str) -> dict[str, Sequence[Row]]:
        """Return the rows of all findings of one stage, by path."""
        return self._groups("SELECT path, * FROM findings WHERE stage = ?", stage)

    def findings(self, codes: Collection[str] | None = None) -> list[Row]:
        """Return the rows of all findings or those of some codes, their stage behind what `finding_of` reads."""
        sql = "SELECT code, severity, path, line, message, help, stage FROM findings"
        return self._rows(sql) if codes is None else self._in(f"{sql} WHERE code", codes)

    def finding_counts(self) -> dict[tuple[str, str], int]:
        """Return how many findings there are of each code and severity."""
        rows = self._rows("SELECT code, severity, count(*) FROM findings GROUP BY ALL")
        return {(code, severity): count for code, severity, count in rows}

    def _edges(self, where: str, *nodes: Collection[str]) -> list[Edge]:
        if not all(nodes):
            return []
        return [Edge(*row) for row in self._rows(f"{_EDGES} WHERE {where}", *map(list, nodes))]

    def _in(self, sql: str, values: Collection[str]) -> list[tuple[Any, ...]]:
        return self._rows(f"{sql} IN (SELECT unnest(?::VARCHAR[]))", list(values)) if values else []

"""The stored graph as people ask it: nodes, edges, what is behind them, ways; knows the tables, not their library."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from kantenwerk.config.names import nfc, without_extension
from kantenwerk.graph.model import MENTION, Edge, Finding, Link, Resolution, Verdict, is_mention, scope_of
from kantenwerk.graph.rows import finding_of
from kantenwerk.graph.snapshot import EDGE, UNPROVEN, VERDICT, Snapshot

_LINK = "source, kind, written, target, candidate, state, rule_id, scope, chunk, line, verdict, evidence_hash"
# The nodes of some entities: what they are called after, and what resolutions join to that.
_HERE = (
    "here AS (SELECT node, entity FROM entity_of WHERE entity IN (SELECT unnest($1::VARCHAR[])) "
    "UNION SELECT e, e FROM (SELECT unnest($1::VARCHAR[]) AS e))"
)
# A search by source is quick, for edges are stored in that order, and finds by their mirrors what points here as well.
_OUT = (
    "SELECT here.entity AS here, target AS node, kind, NOT mirror AS is_forward, mirror AS is_read_back "
    "FROM edges JOIN here ON source = here.node"
)
_IN = (
    "SELECT here.entity, source, kind, false, false FROM edges JOIN here ON target = here.node "
    "WHERE NOT mirror AND {without_mirror}"
)


@dataclass(frozen=True, slots=True)
class Node:
    """A note or a mention, with what it is called: a note by its path without `.md`, a mention as it is written."""

    id: str
    name: str
    title: str
    path: str | None = None
    type: str | None = None
    aliases: tuple[str, ...] = ()
    summary: str = ""
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """An edge as it is walked from one entity to another; `is_forward` says that it points this way."""

    here: str
    there: str
    kind: str
    is_forward: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """Which edges are walked.

    Args:
        inverse: Gives the kind of the same relation read from the other side.
        unmirrored: The kinds whose edges have no mirror.
        kinds: Only these and their inverses; None for all.
    """

    inverse: Callable[[str], str]
    unmirrored: tuple[str, ...] = ()
    kinds: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much a graph holds."""

    notes: int
    mentions: int
    links: int
    edges: dict[str, int]
    candidates: dict[str, int]
    resolutions: dict[str, int]
    questions: int
    findings: dict[str, int]


@dataclass(frozen=True, slots=True)
class ImportRow:
    """When an import was written, and by which version."""

    id: int
    started_at: datetime
    finished_at: datetime
    version: str


class StoredGraph(Snapshot):
    """The stored graph as people ask it."""

    def nodes(self, ids: Collection[str]) -> dict[str, Node]:
        """Return notes and mentions by id; a mention that no edge leads to is called by its key."""
        notes = self._in("SELECT id, path, title, type, aliases, summary, content_hash FROM notes WHERE id", ids)
        names = dict(self._in("SELECT id, name FROM mentions WHERE id", ids))
        found = {
            node: Node(node, without_extension(nfc(path)), title, path, note_type, tuple(aliases), summary, digest)
            for node, path, title, note_type, aliases, summary, digest in notes
        }
        for node in ids:
            if is_mention(node) and node not in found:
                name = names.get(node) or (scope_of(node) or (node,))[0].removeprefix(MENTION)
                found[node] = Node(node, name, name)
        return found

    def has_mention(self, mention: str) -> bool:
        """Tell whether a link or a resolution speaks of a mention."""
        found = "SELECT 1 FROM mentions WHERE id = $1 UNION ALL SELECT 1 FROM resolutions WHERE a = $1 LIMIT 1"
        return bool(self._rows(found, mention))

    def mention_names(self) -> list[str]:
        """Return the names of all mentions."""
        return [name for (name,) in self._rows("SELECT DISTINCT name FROM mentions")]

    def entities_of(self, nodes: Collection[str]) -> dict[str, str]:
        """Return the entity of each of some nodes, which is the node itself where nothing is joined to it."""
        return {node: node for node in nodes} | dict(self._in("SELECT node, entity FROM entity_of WHERE node", nodes))

    def members(self, entity: str) -> tuple[str, ...]:
        """Return the nodes of an entity: the one after which it is called, then the others in order."""
        others = self._rows("SELECT node FROM entity_of WHERE entity = $1 AND node <> $1 ORDER BY node", entity)
        return (entity, *(node for (node,) in others))

    def kinds(self) -> list[str]:
        """Return the kinds of all edges and links."""
        return [kind for (kind,) in self._rows("SELECT kind FROM edges UNION SELECT kind FROM links")]

    def edges_at(self, nodes: Collection[str]) -> list[Edge]:
        """Return the edges that begin or end at some nodes, mirrors among them, in order."""
        of = "IN (SELECT unnest($1::VARCHAR[]))"
        return self._ordered_edges(f"source {of} OR target {of}", nodes)

    def edges_between(self, sources: Collection[str], targets: Collection[str]) -> list[Edge]:
        """Return the edges from some nodes to others, mirrors among them, in order."""
        where = "source IN (SELECT unnest($1::VARCHAR[])) AND target IN (SELECT unnest($2::VARCHAR[]))"
        return self._ordered_edges(where, sources, targets)

    def _ordered_edges(self, where: str, *nodes: Collection[str]) -> list[Edge]:
        rows = self._rows(f"SELECT {EDGE} FROM edges WHERE {where} ORDER BY source, kind, target", *map(list, nodes))  # noqa: S608
        return [Edge(*row) for row in rows]

    def links_from(self, nodes: Collection[str]) -> list[tuple[Link, bool]]:
        """Return the links of some notes in order, and of each whether it is looked up from the note's folder first."""
        rows = self._in(
            f"SELECT {_LINK}, coalesce((SELECT bool_or(w.relative) FROM written w WHERE w.note = l.source "  # noqa: S608
            "AND w.line = l.line AND w.written = l.written AND w.rule_id = l.rule_id), false) "
            "FROM links l WHERE source",
            nodes,
        )
        found = [(Link(*row[:-1]), bool(row[-1])) for row in rows]
        return sorted(found, key=lambda pair: (pair[0].source, pair[0].line, pair[0].kind, pair[0].written))

    def verdicts(self, keys: Collection[str]) -> dict[str, Verdict]:
        """Return verdicts by key."""
        return {row[0]: Verdict(*row) for row in self._in(f"SELECT {VERDICT} FROM verdicts WHERE key", keys)}  # noqa: S608

    def resolutions_of(self, nodes: Collection[str]) -> list[Resolution]:
        """Return the resolutions in which some nodes are one of the two, in order."""
        of = "IN (SELECT unnest($1::VARCHAR[]))"
        rows = self._rows(
            "SELECT a, b, method, score, state, model, reason, decided_by FROM resolutions "  # noqa: S608 - only `of`
            f"WHERE a {of} OR b {of}",
            list(nodes),
        )
        return sorted((Resolution(*row) for row in rows), key=lambda row: (row.a, row.b))

    def findings_in(self, paths: Collection[str]) -> list[Finding]:
        """Return the findings of some files, by line."""
        rows = self._in("SELECT code, severity, path, line, message, help FROM findings WHERE path", paths)
        return sorted(map(finding_of, rows))

    def sizes(self) -> Sizes:
        """Return how much the graph holds, and how much waits for somebody."""
        ((notes, mentions, links, questions),) = self._rows(
            "SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM mentions), (SELECT count(*) FROM links), "
            # A name is told of once a link; the message begins with it.
            "(SELECT count(DISTINCT regexp_extract(message, '^`(.*?)` ', 1)) FROM findings "
            "WHERE code = 'ambiguous-target')"
        )
        return Sizes(
            notes=notes,
            mentions=mentions,
            links=links,
            edges=self._counted("provenance FROM edges"),
            candidates=self._counted("state FROM links WHERE candidate"),
            resolutions=self._counted("state FROM resolutions"),
            questions=questions,
            findings=self._counted("severity FROM findings"),
        )

    def _counted(self, column: str) -> dict[str, int]:
        """Return how many rows have each value of a column, the most frequent first."""
        name = column.partition(" ")[0]
        return dict(self._rows(f"SELECT {name}, count(*) FROM (SELECT {column}) GROUP BY 1 ORDER BY 2 DESC, 1"))  # noqa: S608

    def last_import(self) -> ImportRow | None:
        """Return the last import that was written, None where the graph was never imported."""
        rows = self._rows(
            "SELECT id, epoch(started_at), epoch(finished_at), version FROM imports ORDER BY id DESC LIMIT 1"
        )
        # As seconds, for the database's own times need the zones of the machine.
        moments = [(one, *(datetime.fromtimestamp(at, UTC) for at in times), by) for one, *times, by in rows]
        return ImportRow(*moments[0]) if moments else None

    def steps(self, entities: Collection[str], walk: Walk) -> list[Step]:
        """Return the edges from some entities to others, in either direction, each once and in order."""
        lists: list[list[str]] = [list(entities)]

        def listed(values: Collection[str]) -> str:
            lists.append(sorted(values))
            return f"(SELECT unnest(${len(lists)}::VARCHAR[]))"

        parts = [_OUT, _IN.format(without_mirror=UNPROVEN)]
        if walk.unmirrored:
            parts.append(_IN.format(without_mirror=f"kind IN {listed(walk.unmirrored)}"))
        only = "" if walk.kinds is None else f"AND kind IN {listed(walk.kinds)}"
        rows = self._rows(
            f"WITH {_HERE}, walked AS ({' UNION ALL '.join(parts)}) "  # noqa: S608 - parts from above
            "SELECT DISTINCT here, coalesce(entity, walked.node) AS there, kind, is_forward, is_read_back FROM walked "
            f"LEFT JOIN entity_of ON entity_of.node = walked.node WHERE there <> here {only}",
            *lists,
        )
        found = {
            Step(here, there, walk.inverse(kind) if is_read_back else kind, is_forward)
            for here, there, kind, is_forward, is_read_back in rows
        }
        return sorted(found, key=lambda step: (step.here, step.there, not step.is_forward, step.kind))

"""The difference between the graph that the notes say and the graph that is stored. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from kantenwerk.graph.model import Edge

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class EdgeChanges:
    """Edges to write and to delete; `shifted` differ in line, chunk or a mirror's scope, which nobody is shown."""

    added: Sequence[Edge] = ()
    removed: tuple[Edge, ...] = ()
    changed: tuple[tuple[Edge, Edge], ...] = ()
    shifted: tuple[tuple[Edge, Edge], ...] = ()

    @property
    def deletions(self) -> tuple[Edge, ...]:
        """The stored edges that go, also those that come back changed."""
        return (*self.removed, *(old for old, _ in (*self.changed, *self.shifted)))

    @property
    def insertions(self) -> Iterator[Edge]:
        """The edges to insert after the deletions."""
        return chain(self.added, (new for _, new in chain(self.changed, self.shifted)))


@dataclass(frozen=True, slots=True)
class TableChange:
    """Rows of one table, grouped by owner: the stored rows of `owners` go, those of `fresh` come.

    `column` holds the owner; `rows_of` makes an owner's rows whenever they are read, so that those of a large vault are
    never in memory at once; `stage` narrows the findings to those of one step.
    """

    table: str
    column: str
    owners: tuple[str, ...]
    fresh: tuple[str, ...]
    rows_of: Callable[[str], Iterable[Row]]
    stage: str | None = None

    @property
    def rows(self) -> Iterator[Row]:
        """The rows that come."""
        return (row for owner in self.fresh for row in self.rows_of(owner))

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.owners) or any(True for _ in self.rows)


@dataclass(frozen=True, slots=True)
class NoteChanges:
    """Paths of the notes that came, changed and went."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All that `--apply` would write; empty where the graph already is what the notes say.

    `meta` holds the named values that differ from the stored ones.
    """

    notes: NoteChanges
    edges: EdgeChanges
    tables: tuple[TableChange, ...]
    meta: tuple[tuple[str, str], ...] = ()

    @property
    def has_writes(self) -> bool:
        """Tell whether there is anything to write, be it a file's stamp."""
        return self.edges != EdgeChanges() or any(self.tables) or bool(self.meta)

    @property
    def is_empty(self) -> bool:
        """Tell whether the graph stays as it is (stamps of touched files aside)."""
        return self.edges == EdgeChanges() and not any(change for change in self.tables if change.table != "files")


def diff_edges(wanted: Sequence[Edge], stored: Sequence[Edge]) -> EdgeChanges:
    """Return the changes that turn `stored` into `wanted`; both are in order and hold each triple at most once."""
    if not stored:
        return EdgeChanges(added=wanted)
    added: list[Edge] = []
    removed: list[Edge] = []
    differing: list[tuple[Edge, Edge]] = []
    left = iter(stored)
    before = next(left, None)
    for edge in wanted:
        while before is not None and before.triple < edge.triple:
            removed.append(before)
            before = next(left, None)
        if before is None or before.triple != edge.triple:
            added.append(edge)
            continue
        if before != edge:
            differing.append((before, edge))
        before = next(left, None)
    return EdgeChanges(
        added=tuple(added),
        removed=(*removed, *filter(None, (before, *left))),
        changed=tuple(pair for pair in differing if not _is_shift(*pair)),
        shifted=tuple(pair for pair in differing if _is_shift(*pair)),
    )


def diff_rows(
    table: str,
    column: str,
    wanted: Collection[str],
    rows_of: Callable[[str], tuple[Row, ...]],
    stored: Mapping[str, Sequence[Row]],
    stage: str | None = None,
) -> TableChange:
    """Return the change that gives every owner in `wanted` or `stored` exactly its wanted rows."""
    gone = {owner for owner, rows in stored.items() if _differ(rows_of(owner) if owner in wanted else (), rows)}
    fresh = (owner for owner in wanted if owner not in stored or owner in gone)
    return TableChange(table, column, tuple(sorted(gone)), tuple(sorted(fresh)), rows_of, stage)


def _is_shift(before: Edge, after: Edge) -> bool:
    scope = after.scope if after.mirror else before.scope
    return before._replace(line=after.line, chunk=after.chunk, scope=scope) == after


def _differ(wanted: tuple[Row, ...], stored: Iterable[Row]) -> bool:
    """Compare rows whatever their order is."""
    stored = tuple(stored)
    return len(wanted) != len(stored) or (wanted != stored and _sorted(wanted) != _sorted(stored))


def _sorted(rows: tuple[Row, ...]) -> list[str]:
    return sorted(map(repr, rows))

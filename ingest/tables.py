"""The wanted rows of every table but `edges`, and how they differ from the stored ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from kantenwerk.config import Settings
from kantenwerk.graph.model import Finding, ParsedNote, Verdict
from kantenwerk.graph.plan import Row, TableChange, diff_rows
from kantenwerk.graph.rows import (
    attachment_row,
    chunk_row,
    finding_row,
    link_row,
    note_row,
    verdict_row,
    written_row,
)
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import Changes
from kantenwerk.ingest.deciding import entity_change, resolution_change
from kantenwerk.ingest.derive import Wanted
from kantenwerk.ingest.mentions import naming_of, parts_rows
from kantenwerk.ingest.reach import Reached
from kantenwerk.ingest.resolve.catalogue import lookup_keys, note_names
from kantenwerk.ingest.scan import Stamp
from kantenwerk.ingest.staging import Stage

_T = TypeVar("_T")
Rows = Mapping[str, Sequence[Row]]
# What a finding was found by; each step replaces its own findings and leaves the others'.
SCAN, FILE, IDS, LINKS, DECISIONS = "scan", "file", "ids", "links", "decisions"
_OF_NOTES = (("notes", "id"), ("chunks", "note"), ("written", "note"))
_OF_LINKS = (("links", "source"), ("attachments", "source"))


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The stored rows of what an import looks at, by table, or by the stage of findings."""

    tables: Mapping[str, Rows]
    findings: Mapping[str, Rows]

    @classmethod
    def read(cls, snapshot: Snapshot, changes: Changes, reached: Reached) -> StoredRows:
        """Read them while the snapshot is open."""
        rows_of = partial(snapshot.rows_of, keep=Stage(tuple, tuple).keep)
        tables: dict[str, Rows] = {table: rows_of(table, column, reached.old) for table, column in _OF_NOTES}
        tables["names"] = rows_of("names", "note", reached.old)
        tables["name_parts"] = rows_of("name_parts", "note", reached.old & reached.renamed)
        tables |= {table: rows_of(table, column, reached.nodes) for table, column in _OF_LINKS}
        tables["verdicts"] = snapshot.all_rows("verdicts", "key")
        paths = _reached_paths(changes, reached)
        findings: dict[str, Rows] = {
            FILE: rows_of("findings", "path", _read_paths(changes), FILE),
            LINKS: rows_of("findings", "path", paths, LINKS),
            SCAN: snapshot.stage_rows(SCAN),
            IDS: snapshot.stage_rows(IDS),
            DECISIONS: snapshot.stage_rows(DECISIONS),
        }
        return cls(tables, findings)


def table_changes(
    changes: Changes,
    reached: Reached,
    wanted: Wanted,
    verdicts: Iterable[Verdict],
    findings: Mapping[str, Iterable[Finding]],
    stored: StoredRows,
) -> tuple[TableChange, ...]:
    """Return the changes of all tables but `edges` and those of names; `findings` are by stage."""
    all_changes = (
        *_note_changes(reached, stored),
        *_link_changes(wanted, stored),
        resolution_change(reached.resolved.rows, reached.stored_resolutions),
        entity_change(reached.entities, reached.stored_entities),
        _verdict_change(verdicts, stored),
        *_finding_changes(findings, stored),
        *_file_changes(changes),
    )
    return tuple(change for change in all_changes if change)


def _note_changes(reached: Reached, stored: StoredRows) -> Iterator[TableChange]:
    notes = reached.changed
    rows_of: dict[str, Callable[[str], tuple[Row, ...]]] = {
        "notes": lambda node: (note_row(node, notes[node]),),
        "chunks": lambda node: tuple(chunk_row(node, chunk) for chunk in notes[node].chunks),
        "written": lambda node: _written_rows(node, notes[node]),
    }
    for table, column in _OF_NOTES:
        yield diff_rows(table, column, notes.keys(), rows_of[table], stored.tables[table])


def _written_rows(node: str, note: ParsedNote) -> tuple[Row, ...]:
    return tuple(written_row(node, link, lookup_keys(link.written, note.path)) for link in note.links)


def name_changes(reached: Reached, stored: StoredRows, settings: Settings) -> tuple[TableChange, ...]:
    """Return what changes in the names, and in the parts of names."""
    notes, renamed = reached.changed, reached.changed.keys() & reached.renamed

    def names(node: str) -> tuple[Row, ...]:
        return tuple((node, name.key, name.role, name.path) for name in note_names(notes[node], node, settings))

    def parts(node: str) -> tuple[Row, ...]:
        return parts_rows(naming_of(node, notes[node]), settings)

    changes = (
        diff_rows("names", "note", notes.keys(), names, stored.tables["names"]),
        diff_rows("name_parts", "note", renamed, reached.name_rows or parts, stored.tables["name_parts"]),
    )
    return tuple(filter(None, changes))


def _link_changes(wanted: Wanted, stored: StoredRows) -> Iterator[TableChange]:
    links, attachments = _by_owner(wanted.links, link_row), _by_owner(wanted.attachments, attachment_row)
    yield diff_rows("links", "source", wanted.links.keys(), links, stored.tables["links"])
    yield diff_rows("attachments", "source", wanted.attachments.keys(), attachments, stored.tables["attachments"])


def _by_owner(values: Mapping[str, Iterable[_T]], row: Callable[[_T], Row]) -> Callable[[str], tuple[Row, ...]]:
    """Return what makes the rows of an owner's values."""
    return lambda owner: tuple(map(row, values[owner]))


def _verdict_change(verdicts: Iterable[Verdict], stored: StoredRows) -> TableChange:
    by_key = {verdict.key: (verdict,) for verdict in verdicts}
    return diff_rows("verdicts", "key", by_key.keys(), _by_owner(by_key, verdict_row), stored.tables["verdicts"])


def findings_by_stage(
    changes: Changes, wanted: Wanted, decision_findings: Sequence[Finding]
) -> dict[str, Sequence[Finding]]:
    """Return what each step found in this run."""
    of_files = [found for note in changes.parsed.values() for found in note.findings]
    of_files += changes.no_text.values()
    of_links = [found for findings in wanted.findings.values() for found in findings]
    by_stage: dict[str, Sequence[Finding]] = {
        SCAN: changes.findings,
        FILE: of_files,
        LINKS: of_links,
        DECISIONS: decision_findings,
    }
    if changes.id_findings is not None:
        by_stage[IDS] = changes.id_findings
    return by_stage


def _finding_changes(findings: Mapping[str, Iterable[Finding]], stored: StoredRows) -> Iterator[TableChange]:
    for stage, found in findings.items():
        by_path: dict[str, list[Finding]] = defaultdict(list)
        for one in found:
            by_path[one.path].append(one)
        rows_of = _by_owner(by_path, partial(finding_row, stage=stage))
        yield diff_rows("findings", "path", by_path.keys(), rows_of, stored.findings[stage], stage)


def _file_changes(changes: Changes) -> Iterator[TableChange]:
    stamps, gone = changes.stamps, changes.restamped | changes.gone
    yield TableChange(
        "files", "path", tuple(sorted(gone)), tuple(stamps), lambda path: (_file_row(path, *stamps[path]),)
    )
    others, stored = changes.scan.others, changes.stored_others
    yield TableChange(
        "other_files", "path", tuple(sorted(stored - others)), tuple(sorted(others - stored)), lambda path: ((path,),)
    )


def _file_row(path: str, stamp: Stamp, digest: str) -> Row:
    return (path, *stamp, digest)


def _read_paths(changes: Changes) -> list[str]:
    return [*changes.parsed, *changes.no_text, *changes.gone]


def _reached_paths(changes: Changes, reached: Reached) -> list[str]:
    return [*_read_paths(changes), *(note.path for note in reached.notes.values())]

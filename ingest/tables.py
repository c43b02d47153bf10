"""The wanted rows of every table but `edges`, and how they differ from the stored ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kantenwerk.config import Settings
from kantenwerk.graph.model import Finding, Resolution, Verdict
from kantenwerk.graph.plan import Row, TableChange, diff_rows
from kantenwerk.graph.rows import (
    attachment_row,
    chunk_row,
    finding_row,
    link_row,
    note_row,
    resolution_row,
    verdict_row,
    written_row,
)
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import Changes
from kantenwerk.ingest.derive import Wanted
from kantenwerk.ingest.mentions import naming_of, parts_rows
from kantenwerk.ingest.reach import Reached
from kantenwerk.ingest.resolve.catalogue import lookup_keys

Rows = dict[str, tuple[Row, ...]]
# What a finding was found by; each step replaces its own findings and leaves the others'.
SCAN, FILE, IDS, LINKS, DECISIONS = "scan", "file", "ids", "links", "decisions"
_OF_NOTES = (("notes", "id"), ("names", "note"), ("chunks", "note"), ("written", "note"))
_OF_LINKS = (("links", "source"), ("attachments", "source"))


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The stored rows of what an import looks at, by table, or by the stage of findings."""

    tables: Mapping[str, Rows]
    findings: Mapping[str, Rows]

    @classmethod
    def read(cls, snapshot: Snapshot, changes: Changes, reached: Reached) -> StoredRows:
        """Read them while the snapshot is open."""
        tables = {table: snapshot.rows_of(table, column, reached.old) for table, column in _OF_NOTES}
        tables["name_parts"] = snapshot.rows_of("name_parts", "note", reached.old & reached.renamed)
        tables |= {table: snapshot.rows_of(table, column, reached.nodes) for table, column in _OF_LINKS}
        tables["verdicts"] = snapshot.all_rows("verdicts", "key")
        paths = _reached_paths(changes, reached)
        findings = {
            FILE: snapshot.rows_of("findings", "path", _read_paths(changes), FILE),
            LINKS: snapshot.rows_of("findings", "path", paths, LINKS),
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
    """Return the changes of all tables but `edges`; those without any are left out. `findings` are by stage."""
    all_changes = (
        *_note_changes(reached, stored),
        *_link_changes(wanted, stored),
        *_entity_changes(reached),
        diff_rows("verdicts", "key", {v.key: (verdict_row(v),) for v in verdicts}, stored.tables["verdicts"]),
        *_finding_changes(findings, stored),
        *_file_changes(changes),
    )
    return tuple(change for change in all_changes if change)


def _note_changes(reached: Reached, stored: StoredRows) -> Iterator[TableChange]:
    wanted: dict[str, Rows] = {table: {} for table, _ in _OF_NOTES}
    for node, note in reached.changed.items():
        wanted["notes"][node] = (note_row(node, note),)
        wanted["names"][node] = tuple((node, n.key, n.role, n.path) for n in reached.names[node])
        wanted["chunks"][node] = tuple(chunk_row(node, chunk) for chunk in note.chunks)
        wanted["written"][node] = tuple(
            written_row(node, link, lookup_keys(link.written, note.path)) for link in note.links
        )
    for table, column in _OF_NOTES:
        yield diff_rows(table, column, wanted[table], stored.tables[table])


def name_change(reached: Reached, stored: StoredRows, settings: Settings) -> TableChange | None:
    """Return what changes in the parts of names."""
    renamed = reached.changed.keys() & reached.renamed
    wanted = {node: parts_rows(naming_of(node, reached.changed[node]), settings) for node in renamed}
    return diff_rows("name_parts", "note", wanted, stored.tables["name_parts"]) or None


def _link_changes(wanted: Wanted, stored: StoredRows) -> Iterator[TableChange]:
    links = {node: tuple(map(link_row, links)) for node, links in wanted.links.items()}
    attachments = {node: tuple(map(attachment_row, found)) for node, found in wanted.attachments.items()}
    yield diff_rows("links", "source", links, stored.tables["links"])
    yield diff_rows("attachments", "source", attachments, stored.tables["attachments"])


def _entity_changes(reached: Reached) -> Iterator[TableChange]:
    resolved, stored = reached.resolved.rows, reached.stored_resolutions
    yield diff_rows("resolutions", "a", _as_rows(resolved), _as_rows(stored))
    now, before = reached.entities, reached.stored_entities
    yield diff_rows("entity_of", "node", _members(now), _members(before))


def _as_rows(resolutions: Mapping[str, tuple[Resolution, ...]]) -> Rows:
    return {node: tuple(map(resolution_row, rows)) for node, rows in resolutions.items()}


def _members(entity_of: Mapping[str, str]) -> Rows:
    return {node: ((node, entity),) for node, entity in entity_of.items()}


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
        yield diff_rows("findings", "path", _by_path(found, stage), stored.findings[stage], stage)


def _by_path(findings: Iterable[Finding], stage: str) -> Rows:
    rows: dict[str, list[Row]] = defaultdict(list)
    for found in findings:
        rows[found.path].append(finding_row(found, stage))
    return {path: tuple(found) for path, found in rows.items()}


def _file_changes(changes: Changes) -> Iterator[TableChange]:
    stamps = changes.stamps
    rows = tuple((path, *stamp, digest) for path, (stamp, digest) in stamps.items())
    yield TableChange("files", "path", tuple(sorted({*stamps, *changes.gone})), rows)
    others = changes.scan.others
    came = tuple((path,) for path in sorted(others - changes.stored_others))
    yield TableChange("other_files", "path", tuple(sorted(changes.stored_others - others)), came)


def _read_paths(changes: Changes) -> list[str]:
    return [*changes.parsed, *changes.no_text, *changes.gone]


def _reached_paths(changes: Changes, reached: Reached) -> list[str]:
    return [*_read_paths(changes), *(note.path for note in reached.notes.values())]

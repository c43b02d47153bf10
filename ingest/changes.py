"""What is different in the vault since the last import: files by stamp and hash, notes parsed, ids assigned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kantenwerk.config import Config, VaultError
from kantenwerk.graph.decisions import VerdictFile
from kantenwerk.graph.journal import verdicts_with_journal
from kantenwerk.graph.model import Finding, ParsedNote, WrittenLink
from kantenwerk.graph.rows import chunk_of, chunk_values
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.ids import assign_ids
from kantenwerk.ingest.scan import Content, Scan, Stamp, read_note, scan_vault

Progress = Callable[[int, int], None]
Read = Callable[[Path, str], Content | Finding]


@dataclass(slots=True)
class Changes:
    """The changed part of a vault.

    `parsed` holds the notes that were read anew, by path; `no_text` the files that turned out to be none; `gone` the
    paths whose note is no more; `stamps` the rows of `files` to write, `restamped` the paths of those that are stored
    otherwise; `ids` the id of every note and `old_ids` those of all stored notes, or both only those of the parsed
    notes where every note keeps its id; `id_findings` is None there. `is_full` says that every note was parsed anew.
    """

    scan: Scan
    is_full: bool
    stored_others: frozenset[str]
    parsed: dict[str, ParsedNote] = field(default_factory=dict)
    no_text: dict[str, Finding] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    stamps: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    restamped: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    id_findings: tuple[Finding, ...] | None = None
    ids: dict[str, str] = field(default_factory=dict)
    old_ids: dict[str, str] = field(default_factory=dict)

    @property
    def is_none(self) -> bool:
        """Tell whether the vault's files say the same as at the last import."""
        return not (self.parsed or self.no_text or self.gone or self.others_changed or self.is_full)

    @property
    def others_changed(self) -> frozenset[str]:
        """The paths of attachments that came or went."""
        return self.scan.others ^ self.stored_others

    @property
    def leaves_notes(self) -> bool:
        """Tell whether stored notes could not be read though every note was to be: they stay as they were parsed."""
        return self.is_full and not self.old_ids.keys() <= self.parsed.keys() | self.no_text.keys() | self.gone

    @property
    def keeps_ids(self) -> bool:
        """Tell whether every note has the id that it is stored with, and none came or went."""
        return self.id_findings is None

    @property
    def moved_ids(self) -> dict[str, str]:
        """Notes that did not change and yet have another id than before, for another note took or freed it."""
        return {
            path: self.ids[path]
            for path, old in self.old_ids.items()
            if path not in self.parsed and path in self.ids and self.ids[path] != old
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """How a vault is read.

    `verify` hashes every file, whatever its stamp says, `progress` is told how far it is, `verdicts` reads those, and
    `note` a note's bytes: other ones than on disk show what a change of the notes would come to. `listed` are the codes
    of the stored findings that are read and not only counted, all without it; without `keeps_targets` nobody can ask
    what each link means, once it is joined.
    """

    verify: bool = False
    progress: Progress | None = None
    verdicts: Callable[[Path], VerdictFile] = verdicts_with_journal
    note: Read = read_note
    listed: Collection[str] | None = None
    keeps_targets: bool = True


AS_IT_IS = Reading()


def find_changes(vault: Path, config: Config, snapshot: Snapshot, reading: Reading = AS_IT_IS) -> Changes:
    """Return what changed in a vault since the snapshot.

    Raises:
        VaultError: the vault holds no note; a graph is never deleted because a folder is not mounted.
    """
    scan = scan_vault(vault)
    if not scan.notes:
        raise VaultError(f"{vault} holds no notes (`.md`): name the vault with --vault")
    is_full = snapshot.meta().get("fingerprint") != config.graph_fingerprint
    others = snapshot.other_files()
    if scan.unread_folders:
        # Not read is not deleted.
        scan = replace(scan, others=scan.others | {path for path in others if _is_unread(path, scan)})
    changes = Changes(scan, is_full, others, findings=list(scan.findings))
    stored = snapshot.stamps()
    is_all = reading.verify or is_full
    waiting = sorted(path for path, stamp in scan.notes.items() if is_all or stored.get(path) != stamp)
    hashes = snapshot.content_hashes(waiting)
    known = {path: (stored.get(path), hashes.get(path)) for path in waiting}
    _read_changed(vault, config, changes, known, reading)
    changes.restamped = frozenset(changes.stamps.keys() & stored.keys())
    changes.gone = frozenset(path for path in stored.keys() - scan.notes.keys() if not _is_unread(path, scan))
    _assign(changes, snapshot)
    return changes


def _read_changed(
    vault: Path,
    config: Config,
    changes: Changes,
    known: Mapping[str, tuple[tuple[int, int, int] | None, str | None]],
    reading: Reading,
) -> None:
    """Read the files in `known`, which has stamp and hash as they are stored, and parse what is new in them."""
    if not known:
        return
    # Imported here, for nothing else of an import without changes needs a parser.
    from kantenwerk.ingest.parse.decode import content_hash
    from kantenwerk.ingest.parse.note import parse_note
    from kantenwerk.ingest.staging import Stage, stage_of

    chunks, links = Stage(chunk_values, chunk_of), stage_of(WrittenLink)
    for number, (path, (_, known_digest)) in enumerate(known.items()):
        if reading.progress is not None:
            reading.progress(number, len(known))
        content = reading.note(vault, path)
        if isinstance(content, Finding):
            # Not read is not deleted: what is stored of it stays.
            changes.findings.append(content)
            continue
        digest = content_hash(content.data)
        if known[path] != (content.stamp, digest):
            seen = changes.scan.notes[path]
            # One of two equal ones is enough in memory.
            changes.stamps[path] = (seen if seen == content.stamp else content.stamp, digest)
        if changes.is_full or known_digest != digest:
            note = parse_note(path, content.data, config)
            if isinstance(note, Finding):
                changes.no_text[path] = note
            else:
                changes.parsed[path] = replace(
                    note, content_hash=digest, chunks=chunks.keep(note.chunks), links=links.keep(note.links)
                )


def _is_unread(path: str, scan: Scan) -> bool:
    return any(not folder or path == folder or path.startswith(folder + "/") for folder in scan.unread_folders)


def _assign(changes: Changes, snapshot: Snapshot) -> None:
    gone = changes.gone | changes.no_text.keys()
    said = {path: note.declared_id for path, note in changes.parsed.items()}
    known = snapshot.ids_of(said)
    if not changes.is_full and not gone and said == {path: declared for path, (_, declared) in known.items()}:
        # Ids come of paths and of what is declared alone.
        changes.ids = changes.old_ids = {path: node for path, (node, _) in known.items()}
        return
    changes.old_ids = snapshot.note_ids()
    declared = {path: node for path, node in snapshot.declared_ids().items() if path not in gone and path not in said}
    declared |= {path: node for path, node in said.items() if node is not None}
    paths = (changes.old_ids.keys() - gone) | changes.parsed.keys()
    changes.ids, changes.id_findings = assign_ids(paths, declared)

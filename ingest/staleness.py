"""Whether a stored graph is what an import would find: a walk through the folder, and no note is parsed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.graph.decisions import VERDICTS
from kantenwerk.graph.model import Finding
from kantenwerk.graph.resolutions import RESOLUTIONS
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.parse.decode import content_hash
from kantenwerk.ingest.scan import read_note, scan_vault


@dataclass(frozen=True, slots=True)
class Staleness:
    """What has changed since the last import.

    Notes by path; `others` are files besides them that came or went, `decisions` the files beside the notes that are
    newer than the import, and `has_other_settings` says that the configuration is another one, or the program. What is
    `unread` nobody can tell about.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    others: tuple[str, ...]
    decisions: tuple[str, ...]
    has_other_settings: bool
    unread: tuple[str, ...]

    @property
    def is_stale(self) -> bool:
        """Tell whether an import would have something to look at."""
        notes = (*self.added, *self.changed, *self.removed, *self.others)
        return bool(notes or self.decisions or self.has_other_settings)


def staleness(vault: Path, config: Config, snapshot: Snapshot, imported: datetime | None) -> Staleness:
    """Return what has changed in a vault since an import; a file is hashed where size or times differ."""
    scan, stored = scan_vault(vault), snapshot.stamps()
    touched = [
        path
        for path, stamp in scan.notes.items()
        if path in stored and stored[path] != (stamp.size, stamp.mtime_ns, stamp.ctime_ns)
    ]
    changed = [path for path, digest in snapshot.content_hashes(touched).items() if _is_other(vault, path, digest)]
    # What lies in a folder that cannot be read has not gone.
    unread = tuple(scan.unread_folders)
    gone = [path for path in stored.keys() - scan.notes.keys() if not _is_below(path, unread)]
    others = [path for path in scan.others ^ snapshot.other_files() if not _is_below(path, unread)]
    return Staleness(
        added=tuple(sorted(scan.notes.keys() - stored.keys())),
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(gone)),
        others=tuple(sorted(others)),
        decisions=tuple(name for name in (VERDICTS, RESOLUTIONS) if _is_newer(vault / name, imported)),
        has_other_settings=snapshot.meta().get("fingerprint") != config.graph_fingerprint,
        unread=unread,
    )


def _is_other(vault: Path, path: str, digest: str) -> bool:
    content = read_note(vault, path)
    return isinstance(content, Finding) or content_hash(content.data) != digest


def _is_newer(path: Path, imported: datetime | None) -> bool:
    try:
        return imported is None or path.stat().st_mtime > imported.timestamp()
    except OSError:
        return False


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)

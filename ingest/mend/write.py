"""Writes notes: the only place that does."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kantenwerk.config.errors import told
from kantenwerk.ingest.mend.edits import Mended
from kantenwerk.ingest.scan import stamp_of

_LINKED = "a symbolic link leads there, and none is followed"
_PREFIX, _SUFFIX = ".kantenwerk-", ".tmp"
# No writing of a note takes so long.
_LEFT_S = 60
_CHANGED = "it has changed meanwhile, and is left as it is: try again"


def clear_leftovers(vault: Path, notes: Iterable[Mended]) -> None:
    """Delete what a kill left beside these notes, and not what another process is writing at this moment."""
    for folder in {(vault / note.path).parent for note in notes}:
        for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
            # Who may not delete it may not write here either, and is told so.
            with suppress(OSError):
                if time.time() - path.lstat().st_mtime > _LEFT_S:
                    path.unlink()


def write_note(vault: Path, note: Mended) -> str | None:
    """Replace a note's bytes, all at once, or return why it is left as it is.

    At any moment the file holds the old bytes or the new ones; its mode stays. It is not written where it changed
    since it was read, is read-only, or is reached by a symbolic link.
    """
    path = vault / note.path
    try:
        if path.parent.resolve() != vault.resolve() / Path(note.path).parent:
            return _LINKED
        return _replace(path, note)
    except OSError as error:
        return f"it cannot be written: {told(error)}"


def _replace(path: Path, note: Mended) -> str | None:
    before = path.lstat()
    if not stat.S_ISREG(before.st_mode):
        return _LINKED if path.is_symlink() else _CHANGED
    # Replacing asks the folder alone for leave.
    if not before.st_mode & 0o222 or not os.access(path, os.W_OK):
        return "it is read-only: give yourself the right to write it"
    # A name with a dot in front is no note, should a crash leave it behind.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_PREFIX, suffix=_SUFFIX)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(note.after)
            file.flush()
            _own(new, before)
            new.chmod(stat.S_IMODE(before.st_mode))
            os.fsync(file.fileno())
        # The last look: between it and the replacement nothing is done.
        if stamp_of(path.lstat()) != stamp_of(before) or path.read_bytes() != note.before:
            return _CHANGED
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return None


def _own(path: Path, as_before: os.stat_result) -> None:
    """Give a file the owner and group of another, as far as the system lets us: root may mend what is a user's."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, as_before.st_uid, as_before.st_gid)


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk too, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)

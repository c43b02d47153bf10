"""Verdicts kept the moment they are given, one a line, until an import folds them into `verdicts.jsonl`.

Appended and flushed to the disk, so that a kill costs at most the calls in flight; never in git.
"""

from __future__ import annotations

import os
from pathlib import Path

from kantenwerk.graph.decisions import (
    FOLDER,
    VerdictChange,
    VerdictFile,
    changed_text,
    parse_verdicts,
    read_verdicts,
    verdict_line,
    write_verdicts,
)
from kantenwerk.graph.model import Verdict

JOURNAL = f"{FOLDER}/journal.jsonl"


def append_verdict(vault: Path, verdict: Verdict) -> None:
    """Write one verdict at the journal's end.

    Raises:
        OSError: it cannot be written.
    """
    with (vault / JOURNAL).open("ab") as file:
        # A line that a kill cut short costs only itself.
        file.write(f"\n{verdict_line(verdict)}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def verdicts_with_journal(vault: Path) -> VerdictFile:
    """Return the recorded verdicts as they are once the journal is folded in."""
    file = read_verdicts(vault)
    try:
        added = tuple(parse_verdicts((vault / JOURNAL).read_bytes()).verdicts.values())
    except OSError:
        # Mostly there is none; of one that cannot be read, `--apply` tells.
        added = ()
    if not added or not file.is_readable:
        return file
    return parse_verdicts(changed_text(file, VerdictChange(added=added)).encode())


def fold_journal(vault: Path) -> None:
    """Bring what an import that was killed left in the journal into `verdicts.jsonl`; for who holds the lock.

    Raises:
        OSError: one of the files cannot be read or written; the journal is as it was.
    """
    path = vault / JOURNAL
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    write_verdicts(vault, VerdictChange(added=tuple(parse_verdicts(data).verdicts.values())))
    path.unlink()

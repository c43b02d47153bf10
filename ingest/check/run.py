"""The check of a vault: an import that writes nothing, asks nobody and knows no database, and gives its findings."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.check.headings import with_nearest_heading
from kantenwerk.ingest.check.place import Placed, place_all
from kantenwerk.ingest.check.sources import Sources
from kantenwerk.ingest.pipeline import run_import


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to: the findings of the vault in the order of path and line, and how many notes it has."""

    findings: tuple[Placed, ...]
    notes: int


def run_check(vault: Path, config: Config) -> Checked:
    """Return the findings of a vault.

    Raises:
        VaultError: the vault holds no note.
        DecisionsError: the recorded verdicts or decisions cannot be read.
    """
    result = run_import(vault, config, lambda: nullcontext(Snapshot(None)))
    sources = Sources(vault)
    findings = with_nearest_heading(result.findings, result, sources)
    return Checked(place_all(findings, sources), len(result.changes.scan.notes))

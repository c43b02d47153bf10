"""The check of a vault: an import that writes nothing, asks nobody and knows no database, and gives its findings."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.graph.decisions import read_verdicts
from kantenwerk.graph.model import Finding
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import Reading
from kantenwerk.ingest.check.frozen import frozen_findings
from kantenwerk.ingest.check.graph import graph_findings
from kantenwerk.ingest.check.headings import with_nearest_heading
from kantenwerk.ingest.lines import Lines
from kantenwerk.ingest.pipeline import run_import


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to: findings in the order of path and line, the paths of all notes, and their lines."""

    findings: tuple[Finding, ...]
    paths: tuple[str, ...]
    sources: Lines


def run_check(vault: Path, config: Config, *, frozen: bool = False) -> Checked:
    """Return the findings of a vault; `frozen` has everything recorded that a model would have to say.

    Raises:
        VaultError: the vault holds no note.
        DecisionsError: the recorded verdicts or decisions cannot be read.
    """
    # What an import that was killed left in its journal is on this machine alone.
    result = run_import(vault, config, lambda: nullcontext(Snapshot(None)), reading=Reading(verdicts=read_verdicts))
    sources = Lines(vault)
    findings = [
        *with_nearest_heading(result.findings, result, sources),
        *graph_findings(result, config, sources.of),
    ]
    if frozen:
        findings = frozen_findings(findings, result, config)
    return Checked(tuple(sorted(findings)), tuple(result.changes.scan.notes), sources)

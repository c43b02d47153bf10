"""The check of a vault: an import that writes nothing, asks nobody and knows no database, and gives its findings."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.graph.model import Finding
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.check.frozen import frozen_findings
from kantenwerk.ingest.check.graph import graph_findings
from kantenwerk.ingest.check.sources import Sources
from kantenwerk.ingest.pipeline import run_import


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to: the findings of the vault in the order of path and line, and how many notes it has."""

    findings: tuple[Finding, ...]
    notes: int


def run_check(vault: Path, config: Config, *, frozen: bool = False) -> Checked:
    """Return the findings of a vault; `frozen` has everything recorded that a model would have to say.

    Raises:
        VaultError: the vault holds no note.
        DecisionsError: the recorded verdicts or decisions cannot be read.
    """
    result = run_import(vault, config, lambda: nullcontext(Snapshot(None)))
    findings = [*result.findings, *graph_findings(result, config, Sources(vault).lines)]
    if frozen:
        findings = frozen_findings(findings, result, config)
    return Checked(tuple(sorted(findings)), len(result.changes.scan.notes))

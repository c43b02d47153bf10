"""`kantenwerk check`: the findings of a vault, for people and for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import typer

from kantenwerk.cli.terminal import as_json as json_text
from kantenwerk.cli.terminal import counted, one_line, painted
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.graph.model import Finding
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import run_import

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_RANKS = {"error": 0, "warning": 1, "info": 2, "never": -1}


def check_vault(named: Path | None, *, as_json: bool, fail_on: str, overrides: dict[str, object]) -> int:
    """Print a vault's findings and return 1 where one is at or above the bar."""
    vault = find_vault(named)
    config = read_config(vault, overrides)
    result = run_import(vault, config, lambda: nullcontext(Snapshot(None)))
    if as_json:
        typer.echo(json_text([asdict(found) for found in result.findings]))
    else:
        for line in _lines(result.findings):
            typer.echo(line)
    counts = Counter(found.severity for found in result.findings)
    typer.echo(
        f"{counted(len(result.changes.scan.notes), 'note')}: "
        + ", ".join(counted(counts[name], name) for name in ("error", "warning", "info")),
        err=True,
    )
    return int(any(_RANKS[found.severity] <= _RANKS[fail_on] for found in result.findings))


def _lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    for path, found in groupby(findings, key=lambda finding: finding.path):
        yield painted(one_line(path), "cyan", bold=True)
        for finding in found:
            severity = painted(finding.severity, _COLOURS[finding.severity])
            yield f"  {finding.line}: {severity} {finding.code}: {one_line(finding.message)}"
            yield f"     → {one_line(finding.help)}"
        yield ""

"""`kantenwerk check`: the findings of a vault, for people and for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path

import typer

from kantenwerk.cli.terminal import as_json as json_text
from kantenwerk.cli.terminal import counted, one_line, painted
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.run import run_check

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_RANKS = {"error": 0, "warning": 1, "info": 2, "never": -1}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The command's options as they were given."""

    vault: Path | None
    format: str
    fail_on: str
    frozen: bool = False
    overrides: dict[str, object] = field(default_factory=dict)


def check_vault(options: CheckOptions) -> int:
    """Print a vault's findings and return 1 where one is at or above the bar."""
    vault = find_vault(options.vault)
    config = read_config(vault, options.overrides)
    checked = run_check(vault, config, frozen=options.frozen)
    if options.format == "json":
        typer.echo(json_text([asdict(found) for found in checked.findings]))
    else:
        for line in _lines(checked.findings):
            typer.echo(line)
    counts = Counter(found.severity for found in checked.findings)
    typer.echo(
        f"{counted(checked.notes, 'note')}: "
        + ", ".join(counted(counts[name], name) for name in ("error", "warning", "info")),
        err=True,
    )
    return int(any(_RANKS[found.severity] <= _RANKS[options.fail_on] for found in checked.findings))


def _lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    for path, found in groupby(findings, key=lambda finding: finding.path):
        yield painted(one_line(path), "cyan", bold=True)
        for finding in found:
            severity = painted(finding.severity, _COLOURS[finding.severity])
            yield f"  {finding.line}: {severity} {finding.code}: {one_line(finding.message)}"
            yield f"     → {one_line(finding.help)}"
        yield ""

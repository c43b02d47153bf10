"""`kantenwerk check`: the findings of a vault, for people and for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import typer

from kantenwerk.cli.formats import github, gitlab, junit, objects, sarif, text
from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import counted, terminal_width
from kantenwerk.cli.vault import find_vault, read_config, repository_prefix
from kantenwerk.ingest.check.run import run_check

_FORMATS: dict[str, Callable[[Report], str]] = {
    "text": lambda report: text.as_text(report, terminal_width()),
    "json": objects.as_text,
    "github": github.as_text,
    "sarif": sarif.as_text,
    "junit": junit.as_text,
    "gitlab": gitlab.as_text,
}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The command's options as they were given."""

    vault: Path | None
    format: str
    fail_on: str
    overrides: dict[str, object] = field(default_factory=dict)


def check_vault(options: CheckOptions) -> int:
    """Print a vault's findings and return 1 where one is at or above the bar."""
    vault = find_vault(options.vault)
    config = read_config(vault, options.overrides)
    checked = run_check(vault, config)
    report = Report(checked.findings, checked.notes, options.fail_on, repository_prefix(vault), version("kantenwerk"))
    if written := _FORMATS[options.format](report):
        # What programs read is UTF-8, whatever the console prints.
        typer.echo(written if options.format == "text" else written.encode(errors="replace"))
    counts = Counter(found.severity for found in checked.findings)
    typer.echo(
        f"{counted(checked.notes, 'note')}: "
        + ", ".join(counted(counts[name], name) for name in ("error", "warning", "info")),
        err=True,
    )
    return int(any(map(report.fails, report.findings)))

"""`kantenwerk check`: the findings of a vault, for people and for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path

import typer

from kantenwerk.cli.terminal import as_json as json_text
from kantenwerk.cli.terminal import counted, one_line, painted, safe
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.config import Config
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.report import Hidden, Report, Wish, report_on
from kantenwerk.ingest.check.run import Checked, run_check
from kantenwerk.ingest.check.scope import Flags, names_of

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_RANKS = {"error": 0, "warning": 1, "info": 2, "never": -1}
# Of what is out of date in a baseline; more of it says no more.
_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The command's options as they were given."""

    vault: Path | None
    format: str
    fail_on: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    changed_since: str | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    frozen: bool = False
    overrides: dict[str, object] = field(default_factory=dict)


def check_vault(options: CheckOptions) -> int:
    """Print a vault's findings and return 1 where one is at or above the bar."""
    vault = find_vault(options.vault)
    wish = _wish(options)

    def check(folder: Path) -> tuple[Checked, Config]:
        config = read_config(folder, options.overrides)
        return run_check(folder, config, frozen=options.frozen), config

    checked, config = check(vault)
    report = report_on(vault, checked, config, wish, check)
    if options.format == "json":
        typer.echo(json_text([asdict(found) for found in report.findings]))
    else:
        for line in _lines(report.findings):
            typer.echo(line)
    _tell_aside(report)
    counts = Counter(found.severity for found in report.findings)
    typer.echo(
        f"{counted(checked.notes, 'note')}: "
        + ", ".join(counted(counts[name], name) for name in ("error", "warning", "info"))
        + _hidden(report.hidden, options.changed_since),
        err=True,
    )
    if options.write_baseline is not None:
        return 0
    bar = _RANKS[options.fail_on or config.settings.check.fail_on]
    return int(any(_RANKS[found.severity] <= bar for found in report.findings))


def _wish(options: CheckOptions) -> Wish:
    flags = Flags(names_of("--select", options.select), names_of("--ignore", options.ignore))
    return Wish(flags, options.changed_since, options.baseline, options.write_baseline)


def _tell_aside(report: Report) -> None:
    """Tell on stderr what is no finding: settings that were wrong, entries of a baseline that are out of date."""
    if report.remark is not None:
        typer.echo(f"kantenwerk: {safe(report.remark)}", err=True)
    if report.gone:
        shown = [f"{entry.code} in {one_line(entry.path)}" for entry in report.gone[:_MOST_SHOWN]]
        more = f" and {len(report.gone) - len(shown):,} more" if len(report.gone) > len(shown) else ""
        what = f"{one_line(str(report.baseline))} holds what is no longer there: {', '.join(shown)}{more}"
        typer.echo(f"kantenwerk: {what}; renew it with --write-baseline", err=True)


def _hidden(hidden: Hidden, since: str | None) -> str:
    parts = (
        (hidden.silenced, "silenced by comments"),
        (hidden.ignored, "ignored"),
        (hidden.older, f"older than {one_line(since or '')}"),
        (hidden.known, "in the baseline"),
    )
    told = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    return f" ({told})" if told else ""


def _lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    for path, found in groupby(findings, key=lambda finding: finding.path):
        yield painted(one_line(path), "cyan", bold=True)
        for finding in found:
            severity = painted(finding.severity, _COLOURS[finding.severity])
            yield f"  {finding.line}: {severity} {finding.code}: {one_line(finding.message)}"
            yield f"     → {one_line(finding.help)}"
        yield ""

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
from kantenwerk.cli.terminal import counted, one_line, safe, terminal_width
from kantenwerk.cli.vault import find_vault, read_config, repository_prefix
from kantenwerk.config import Config
from kantenwerk.ingest.check.choice import Choice, Hidden, Wish, choose
from kantenwerk.ingest.check.place import place_all
from kantenwerk.ingest.check.run import Checked, run_check
from kantenwerk.ingest.check.scope import Flags, names_of

# Of what is out of date in a baseline; more of it says no more.
_MOST_SHOWN = 3
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
    choice = choose(vault, checked, config, wish, check)
    bar = options.fail_on or config.settings.check.fail_on
    findings = place_all(choice.findings, checked.sources)
    report = Report(findings, len(checked.paths), bar, repository_prefix(vault), version("kantenwerk"))
    if written := _FORMATS[options.format](report):
        # What programs read is UTF-8, whatever the console prints.
        typer.echo(written if options.format == "text" else written.encode(errors="replace"))
    _tell_aside(choice)
    counts = Counter(found.severity for found in findings)
    typer.echo(
        f"{counted(report.notes, 'note')}: "
        + ", ".join(counted(counts[name], name) for name in ("error", "warning", "info"))
        + _hidden(choice.hidden, options.changed_since),
        err=True,
    )
    return int(options.write_baseline is None and any(map(report.fails, findings)))


def _wish(options: CheckOptions) -> Wish:
    flags = Flags(names_of("--select", options.select), names_of("--ignore", options.ignore))
    return Wish(flags, options.changed_since, options.baseline, options.write_baseline)


def _tell_aside(choice: Choice) -> None:
    """Tell on stderr what is no finding: settings that were wrong, entries of a baseline that are out of date."""
    if choice.remark is not None:
        typer.echo(f"kantenwerk: {safe(choice.remark)}", err=True)
    if choice.gone:
        shown = [f"{entry.code} in {one_line(entry.path)}" for entry in choice.gone[:_MOST_SHOWN]]
        more = f" and {len(choice.gone) - len(shown):,} more" if len(choice.gone) > len(shown) else ""
        what = f"{one_line(str(choice.baseline))} holds what is no longer there: {', '.join(shown)}{more}"
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

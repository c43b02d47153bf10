"""`kantenwerk import`: runs the import, writes where it is asked to, and reports."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kantenwerk.cli.meaning import embedder_for
from kantenwerk.cli.report import call_lines, import_json, import_text
from kantenwerk.cli.secret import installation_secret
from kantenwerk.cli.terminal import safe
from kantenwerk.cli.vault import find_database, find_vault, read_config
from kantenwerk.config import Config, StoreError, VaultError
from kantenwerk.config.errors import not_written
from kantenwerk.graph.decisions import MOST, VerdictChange, write_git_files, write_verdicts
from kantenwerk.graph.journal import JOURNAL, append_verdict, fold_journal
from kantenwerk.graph.lock import apply_lock
from kantenwerk.graph.model import Verdict
from kantenwerk.graph.resolutions import write_resolutions
from kantenwerk.graph.store import ImportRecord, apply_plan, has_log, open_snapshot
from kantenwerk.ingest.changes import Reading
from kantenwerk.ingest.pipeline import ImportResult, run_import
from kantenwerk.ingest.scan import has_notes
from kantenwerk.ingest.validate.judge import Ask, Asking
from kantenwerk.ingest.validate.outcome import Failed, Outcome, Unproven

if TYPE_CHECKING:
    from kantenwerk.cli.progress import Bars
    from kantenwerk.config import Profile
    from kantenwerk.ingest.validate.outcome import AskingResult, Question

# What the design's section 9 calls many: a person at a terminal is asked first.
_MANY_CALLS = 100
_NOT_DONE = {"unreadable", "search-failed", "run-refused"}
_NOT_JUDGED = {"candidate-failed", "candidate-unproven"}
_MOST_FAILURES = 10


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The command's options as they were given."""

    vault: Path | None
    db: Path | None
    apply: bool
    as_json: bool
    full: bool
    verbose: bool
    yes: bool
    verify: bool
    explain_calls: bool = False
    overrides: dict[str, object] = field(default_factory=dict)


def import_vault(options: ImportOptions) -> int:
    """Preview or write an import, print its report, and return the exit code."""
    vault = find_vault(options.vault)
    config = read_config(vault, options.overrides)
    database = find_database(vault, options.db)
    if options.apply and not has_notes(vault):
        raise VaultError(f"{vault} holds no notes (`.md`): name the vault with --vault")
    if options.verbose:
        _log_to_stderr()
    with apply_lock(vault) if options.apply else nullcontext():
        started = datetime.now(UTC)
        kept: list[Verdict] = []
        if options.apply:
            _prepare(vault)
        try:
            result = _run(vault, config, database, options, kept)
        except BaseException:
            # Whatever ended the run, nobody pays twice for the verdicts that it was given; and if they cannot be
            # written, what ended it is still what is told.
            with suppress(OSError):
                write_verdicts(vault, VerdictChange(added=tuple(kept)))
                (vault / JOURNAL).unlink(missing_ok=True)
            raise
        if options.apply:
            _write(vault, database, result, started)
    report = import_json if options.as_json else import_text
    typer.echo(report(result, vault=vault, config=config, applied=options.apply, full=options.full))
    if options.explain_calls and not options.as_json:
        for line in call_lines(result):
            typer.echo(line)
    for line in _failures(result):
        typer.echo(safe(line), err=True)
    return 1 if _could_not(result) else 0


def _prepare(vault: Path) -> None:
    """Fold in what a killed import left, and keep out of git what this one may leave."""
    try:
        write_git_files(vault)
        fold_journal(vault)
    except OSError as error:
        raise StoreError(not_written(error, vault / JOURNAL)) from error


def _keeper(vault: Path, kept: list[Verdict]) -> Callable[[Verdict], None]:
    """Return what keeps each verdict: in the journal, and here should the disk be full."""

    def keep(verdict: Verdict) -> None:
        kept.append(verdict)
        with suppress(OSError):
            append_verdict(vault, verdict)

    return keep


def _run(vault: Path, config: Config, database: Path, options: ImportOptions, kept: list[Verdict]) -> ImportResult:
    with _bars(quiet=options.verbose) as bars:
        keep = _keeper(vault, kept)
        asking = Asking(_asker(options, bars), installation_secret(), keep) if options.apply else None
        return run_import(
            vault,
            config,
            lambda: open_snapshot(database),
            asking=asking,
            embedder=embedder_for(vault, config),
            reading=Reading(
                options.verify,
                bars.reading if bars else None,
                listed=None if options.as_json else _NOT_DONE | _NOT_JUDGED,
                keeps_targets=False,
            ),
        )


def _write(vault: Path, database: Path, result: ImportResult, started: datetime) -> None:
    """Write the decisions, then the graph: a crash between the two is mended by the next import.

    Where the graph already says it all, its file is left untouched.
    """
    try:
        write_verdicts(vault, result.verdicts)
        write_resolutions(vault, result.resolutions)
        (vault / JOURNAL).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(not_written(error, vault)) from error
    asking = result.judgement.asking
    record = ImportRecord(
        started_at=started,
        finished_at=datetime.now(UTC),
        version=version("kantenwerk"),
        calls=asking.calls if asking else 0,
        tokens=min(asking.tokens, MOST) if asking else 0,
    )
    if result.plan.has_writes or record.calls or has_log(database):
        apply_plan(database, result.plan, record)


def _could_not(result: ImportResult) -> bool:
    """Tell whether something was not done in this run that should have been."""
    asking = result.judgement.asking
    if asking is not None and any(map(_is_failure, asking.outcomes.values())):
        return True
    return result.found.has_any(_NOT_DONE)


def _is_failure(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed | Unproven)


def _failures(result: ImportResult) -> Iterator[str]:
    """Yield a line for what could not be done, the first ones in full."""
    codes = _NOT_DONE | (_NOT_JUDGED if result.judgement.asking is not None else set())
    if not result.found.has_any(codes):
        return
    failures = [found for found in result.findings if found.code in codes]
    for found in failures[:_MOST_FAILURES]:
        yield f"{found.path}:{found.line}: {found.code}: {found.message}"
    if len(failures) > _MOST_FAILURES:
        yield f"… and {len(failures) - _MOST_FAILURES} more (--format json lists all)"


def _asker(options: ImportOptions, bars: Bars | None) -> Ask:
    def ask(
        questions: Iterable[Question],
        profile: Profile,
        *,
        on_outcome: Callable[[str, Outcome], None],
        on_start: Callable[[str], None],
    ) -> AskingResult:
        from kantenwerk.ingest.validate.asking import ask as ask_model

        waiting = list(questions)
        if bars is not None:
            bars.clear()
        calls = len(waiting) if profile.max_calls is None else min(len(waiting), profile.max_calls)
        if calls > _MANY_CALLS and not options.yes and sys.stdin.isatty() and sys.stderr.isatty():
            tokens = sum(question.est_tokens for question in waiting[:calls])
            typer.confirm(f"Ask {profile.model} {calls} times, about {tokens:,} tokens?", abort=True, err=True)
        answered = 0

        def on_answer(key: str, outcome: Outcome) -> None:
            nonlocal answered
            answered += 1
            if bars is not None:
                bars.asking(answered, len(waiting))
            on_outcome(key, outcome)

        return ask_model(waiting, profile, on_outcome=on_answer, on_start=on_start)

    return ask


def _log_to_stderr() -> None:
    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            typer.echo(safe(record.getMessage()), err=True)

    log = logging.getLogger("kantenwerk")
    log.setLevel(logging.INFO)
    log.handlers[:] = [Lines()]
    log.propagate = False


def _bars(*, quiet: bool) -> AbstractContextManager[Bars | None]:
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from kantenwerk.cli.progress import Bars

    return Bars()

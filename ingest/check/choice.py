"""Which of a check's findings are reported: comments, settings and flags, a revision, a baseline in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.baseline import Entry, baseline_of, read_baseline, spend, write_baseline
from kantenwerk.ingest.check.run import Checked
from kantenwerk.ingest.check.scope import Flags, Scope
from kantenwerk.ingest.check.silence import heed_comments
from kantenwerk.ingest.check.since import News, news_since

# Checks a folder with the settings that lie in it.
Check = Callable[[Path], tuple[Checked, Config]]


@dataclass(frozen=True, slots=True)
class Wish:
    """Which of a vault's findings a call of the command asks for, and where it wants them recorded as known."""

    flags: Flags
    since: str | None = None
    baseline: Path | None = None
    new_baseline: Path | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """How many findings are not reported, by what keeps them back."""

    silenced: int
    ignored: int
    older: int
    known: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The findings to report, what is hidden, entries of the baseline that are out of date, and what else to tell."""

    findings: tuple[Finding, ...]
    hidden: Hidden
    baseline: Path | None
    gone: tuple[Entry, ...]
    remark: str | None


@dataclass(frozen=True, slots=True)
class _Counting:
    """The findings that count by comments, settings and flags; how many are silenced, and those left out."""

    findings: tuple[Finding, ...]
    silenced: int
    left_out: tuple[Finding, ...]


def choose(vault: Path, checked: Checked, config: Config, wish: Wish, check: Check) -> Choice:
    """Return which findings of a check to report; `check` is how the vault of another time is checked.

    Raises:
        ConfigError: git cannot answer, or the baseline cannot be read or written.
    """
    counting = _count(vault, checked, config, wish.flags)

    def look(folder: Path) -> tuple[Finding, ...]:
        return _count(folder, *check(folder), wish.flags).findings

    news = News(counting.findings) if wish.since is None else news_since(wish.since, vault, counting.findings, look)
    path, baseline = _baseline(vault, config, wish, counting.findings)
    # A known finding that is old as well must not use up the entry of a new one, nor the other way round.
    _, rest = spend(baseline, news.older)
    new, rest = spend(rest, news.findings)
    # What codes leave out today is there all the same.
    _, rest = spend(rest, counting.left_out)
    hidden = Hidden(counting.silenced, len(counting.left_out), len(news.older), len(news.findings) - len(new))
    return Choice(new, hidden, path, tuple(sorted(rest)), news.remark)


def _count(vault: Path, checked: Checked, config: Config, flags: Flags) -> _Counting:
    heard = heed_comments(vault, checked)
    scope = Scope(config.settings.check, flags)
    judged = [(found, scope.judged(found)) for found in heard.findings]
    counted = tuple(sorted(counts for _, counts in judged if counts is not None))
    return _Counting(counted, heard.silenced, tuple(found for found, counts in judged if counts is None))


def _baseline(
    vault: Path, config: Config, wish: Wish, findings: tuple[Finding, ...]
) -> tuple[Path | None, Counter[Entry]]:
    if wish.new_baseline is not None:
        baseline = baseline_of(findings)
        write_baseline(wish.new_baseline, baseline)
        return wish.new_baseline, baseline
    named = config.settings.check.baseline
    path = wish.baseline or (vault / named if named else None)
    return path, Counter() if path is None else read_baseline(path)

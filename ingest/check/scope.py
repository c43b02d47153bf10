"""Which findings count, and how severe they are: what the settings and the flags of a check say about codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kantenwerk.config.codes import ALL, best_name, exactness, unknown_code
from kantenwerk.config.errors import ConfigError
from kantenwerk.config.model import CheckSettings, Grade
from kantenwerk.config.paths import is_path_in
from kantenwerk.graph.findings import CODES, UNREAD
from kantenwerk.graph.model import Finding


@dataclass(frozen=True, slots=True)
class Flags:
    """The codes that a call of the command names; with `select` it sets the settings' choice of codes aside."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """Decides over every finding by its code and path."""

    settings: CheckSettings
    flags: Flags = field(default_factory=Flags)

    def judged(self, finding: Finding) -> Finding | None:
        """Return a finding as severe as it is to be, or `None` where it does not count."""
        grade = self._grade(finding)
        if not self._is_taken(finding.code) or grade == "off" or self._is_ignored_here(finding):
            return None
        return finding if grade in {None, finding.severity} else replace(finding, severity=grade)

    def counts(self, code: str, path: str) -> bool:
        """Tell whether findings of a code count in a file."""
        return self.judged(Finding(path, 1, code, CODES[code], "", "")) is not None

    def _is_taken(self, code: str) -> bool:
        if self.flags.select:
            return _is_chosen(code, self.flags.select, self.flags.ignore)
        if _best(self.flags.ignore, code) is not None:
            return False
        return _is_chosen(code, self.settings.select, self.settings.ignore)

    def _grade(self, finding: Finding) -> Grade | None:
        here = [rule.severity for rule in self.settings.per_path if is_path_in(finding.path, rule.path)]
        for grades in reversed(here):
            if (grade := _graded(grades, finding.code)) is not None:
                return grade
        grade = _graded(self.settings.severity, finding.code)
        # `off` for all paths is a choice of codes, which `--select` sets aside.
        return None if grade == "off" and self.flags.select else grade

    def _is_ignored_here(self, finding: Finding) -> bool:
        return any(
            _best(rule.ignore, finding.code) is not None
            for rule in self.settings.per_path
            if rule.ignore and is_path_in(finding.path, rule.path)
        )


def names_of(option: str, written: Iterable[str]) -> tuple[str, ...]:
    """Return the names of codes in the values of an option, each a list with commas.

    Raises:
        ConfigError: one is no name of a code, or a value holds none.
    """
    names = []
    for value in written:
        here = [name for part in value.split(",") if (name := part.strip().lower())]
        if not here:
            raise ConfigError(f"{option} is empty: name codes, or leave it out")
        names += here
    for name in names:
        if (what := unknown_code(name, CODES)) is not None:
            raise ConfigError(f"{option} {name}: {what}")
    return tuple(names)


def hides(names: Iterable[str], code: str) -> bool:
    """Tell whether findings of a code are left out where `names` are; what could not be read only by its own."""
    return _best(names, code) is not None


def _best(names: Iterable[str], code: str) -> str | None:
    return best_name((name for name in names if name == code) if code in UNREAD else names, code)


def _is_chosen(code: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    taken = ALL if code in UNREAD else best_name(select, code)
    return exactness(taken) > exactness(_best(ignore, code))


def _graded(grades: Mapping[str, Grade], code: str) -> Grade | None:
    name = _best(grades, code)
    return None if name is None else grades[name]

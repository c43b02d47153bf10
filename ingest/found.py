"""The findings of a whole vault as they are once a plan is written: those of the run, and the stored ones it leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter, itemgetter

from kantenwerk.graph.model import Finding
from kantenwerk.graph.plan import Plan, Row
from kantenwerk.graph.rows import finding_of

# As findings compare, and ten times faster: a vault may have a hundred thousand.
_IN_ORDER = attrgetter("path", "line", "code", "severity", "message", "help")
_CODE_AND_SEVERITY = itemgetter(0, 1)


@dataclass(frozen=True)
class Found:
    """Findings of this run, and rows of stored ones, which most imports only count."""

    fresh: tuple[Finding, ...]
    stored: Sequence[Row]

    @classmethod
    def after(cls, plan: Plan, of_run: Mapping[str, Sequence[Finding]], stored: Sequence[Row]) -> Found:
        """Return what is found once a plan is written; `of_run` are the findings of this run by stage."""
        gone: set[tuple[object, object]] = set()
        fresh: list[Finding] = []
        for change in plan.tables:
            if change.table == "findings" and (stage := change.stage):
                gone.update((stage, owner) for owner in change.owners)
                changed = {path for _, _, path, *_ in change.rows}
                fresh += (found for found in of_run[stage] if found.path in changed)
        kept = [row for row in stored if (row[6], row[2]) not in gone] if gone else stored
        return cls(tuple(fresh), kept)

    @cached_property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many there are of each code and severity."""
        rows: Counter[tuple[str, str]] = Counter(map(_CODE_AND_SEVERITY, self.stored))
        return rows + Counter((found.code, found.severity) for found in self.fresh)

    def has_any(self, codes: Container[str]) -> bool:
        """Tell whether there is one of some codes."""
        return any(code in codes for code, _ in self.counts)

    @cached_property
    def all(self) -> tuple[Finding, ...]:
        """All of them in order."""
        return tuple(sorted((*map(finding_of, self.stored), *self.fresh), key=_IN_ORDER))

"""The findings of a whole vault as they are once a plan is written: those of the run, and the stored ones it leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter

from kantenwerk.graph.model import Finding
from kantenwerk.graph.plan import Plan, Row
from kantenwerk.graph.rows import finding_of
from kantenwerk.graph.snapshot import Snapshot

# As findings compare, and ten times faster: a vault may have a hundred thousand.
_IN_ORDER = attrgetter("path", "line", "code", "severity", "message", "help")
_CODE_AND_SEVERITY = itemgetter(0, 1)


@dataclass(frozen=True, slots=True)
class StoredFindings:
    """What is stored of findings: how many of each code and severity, and the rows of those that are asked for."""

    counts: Mapping[tuple[str, str], int]
    rows: Sequence[Row]

    @classmethod
    def read(cls, snapshot: Snapshot, codes: Collection[str] | None) -> StoredFindings:
        """Read them, of the rows only those of some codes, if any are given: most imports only count the others."""
        return cls(snapshot.finding_counts(), snapshot.findings(codes))


@dataclass(frozen=True, slots=True)
class Found:
    """Findings of this run, the rows of stored ones that were asked for, and how many there are of all."""

    fresh: tuple[Finding, ...]
    stored: Sequence[Row]
    counts: Counter[tuple[str, str]]

    @classmethod
    def after(
        cls,
        plan: Plan,
        of_run: Mapping[str, Sequence[Finding]],
        stored: StoredFindings,
        stored_rows: Mapping[str, Mapping[str, Sequence[Row]]],
    ) -> Found:
        """Return what is found once a plan is written.

        `of_run` are the findings of this run by stage, `stored_rows` those that it may replace by stage and path.
        """
        counts = Counter(stored.counts)
        gone: set[tuple[object, object]] = set()
        fresh: list[Finding] = []
        for change in plan.tables:
            if change.table == "findings" and (stage := change.stage):
                gone.update((stage, owner) for owner in change.owners)
                counts.subtract(_CODE_AND_SEVERITY(row) for owner in change.owners for row in stored_rows[stage][owner])
                changed = {path for _, _, path, *_ in change.rows}
                fresh += (found for found in of_run[stage] if found.path in changed)
        counts.update((found.code, found.severity) for found in fresh)
        kept = [row for row in stored.rows if (row[6], row[2]) not in gone] if gone else stored.rows
        return cls(tuple(fresh), kept, +counts)

    def has_any(self, codes: Container[str]) -> bool:
        """Tell whether there is one of some codes."""
        return any(code in codes for code, _ in self.counts)

    @property
    def listed(self) -> tuple[Finding, ...]:
        """Those that were asked for, in order."""
        return tuple(sorted((*map(finding_of, self.stored), *self.fresh), key=_IN_ORDER))

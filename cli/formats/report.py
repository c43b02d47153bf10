"""What every format of a check is made from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kantenwerk.ingest.check.place import Placed

_RANKS = {"error": 0, "warning": 1, "info": 2, "never": -1}


@dataclass(frozen=True, slots=True)
class Report:
    """A check's findings, and what formats say besides.

    `prefix` leads from the root of the repository to the vault: empty, or a path that ends with a slash.
    """

    findings: tuple[Placed, ...]
    notes: int
    bar: str = "error"
    prefix: str = ""
    version: str = ""

    def fails(self, found: Placed) -> bool:
        """Tell whether a finding is at or above the bar."""
        return _RANKS[found.severity] <= _RANKS[self.bar]

    def path(self, found: Placed) -> str:
        """Return a finding's file as the repository names it."""
        return self.prefix + found.path

    def fingerprints(self) -> Iterator[tuple[Placed, str]]:
        """Yield the findings with marks that are unique, and the same where lines above have come or gone."""
        seen: Counter[tuple[str, str, str]] = Counter()
        for found in self.findings:
            what = (found.code, self.path(found), found.subject or found.source.strip())
            seen[what] += 1
            yield found, hashlib.sha256("\0".join((*what, str(seen[what]))).encode(errors="replace")).hexdigest()

"""What makes two findings the same one at two times: code, path and message, whatever their lines are."""

from __future__ import annotations

import re
from typing import NamedTuple

from kantenwerk.graph.model import Finding

_LINE = re.compile(r"\bline \d+")


class Identity(NamedTuple):
    """What stays of a finding when lines are put in above it."""

    path: str
    code: str
    message: str


def identity(finding: Finding) -> Identity:
    """Return what a finding is known by; several of one note can have the same."""
    return Identity(finding.path, finding.code, _LINE.sub("line", finding.message))

"""What makes two findings the same one at two times: code, path and message, whatever their lines are."""

from __future__ import annotations

import re
from typing import NamedTuple

from kantenwerk.graph.model import Finding

# Lines as messages name them: `line 3`, or a place such as `note.md:3`.
_LINE = re.compile(r"(?<=\bline) \d+|(?<=\.md):\d+\b", re.IGNORECASE)


class Identity(NamedTuple):
    """What stays of a finding when lines are put in above it."""

    path: str
    code: str
    message: str


def identity(finding: Finding) -> Identity:
    """Return what a finding is known by; several of one note can have the same."""
    return Identity(finding.path, finding.code, without_lines(finding.message))


def without_lines(message: str) -> str:
    """Return a finding's message without numbers of lines."""
    return _LINE.sub("", message)

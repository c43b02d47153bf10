"""For programs: one object a finding."""

from __future__ import annotations

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import as_json

_KEYS = ("path", "line", "column", "end_column", "code", "severity", "message", "help")


def as_text(report: Report) -> str:
    """Return a JSON list of the findings; paths are those of the vault."""
    return as_json([{key: getattr(found, key) for key in _KEYS} for found in report.findings])

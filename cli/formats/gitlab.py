"""For GitLab: a code quality report, which a merge request shows."""

from __future__ import annotations

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import as_json

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def as_text(report: Report) -> str:
    """Return a JSON list of the findings, as GitLab and Code Climate name things."""
    return as_json(
        [
            {
                "description": f"{found.message} → {found.help}",
                "check_name": found.code,
                "fingerprint": fingerprint,
                "severity": _SEVERITIES[found.severity],
                "location": {"path": report.path(found), "lines": {"begin": found.line}},
            }
            for found, fingerprint in report.fingerprints()
        ]
    )

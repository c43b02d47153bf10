"""SARIF 2.1.0, for code scanning on GitHub and for editors."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import as_json
from kantenwerk.graph.findings import SEVERITIES
from kantenwerk.ingest.check.place import Placed

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
# All codes, whatever was found, so that a rule keeps its place from one check to the next.
_CODES = tuple(SEVERITIES)


def as_text(report: Report) -> str:
    """Return a log with one run: every code as a rule, every finding as a result."""
    driver = {"name": "kantenwerk", "version": report.version, "rules": [_rule(code, report) for code in _CODES]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report.path(found), found, mark) for found, mark in report.fingerprints()],
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str, report: Report) -> dict[str, Any]:
    name, advice = _described(code, report)
    return {
        "id": code,
        "shortDescription": {"text": name},
        "fullDescription": {"text": name},
        "help": {"text": advice},
        "defaultConfiguration": {"level": _LEVELS[SEVERITIES[code]]},
    }


def _described(code: str, report: Report) -> tuple[str, str]:
    """Return what a code means, and what to do about it."""
    advice = next((found.help for found in report.findings if found.code == code), "see the message")
    return code.replace("-", " "), advice


def _result(path: str, found: Placed, fingerprint: str) -> dict[str, Any]:
    return {
        "ruleId": found.code,
        "ruleIndex": _CODES.index(found.code),
        "level": _LEVELS[found.severity],
        "message": {"text": f"{found.message} → {found.help}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(path, errors="replace"), "uriBaseId": "%SRCROOT%"},
                    "region": {
                        "startLine": found.line,
                        "startColumn": found.column,
                        "endColumn": found.end_column,
                    },
                }
            }
        ],
        "partialFingerprints": {"kantenwerk/v1": fingerprint},
    }

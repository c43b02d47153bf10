"""SARIF 2.1.0, for code scanning on GitHub and for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import as_json
from kantenwerk.graph.findings import SEVERITIES
from kantenwerk.ingest.check.place import Placed

if TYPE_CHECKING:
    from kantenwerk.graph.codes import Code

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
# All codes, whatever was found, so that a rule keeps its place from one check to the next.
_CODES = tuple(SEVERITIES)


def as_text(report: Report) -> str:
    """Return a log with one run: every code as a rule, every finding as a result."""
    # The texts of the codes are read for nothing else that a check does.
    from kantenwerk.graph.codes import read_codes

    codes = read_codes()
    rules = [_rule(codes[code]) for code in _CODES]
    driver = {"name": "kantenwerk", "version": report.version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report.path(found), found, mark) for found, mark in report.fingerprints()],
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": code.code,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": f"{code.means} {code.why}"},
        "help": {"text": code.do},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


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

"""For GitHub Actions: workflow commands, which annotate the lines of a pull request."""

from __future__ import annotations

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import safe
from kantenwerk.ingest.check.place import Placed

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
# The runner undoes these; in this order, for the percent sign begins the others.
_IN_DATA = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTIES = (*_IN_DATA, (":", "%3A"), (",", "%2C"))


def as_text(report: Report) -> str:
    """Return a workflow command a finding."""
    return "\n".join(_command(report.path(found), found) for found in report.findings)


def _command(path: str, found: Placed) -> str:
    properties = {
        "file": path,
        "line": str(found.line),
        "col": str(found.column),
        "endColumn": str(found.end_column),
        "title": found.code,
    }
    written = ",".join(f"{name}={_escaped(value, _IN_PROPERTIES)}" for name, value in properties.items())
    said = f"{found.message}\n→ {found.help}"
    return f"::{_COMMANDS[found.severity]} {written}::{_escaped(said, _IN_DATA)}"


def _escaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    text = safe(text)
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text

"""For people: findings grouped by file, on a terminal with the piece of the line that each is about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from kantenwerk.cli.formats.report import Report
from kantenwerk.cli.terminal import one_line, painted
from kantenwerk.ingest.check.place import Placed

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_GUTTER = "     | "
# In cells: less than this of a line says nothing.
_NARROWEST = 12


def as_text(report: Report, width: int | None = None) -> str:
    """Return the findings for people, with their lines where there is a `width` to show them in."""
    return "\n".join(_lines(report, width))


def _lines(report: Report, width: int | None) -> Iterator[str]:
    for path, findings in groupby(report.findings, key=lambda found: found.path):
        yield painted(one_line(path), "cyan", bold=True)
        for found in findings:
            severity = painted(found.severity, _COLOURS[found.severity])
            yield f"  {found.line}:{found.column}: {severity} {found.code}: {one_line(found.message)}"
            if width is not None and width - len(_GUTTER) >= _NARROWEST and found.source.strip():
                yield from _excerpt(found, width - len(_GUTTER))
            yield f"     → {one_line(found.help)}"
        yield ""


def _excerpt(found: Placed, width: int) -> Iterator[str]:
    from kantenwerk.cli.formats.excerpt import excerpt

    text, carets = excerpt(found.source, found.column, found.end_column, width)
    yield _GUTTER + text
    yield _GUTTER + painted(carets, _COLOURS[found.severity])

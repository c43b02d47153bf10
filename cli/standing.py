"""`kantenwerk status`: what the graph holds, what waits for somebody, and what has changed since the last import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import typer

from kantenwerk.cli.stored import Place, opened
from kantenwerk.cli.tables import hanging
from kantenwerk.cli.terminal import as_json, counted, one_line, painted
from kantenwerk.graph.queries import ImportRow, Sizes
from kantenwerk.graph.store import SCHEMA_VERSION
from kantenwerk.ingest.staleness import Staleness, staleness

_LABEL = 13
_MOST_PATHS = 5
_SEVERITIES = ("error", "warning", "info")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


@dataclass(frozen=True, slots=True)
class Status:
    """All that is told; `database` is the path and `size` its size in bytes."""

    database: str
    size: int
    sizes: Sizes
    last: ImportRow | None
    stale: Staleness


def status(place: Place, *, in_json: bool) -> int:
    """Print how the graph stands and return 0.

    Raises:
        StoreError: there is no graph yet.
    """
    with opened(place) as stored:
        last = stored.graph.last_import()
        found = Status(
            database=str(stored.database),
            size=stored.database.stat().st_size,
            sizes=stored.graph.sizes(),
            last=last,
            stale=staleness(stored.vault, stored.config, stored.graph, last.finished_at if last else None),
        )
    if in_json:
        typer.echo(as_json(_as_object(found)))
    else:
        for label, text in _rows(found):
            for line in hanging(f"{f'{label}:' if label else '':<{_LABEL}}{text}", _LABEL):
                typer.echo(line)
    return 0


def _rows(found: Status) -> Iterator[tuple[str, str]]:
    sizes = found.sizes
    yield "Database", one_line(f"{found.database}, {_size(found.size)}, schema version {SCHEMA_VERSION}")
    if found.last is not None:
        yield (
            "Last change",
            one_line(f"{found.last.finished_at.astimezone():%Y-%m-%d %H:%M}, by version {found.last.version}"),
        )
    yield "Notes", f"{sizes.notes:,}"
    yield "Mentions", f"{sizes.mentions:,} (names that links use and no note carries exactly)"
    yield "Edges", f"{sum(sizes.edges.values()):,}{_listed(sizes.edges)}"
    yield "Links", f"{sizes.links:,}"
    yield "Candidates", f"{sum(sizes.candidates.values()):,}{_listed(sizes.candidates)}"
    if waiting := sizes.candidates.get("pending", 0) + sizes.candidates.get("unproven", 0):
        yield "", f"{waiting:,} to be judged: kantenwerk review"
    yield "Resolutions", f"{sum(sizes.resolutions.values()):,}{_listed(sizes.resolutions)}"
    if sizes.questions:
        yield "", f"{counted(sizes.questions, 'name')} may mean several notes: kantenwerk clarify"
    yield (
        "Findings",
        ", ".join(counted(sizes.findings[name], name) for name in _SEVERITIES if name in sizes.findings) or "0",
    )
    if not found.stale.is_stale:
        yield "Up to date", "nothing has changed since the last import"
    else:
        yield "Stale", painted("import again: kantenwerk import --apply", "yellow")
    for text in _changes(found.stale):
        yield "", text


def _changes(stale: Staleness) -> Iterator[str]:
    for what, paths in (
        ("new", stale.added),
        ("changed", stale.changed),
        ("gone", stale.removed),
        ("other files that came or went", stale.others),
        ("newer than the import", stale.decisions),
        ("not readable", stale.unread),
    ):
        if paths:
            more = f" and {len(paths) - _MOST_PATHS:,} more" if len(paths) > _MOST_PATHS else ""
            yield one_line(f"{what}: {', '.join(path or '.' for path in paths[:_MOST_PATHS])}{more}")
    if stale.has_other_settings:
        yield "the settings, or kantenwerk's version, are not those of the last import"


def _listed(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{count:,} {one_line(name)}" for name, count in counts.items())
    return f": {told}" if told else ""


def _size(size: float) -> str:
    for unit in _UNITS:
        if size < _STEP or unit == _UNITS[-1]:
            break
        size /= _STEP
    return f"{size:.0f} {unit}" if unit == _UNITS[0] else f"{size:.1f} {unit}"


def _as_object(found: Status) -> dict[str, Any]:
    last = found.last
    return {
        "database": found.database,
        "database_bytes": found.size,
        "schema_version": SCHEMA_VERSION,
        **asdict(found.sizes),
        "last_import": None
        if last is None
        else {
            "id": last.id,
            "started_at": last.started_at.isoformat(),
            "finished_at": last.finished_at.isoformat(),
            "version": last.version,
        },
        "is_stale": found.stale.is_stale,
        "changes": asdict(found.stale),
    }

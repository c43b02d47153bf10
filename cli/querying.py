"""`kantenwerk sql`: a query of the user's own, confined to the graph, as a table, JSON or CSV."""

from __future__ import annotations

import csv
import datetime as dt
import json
import math
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from typing import Literal, assert_never

import typer

from kantenwerk.cli.stored import Place
from kantenwerk.cli.tables import Cell, rendered
from kantenwerk.cli.terminal import as_json, one_line, safe, terminal_width
from kantenwerk.cli.vault import find_database, find_vault
from kantenwerk.config.errors import QueryError
from kantenwerk.graph.store import QueryResult, open_query

# More rows than these on a terminal push the first ones out of sight.
_MOST_ROWS = 200


def run_query(place: Place, query: str, *, form: Literal["text", "json", "csv"]) -> int:
    """Run a query, print its rows and return 0.

    Raises:
        QueryError: it cannot be run.
        StoreError: there is no graph yet.
    """
    database = find_database(find_vault(place.vault), place.db)
    text = _from_stdin() if query == "-" else query
    with _interruptible(), open_query(database, text) as result:
        match form:
            case "json":
                _print_json(result)
            case "csv":
                _print_csv(result)
            case "text":
                if terminal_width() is None:
                    _print_tabbed(result)
                else:
                    _print_table(result)
            case _:
                assert_never(form)
    return 0


def _from_stdin() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise QueryError("what stdin gives is no UTF-8 text") from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the process at once: a long query does not hear of it, and nothing is written that could break."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# --- for people


def _print_table(result: QueryResult) -> None:
    rows = list(islice(result.rows, _MOST_ROWS + 1))
    shown = [[_cell(value) for value in row] for row in rows[:_MOST_ROWS]]
    head = [one_line(name) for name in result.columns]
    for line in _table(head, shown):
        typer.echo(line)
    if not rows:
        typer.echo("no rows", err=True)
    elif len(rows) > _MOST_ROWS:
        typer.echo(f"… the first {_MOST_ROWS} rows; a pipe, --format csv or --format json give all", err=True)


def _cell(value: object) -> Cell:
    return Cell("NULL", "dim") if value is None else Cell(_text(value))


def _table(head: list[str], rows: list[list[Cell]]) -> Iterator[str]:
    """Yield the lines of a table, or of a record a row where it would be too wide."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    columns = [max(cell_len(name), *(cell_len(row[i].text) for row in rows), 0) for i, name in enumerate(head)]
    if sum(columns) + 2 * (len(columns) - 1) > (terminal_width() or 0):
        yield from _records(head, rows)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(Text(name), no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell.text, style=cell.style) for cell in row))
    yield from rendered(table)


def _records(head: list[str], rows: list[list[Cell]]) -> Iterator[str]:
    from rich.text import Text

    label = max(map(len, head))
    for number, row in enumerate(rows):
        if number:
            yield ""
        for name, cell in zip(head, row, strict=True):
            line = Text.assemble((f"{name:<{label}}  ", "bold"), (cell.text, cell.style))
            line.overflow = "fold"
            yield from rendered(line)


# --- for programs


def _print_tabbed(result: QueryResult) -> None:
    """Print a head and rows with tabs between, for `cut` and `awk`."""
    typer.echo("\t".join(map(one_line, result.columns)))
    for row in result.rows:
        typer.echo("\t".join(_text(value) for value in row))


def _print_csv(result: QueryResult) -> None:
    writer = csv.writer(_Stdout(), lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([_field(value) for value in row] for row in result.rows)


def _print_json(result: QueryResult) -> None:
    """Print a list of objects, one a line and as they come, so that no result is too large."""
    columns = _distinct(result.columns)
    before = "["
    for row in result.rows:
        content = dict(zip(columns, map(_plain, row), strict=True))
        typer.echo(f"{before}\n  {as_json(content, indent=None)}", nl=False)
        before = ","
    typer.echo("[]" if before == "[" else "\n]")


class _Stdout:
    """Where CSV goes: as it is into a file or a pipe, safely onto a terminal."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()

    def write(self, text: str) -> int:
        """Write a text."""
        return sys.stdout.write(safe(text) if self._is_terminal else text)


def _distinct(names: Iterable[str]) -> list[str]:
    """Return names of columns, with a number behind one that was there before."""
    found: list[str] = []
    for name in names:
        number, unique = 1, name
        while unique in found:
            unique, number = f"{name}_{number}", number + 1
        found.append(unique)
    return found


def _text(value: object) -> str:
    return one_line(str(_field(value)))


def _field(value: object) -> object:
    """Return a value as it stands in a cell."""
    plain = value if isinstance(value, float | Decimal) else _plain(value)
    match plain:
        case None:
            return ""
        case bool() | list() | dict():
            return json.dumps(plain, ensure_ascii=False)
        case _:
            return plain


def _plain(value: object) -> object:
    """Return a value as JSON can hold it; what is no number there is null."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return float(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case bytes():
            return value.hex()
        case list() | tuple():
            return [_plain(one) for one in value]
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case _:
            return str(value)

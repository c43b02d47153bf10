"""Tables: as wide as they have to be in a pipe, and no wider than a terminal that shows them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kantenwerk.cli.terminal import has_colour, terminal_width

if TYPE_CHECKING:
    from rich.console import RenderableType

ENDLESS = 100_000
_BETWEEN = 2
# In cells: where the column that is folded would be narrower, its row is set below each other.
_NARROWEST = 20


class Cell(NamedTuple):
    """A cell's text, already safe for a terminal, and its style where colours are wanted."""

    text: str
    style: str = ""


def table_lines(rows: Sequence[Sequence[Cell]], *, folded: int = 0, indent: int = 0) -> Iterator[str]:
    """Yield the lines of a table without a head; the column `folded` wraps where there is too little room."""
    if not rows:
        return
    from rich.padding import Padding

    room = (terminal_width() or ENDLESS) - indent
    others = sum(max(_width(row[i].text) for row in rows) + _BETWEEN for i in range(len(rows[0])) if i != folded)
    shown = [_grid(rows, folded)] if room - others >= _NARROWEST else list(_stacked(rows, folded))
    yield from rendered(*(Padding(one, (0, 0, 0, indent)) for one in shown))


def hanging(line: str, indent: int) -> Iterator[str]:
    """Yield a line with a label of `indent` cells before it; what a terminal has no room for stands below the text."""
    room = terminal_width()
    if room is None or _width(line) <= room or room < indent + _NARROWEST:
        yield line
        return
    from rich.padding import Padding
    from rich.text import Text

    label, text = line[:indent], line[indent:]
    first, *rest = rendered(Padding(Text.from_ansi(text, overflow="fold"), (0, 0, 0, indent)))
    yield label + first[indent:]
    yield from rest


def rendered(*shown: RenderableType) -> Iterator[str]:
    """Yield the lines of what rich is to show."""
    from rich.console import Console

    text = io.StringIO()
    colours: dict[str, Any] = {"force_terminal": True, "color_system": "standard"} if has_colour() else {}
    console = Console(file=text, width=terminal_width() or ENDLESS, **colours)
    for one in shown:
        console.print(one)
    yield from (line.rstrip() for line in text.getvalue().splitlines())


def _grid(rows: Sequence[Sequence[Cell]], folded: int) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, _BETWEEN, 0, 0), pad_edge=False)
    for number in range(len(rows[0])):
        table.add_column(no_wrap=number != folded, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell.text, style=cell.style) for cell in row))
    return table


def _stacked(rows: Sequence[Sequence[Cell]], folded: int) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    for row in rows:
        yield Text(row[folded].text, style=row[folded].style, overflow="fold")
        rest = [Text(cell.text, style=cell.style) for number, cell in enumerate(row) if number != folded and cell.text]
        yield Padding(Text("  ", overflow="fold").join(rest), (0, 0, 0, 2))


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)

"""How text reaches a terminal: control characters spelled out, colour only where it is wanted."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys

import typer

# Everything that moves a cursor, rings a bell or turns the direction of text; a tab and a line break stay.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """Return `text` with control characters written as escapes, so that a title cannot drive the terminal."""
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Return `text` safe and without line breaks."""
    return safe(text).replace("\n", "\\n").replace("\t", " ")


def as_json(content: object, *, indent: int | None = 2) -> str:
    """Return JSON in which control characters are escapes, also those that JSON itself would let through."""
    text = json.dumps(content, ensure_ascii=False, indent=indent)
    return _CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def tell_recorded(answers: int, file: str) -> None:
    """Tell how many answers were recorded where, and what brings them into the graph."""
    if answers:
        typer.echo(
            f"{counted(answers, 'answer')} recorded in {file}: `kantenwerk import --apply` brings that into the graph."
        )
    else:
        typer.echo("Nothing was written.")


def terminal_width() -> int | None:
    """Return how many cells a line of stdout has; None where it is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def has_colour() -> bool:
    """Tell whether stdout is a terminal and nobody asked for no colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, colour: str, *, bold: bool = False) -> str:
    """Return `text` in a colour where colours are wanted."""
    return typer.style(text, fg=colour, bold=bold) if has_colour() else text

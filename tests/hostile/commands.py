"""All commands as the app itself lists them, each called with every option that it has, one at a time.

So a new command is tried by the tests here from its first day.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, NamedTuple, cast

from typer.main import get_command
from typer.testing import CliRunner

from kantenwerk.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from typer.core import TyperCommand, TyperOption
    from typer.testing import Result

_CHOICES = re.compile(r"<([^<>]+\|[^<>]+)>")
# What ends before the command runs, with somebody else's text.
_PASSED_OVER = {"help", "install_completion", "show_completion", "version"}
# What no name of a note can stand for.
WORKING = {"query": "FROM notes", "output": "graph.html"}


class Call(NamedTuple):
    """A command, and the words that call it."""

    command: str
    words: tuple[str, ...]


def calls(vault: str, arguments: Mapping[str, str]) -> tuple[Call, ...]:
    """Return every command, plain and with each option; `arguments` are the texts that it takes, by name, `""` else."""
    return tuple(_calls(cast("TyperCommand", get_command(app)), (), vault, arguments))


def run(call: Call) -> Result:
    """Call a command in this process."""
    result = CliRunner().invoke(app, call.words)
    # `--verbose` talks for as long as the process lives, and the next command is in the same one.
    log = logging.getLogger("kantenwerk")
    log.handlers.clear()
    log.setLevel(logging.NOTSET)
    return result


def _calls(command: TyperCommand, path: tuple[str, ...], vault: str, arguments: Mapping[str, str]) -> Iterator[Call]:
    subcommands = getattr(command, "commands", {})
    for name, inner in subcommands.items():
        yield from _calls(inner, (*path, name), vault, arguments)
    if subcommands and not command.invoke_without_command:  # type: ignore[attr-defined]
        return
    options = [
        cast("TyperOption", param)
        for param in command.params
        if param.param_type_name == "option" and param.name not in _PASSED_OVER
    ]
    taken = [
        arguments.get(param.name or "", arguments[""])
        for param in command.params
        if param.param_type_name == "argument" and (param.required or param.name in arguments)
    ]
    context = command.make_context("kantenwerk", [], resilient_parsing=True)
    shown = {option: (option.get_help_record(context) or ("",))[0] for option in options}
    variants = {option.opts[0]: tuple(_variants(option, shown[option], arguments)) for option in options}
    always = ["--vault", vault] if variants.pop("--vault", None) else []
    # Of one that must be given, the last is taken where it stands twice.
    always += [word for option in options if option.required for word in variants[option.opts[0]][0]]
    for more in ((), *(variant for some in variants.values() for variant in some)):
        yield Call(" ".join(path), (*path, *always, *more, "--", *taken) if taken else (*path, *always, *more))


def _variants(option: TyperOption, shown: str, arguments: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    flag = option.opts[0]
    if option.is_flag:
        yield (flag,)
    elif choices := _CHOICES.search(shown):
        yield from ((flag, choice) for choice in choices[1].split("|"))
    else:
        yield flag, arguments.get(option.name or "", arguments[""])

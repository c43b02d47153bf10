"""Turns whatever ends a command early into a sentence and an exit code; no traceback reaches a terminal."""

from __future__ import annotations

import functools
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec

import typer

from kantenwerk.cli.terminal import safe
from kantenwerk.config.errors import KantenwerkError, is_of_machine, told

P = ParamSpec("P")
NOT_DONE = 1
BUG = 70
INTERRUPTED = 130
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS|AUTH|CRED", re.IGNORECASE)
# `api_key_env` may name any variable; paths and sentences are no keys.
_SHORTEST_SECRET, _SHORTEST_KEY = 8, 12
_NO_KEY = re.compile(r"^[/~]|\s")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Return the command with its errors told in a sentence (exit codes: the design's section 9)."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except KantenwerkError as error:
            typer.echo(f"kantenwerk: {safe(str(error))}", err=True)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            raise _interrupted() from None
        except BrokenPipeError:
            # The reader has seen enough (`| head`); Python would complain once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except typer.Abort as abort:
            # Ctrl-C at a question comes as this, and so does "no".
            if isinstance(abort.__context__, KeyboardInterrupt):
                raise _interrupted() from None
            raise
        except (typer.Exit, typer.BadParameter):
            raise
        except Exception as error:  # noqa: BLE001 - the last line of defence
            raise _unforeseen(error) from None

    return wrapper


def _interrupted() -> typer.Exit:
    typer.echo("kantenwerk: interrupted; the graph is as it was", err=True)
    return typer.Exit(INTERRUPTED)


def _unforeseen(error: Exception) -> typer.Exit:
    """Tell of what the machine refused, or of a bug, and return what ends the command."""
    if not (isinstance(error, OSError) and is_of_machine(error)):
        return _bug(error)
    what = f"{error.filename}: {told(error)}" if error.filename else told(error)
    typer.echo(f"kantenwerk: {safe(what)}", err=True)
    return typer.Exit(NOT_DONE)


def _bug(error: Exception) -> typer.Exit:
    where = _log(_without_secrets(traceback.format_exc()))
    typer.echo(
        f"kantenwerk: a bug, sorry: {type(error).__name__}. The graph is as it was. Please report it with {where}",
        err=True,
    )
    return typer.Exit(BUG)


def _without_secrets(text: str) -> str:
    """Return a text without what the environment holds that may be a key: nobody looks for one in a bug's report."""
    from kantenwerk.ingest.validate.refusal import without_key

    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET:
            text = without_key(text, value.strip())
        elif len(value) >= _SHORTEST_KEY and not _NO_KEY.search(value):
            text = text.replace(value, f"[{name}]")
    return text


def _log(text: str) -> Path | str:
    name = f"crash-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.log"
    for folder in (Path(typer.get_app_dir("kantenwerk")), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        except OSError:
            continue
        return folder / name
    return "the lines above"

"""`kantenwerk review`: shows people the candidates that wait for a verdict, and records what they say of them."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kantenwerk.cli.docket import (
    Candidate,
    Docket,
    Said,
    as_object,
    block,
    headline,
    kind_lines,
    passage_lines,
    said_line,
    target_lines,
)
from kantenwerk.cli.terminal import as_json, counted, has_colour, one_line, tell_recorded
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.config.errors import ConfigError

if TYPE_CHECKING:
    from kantenwerk.config import Config

DEFAULT_STATES = ("pending", "unproven")
_HOW = "answer them on a terminal with `kantenwerk review`, or with --answer KEY=yes, =no or =ask"
_KEYS = "y yes, n no, s skip, o open the note, q quit"
_ANSWERS: dict[str, Said] = {"yes": "yes", "no": "no", "ask": "ask"}
_KEY_ANSWERS: dict[str, Said] = {"y": "yes", "n": "no"}
# In cells: less than this is too narrow for two texts beside each other.
_WIDE = 90
_MOST_LINES = 30
# Editors that take the line to begin at as `+7`.
_TAKES_LINE = frozenset(("emacs", "emacsclient", "ex", "kak", "micro", "nano", "nvim", "vi", "view", "vim"))


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """The command's options as they were given; `answers` are written KEY=yes, KEY=no or KEY=ask."""

    vault: Path | None
    states: tuple[str, ...] = ()
    as_list: bool = False
    as_json: bool = False
    answers: tuple[str, ...] = ()
    overrides: dict[str, object] = field(default_factory=dict)


def review(options: ReviewOptions) -> int:
    """Walk through candidates, list them or take answers, and return the exit code."""
    if options.answers and (options.as_list or options.states):
        raise ConfigError("--list and --state show candidates: leave them out to answer, or answer without --answer")
    vault = find_vault(options.vault)
    config = read_config(vault, options.overrides)
    if options.answers:
        return _answer(Docket(vault, config, with_database=False), options)
    docket = Docket(vault, config, with_database=True)
    states = options.states or DEFAULT_STATES
    chosen = [one for one in docket.candidates if one.state in states or (one.is_stale and "stale" in states)]
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal and chosen and not options.as_list and not options.as_json:
        return _Walk(docket, chosen).run()
    if options.as_json:
        typer.echo(as_json([as_object(candidate) for candidate in chosen]))
    else:
        for candidate in chosen:
            for line in block(candidate, config):
                typer.echo(line)
            typer.echo("")
        if not chosen:
            typer.echo(f"No candidate is {' or '.join(states)}.")
    if chosen and not options.as_list:
        typer.echo(f"{counted(len(chosen), 'candidate')}: {_HOW}", err=True)
    return 0


def _answer(docket: Docket, options: ReviewOptions) -> int:
    answers = _read_answers(docket, options.answers)
    written = docket.record(answers)
    if options.as_json:
        typer.echo(as_json([_answer_object(key, *answers[key], written[key]) for key in answers]))
        return 0
    for key, (candidate, said) in answers.items():
        already = "" if written[key] else " (recorded already)" if said != "ask" else " (nobody had said anything)"
        typer.echo(_told(key, candidate, said) + already)
    if any(written.values()):
        typer.echo(f"Recorded in {docket.file}: `kantenwerk import --apply` brings it into the graph.")
    else:
        typer.echo("Nothing was written: no answer is new.")
    return 0


def _read_answers(docket: Docket, written: Sequence[str]) -> dict[str, tuple[Candidate | None, Said]]:
    """Return all answers by key; a wrong one ends the command before anything is written."""
    known, orphans = docket.by_key(), docket.orphans()
    answers: dict[str, tuple[Candidate | None, Said]] = {}
    for text in written:
        key, _, answer = (part.strip() for part in text.partition("="))
        said = _ANSWERS.get(answer.lower())
        if not key or said is None:
            raise ConfigError(f"--answer {one_line(text)}: write KEY=yes, KEY=no or KEY=ask")
        if key in orphans and said != "ask":
            raise ConfigError(
                f"--answer {one_line(text)}: its candidate is gone, or its edge is stated; KEY=ask withdraws this"
            )
        if key not in known and key not in orphans:
            raise ConfigError(f"no candidate has the key `{one_line(key)}`: `kantenwerk review --list` shows the keys")
        if key in answers:
            raise ConfigError(f"`{one_line(key)}` is answered twice: answer it once")
        answers[key] = (known.get(key), said)
    return answers


def _told(key: str, candidate: Candidate | None, said: Said) -> str:
    relation = f"`{candidate.relation}`" if candidate else f"the verdict {one_line(key)}"
    match said:
        case "yes":
            return f"{relation}: right"
        case "no":
            return f"{relation}: wrong"
        case "ask":
            return f"{relation}: no person's verdict any more"


def _answer_object(key: str, candidate: Candidate | None, said: Said, is_new: bool) -> dict[str, object]:  # noqa: FBT001
    source, kind, target = candidate.claim.triple if candidate else (None, None, None)
    return {"key": key, "source": source, "kind": kind, "target": target, "answer": said, "written": is_new}


class _Quit(Exception):  # noqa: N818 - no error: somebody has had enough
    """No more candidates."""


class _Walk:
    """Shows one candidate after the other; every answer is written at once."""

    def __init__(self, docket: Docket, chosen: Sequence[Candidate]) -> None:
        self._docket = docket
        self._chosen = chosen
        self._answered: set[str] = set()
        self._written = 0

    def run(self) -> int:
        """Ask, and return the exit code."""
        try:
            for number, candidate in enumerate(self._chosen, 1):
                # A claim that is made twice is answered once.
                if candidate.key not in self._answered:
                    typer.echo(f"Candidate {number} of {len(self._chosen)}")
                    self._ask(candidate)
                    typer.echo("")
        except (_Quit, EOFError):
            typer.echo("")
        tell_recorded(self._written, self._docket.file)
        return 0

    def _ask(self, candidate: Candidate) -> None:
        left: Candidate | None = self._as_it_is(candidate)
        while left is not None:
            for line in _shown(left, self._docket.config):
                typer.echo(line)
            left = self._asked(left)

    def _asked(self, candidate: Candidate) -> Candidate | None:
        """Take an answer; return the candidate if it is to be shown again, for its note has changed."""
        while True:
            key = input(f"{_KEYS}: ").strip().lower()
            if key == "q":
                raise _Quit
            if key == "s":
                return None
            if key == "o":
                typer.echo(_opened(self._docket.vault / candidate.claim.path, candidate.claim.link.line))
            elif key not in _KEY_ANSWERS:
                typer.echo(f"`{one_line(key)}` is no answer: type y, n, s, o or q")
                continue
            # What is answered is what was shown.
            if self._docket.has_changed(candidate):
                typer.echo("The note has changed since it was read.")
                return self._as_it_is(candidate)
            if key in _KEY_ANSWERS:
                self._write(candidate, _KEY_ANSWERS[key])
                return None

    def _as_it_is(self, candidate: Candidate) -> Candidate | None:
        """Return a candidate as its note has it now, if it still has it."""
        if not self._docket.has_changed(candidate):
            return candidate
        self._docket = Docket(self._docket.vault, self._docket.config, with_database=True)
        found = self._docket.by_key().get(candidate.key)
        if found is None:
            typer.echo(f"{candidate.relation}: the note does not say that any more.")
        return found

    def _write(self, candidate: Candidate, said: Said) -> None:
        changed = self._docket.record({candidate.key: (candidate, said)})[candidate.key]
        typer.echo(f"→ {_told(candidate.key, candidate, said)}{'' if changed else ' (recorded already)'}")
        self._answered.add(candidate.key)
        self._written += changed


def _shown(candidate: Candidate, config: Config) -> list[str]:
    """Return the lines that show a candidate: note and target beside each other where there is room."""
    width = shutil.get_terminal_size().columns
    link = candidate.claim.link
    note = [candidate.place, one_line(f"{link.kind}:{link.written}"), "", *passage_lines(candidate, _MOST_LINES)]
    target = [one_line(candidate.claim.target.path), "", *target_lines(candidate)]
    lines = [headline(candidate), *(f"  {line}" for line in kind_lines(candidate, config))]
    if width >= _WIDE:
        lines += _beside(note, target, width)
    else:
        lines += ["  The note", *(f"  | {line}".rstrip() for line in note)]
        lines += ["  The target", *(f"  | {line}".rstrip() for line in target)]
    return [*lines, f"  {said_line(candidate)}"]


def _beside(note: list[str], target: list[str], width: int) -> list[str]:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(expand=True, show_lines=False)
    table.add_column("The note", ratio=3, overflow="fold")
    table.add_column("The target", ratio=2, overflow="fold")
    # As text, so that brackets in notes are no markup.
    table.add_row(Text("\n".join(note)), Text("\n".join(target)))
    text = io.StringIO()
    colours: dict[str, Any] = {"force_terminal": True, "color_system": "standard"} if has_colour() else {}
    Console(file=text, width=width, **colours).print(table)
    return text.getvalue().splitlines()


def _opened(path: Path, line: int) -> str:
    """Open a note in the editor and wait for it; return a sentence on what came of it."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(named, posix=os.name == "posix")
    except ValueError as error:
        return one_line(f"`{named}` is no command ({error}): name your editor in VISUAL or EDITOR")
    if not command:
        return "No editor is named: set VISUAL or EDITOR, such as EDITOR=vim"
    # Absolute, so that no name of a note is taken for an option.
    at_line = [f"+{line}"] if Path(command[0]).stem.lower() in _TAKES_LINE else []
    try:
        done = subprocess.run([*command, *at_line, str(path.absolute())], check=False)  # noqa: S603 - a person's own
    except (OSError, ValueError) as error:
        return one_line(f"`{named}` cannot be started: {getattr(error, 'strerror', None) or error}")
    return f"Opened {one_line(str(path))}" + (f"; the editor ended with {done.returncode}" if done.returncode else "")

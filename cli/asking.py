"""Asks people on a terminal which notes names mean."""

from __future__ import annotations

from dataclasses import replace

import typer

from kantenwerk.cli.desk import Answer, Desk, block, tell_failures
from kantenwerk.cli.terminal import one_line, tell_recorded
from kantenwerk.ingest.deciding import Decision
from kantenwerk.ingest.questions import Question

_KEYS = "n none of these, w always new, h here only, s skip, q quit"


class _Quit(Exception):  # noqa: N818 - no error: somebody has had enough
    """No more questions."""


class Session:
    """Asks one question after the other; every answer is written at once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._ids = {note.path: node for node, note in desk.notes.items()}
        self._written = 0

    def run(self) -> int:
        """Ask, and return the exit code."""
        questions = self._desk.questions
        try:
            for number, question in enumerate(questions, 1):
                typer.echo(f"Question {number} of {len(questions)}")
                self._ask(question)
        except (_Quit, EOFError):
            typer.echo("")
        tell_recorded(self._written, self._desk.file)
        return tell_failures(self._desk)

    def _ask(self, question: Question) -> None:
        left: Question | None = question
        while left is not None:
            for line in block(left, self._desk):
                typer.echo(line)
            left = self._answered(left)
            typer.echo("")

    def _answered(self, question: Question) -> Question | None:
        """Take an answer; return what is left to ask of the question."""
        numbers = _numbers(len(question.options))
        while True:
            key = _read(f"{numbers}, {_KEYS}: ")
            if key == "s":
                return None
            if key == "h":
                return self._here(question)
            if decisions := _decisions(question, key):
                self._write(question, decisions)
                return None
            typer.echo(f"`{one_line(key)}` is no answer: type {numbers}, n, w, h, s or q")

    def _here(self, question: Question) -> Question | None:
        """Take an answer for one note alone; return the question for the others."""
        paths = list(dict.fromkeys(place.path for place in question.places))
        path = paths[0] if len(paths) == 1 else self._which(paths)
        numbers = _numbers(len(question.options))
        here = replace(question, source=self._ids[path])
        while not (decisions := _decisions(here, key := _read(f"In {one_line(path)}: {numbers}, n or w: "))):
            typer.echo(f"`{one_line(key)}` is no answer: type {numbers}, n or w")
        # What was found for the name everywhere is what is decided on here.
        self._write(here, decisions, question.mention)
        places = tuple(place for place in question.places if place.path != path)
        return replace(question, places=places) if places else None

    def _which(self, paths: list[str]) -> str:
        for number, path in enumerate(paths, 1):
            typer.echo(f"  {number}  {one_line(path)}")
        while not (chosen := _chosen(_read(f"In which note? {_numbers(len(paths))}: "), len(paths))):
            typer.echo(f"Type {_numbers(len(paths))}")
        return paths[chosen - 1]

    def _write(self, question: Question, decisions: list[Decision], mention: str | None = None) -> None:
        rows = self._desk.rows.get(mention or question.mention, ())
        answers = [Answer(question.name, decision, question.source, rows) for decision in decisions]
        changed = self._desk.record(answers)
        for answer in answers:
            typer.echo(f"→ {self._desk.told(answer)}")
        self._written += any(changed)


def _decisions(question: Question, key: str) -> list[Decision]:
    """Return what a key decides; nothing if it is no answer."""
    if key == "w":
        return [Decision(question.mention, None, "new")]
    if key == "n":
        return [Decision(question.mention, option.node, "rejected") for option in question.options]
    if chosen := _chosen(key, len(question.options)):
        return [Decision(question.mention, question.options[chosen - 1].node, "accepted")]
    return []


def _chosen(key: str, most: int) -> int:
    """Return the number that was typed, 0 if it is none of those from 1 to `most`."""
    return int(key) if key in map(str, range(1, most + 1)) else 0


def _numbers(most: int) -> str:
    return "1" if most == 1 else f"1-{most}"


def _read(prompt: str) -> str:
    """Return what is typed; a terminal that is closed (Ctrl-D) has had enough, too.

    Raises:
        _Quit: somebody has had enough.
    """
    key = input(prompt).strip().lower()
    if key == "q":
        raise _Quit
    return key

"""`kantenwerk clarify`: asks which note a name means, lists what is open, or takes answers as options give them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import typer

from kantenwerk.cli.answering import AnswerReader
from kantenwerk.cli.asking import Session
from kantenwerk.cli.desk import Answer, Desk, block, tell_failures
from kantenwerk.cli.meaning import full_preview
from kantenwerk.cli.terminal import as_json, counted
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.config.errors import ConfigError
from kantenwerk.ingest.questions import Question
from kantenwerk.ingest.resolve.guess import Option

_HOW = (
    "answer them on a terminal with `kantenwerk clarify`, or with --answer NAME=NOTE, --none NAME or --new NAME",
    "where only one note is meant to be answered for, add --source NOTE",
)


@dataclass(frozen=True, slots=True)
class ClarifyOptions:
    """The command's options as they were given; `answers` are written NAME=NOTE."""

    vault: Path | None
    as_list: bool = False
    as_json: bool = False
    answers: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    source: str | None = None
    overrides: dict[str, object] = field(default_factory=dict)

    @property
    def has_answers(self) -> bool:
        """Whether something is to be recorded without a question."""
        return bool(self.answers or self.none or self.new)


def clarify(options: ClarifyOptions) -> int:
    """Ask, list or answer what is open about names, and return the exit code."""
    if options.as_list and options.has_answers:
        raise ConfigError("--list only shows the questions: leave it out to answer, or answer without it")
    if options.source is not None and not options.has_answers:
        raise ConfigError("--source limits answers to one note: give it with --answer, --none or --new")
    vault = find_vault(options.vault)
    desk = Desk(vault, full_preview(vault, read_config(vault, options.overrides)))
    if options.has_answers:
        return _answer(desk, options)
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal and desk.questions and not options.as_list and not options.as_json:
        return Session(desk).run()
    return _list(desk, options)


def _list(desk: Desk, options: ClarifyOptions) -> int:
    if options.as_json:
        typer.echo(as_json([_as_object(question, desk) for question in desk.questions]))
    else:
        for question in desk.questions:
            for line in block(question, desk):
                typer.echo(line)
            typer.echo("")
        if not desk.questions:
            typer.echo("No questions: no name may mean several notes.")
    if desk.questions and not options.as_list:
        typer.echo(f"{counted(len(desk.questions), 'question')}: {_HOW[0]}; {_HOW[1]}", err=True)
    return tell_failures(desk)


def _as_object(question: Question, desk: Desk) -> dict[str, object]:
    def option_object(option: Option) -> dict[str, object]:
        note = desk.notes.get(option.node)
        return {
            "note": option.node,
            "path": option.path,
            "title": note.title if note else "",
            "summary": note.summary if note else "",
            "method": option.method,
            "score": option.score,
            "reason": option.reason,
        }

    return {
        "name": question.name,
        "mention": question.mention,
        "bound": question.bound,
        "places": [place._asdict() for place in question.places],
        "options": [option_object(option) for option in question.options],
    }


def _answer(desk: Desk, options: ClarifyOptions) -> int:
    answers, notes = AnswerReader(desk, options.source).read(options.answers, options.new, options.none)
    changed = desk.record(answers) if answers else []
    if options.as_json:
        typer.echo(as_json([_answer_object(*pair) for pair in zip(answers, changed, strict=True)]))
        return 0
    for answer, is_new in zip(answers, changed, strict=True):
        typer.echo(desk.told(answer) + ("" if is_new else " (recorded already)"))
    for line in notes:
        typer.echo(line)
    if any(changed):
        typer.echo(f"Recorded in {desk.file}: `kantenwerk import --apply` brings it into the graph.")
    else:
        typer.echo(f"Nothing was written: {desk.file} says so already.")
    return 0


def _answer_object(answer: Answer, is_new: bool) -> dict[str, object]:  # noqa: FBT001 - one of a pair
    decision = answer.decision
    return {
        "name": answer.name,
        "mention": decision.a,
        "note": decision.b,
        "state": decision.state,
        "written": is_new,
    }

"""A vault's open questions on names: how they are shown, and how answers to them are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from kantenwerk.cli.deciding import NoteFinder, now, recorded_decisions, write_decisions
from kantenwerk.cli.terminal import counted, one_line, painted
from kantenwerk.graph.lock import apply_lock
from kantenwerk.graph.model import Resolution
from kantenwerk.graph.resolutions import RESOLUTIONS, ResolutionChange
from kantenwerk.ingest.deciding import Decision, recorded_change
from kantenwerk.ingest.lines import Lines
from kantenwerk.ingest.pipeline import ImportResult
from kantenwerk.ingest.questions import Place, Question, described, open_questions, question_text, uses
from kantenwerk.ingest.resolve.guess import Option

_MOST_PLACES = 5
_LONGEST_LINE = 160


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision with the name that it is about, the one note that it is for, and the name's resolutions so far."""

    name: str
    decision: Decision
    source: str | None
    rows: tuple[Resolution, ...]

    @property
    def basis(self) -> tuple[Resolution, ...]:
        """What the decision is on: an answer to a question is a person's own word, and no likeness accepted."""
        return () if self.decision.state == "accepted" else self.rows


class Desk:
    """A vault, what its names mean, and the file that answers go to."""

    def __init__(self, vault: Path, result: ImportResult) -> None:
        self.vault = vault
        self.notes = result.reached.notes
        self.rows = result.reached.resolved.rows
        self.questions = open_questions(result)
        self.uses = list(uses(result))
        self.finder = NoteFinder((node, note.path, note.title) for node, note in self.notes.items())
        self._lines = Lines(vault)

    @property
    def file(self) -> str:
        """The file that answers go to, as people may open it."""
        return one_line(str(self.vault / RESOLUTIONS))

    def record(self, answers: Sequence[Answer]) -> list[bool]:
        """Write answers, all or none; return for each whether it is new to the file.

        Raises:
            StoreError: an import is writing, or the file cannot be written.
        """
        with apply_lock(self.vault):
            file, moment = recorded_decisions(self.vault), now()
            changes = [recorded_change(answer.decision, answer.basis, file, moment) for answer in answers]
            change = ResolutionChange(
                added=tuple(said for change in changes for said in change.added),
                removed=tuple(pair for change in changes for pair in change.removed),
            )
            if change:
                write_decisions(self.vault, change)
        return [bool(change) for change in changes]

    def told(self, answer: Answer) -> str:
        """Return what an answer says, in a sentence."""
        name, where = f"`{one_line(answer.name)}`", ""
        if answer.source is not None:
            where = f" in {self.path(answer.source)} alone"
        match answer.decision.state:
            case "accepted":
                return f"{name} is {self.path(answer.decision.b)}{where}"
            case "rejected":
                return f"{name} is not {self.path(answer.decision.b)}{where}"
            case _:
                return f"{name} is a thing of its own{where}, and nobody is asked about it again"

    def path(self, node: str | None) -> str:
        """Return a note's path for a sentence."""
        return f"`{one_line(self.finder.paths.get(node or '', node or ''))}`"

    def line_of(self, place: Place, name: str) -> str:
        """Return the text of the line in which a name is written."""
        return one_line(_excerpt(self._lines.line(place.path, place.line), name))


def _excerpt(line: str, name: str) -> str:
    """Return a line, or where it is a long one what stands around a name."""
    line = line.strip()
    if len(line) <= _LONGEST_LINE:
        return line
    start = max(0, line.lower().find(name.lower()) - _LONGEST_LINE // 2)
    part = line[start : start + _LONGEST_LINE]
    return f"{'…' if start else ''}{part}{'…' if start + _LONGEST_LINE < len(line) else ''}"


def block(question: Question, desk: Desk) -> Iterator[str]:
    """Yield the lines that show a question: in a sentence, where the name is written, and what it may mean."""
    yield painted(one_line(question_text(question, desk.notes)), "cyan", bold=True)
    for place in question.places[:_MOST_PLACES]:
        yield f"  {one_line(place.path)}:{place.line}: {desk.line_of(place, question.name)}"
    if len(question.places) > _MOST_PLACES:
        yield f"  … and {counted(len(question.places) - _MOST_PLACES, 'more place')}"
    for number, option in enumerate(question.options, 1):
        so_far = "; bound to it so far" if option.path == question.bound else ""
        why = f"[{_method(option)}: {option.reason}{so_far}]"
        yield f"  {number}  {one_line(described(option, desk.notes))}  {one_line(why)}"


def _method(option: Option) -> str:
    if option.score is None or option.method == "exact":
        return option.method
    return f"{option.method} {option.score:.2f}"


def tell_failures(desk: Desk) -> int:
    """Tell which names could not be searched; return the exit code."""
    failures = {use.mention: use for use in desk.uses if use.failed is not None}
    for use in failures.values():
        place = f"{use.place.path}:{use.place.line}"
        typer.echo(one_line(f"{place}: what `{use.name}` means was not found out: {use.failed}"), err=True)
    return int(bool(failures))

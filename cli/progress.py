"""Progress bars on stderr, on terminals only; one at a time, and none while a person is asked something."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Bars:
    """Shows how far an import is: how many notes are read, then how many questions are answered."""

    def __init__(self) -> None:
        self._what = ""
        self._bar: Progress | None = None

    def reading(self, done: int, total: int) -> None:
        """Show how many of the changed notes have been read."""
        self._move("reading notes", done, total)

    def asking(self, done: int, total: int) -> None:
        """Show how many of the questions have been answered."""
        self._move("asking", done, total)

    def clear(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Self:
        """Begin without a bar."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing on the terminal."""
        self.clear()

    def _move(self, what: str, done: int, total: int) -> None:
        if self._bar is None or what != self._what:
            self.clear()
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._what, self._bar = what, Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(what, total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)

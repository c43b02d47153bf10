"""What an import looks at only now and then waits in a file without a name, outside of memory."""

from __future__ import annotations

import io
import marshal
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")
_Tuple = TypeVar("_Tuple", bound=tuple[Any, ...])
_BLOCK = 1000
_Row = tuple[Any, ...]


class Stage(Generic[_T]):
    """The file, in the folder for temporary ones; it goes with the last that is kept in it, whatever ends the run.

    `row_of` gives what is to be kept of a value, numbers and texts in tuples and lists; `value_of` makes it again.
    """

    def __init__(self, row_of: Callable[[_T], _Row], value_of: Callable[[_Row], _T]) -> None:
        self._row_of, self.value_of = row_of, value_of
        self._has_room = True
        # Where each ends, and how many values it has; beside these arrays, what was kept takes hardly any memory.
        self._ends, self._counts = array("Q", [0]), array("I")

    def keep(self, values: Sequence[_T]) -> Sequence[_T]:
        """Return values that are read from the file whenever somebody looks at them; in memory where it has no room."""
        if not values:
            return ()
        data = marshal.dumps(list(map(self._row_of, values))) if self._has_room else b""
        if not data or not self._write(data):
            return values
        self._ends.append(self._ends[-1] + len(data))
        self._counts.append(len(values))
        return _Kept(self, len(self._counts) - 1)

    @cached_property
    def _file(self) -> io.FileIO:
        # Without a buffer, which would tell of a full disk when it is too late.
        return tempfile.TemporaryFile(buffering=0)

    def _write(self, data: bytes) -> bool:
        """Append to the file; False where it has no room for all of it, and from then on."""
        try:
            self._file.seek(self._ends[-1])
            self._has_room = self._file.write(data) == len(data)
        except OSError:
            self._has_room = False
        return self._has_room

    def keep_all(self, values: Iterable[_T]) -> Sequence[_T]:
        """Return the same of many values, which are never in memory at once."""
        waiting = iter(values)
        blocks = tuple(map(self.keep, iter(lambda: list(islice(waiting, _BLOCK)), [])))
        return _Blocks(blocks) if len(blocks) > 1 else next(iter(blocks), ())

    def read(self, number: int) -> Iterable[_Row]:
        """Return the rows of what was kept as number so and so."""
        start, end = self._ends[number : number + 2]
        self._file.seek(start)
        rows: Iterable[_Row] = marshal.loads(self._file.read(end - start))  # noqa: S302 - written above
        return rows

    def count(self, number: int) -> int:
        """Return how many rows these are."""
        return self._counts[number]

    def __del__(self) -> None:
        """Close the file, which deletes it."""
        if "_file" in vars(self):
            self._file.close()


def stage_of(kind: type[_Tuple]) -> Stage[_Tuple]:
    """Return a file for named tuples."""
    # Without a step in Python: `_make` takes three times as long.
    make: Callable[[_Row], _Tuple] = partial(tuple.__new__, kind)
    return Stage(tuple, make)


class _Outside(Sequence[_T]):
    """Values that are read when somebody looks at them; equal to others of the same values in the same order."""

    __slots__ = ()

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_T]: ...
    def __getitem__(self, place: int | slice) -> _T | Sequence[_T]:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


class _Kept(_Outside[_T]):
    """Values that were kept together."""

    __slots__ = ("_number", "_stage")

    def __init__(self, stage: Stage[_T], number: int) -> None:
        self._stage, self._number = stage, number

    def __iter__(self) -> Iterator[_T]:
        return map(self._stage.value_of, self._stage.read(self._number))

    def __len__(self) -> int:
        return self._stage.count(self._number)


class _Blocks(_Outside[_T]):
    """Values that were kept in blocks."""

    __slots__ = ("_blocks",)

    def __init__(self, blocks: tuple[Sequence[_T], ...]) -> None:
        self._blocks = blocks

    def __iter__(self) -> Iterator[_T]:
        return chain.from_iterable(self._blocks)

    def __len__(self) -> int:
        return sum(map(len, self._blocks))

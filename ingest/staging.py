"""Parts of notes that are not looked at before they are written wait in a file without a name, outside of memory."""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from kantenwerk.graph.model import Chunk
from kantenwerk.graph.rows import chunk_of, chunk_values

# What a small vault says needs no file.
_MOST_IN_MEMORY = 8 << 20


class Stage:
    """The file, in the folder for temporary ones; it goes with the last that is kept in it, whatever ends the run."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115 - closed below
        self._end = 0

    def keep(self, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
        """Return chunks that are read from the file whenever somebody looks at them; in memory where it has no room."""
        data = marshal.dumps(list(map(chunk_values, chunks)))
        try:
            self._file.seek(self._end)
            self._file.write(data)
        except OSError:
            return chunks
        start, self._end = self._end, self._end + len(data)
        return _Kept(self, start, len(data), len(chunks))

    def read(self, start: int, size: int) -> Iterable[tuple[object, ...]]:
        """Return the values of the chunks that are kept at a place."""
        self._file.seek(start)
        values: Iterable[tuple[object, ...]] = marshal.loads(self._file.read(size))  # noqa: S302 - written above
        return values

    def __del__(self) -> None:
        """Close the file, which deletes it."""
        self._file.close()


class _Kept(Sequence[Chunk]):
    """A note's chunks."""

    __slots__ = ("_count", "_size", "_stage", "_start")

    def __init__(self, stage: Stage, start: int, size: int, count: int) -> None:
        self._stage, self._start, self._size, self._count = stage, start, size, count

    def __iter__(self) -> Iterator[Chunk]:
        return map(chunk_of, self._stage.read(self._start, self._size))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Chunk]: ...
    def __getitem__(self, place: int | slice) -> Chunk | Sequence[Chunk]:
        return tuple(self)[place]

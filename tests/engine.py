"""One DuckDB a process, into which graphs are attached: to start one takes 20 ms, longer than most tests work it."""

from __future__ import annotations

from contextlib import closing, contextmanager
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import duckdb

from kantenwerk.graph import store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pytest

_connect = vars(store)["_connect"]
_numbers = count()


@contextmanager
def reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a graph's file read-only, and let go of it at the end."""
    with closing(_Attached(_duckdb("tests"), path, "READ_ONLY")) as graph:
        yield graph.connection


def share_duckdb(patch: pytest.MonkeyPatch) -> None:
    """Let the store attach the graphs that it opens, for tests of what a graph says and not of how it is opened."""
    patch.setattr(store, "_connect", _attached)


class _Attached:
    """A connection to one file, which is let go of when it is closed."""

    def __init__(self, engine: duckdb.DuckDBPyConnection, path: Path, mode: str) -> None:
        self._engine, self._name, quoted = engine, f"graph{next(_numbers)}", str(path).replace("'", "''")
        engine.execute(f"ATTACH '{quoted}' AS {self._name} ({mode})")
        self.connection = engine.cursor()
        self.connection.execute(f"USE {self._name}")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - stands for whatever the store opens
        return getattr(self.connection, name)

    def close(self) -> None:
        self.connection.close()
        self._engine.execute(f"DETACH {self._name}")


def _attached(path: Path, *, read_only: bool, more: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401 - as above
    mode = "READ_ONLY" if read_only else f"STORAGE_VERSION '{vars(store)['_STORAGE']}'"
    try:
        # What has settings of its own, or cannot be opened, is the store's to open, or to say why not.
        return _connect(path, read_only=read_only, more=more) if more else _Attached(_duckdb("store"), path, mode)
    except duckdb.Error:
        return _connect(path, read_only=read_only)


@cache
def _duckdb(_whose: str) -> duckdb.DuckDBPyConnection:
    # Without threads of its own, for some tests fork.
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "threads": 1,
            "async_threads": 0,
        }
    )

"""The command, which also says on the file descriptor `MARKS` which part of an import begins; otherwise as it is."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from kantenwerk.__main__ import main
from kantenwerk.cli import importing
from kantenwerk.graph import store


class Connection:
    """A connection that says when it commits and when it closes."""

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - stands for whatever the store opened
        self._connection = connection

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the same
        if name in {"commit", "close"}:
            mark(name)
        return getattr(self._connection, name)


def mark(name: str) -> None:
    os.write(int(os.environ["MARKS"]), f"{name}\n".encode())


def marked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: object, **options: object) -> object:
        mark(name)
        return function(*args, **options)

    return wrapper


def watch() -> None:
    connect, writer, asker = vars(store)["_connect"], vars(store)["_Writer"], vars(importing)["_asker"]
    vars(store)["_connect"] = lambda path, *, read_only, more=None: (
        connect(path, read_only=True, more=more) if read_only else Connection(connect(path, read_only=False))
    )
    vars(importing)["_asker"] = lambda *args: marked("ask", asker(*args))
    for name, place, function in (
        ("read", importing, "run_import"),
        ("decisions", importing, "_write"),
        ("open", importing, "apply_plan"),
        ("report", importing, "import_text"),
    ):
        vars(place)[function] = marked(name, vars(place)[function])
    writer.write = marked("rows", writer.write)


if __name__ == "__main__":
    watch()
    main()

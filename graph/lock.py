"""One `--apply` per vault: a lock that says who holds it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from kantenwerk.config import StoreError
from kantenwerk.config.errors import told
from kantenwerk.graph.decisions import FOLDER, clear_leftovers, write_atomically


@contextmanager
def apply_lock(vault: Path) -> Iterator[None]:
    """Hold the vault's lock; it is free again when the process ends, however it ends.

    Raises:
        StoreError: another process holds it, or the folder cannot be written.
    """
    folder = vault / FOLDER
    holder = folder / "lock.json"
    with ExitStack() as held:
        try:
            folder.mkdir(exist_ok=True)
            held.enter_context(FileLock(folder / "lock", timeout=0, thread_local=False))
            held.callback(_forget, holder)
            clear_leftovers(vault)
            write_atomically(holder, json.dumps({"pid": os.getpid(), "since": _now()}) + "\n")
        except Timeout:
            raise StoreError(f"another import writes this vault {_who(holder)}: wait until it is done") from None
        except OSError as error:
            raise StoreError(f"{folder} cannot be written: {told(error)}") from error
        yield


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _forget(holder: Path) -> None:
    # The lock itself is free all the same.
    with suppress(OSError):
        holder.unlink()


def _who(holder: Path) -> str:
    try:
        content = json.loads(holder.read_text("utf-8"))
        return f"(PID {content['pid']}, since {content['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "at this moment"

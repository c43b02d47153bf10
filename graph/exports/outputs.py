"""Where an export goes: all of it or nothing, and never over a note or what the vault keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from kantenwerk.config.errors import ConfigError, told
from kantenwerk.graph.decisions import FOLDER, replacing

_ASK = "name another file with --output"


def output_file(written: Path, vault: Path, database: Path) -> Path:
    """Return the file that an export may be written to, one that is there as well.

    Raises:
        ConfigError: it is no file, a note, the graph, or among what the vault keeps; or its folder is missing.
    """
    path, root = written.resolve(), vault.resolve()
    if path.is_dir():
        raise ConfigError(f"{written} is a folder: {_ASK}")
    if path.exists() and not path.is_file():
        raise ConfigError(f"{written} is no file that can be replaced: {_ASK}, or `-` for stdout")
    if not path.parent.is_dir():
        raise ConfigError(f"{written}: the folder {written.parent} does not exist")
    if path == database.resolve():
        raise ConfigError(f"{written} is the graph itself: {_ASK}")
    if path.is_relative_to(root):
        if path.suffix.lower() == ".md":
            raise ConfigError(f"{written} is a note of the vault, or would become one: {_ASK}")
        if path.relative_to(root).parts[0] == FOLDER:
            raise ConfigError(f"{written}: {FOLDER} is for what the vault keeps: {_ASK}")
    return path


def two_files(path: Path) -> tuple[Path, Path]:
    """Return the files of nodes and edges for a name that stands for both: `g.csv` is `g.nodes.csv`, `g.edges.csv`."""
    return path.with_suffix(f".nodes{path.suffix}"), path.with_suffix(f".edges{path.suffix}")


def write_files(paths: tuple[Path, ...], write: Callable[..., None]) -> None:
    """Have new files written, which then take their places.

    Raises:
        ConfigError: one cannot be written; the old ones stand.
    """
    try:
        with ExitStack() as stack:
            write(*(stack.enter_context(replacing(path)) for path in paths))
    except OSError as error:
        raise ConfigError(f"{paths[0]} cannot be written: {told(error)}") from None


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write pieces of text as UTF-8 into a file."""
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(pieces)

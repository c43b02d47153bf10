"""`.kantenwerk/` of a new vault: what `kantenwerk init` writes, and never over what is there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kantenwerk.config.errors import DecisionsError, VaultError, not_written
from kantenwerk.config.starter import starter_text
from kantenwerk.graph.decisions import FOLDER, GITATTRIBUTES, GITIGNORE, VERDICTS


@dataclass(frozen=True, slots=True)
class Started:
    """The files of a new vault by their path in it: those written now, and those left as they were."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


def start_folder(vault: Path) -> Started:
    """Write the files that a vault begins with, where they are missing; none of them changes the graph.

    Raises:
        VaultError: `.kantenwerk` is there and is no folder of the vault's own.
        DecisionsError: a file cannot be written; those before it stand.
    """
    folder = vault / FOLDER
    if folder.is_symlink():
        raise VaultError(f"{folder} is a symbolic link: init writes into the vault alone; put a folder in its place")
    if folder.exists() and not folder.is_dir():
        raise VaultError(f"{folder} is a file: move it away, for kantenwerk keeps a folder of that name")
    texts = {
        f"{FOLDER}/settings.yaml": starter_text("settings"),
        f"{FOLDER}/llm_profiles.yaml": starter_text("llm_profiles"),
        VERDICTS: "",
        f"{FOLDER}/.gitignore": GITIGNORE,
        f"{FOLDER}/.gitattributes": GITATTRIBUTES,
    }
    try:
        folder.mkdir(exist_ok=True)
        written = tuple(path for path, text in texts.items() if _is_new(vault / path, text))
    except OSError as error:
        raise DecisionsError(not_written(error, folder)) from error
    return Started(written, tuple(path for path in texts if path not in written))


def _is_new(path: Path, text: str) -> bool:
    """Write a file unless there is one, also one that leads nowhere, and tell whether that was done."""
    try:
        file = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        return False
    try:
        with file:
            file.write(text)
    except OSError as error:
        # Half a file would be kept next time.
        path.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error
    return True

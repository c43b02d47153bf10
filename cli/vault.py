"""Finds the vault, its configuration and its database."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kantenwerk.config.errors import ConfigError, StoreError, VaultError, told

if TYPE_CHECKING:
    from kantenwerk.config import Config

FOLDER = ".kantenwerk"
_SIGNS = (FOLDER, ".obsidian")


def find_vault(named: Path | None) -> Path:
    """Return the vault that was named, or the nearest one upwards from the working directory.

    Raises:
        VaultError: there is none, or it cannot be read.
    """
    if named is not None:
        _look_into(named)
        return named
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / sign).is_dir() for sign in _SIGNS):
            return folder
    raise VaultError(
        "no vault here: neither this folder nor one above it has `.kantenwerk` or `.obsidian`; name one with --vault"
    )


def _look_into(folder: Path) -> None:
    try:
        if not folder.exists():
            raise VaultError(f"{folder} does not exist: name the vault's folder with --vault")
        if not folder.is_dir():
            raise VaultError(f"{folder} is a file: name the folder that holds it with --vault")
        # One that cannot be read or entered would look empty.
        os.scandir(folder).close()
        (folder / FOLDER).is_dir()
    except OSError as error:
        raise VaultError(f"{folder} cannot be read: {told(error)}") from error


def repository_prefix(vault: Path) -> str:
    """Return the way to a vault from its git repository, or else the working directory, with a slash at its end.

    It is empty where the vault is that folder, or lies outside of it.
    """
    vault = vault.resolve()
    root = next((folder for folder in (vault, *vault.parents) if (folder / ".git").exists()), Path.cwd())
    is_below = vault != root and vault.is_relative_to(root)
    return f"{vault.relative_to(root).as_posix()}/" if is_below else ""


def read_config(vault: Path, overrides: Mapping[str, object]) -> Config:
    """Return the vault's configuration; an error names its files as they can be opened from here.

    Raises:
        ConfigError: a file, a variable or an option is wrong.
    """
    from kantenwerk.config import load_config
    from kantenwerk.graph.findings import CODES

    try:
        return load_config(vault, environ=os.environ, overrides=overrides, codes=CODES)
    except ConfigError as error:
        lines = str(error).splitlines()
        shown = [f"{vault / line}" if line.startswith(f"{FOLDER}/") else line for line in lines]
        raise ConfigError("\n".join(shown)) from error


def find_database(vault: Path, named: Path | None) -> Path:
    """Return the database's path.

    Raises:
        StoreError: it was named in a folder that does not exist; a slip would make a second graph.
    """
    if named is None:
        return vault / FOLDER / "graph.duckdb"
    if not named.parent.is_dir():
        raise StoreError(f"{named}: the folder {named.parent} does not exist")
    return named

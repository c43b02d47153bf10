"""Finds the vault and its database."""

from __future__ import annotations

from pathlib import Path

from kantenwerk.config.errors import VaultError

_SIGNS = (".kantenwerk", ".obsidian")
DATABASE = Path(".kantenwerk") / "graph.duckdb"


def find_vault(named: Path | None) -> Path:
    """Return the vault that was named, or the nearest one upwards from the working directory.

    Raises:
        VaultError: there is none.
    """
    if named is not None:
        if not named.exists():
            raise VaultError(f"{named} does not exist: name the vault's folder with --vault")
        if not named.is_dir():
            raise VaultError(f"{named} is a file: name the folder that holds it with --vault")
        return named
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / sign).is_dir() for sign in _SIGNS):
            return folder
    raise VaultError(
        "no vault here: neither this folder nor one above it has `.kantenwerk` or `.obsidian`; name one with --vault"
    )

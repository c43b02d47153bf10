"""`kantenwerk init`: what a vault begins with."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from kantenwerk.cli.terminal import as_json, one_line
from kantenwerk.cli.vault import find_vault
from kantenwerk.config.errors import VaultError
from kantenwerk.graph.starting import start_folder
from kantenwerk.ingest.scan import has_notes


def start_vault(named: Path | None, *, in_json: bool) -> int:
    """Write the files that a vault begins with and say which; those that are there are left as they are."""
    vault = find_vault(named) if named is not None else _working_folder()
    started = start_folder(vault)
    if in_json:
        typer.echo(as_json({"vault": str(vault), **asdict(started)}))
        return 0
    typer.echo(f"Vault: {one_line(str(vault))}")
    for state, paths in (("written", started.written), ("kept", started.kept)):
        for path in paths:
            typer.echo(f"  {state:7}  {path}")
    if has_notes(vault):
        typer.echo("Commit these files with the notes. `kantenwerk check` says what is wrong in the notes.")
    else:
        typer.echo("There are no notes here yet: kantenwerk reads files that end in .md.")
    return 0


def _working_folder() -> Path:
    """Return the working directory, unless it lies in a vault: a slip would make a vault inside another.

    Raises:
        VaultError: it does.
    """
    here = Path.cwd()
    try:
        outer = find_vault(None)
    except VaultError:
        return here
    if outer != here:
        raise VaultError(
            f"{here} lies in the vault {outer}: name that one with --vault, or this folder with `--vault .` "
            "to make a vault of its own"
        )
    return here

"""`kantenwerk promote`: moves proven candidates into Smart Edges."""

from __future__ import annotations

from kantenwerk.cli.deciding import NoteFinder
from kantenwerk.cli.mending import MendOptions, tell_mending
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.ingest.mend.run import Look, find_promotions


def promote_notes(options: MendOptions, names: tuple[str, ...], *, drop_rejected: bool) -> int:
    """Show how the candidates of some notes, or of all, would move, or write it; return the exit code.

    Raises:
        ConfigError: a name is no note's, or that of several.
    """
    vault = find_vault(options.vault)
    look = Look(vault, read_config(vault, options.overrides))
    finder = NoteFinder((node, note.path, note.title) for node, note in look.nodes())
    paths = {finder.paths[finder.one(name)] for name in names} if names else None
    return tell_mending(vault, find_promotions(look, paths, drop_rejected=drop_rejected), options)

"""`kantenwerk check --fix`: mends what is safe and certain."""

from __future__ import annotations

from kantenwerk.cli.mending import MendOptions, tell_mending
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.ingest.check.scope import Flags, names_of
from kantenwerk.ingest.mend.run import find_fixes


def fix_vault(options: MendOptions, select: tuple[str, ...], ignore: tuple[str, ...]) -> int:
    """Show what can be mended in the notes, or write it; return the exit code.

    Raises:
        ConfigError: `select` or `ignore` hold what is no code.
    """
    flags = Flags(names_of("--select", select), names_of("--ignore", ignore))
    vault = find_vault(options.vault)
    config = read_config(vault, options.overrides)
    return tell_mending(vault, find_fixes(vault, config, flags), options)

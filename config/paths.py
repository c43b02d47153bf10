"""Patterns for paths of a vault, as a line of `.gitignore` writes them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from kantenwerk.config.names import nfc

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def path_problem(pattern: str) -> str | None:
    """Say what is wrong with a pattern, or return `None`."""
    if pattern.startswith(("!", "#")):
        return f"a pattern says which paths are meant; if it begins with `{pattern[0]}`, put a backslash before that"
    try:
        means_something = all(part.regex is not None for part in _spec(pattern).patterns)
    except (ValueError, re.error):
        means_something = False
    return None if means_something else "is no pattern for paths, such as archive/**"


def is_path_in(path: str, pattern: str) -> bool:
    """Tell whether a pattern names a path, or a folder above it."""
    return _spec(pattern).match_file(nfc(path))


@lru_cache(maxsize=256)
def _spec(pattern: str) -> GitIgnoreSpec:
    # Imported here, for few vaults name paths.
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    return GitIgnoreSpec.from_lines([nfc(pattern)])

"""The files of configuration that a new vault begins with: the packaged ones, with every key commented out."""

from __future__ import annotations

from itertools import dropwhile
from pathlib import Path
from typing import Final, Literal

_HEAD: Final = """\
# What this vault wants otherwise than kantenwerk has it. Each key stands here as it is by default, behind a `#`.
# To change one, take the `#` away: from the key, and from those that it is indented under.
"""
# A list of 150 lines that hardly anybody changes.
_LEFT_OUT: Final = "attachment_extensions:"


def starter_text(name: Literal["settings", "llm_profiles"]) -> str:
    """Return a file that changes nothing, and says which keys there are and what they do."""
    packaged = Path(__file__).with_name(f"{name}.yaml").read_text("utf-8")
    # Its head speaks of itself as what a vault changes.
    body = "".join(dropwhile(lambda line: line.startswith("#"), packaged.splitlines(keepends=True)))
    parts = (part.strip("\n") for part in body.split("\n\n"))
    kept = (part for part in parts if not any(line.startswith(_LEFT_OUT) for line in part.splitlines()))
    return "\n".join([_HEAD, *(f"{_commented(part)}\n" for part in kept)])


def _commented(part: str) -> str:
    return "\n".join(line if line.startswith("#") else f"#{line}" for line in part.splitlines())

"""The checkout as these tests read it: its settings, its rooms, its sources."""

from __future__ import annotations

import shutil
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "src" / "kantenwerk"
ROOMS = ("cli", "config", "graph", "ingest", "vault_example")

# What a wheel is built from.
_NEEDED = (*ROOMS, "src", "pyproject.toml", "README.md", "LICENSE")


def copy_checkout(folder: Path, *more: str) -> None:
    """Copy what a wheel is built from, and more files if named, into a folder that is there."""
    for name in (*_NEEDED, *more):
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "node_modules")
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, folder / name)


@cache
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def sources() -> dict[str, Path]:
    """Every source file of the rooms, by the path that it has behind the import name."""
    found = {path.name: path for path in DOOR.glob("*.py")}
    for room in ROOMS:
        found |= {path.relative_to(ROOT).as_posix(): path for path in (ROOT / room).rglob("*.py")}
    return {f"kantenwerk/{name}": path for name, path in sorted(found.items())}

"""Vaults to be checked by the real command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from typer.testing import CliRunner

from kantenwerk.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Found(NamedTuple):
    """A finding, as far as tests look at it."""

    code: str
    severity: str
    path: str
    line: int
    message: str


def build(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by path."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def checked(root: Path, *options: str) -> list[Found]:
    """Check a vault."""
    result = CliRunner().invoke(app, ["check", "--vault", str(root), "--format", "json", *options])
    assert result.exit_code in {0, 1}, result.output
    return [Found(*(one[name] for name in Found._fields)) for one in json.loads(result.stdout)]


def places(root: Path, code: str, *options: str) -> list[tuple[str, int]]:
    """Where a code is found."""
    return [(one.path, one.line) for one in checked(root, *options) if one.code == code]


def messages(root: Path, code: str, *options: str) -> list[str]:
    """What is told under a code."""
    return [one.message for one in checked(root, *options) if one.code == code]

"""The desk at which the tests of faults sit."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.faults.commands import LEVEL, build
from tests.validation.desk import QUICK, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.validation.desk import Desk


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault on which every command has something to do, imported."""
    folder = tmp_path_factory.mktemp("ready")
    with pytest.MonkeyPatch.context() as patch, new_desk(folder, patch, QUICK | LEVEL, shares_duckdb=False) as desk:
        build(desk)
        return desk.root


@pytest.fixture
def desk(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with that vault, in which a note has changed since."""
    with new_desk(tmp_path, monkeypatch, QUICK | LEVEL, shares_duckdb=False) as desk:
        shutil.copytree(ready, desk.root, dirs_exist_ok=True)
        desk.write("B.md", (desk.root / "B.md").read_text("utf-8") + "\nUnd [[checkout-service]], [[Neu]].\n")
        yield desk

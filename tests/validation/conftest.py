"""The desk at which the tests of validation sit."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import EXACT, QUICK, Desk, new_desk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with an empty vault, no endpoint, and a home of its own."""
    with new_desk(tmp_path, monkeypatch, QUICK | EXACT) as desk:
        yield desk


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where vaults stand that several tests begin with."""
    return tmp_path_factory.mktemp("shelf")


Begin = Callable[[Callable[[Desk], None]], Desk]


@pytest.fixture
def begin(desk: Desk, shelf: Path) -> Begin:
    """Gives the desk a vault as a function builds it; built once, copied afterwards."""

    def take(build: Callable[[Desk], None]) -> Desk:
        ready = shelf / f"{build.__module__}.{build.__qualname__}"
        if not ready.exists():
            build(desk)
            desk.close()
            shutil.copytree(desk.root, ready)
        shutil.copytree(ready, desk.root, dirs_exist_ok=True)
        return desk

    return take

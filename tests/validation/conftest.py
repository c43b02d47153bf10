"""The desk at which the tests of validation sit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

QUICK = {
    "KANTENWERK_LLM_RETRIES": "0",
    "KANTENWERK_LLM_CONCURRENCY": "1",
    "KANTENWERK_LLM_TIMEOUT_S": "5",
    "KANTENWERK_RESOLUTION_LEVEL": "exact",
}
"""No waits for what does not come, and one question after the other, so that their order is known."""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with an empty vault, no endpoint, and a home of its own."""
    for name in os.environ:
        if name.startswith("KANTENWERK_") or name == "OPENAI_API_KEY":
            monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "vault"
    root.mkdir()
    desk = Desk(root, monkeypatch)
    yield desk
    desk.close()


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

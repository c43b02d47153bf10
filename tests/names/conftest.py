"""The desk at which the tests of names sit: names are resolved as far as they are by default."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUICK = {
    "KANTENWERK_LLM_RETRIES": "0",
    "KANTENWERK_LLM_CONCURRENCY": "1",
    "KANTENWERK_LLM_TIMEOUT_S": "5",
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with an empty vault, no endpoint, and a home of its own."""
    yield from new_desk(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The same for tests of one file that only read, one at a time."""
    with pytest.MonkeyPatch.context() as patch:
        yield from new_desk(tmp_path_factory.mktemp("shared"), patch)


def new_desk(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for name in tuple(os.environ):
        if name.startswith("KANTENWERK_") or name == "OPENAI_API_KEY":
            patch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        patch.setenv(name, str(folder / "home"))
    for name, value in QUICK.items():
        patch.setenv(name, value)
    root = folder / "vault"
    root.mkdir()
    desk = Desk(root, patch)
    yield desk
    desk.close()

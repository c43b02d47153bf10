"""The desk at which the tests of decisions on names sit."""

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
    """A desk with an empty vault, no endpoint, a home of its own, and names resolved as far as they are by default."""
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

"""The vaults whose graphs are exported, each imported once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exports.graphs import hostile, imported
from tests.sessions.test_sessions import copy_example

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def example_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    copy_example(folder)
    return imported(folder / "vault_example")


@pytest.fixture(scope="session")
def hostile_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile(tmp_path_factory.mktemp("hostile") / "vault")


@pytest.fixture(params=["example", "hostile"])
def vault(request: pytest.FixtureRequest) -> Path:
    """Either of the two."""
    found: Path = request.getfixturevalue(f"{request.param}_vault")
    return found

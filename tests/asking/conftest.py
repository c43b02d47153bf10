"""The desk at which the tests of the asking commands sit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import QUICK, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.validation.desk import Desk


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk for tests that only ask, all of them at the same graph."""
    folder = tmp_path_factory.mktemp("asked")
    with pytest.MonkeyPatch.context() as patch, new_desk(folder, patch, QUICK) as desk:
        yield desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with an empty vault, no endpoint, and a home of its own."""
    with new_desk(tmp_path, monkeypatch, QUICK | {"KANTENWERK_RESOLUTION_LEVEL": "stem"}) as desk:
        yield desk

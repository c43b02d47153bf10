"""The desk at which the tests of names sit: names are resolved as far as they are by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import QUICK, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.validation.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with an empty vault, no endpoint, and a home of its own."""
    with new_desk(tmp_path, monkeypatch, QUICK) as desk:
        yield desk


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The same for tests of one file that only read, one at a time."""
    with pytest.MonkeyPatch.context() as patch, new_desk(tmp_path_factory.mktemp("shared"), patch, QUICK) as desk:
        yield desk

"""The desk at which the tests of mending sit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import EXACT, QUICK, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.validation.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with two notes to link to, no endpoint, and a home of its own."""
    with new_desk(tmp_path, monkeypatch, QUICK | EXACT) as desk:
        for name in "BC":
            desk.write(f"{name}.md", f"# {name}\n\n{name}.\n")
        yield desk

"""The desk at which the tests of reviewing sit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import EXACT, QUICK, new_desk, note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.validation.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with two candidates that wait, no endpoint, no database, and a home of its own."""
    with new_desk(tmp_path, monkeypatch, QUICK | EXACT) as desk:
        desk.write("A.md", note("A", "A braucht B und [b]C[/b].", ["depends_on:B", "uses:C"]))
        desk.write("B.md", "---\naliases: [Bee]\nsummary: Sends mail.\n---\n# B\n\nB.\n")
        desk.write("C.md", "# C\n\nC.\n")
        yield desk

"""A changed note knows what leads to it, also where no mirror tells: the graph is as one that is built anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import EXACT, QUICK, Desk, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KINDS = "kinds:\n  uses: {mirrored: false}\n"
# What A says, one text after the other; B uses it, C depends on it.
TEXTS = [
    "[[rel:used_by|B]] [[rel:required_by|C]]",
    "[[rel:uses|B]]",
    "[[rel:required_by|C]]",
    "[[rel:depends_on|C]] [[rel:uses|B]] [[A]]",
    "",
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with new_desk(tmp_path, monkeypatch, QUICK | EXACT) as desk:
        desk.write("B.md", "# B\n\n[[rel:uses|A]]\n")
        desk.write("C.md", "# C\n\n[[rel:depends_on|A]]\n\n## Edge Pool\n\n- uses:A\n")
        yield desk


@pytest.mark.parametrize("kinds", [KINDS, "kinds: {}\n"])
def test_that_changes_come_to_what_all_comes_to(desk: Desk, kinds: str) -> None:
    desk.write(".kantenwerk/edges.yaml", kinds)
    desk.write("A.md", "# A\n")
    desk.apply()
    for text in TEXTS:
        desk.write("A.md", f"# A\n\n{text}\n")
        desk.apply()
        assert desk.tables() == desk.rebuild()

"""The desk at which the tests of reviewing sit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import Desk, note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUICK = {
    "KANTENWERK_LLM_RETRIES": "0",
    "KANTENWERK_LLM_CONCURRENCY": "1",
    "KANTENWERK_LLM_TIMEOUT_S": "5",
    "KANTENWERK_RESOLUTION_LEVEL": "exact",
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with two candidates that wait, no endpoint, no database, and a home of its own."""
    for name in os.environ:
        if name.startswith("KANTENWERK_") or name in {"OPENAI_API_KEY", "EDITOR", "VISUAL"}:
            monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "vault"
    root.mkdir()
    desk = Desk(root, monkeypatch)
    desk.write("A.md", note("A", "A braucht B und [b]C[/b].", ["depends_on:B", "uses:C"]))
    desk.write("B.md", "---\naliases: [Bee]\nsummary: Sends mail.\n---\n# B\n\nB.\n")
    desk.write("C.md", "# C\n\nC.\n")
    yield desk
    desk.close()

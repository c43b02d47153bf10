"""What an import reads of the names that are stored: nothing, or the few that a new name may mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kantenwerk.graph.name_parts import StoredNameParts

if TYPE_CHECKING:
    from tests.validation.desk import Desk


@pytest.fixture
def vault(desk: Desk) -> Desk:
    desk.write("Klaus.md", "# Klaus\n\n[[Niemand]]\n")
    desk.write("Checkout Service.md", "# Checkout Service\n\nText.\n")
    for number in range(30):
        desk.write(f"Bericht {number}.md", f"# Bericht {number}\n\nText.\n")
    desk.apply()
    return desk


@pytest.mark.parametrize("text", ["# Klaus\n\n[[Niemand]]\n", "# Klaus\n\nMehr.\n\n[[Niemand]]\n", "# Klaus\n"])
def test_where_no_name_is_new_none_is_read(vault: Desk, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(StoredNameParts, "_rows", lambda *_: pytest.fail("names are read"))
    vault.write("Klaus.md", text)
    vault.apply()
    assert vault.tables() == vault.rebuild()


def test_a_new_name_is_looked_for_among_few(vault: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StoredNameParts, "all", lambda _: pytest.fail("all names are read"))
    vault.write("Klaus.md", "# Klaus\n\n[[Niemand]] [[checkout-svc]]\n")
    vault.apply()
    assert vault.rows("SELECT b FROM resolutions") == [("Checkout Service",)]
    assert vault.tables() == vault.rebuild()


def test_names_that_came_and_went_are_those_of_a_new_graph(vault: Desk) -> None:
    for path, text in (
        ("Checkout Service.md", "---\naliases: [Kasse, CHKT]\nid: kasse\n---\n# Kassendienst\n"),
        ("Bericht 7.md", "---\ntype: interface\n---\n# Bericht sieben\n"),
        ("Klaus.md", "# Klaus\n\n[[Niemand]] [[checkout-svc]] [[Berichte 8]]\n"),
    ):
        vault.write(path, text)
        vault.apply()
        parts = vault.rows("SELECT * FROM name_parts ORDER BY ALL")
        assert vault.tables() == vault.rebuild()
        assert vault.rows("SELECT * FROM name_parts ORDER BY ALL") == parts
    (vault.root / "Checkout Service.md").unlink()
    vault.apply()
    assert vault.tables() == vault.rebuild()
    assert vault.rows("SELECT count(*) FROM name_parts WHERE note = 'kasse'") == [(0,)]

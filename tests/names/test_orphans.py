"""Decisions whose note is gone: told, with the note that it may be now, and good again when it is back."""

from __future__ import annotations

import pytest

from tests.names.embedders import BINDS, FALKE, HOLDING, Told, hand_in
from tests.names.graph import assert_rebuilt, checked, entity, found, graph_of, resolutions, targets
from tests.validation.desk import Desk, note

DECISIONS = ".kantenwerk/decisions.yaml"
OLD = "people/Julia Augsburg"


@pytest.fixture
def julia(desk: Desk) -> Desk:
    """A name that a person said two things of: which note it is, and which it is not."""
    desk.write(f"{OLD}.md", "---\nsummary: sister\n---\nLives in Augsburg.\n")
    desk.write("people/Julia Nürnberg.md", "---\nsummary: colleague\n---\nLives in Nürnberg.\n")
    desk.write("A.md", "[[Julia]]\n")
    assert desk.run("clarify", "--answer", f"Julia={OLD}").exit_code == 0
    desk.apply()
    return desk


def move(desk: Desk, old: str, new: str) -> None:
    (desk.root / f"{new}.md").parent.mkdir(exist_ok=True)
    (desk.root / f"{old}.md").rename(desk.root / f"{new}.md")


def orphans(desk: Desk) -> dict[str, str]:
    """The advice that every orphaned decision comes with, by what is said of it."""
    rows = desk.rows("SELECT severity, path, line, message, help FROM findings WHERE code = 'decision-orphaned'")
    assert {tuple(row[:2]) for row in rows} <= {("warning", DECISIONS)}
    return {f"{line}: {message}": advice for _, _, line, message, advice in rows}


@pytest.mark.parametrize(
    "new",
    [
        pytest.param("family/Julia Augsburg", id="moved"),
        pytest.param("family/Julie Augsburg", id="moved and nearly the same"),
    ],
)
def test_a_decision_whose_note_was_renamed_names_the_likely_new_one(julia: Desk, new: str) -> None:
    assert entity(julia, "mention:julia") == OLD
    before = graph_of(julia)
    move(julia, OLD, new)
    said = checked(julia)
    julia.apply()
    assert orphans(julia) == {
        f"1: the decision on `mention:julia` speaks of `{OLD}`, and there is no such note": (
            f"write `{new}` there, if it is that"
        )
    }
    assert found(julia) == said
    assert entity(julia, "mention:julia") == "mention:julia", "nothing is taken over without a word"
    assert julia.codes("A.md") == {"ambiguous-target": 1}
    assert_rebuilt(julia)
    # A person follows the advice.
    file = julia.root / DECISIONS
    file.write_text(file.read_text("utf-8").replace(OLD, new), "utf-8")
    julia.apply()
    assert entity(julia, "mention:julia") == new
    assert orphans(julia) == {}
    # Or the note is called again as it was.
    file.write_text(file.read_text("utf-8").replace(new, OLD), "utf-8")
    move(julia, new, OLD)
    julia.apply()
    assert graph_of(julia) == before


def test_a_decision_whose_note_was_deleted_waits_for_it(julia: Desk) -> None:
    before = graph_of(julia)
    text = (julia.root / f"{OLD}.md").read_text("utf-8")
    (julia.root / f"{OLD}.md").unlink()
    julia.write("people/Julia Nürnberg.md", "---\ntitle: Somebody\n---\n")
    move(julia, "people/Julia Nürnberg", "people/Somebody")
    julia.apply()
    assert list(orphans(julia).values()) == ["delete the line, or bring the note back"]
    assert targets(julia)["Julia", False] == ("mention:julia", "explicit")
    assert_rebuilt(julia)
    (julia.root / "people/Somebody.md").unlink()
    julia.write("people/Julia Nürnberg.md", "---\nsummary: colleague\n---\nLives in Nürnberg.\n")
    julia.write(f"{OLD}.md", text)
    julia.apply()
    assert graph_of(julia) == before


def test_every_decision_on_a_note_that_is_gone_is_told_in_its_line(julia: Desk) -> None:
    julia.write("outbox.md", "x\n")
    julia.apply()
    for words in (("add", OLD, "outbox"), ("reject", "Julia", OLD)):
        assert julia.run("resolutions", *words).exit_code == 0
    (julia.root / f"{OLD}.md").unlink()
    julia.apply()
    lines = (julia.root / DECISIONS).read_text("utf-8").splitlines()
    assert len(lines) == 2
    told = {int(message.partition(":")[0]) for message in orphans(julia)}
    assert told == {1, 2}
    assert resolutions(julia) & {("mention:julia", OLD, "person", "rejected", "person")} == set()
    assert_rebuilt(julia)


def test_a_note_with_an_id_of_its_own_may_move(desk: Desk) -> None:
    desk.write("people/Anna.md", "---\nid: anna\n---\n")
    desk.write("A.md", "[[Nan]]\n")
    assert desk.run("clarify", "--answer", "Nan=people/Anna").exit_code == 0
    desk.apply()
    move(desk, "people/Anna", "family/Nana")
    desk.apply()
    assert orphans(desk) == {}
    assert entity(desk, "mention:nan") == "anna"
    assert_rebuilt(desk)


def test_what_a_meaning_finds_anew_is_no_orphan(desk: Desk) -> None:
    desk.write(".kantenwerk/settings.yaml", BINDS)
    desk.write(f"a/{HOLDING}.md", "x\n")
    desk.write("A.md", note("A", "x", [f"uses:{FALKE}"]))
    hand_in(desk, Told())
    desk.apply()
    move(desk, f"a/{HOLDING}", f"b/{HOLDING}")
    desk.apply()
    assert entity(desk, f"mention:{FALKE.lower()}") == f"b/{HOLDING}"
    assert f"b: b/{HOLDING}," in (desk.root / DECISIONS).read_text("utf-8")
    assert orphans(desk) == {}
    assert_rebuilt(desk)

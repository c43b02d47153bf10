"""What is said of a name in one note alone: it reaches that note, and the others keep what is said for all."""

from __future__ import annotations

import pytest

from kantenwerk.graph.model import mention_in
from tests.names.graph import assert_rebuilt, entity, mentions, targets
from tests.validation.desk import Desk

NUREMBERG, AUGSBURG, BAMBERG = (f"people/Julia {town}" for town in ("Nürnberg", "Augsburg", "Bamberg"))
MONDAY = mention_in("mention:julia", "days/Monday")


@pytest.fixture
def julia(desk: Desk) -> Desk:
    """A name that may mean three notes, in two notes."""
    for path in (NUREMBERG, AUGSBURG, BAMBERG):
        desk.write(f"{path}.md", "x\n")
    for path in ("days/Monday", "days/Tuesday"):
        desk.write(f"{path}.md", "[[Julia]]\n")
    desk.apply()
    return desk


def answer(desk: Desk, *words: str) -> None:
    result = desk.run("clarify", *words)
    assert result.exit_code == 0, result.output


def meant(desk: Desk, source: str) -> str | None:
    """What the name means in a note."""
    target, _ = targets(desk, source)["Julia", False]
    return entity(desk, target or "")


def test_an_answer_for_one_note_and_one_for_all_stand_side_by_side(julia: Desk) -> None:
    answer(julia, "--answer", f"Julia={AUGSBURG}", "--source", "days/Monday")
    julia.apply()
    assert (meant(julia, "days/Monday"), meant(julia, "days/Tuesday")) == (AUGSBURG, "mention:julia")
    answer(julia, "--answer", f"Julia={NUREMBERG}")
    julia.apply()
    assert (meant(julia, "days/Monday"), meant(julia, "days/Tuesday")) == (AUGSBURG, NUREMBERG)
    assert mentions(julia) == {MONDAY, "mention:julia"}
    assert_rebuilt(julia)


def test_what_it_is_not_in_one_note_leaves_there_what_it_is_for_all(julia: Desk) -> None:
    answer(julia, "--answer", f"Julia={AUGSBURG}", "--source", "days/Monday")
    assert julia.run("resolutions", "reject", MONDAY, AUGSBURG).exit_code == 0
    answer(julia, "--answer", f"Julia={NUREMBERG}")
    julia.apply()
    assert (meant(julia, "days/Monday"), meant(julia, "days/Tuesday")) == (NUREMBERG, NUREMBERG)


def test_an_answer_for_a_note_that_was_renamed_is_told(julia: Desk) -> None:
    answer(julia, "--answer", f"Julia={AUGSBURG}", "--source", "days/Monday")
    julia.apply()
    assert entity(julia, MONDAY) == AUGSBURG
    (julia.root / "days/Monday.md").rename(julia.root / "Monday.md")
    julia.apply()
    assert "ambiguous-target" in julia.codes("Monday.md"), "the answer does not count any more"
    advice = julia.rows("SELECT help FROM findings WHERE code = 'decision-orphaned'")
    assert ["monday" in text.lower() for (text,) in advice] == [True]


def test_it_reaches_a_link_that_was_bound_without_it(desk: Desk) -> None:
    for name in ("people/Kim", "old/Kim"):
        desk.write(f"{name}.md", "x\n")
    desk.write("days/Monday.md", "[[Kim]]\n")
    mention = mention_in("mention:kim", "days/Monday")
    desk.apply()
    assert targets(desk, "days/Monday") == {("Kim", False): ("old/Kim", "explicit")}
    assert desk.run("clarify", "--answer", "Kim=people/Kim", "--source", "days/Monday").exit_code == 0
    desk.apply()
    assert targets(desk, "days/Monday") == {("Kim", False): (mention, "explicit")}
    assert entity(desk, mention) == "people/Kim"

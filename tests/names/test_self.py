"""ICH: whom it means, and that it never is a node; through the import and through check."""

from __future__ import annotations

import pytest

from tests.names.graph import assert_rebuilt, checked, found, mentions, resolutions, targets
from tests.servers.scripted import ServeScript, says
from tests.validation.desk import Desk, note

OWNER = "people/Ronja"
SPEAKER = note("A", "[[ICH]] wrote [[rel:mastered_by|ich]], and so did [[B]].", ["related_to:Me", "uses:SELF"])
WRITTEN = {("ICH", False), ("ich", False), ("Me", True), ("SELF", True)}


@pytest.fixture
def speaker(desk: Desk) -> Desk:
    """A note that speaks of its writer in all ways, and of another note."""
    desk.write("A.md", SPEAKER)
    desk.write("B.md", "# B\n")
    return desk


def own(desk: Desk, path: str) -> None:
    desk.write(f"{path}.md", "---\ntype: user\n---\nIt is me.\n")


def meant(desk: Desk) -> dict[tuple[str, bool], tuple[str | None, str]]:
    """What became of the links that speak of the writer."""
    return {link: came for link, came in targets(desk).items() if link in WRITTEN}


def assert_no_node(desk: Desk) -> None:
    """See that nothing is called ICH, and that nothing else is held up by it."""
    assert mentions(desk) == set()
    assert resolutions(desk) == set()
    assert desk.rows("SELECT * FROM entity_of") == []
    assert ("A", "references", "B") in desk.triples()


def test_it_means_the_owner_in_any_case(speaker: Desk) -> None:
    own(speaker, OWNER)
    said = checked(speaker)
    speaker.apply()
    assert meant(speaker) == {link: (OWNER, "pending" if link[1] else "explicit") for link in WRITTEN}
    assert speaker.triples() == {("A", "references", OWNER), ("A", "mastered_by", OWNER), ("A", "references", "B")}
    assert (OWNER, "masters", "A") in {edge[:3] for edge in speaker.edges(mirror=True)}
    assert speaker.codes() == {"candidate-pending": 2}, "nothing is said of it: it is no likeness"
    assert found(speaker) == said
    assert_no_node(speaker)


def test_it_is_judged_as_it_is_written_and_as_who_it_is(speaker: Desk, scripted: ServeScript) -> None:
    own(speaker, OWNER)
    server = scripted(says("YES"))
    speaker.point(server)
    speaker.apply()
    assert len(server.prompts) == 2
    assert {"Me", "SELF"} == {name for name in ("Me", "SELF") for prompt in server.prompts if f"\n{name}\n" in prompt}
    assert all("\nRonja\n" in prompt for prompt in server.prompts)
    assert {("A", "related_to", OWNER), ("A", "uses", OWNER)} <= speaker.triples()
    assert {line["target"] for line in speaker.verdicts()} == {OWNER}


@pytest.mark.parametrize(
    ("owners", "told"), [((), "no note is of type `user`"), ((OWNER, "people/Tarek"), "2 notes are of type `user`")]
)
def test_without_one_owner_it_is_an_error_for_that_name_alone(
    speaker: Desk, scripted: ServeScript, owners: tuple[str, ...], told: str
) -> None:
    for owner in owners:
        own(speaker, owner)
    server = scripted(says("YES"))
    speaker.point(server)
    said = checked(speaker)
    speaker.apply()
    assert meant(speaker) == dict.fromkeys(WRITTEN, (None, "unresolved"))
    assert speaker.triples() == {("A", "references", "B")}
    assert speaker.codes() == {"self-unknown": 4}
    assert all(told in message for _, _, _, message in found(speaker))
    assert server.requests == []
    assert_no_node(speaker)
    assert found(speaker) == said
    assert speaker.run("check").exit_code == 1


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("# ICH\n", {"title-target"}),
        ("---\naliases: [ich]\n---\n", {"alias-target"}),
        ("---\nid: ich\n---\n", set()),
    ],
)
def test_a_note_of_that_very_name_goes_before_the_owner(desk: Desk, text: str, codes: set[str]) -> None:
    desk.write("A.md", "[[ICH]] and [[rel:mastered_by|Ich]]\n")
    desk.write("films/Film.md", text)
    for number in range(2):
        own(desk, f"people/{number}")
    said = checked(desk)
    desk.apply()
    node = "ich" if "id:" in text else "films/Film"
    assert desk.triples() == {("A", "references", node), ("A", "mastered_by", node)}
    assert set(desk.codes()) == codes
    assert found(desk) == said
    assert mentions(desk) == set()


def test_a_file_of_that_very_name_goes_before_the_owner(speaker: Desk) -> None:
    own(speaker, OWNER)
    speaker.write("films/Ich.md", "A film.\n")
    speaker.apply()
    assert targets(speaker)["ICH", False] == targets(speaker)["ich", False] == ("films/Ich", "explicit")
    assert targets(speaker)["SELF", True] == (OWNER, "pending"), "only of that very name"
    assert_no_node(speaker)


def test_owners_that_come_and_go_take_the_links_along(speaker: Desk) -> None:
    for path, text, owner in (
        (OWNER, "---\ntype: user\n---\n", OWNER),
        ("people/Tarek", "---\ntype: user\n---\n", None),
        (OWNER, "---\ntype: person\n---\n", "people/Tarek"),
        ("people/Tarek", None, None),
    ):
        if text is None:
            (speaker.root / f"{path}.md").unlink()
        else:
            speaker.write(f"{path}.md", text)
        speaker.apply()
        assert {target for target, _ in meant(speaker).values()} == {owner}
        assert_no_node(speaker)
    assert_rebuilt(speaker)


def test_the_owner_speaking_of_himself_is_no_neighbour_of_his_own(desk: Desk) -> None:
    desk.write(f"{OWNER}.md", "---\ntype: user\n---\n" + note("Ronja", "[[ICH]]", ["related_to:ICH"]))
    desk.apply()
    assert desk.rows("SELECT * FROM links") == []
    assert desk.codes() == {"self-link": 2}


@pytest.mark.parametrize(
    ("path", "stated"), [("A.md", "[[rel:mastered_by|Ronja]]"), (f"{OWNER}.md", "[[rel:masters|A]]")]
)
def test_what_is_stated_of_the_owner_by_name_is_not_asked_of_him_as_ich(desk: Desk, path: str, stated: str) -> None:
    desk.write("A.md", note("A", "x", ["mastered_by:ICH"]))
    own(desk, OWNER)
    desk.write(path, (desk.root / path).read_text("utf-8") + f"\n# More\n\n{stated}\n")
    desk.apply()
    assert desk.stand("ICH").state == "redundant"
    assert len(desk.triples()) == 1


def test_other_words_for_it_and_another_type_of_owner_are_settings(speaker: Desk) -> None:
    speaker.write(".kantenwerk/settings.yaml", "self_names: [Me]\nowner_type: owner\n")
    own(speaker, "people/Tarek")
    speaker.write(f"{OWNER}.md", "---\ntype: owner\n---\n")
    speaker.apply()
    assert targets(speaker)["Me", True] == (OWNER, "pending")
    assert targets(speaker)["ICH", False] == ("mention:ich", "explicit"), "a name like any other"


def test_without_an_owner_it_is_never_taken_for_a_note_of_a_like_name(desk: Desk) -> None:
    desk.write("A.md", note("A", "x", ["related_to:ICH"]))
    desk.write("Ich GmbH.md", "A company.\n")
    desk.apply()
    assert resolutions(desk) == set()
    desk.write("B.md", "# Another note\n")
    desk.apply()
    assert resolutions(desk) == set()
    assert_rebuilt(desk)

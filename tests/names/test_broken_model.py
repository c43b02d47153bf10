"""A search that failed: told, never taken for an answer, and made again."""

from __future__ import annotations

import pytest

from kantenwerk.graph.decisions import FOLDER
from tests.names.embedders import NEAR, SAME, Told, hand_in
from tests.names.graph import assert_rebuilt, entity, found, graph_of, mentions, resolutions, targets
from tests.servers.scripted import ServeScript, says
from tests.validation.desk import Desk, note, tree

WRITTEN, NAME = NEAR
SOLAR = f"mention:{WRITTEN.lower()}"
WIND = ("Windkraftsystem", "Windkraftanlage")


@pytest.fixture
def names(desk: Desk) -> Desk:
    """Two names that a meaning is needed for, one of them also suspected, and three that need none."""
    for name in (NAME, WIND[1], "checkout-service"):
        desk.write(f"{name}.md", "x\n")
    stated = " ".join(f"[[{name}]]" for name in (WRITTEN, WIND[0], "checkout-svc", "checkout-service", "Nobody"))
    desk.write("A.md", note("A", stated, [f"uses:{WRITTEN}", "uses:checkout-svc"]))
    return desk


def vectors(desk: Desk) -> dict[str, object]:
    return dict(desk.rows("SELECT name, vector FROM embeddings"))


def failures(desk: Desk) -> set[tuple[int, str]]:
    """Line and name of all searches that failed."""
    return {(line, message.split("`")[1]) for _, line, code, message in found(desk) if code == "search-failed"}


def assert_others_went_on(desk: Desk) -> None:
    assert entity(desk, "mention:checkout-svc") == "checkout-service"
    assert ("A", "references", "checkout-service") in desk.triples()
    assert targets(desk)["checkout-svc", True] == ("mention:checkout-svc", "pending")
    assert targets(desk)["Nobody", False] == ("mention:nobody", "explicit")


def test_one_vector_that_cannot_be_made_fails_that_name_alone_and_is_made_the_next_time(names: Desk) -> None:
    hand_in(names, Told(vectors={WRITTEN.lower(): None}))
    failed = names.apply(code=1)
    assert f"A.md:5: search-failed: what `{WRITTEN}` means was not found out" in failed.stderr
    assert failures(names) == {(5, WRITTEN), (9, WRITTEN)}
    assert vectors(names) == {
        WRITTEN.lower(): None,
        NAME.lower(): list(SAME),
        **{name.lower(): list(SAME) for name in WIND},
    }
    assert targets(names)[WRITTEN, False] == (SOLAR, "explicit"), "it is stated all the same"
    assert targets(names)[WRITTEN, True] == (None, "failed"), "neither new nor unresolved"
    assert {(a, b) for a, b, method, _, _ in resolutions(names) if method == "semantic"} == {
        (f"mention:{WIND[0].lower()}", WIND[1])
    }
    assert_others_went_on(names)
    again = hand_in(names, Told())
    assert names.apply().stderr == ""
    assert again.texts == [WRITTEN.lower()], "what is there is not made again"
    assert vectors(names)[WRITTEN.lower()] == list(SAME)
    assert failures(names) == set()
    assert names.stand(WRITTEN).state == "ambiguous"
    assert {state for _, b, _, state, _ in resolutions(names) if b == NAME} == {"proposed"}
    assert_rebuilt(names)


@pytest.mark.parametrize("has_no_version", [False, True], ids=["damaged", "not installed"])
def test_a_model_that_is_gone_fails_the_names_that_need_it_until_it_is_there(
    names: Desk,
    has_no_version: bool,  # noqa: FBT001 - one of two
) -> None:
    gone = hand_in(names, Told(is_gone=True, has_no_version=has_no_version))
    shown = names.apply(code=1).stderr
    assert failures(names) == {(5, WRITTEN), (9, WRITTEN), (5, WIND[0])}
    assert shown.count("search-failed") == 3
    assert "the model is gone" in shown
    assert set(vectors(names).values()) == {None}
    assert len(gone.texts) == 2, "one try tells that there is no model"
    assert names.stand(WRITTEN).state == "failed"
    assert_others_went_on(names)
    before = names.tables()
    names.apply(code=1)
    assert names.tables() == before
    hand_in(names, Told())
    names.apply()
    assert vectors(names) == {name.lower(): list(SAME) for name in (*NEAR, *WIND)}
    assert failures(names) == set()
    assert {row[3] for row in resolutions(names) if row[2] == "semantic"} == {"proposed"}
    assert_rebuilt(names)


def test_a_folder_without_a_model_is_a_wrong_setting_that_check_does_not_mind(names: Desk) -> None:
    names.write(f"{FOLDER}/settings.yaml", "resolution:\n  embedder: ./nowhere\n")
    before = tree(names.root)
    shown = names.preview(code=2).stderr
    assert "resolution.embedder" in shown
    assert "nowhere" in shown
    assert tree(names.root) == before
    names.json("--fail-on", "error", command="check")


def test_a_preview_tells_it_too_and_stores_nothing(names: Desk) -> None:
    hand_in(names, Told(is_gone=True))
    before = tree(names.root)
    assert names.preview(code=1).stderr.count("search-failed") == 3
    assert tree(names.root) == before


def test_no_model_is_asked_about_a_candidate_that_could_not_be_searched(names: Desk, scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    names.point(server)
    hand_in(names, Told(is_gone=True))
    names.apply(code=1)
    assert len(server.requests) == 1
    assert names.triples() & {("A", "uses", SOLAR)} == set()
    assert ("A", "uses", "mention:checkout-svc") in names.triples()


def test_a_question_that_was_asked_is_not_answered_by_a_failure(names: Desk) -> None:
    hand_in(names, Told())
    names.apply()
    before = graph_of(names)
    # Another note comes, to be compared; and nothing can be.
    names.write("Photovoltaikmodul.md", "x\n")
    hand_in(names, Told(is_gone=True))
    names.apply(code=1)
    assert names.stand(WRITTEN).state == "failed"
    assert failures(names) >= {(5, WRITTEN), (9, WRITTEN)}
    (names.root / "Photovoltaikmodul.md").unlink()
    hand_in(names, Told())
    names.apply()
    assert graph_of(names) == before


def test_a_name_whose_vectors_are_stored_goes_on_when_another_fails(names: Desk) -> None:
    hand_in(names, Told())
    names.apply()
    names.write("Photovoltaikmodul.md", "x\n")
    hand_in(names, Told(is_gone=True))
    names.apply(code=1)
    assert failures(names) == {(5, WRITTEN), (9, WRITTEN)}


def test_a_person_needs_no_model(names: Desk) -> None:
    hand_in(names, Told(is_gone=True))
    assert names.run("clarify", "--answer", f"{WRITTEN}={NAME}", "--new", WIND[0]).exit_code == 0
    names.apply()
    assert entity(names, SOLAR) == NAME
    assert names.stand(WRITTEN).state == "pending"
    assert mentions(names) >= {SOLAR, "mention:nobody"}
    assert "search-failed" not in names.codes()


def test_what_is_not_spoken_of_any_more_is_not_searched_again(names: Desk) -> None:
    hand_in(names, Told(vectors={WRITTEN.lower(): None}))
    names.apply(code=1)
    names.write("A.md", f"[[{WIND[0]}]]\n")
    names.apply()
    assert None not in vectors(names).values()
    assert_rebuilt(names)

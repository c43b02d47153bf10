"""Names found by their meaning: what binds, what only asks, what is recorded, and what another clone makes of it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kantenwerk.config import load_config
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.graph.store import ImportRecord, apply_plan
from kantenwerk.ingest.pipeline import run_import
from kantenwerk.ingest.resolve.parts import split_name
from tests.names.embedders import BINDS, FALKE, HOLDING, NEAR, Told, hand_in
from tests.names.graph import assert_rebuilt, checked, clone, entity, found, graph_of, recorded, resolutions, targets
from tests.servers.scripted import ServeScript, drops, refuses, says
from tests.validation.desk import Desk, note, tree

if TYPE_CHECKING:
    from pathlib import Path

FALKENHORST = "mention:falkenhorst"
EDGE = ("A", "depends_on", FALKENHORST)
RECORDED = (FALKENHORST, HOLDING, "accepted", "semantic", "model")


@pytest.fixture
def falke(desk: Desk) -> Desk:
    """A vault where a meaning may bind a candidate."""
    desk.write(".kantenwerk/settings.yaml", BINDS)
    desk.write(f"{HOLDING}.md", "Owns the shop.\n")
    desk.write("A.md", note("A", "A needs the owner.", [f"depends_on:{FALKE}"]))
    hand_in(desk, Told())
    return desk


@pytest.fixture
def solar(desk: Desk) -> Desk:
    """A vault with a name that means nearly what a note is called, stated and suspected, and default settings."""
    written, name = NEAR
    desk.write(f"{name}.md", "On the roof.\n")
    desk.write("A.md", note("A", f"A needs [[{written}]].", [f"depends_on:{written}"]))
    return desk


# what binds


def test_a_candidate_that_a_meaning_binds_is_recorded(falke: Desk, scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    falke.point(server)
    falke.apply()
    assert targets(falke) == {(FALKE, True): (FALKENHORST, "verified")}
    assert falke.triples() == {EDGE}
    assert resolutions(falke) == {(FALKENHORST, HOLDING, "semantic", "accepted", "model")}
    assert falke.rows("SELECT model FROM resolutions") == [("told",)]
    assert recorded(falke) == {RECORDED}
    assert falke.codes() == {"semantic-target": 1}
    assert {line["target"] for line in falke.verdicts()} == {HOLDING}
    (prompt,) = server.prompts
    assert f"\n{FALKE}\n" in prompt
    assert f"\n{HOLDING}\n" in prompt
    text = (falke.root / ".kantenwerk/decisions.yaml").read_bytes()
    falke.apply()
    assert (falke.root / ".kantenwerk/decisions.yaml").read_bytes() == text
    assert_rebuilt(falke)


def test_a_preview_finds_the_same_and_stores_nothing(falke: Desk) -> None:
    before = tree(falke.root)
    assert "1 pending" in falke.preview().stdout
    assert tree(falke.root) == before


def test_a_lower_level_asks_no_embedder(falke: Desk) -> None:
    spy = hand_in(falke, Told(is_gone=True))
    falke.apply("--set", "resolution.level=stem")
    assert targets(falke)[FALKE, True][1] != "pending"
    assert (resolutions(falke) & {RECORDED}, spy.texts, recorded(falke)) == (set(), [], set())


def test_a_clone_without_the_embedding_side_reaches_the_same_graph(
    falke: Desk, scripted: ServeScript, tmp_path: Path
) -> None:
    falke.point(scripted(says("YES")))
    falke.apply()
    said, wanted = found(falke), graph_of(falke)
    falke.unplug()
    other = clone(falke, tmp_path / "clone")
    assert checked(other) == said
    # Without an embedder at all.
    result = run_import(other.root, load_config(other.root, environ={}), lambda: nullcontext(Snapshot(None)))
    assert not result.resolutions
    now = datetime.now(UTC)
    apply_plan(other.database, result.plan, ImportRecord(now, now, "0", 0, 0))
    assert graph_of(other) == wanted
    # And by the command, on a machine where none can be loaded.
    gone = hand_in(other, Told(is_gone=True, has_no_version=True))
    assert other.rebuild() == other.tables()
    assert graph_of(other) == wanted
    assert gone.texts == []
    assert recorded(other) == recorded(falke)
    other.close()


def test_a_passing_fault_leaves_it_pending_and_not_unproven(falke: Desk, scripted: ServeScript) -> None:
    falke.point(scripted([refuses(503), drops(), says("YES")]))
    for _ in range(2):
        falke.apply(code=1)
        assert (falke.states(), falke.edges()) == ({"pending": 1}, [])
        assert "candidate-unproven" not in falke.codes()
    falke.apply()
    assert (falke.states(), falke.triples()) == ({"verified": 1}, {EDGE})


def test_once_a_person_accepted_it_a_passing_fault_leaves_it_unproven(falke: Desk, scripted: ServeScript) -> None:
    falke.point(scripted(refuses(503)))
    falke.apply(code=1)
    assert falke.run("resolutions", "accept", FALKE).exit_code == 0
    falke.apply(code=1)
    assert (falke.states(), falke.triples()) == ({"unproven": 1}, {EDGE})
    assert recorded(falke) == {(FALKENHORST, HOLDING, "accepted", "semantic", "person")}


def test_an_explicit_link_with_the_same_name_makes_it_a_question(
    falke: Desk, scripted: ServeScript, tmp_path: Path
) -> None:
    server = scripted(says("YES"))
    falke.point(server)
    falke.apply()
    before = graph_of(falke)
    falke.write("B.md", f"[[{FALKE}]]\n")
    falke.apply()
    assert falke.stand(FALKE).state == "ambiguous"
    assert targets(falke, "B") == {(FALKE, False): (FALKENHORST, "explicit")}
    assert falke.triples() == {("B", "references", FALKENHORST)}
    assert {row[3] for row in resolutions(falke)} == {"proposed"}
    assert entity(falke, FALKENHORST) == FALKENHORST
    assert "ambiguous-target" in falke.codes("B.md")
    assert_rebuilt(falke)
    # What was recorded waits for the link to go, in a clone too.
    assert recorded(falke) == {RECORDED}
    hand_in(falke, Told(is_gone=True, release="2"))
    other = clone(falke, tmp_path / "clone")
    other.apply()
    assert graph_of(other) == graph_of(falke)
    other.close()
    (falke.root / "B.md").unlink()
    falke.apply()
    assert graph_of(falke) == before
    assert len(server.requests) == 1


def test_a_person_settles_it_for_explicit_links_as_well(falke: Desk) -> None:
    falke.apply()
    assert falke.run("resolutions", "accept", FALKE).exit_code == 0
    falke.write("B.md", f"[[{FALKE}]]\n")
    hand_in(falke, Told(is_gone=True))
    falke.apply()
    assert entity(falke, FALKENHORST) == HOLDING
    assert falke.stand(FALKE).state == "pending"
    assert set(falke.codes()) == {"candidate-pending"}
    assert_rebuilt(falke)


def test_a_rejected_meaning_never_comes_back(falke: Desk, scripted: ServeScript, tmp_path: Path) -> None:
    server = scripted(says("YES"))
    falke.point(server)
    falke.apply()
    assert falke.run("resolutions", "reject", FALKE).exit_code == 0
    falke.apply()
    for desk in (falke, clone(falke, tmp_path / "clone")):
        desk.apply()
        assert (desk.triples(), desk.states()) == (set(), {"unresolved": 1})
        assert resolutions(desk) == {(FALKENHORST, HOLDING, "semantic", "rejected", "person")}
        assert_rebuilt(desk)
        desk.close()
    assert len(server.requests) == 1


def test_a_meaning_once_recorded_stands_where_meanings_only_ask(falke: Desk) -> None:
    falke.apply()
    falke.write(".kantenwerk/settings.yaml", "")
    hand_in(falke, Told(is_gone=True))
    falke.apply()
    assert entity(falke, FALKENHORST) == HOLDING
    assert_rebuilt(falke)


def test_a_meaning_does_not_bind_where_another_note_is_as_near_by_its_parts(falke: Desk) -> None:
    for name in ("T. Berger", "Herr Thomas Berger"):
        falke.write(f"{name}.md", "x\n")
    falke.write("A.md", note("A", "x", ["uses:Thomas Berger"]))
    falke.apply("--set", "resolution.level=stem")
    assert [row[3] for row in resolutions(falke)] == ["proposed", "proposed"]
    hand_in(falke, Told(vectors={"t. berger": (0.0, 1.0)}))
    falke.apply()
    assert (falke.states(), {row[3] for row in resolutions(falke)}) == ({"ambiguous": 1}, {"proposed"})
    assert recorded(falke) == set()


# what only asks


def test_by_default_a_meaning_only_asks(solar: Desk) -> None:
    written, name = NEAR
    mention = f"mention:{written.lower()}"
    hand_in(solar, Told())
    solar.apply()
    assert targets(solar) == {(written, False): (mention, "explicit"), (written, True): (None, "ambiguous")}
    assert resolutions(solar) == {(mention, name, "semantic", "proposed", None)}
    assert solar.rows("SELECT score, model FROM resolutions") == [(1.0, "told")]
    assert entity(solar, mention) == mention
    assert solar.codes() == {"ambiguous-target": 2}
    assert not (solar.root / ".kantenwerk/decisions.yaml").exists()
    assert "[semantic 1.00: photovoltaiksystem means nearly photovoltaikanlage (1.00)" in (
        solar.run("clarify", "--list").stdout
    )
    assert {code for _, _, code, _ in checked(solar)} == {"unresolved-target"}, "check needs no model"
    assert_rebuilt(solar)


def test_by_default_a_candidate_alone_is_asked_about_too(desk: Desk) -> None:
    desk.write(f"{HOLDING}.md", "Owns the shop.\n")
    desk.write("A.md", note("A", "A needs the owner.", [f"depends_on:{FALKE}"]))
    hand_in(desk, Told())
    desk.apply()
    assert (desk.states(), {row[3] for row in resolutions(desk)}) == ({"ambiguous": 1}, {"proposed"})
    assert recorded(desk) == set()


def test_an_answer_binds_what_a_meaning_asked_and_needs_no_embedder(solar: Desk, tmp_path: Path) -> None:
    written, name = NEAR
    mention = f"mention:{written.lower()}"
    hand_in(solar, Told())
    solar.apply()
    edges = {("A", "references", mention)}
    assert solar.triples() == edges
    assert solar.run("resolutions", "accept", written).exit_code == 0
    assert entity(solar, mention) == name
    assert recorded(solar) == {(mention, name, "accepted", "semantic", "person")}
    other = clone(solar, tmp_path / "clone")
    hand_in(other, Told(is_gone=True))
    other.apply()
    solar.apply()
    assert graph_of(other) == graph_of(solar)
    assert targets(other) == {(written, False): (mention, "explicit"), (written, True): (mention, "pending")}
    assert other.triples() == edges
    other.close()


# what no meaning passes


def test_no_likeness_of_meaning_passes_a_stop_and_none_sees_a_generic_word(desk: Desk) -> None:
    stops = {
        "GPT-5": "GPT-4",
        "Einkauf": "Verkauf",
        "John Smith": "Jane Smith",
        "Standup Montag": "Standup Dienstag",
        "Opt-in Service": "Opt-out Service",
    }
    caps = {"Falke AG": "Falke GmbH", "payment-api": "payment-app", "Merkel": "Angela Merkel"}
    apart = {"Dr. Bankhaus Nord GmbH": "Bankhof Nord Holding", "Solarsystem Team": "Solaranlage Team"}
    desk.write(".kantenwerk/settings.yaml", BINDS)
    for name in (stops | caps | apart).values():
        desk.write(f"{name}.md", "x\n")
    desk.write("A.md", note("A", "x", [f"uses:{name}" for name in stops | caps | apart]))
    spy = hand_in(desk, Told())
    desk.apply()
    states = {written: state for (written, _), (_, state) in targets(desk).items()}
    assert states == dict.fromkeys(stops, "unresolved") | dict.fromkeys(caps | apart, "ambiguous")
    assert {row[3] for row in resolutions(desk)} == {"proposed"}
    assert spy.texts
    kinds = {token.kind for text in spy.texts for token in split_name(text).tokens}
    assert kinds <= {"word", "given"}


# what is kept


def test_vectors_are_kept_by_name_model_and_version(solar: Desk) -> None:
    spy = hand_in(solar, Told())
    solar.apply()
    stems = {name.lower() for name in NEAR}
    assert sorted(spy.texts) == sorted(stems)
    kept = {(stem, "told", "1") for stem in stems}
    assert set(solar.rows("SELECT name, model, version FROM embeddings")) == kept
    # Another note needs another vector, and those that are there stay.
    solar.write("Photovoltaikmodul.md", "One of them.\n")
    again = hand_in(solar, Told())
    solar.apply()
    assert again.texts == ["photovoltaikmodul"]
    kept |= {("photovoltaikmodul", "told", "1")}
    assert set(solar.rows("SELECT name, model, version FROM embeddings")) == kept
    for other in (Told(release="2"), Told(release="2", model="another")):
        hand_in(solar, other)
        solar.apply()
        assert sorted(other.texts) == sorted({*stems, "photovoltaikmodul"})
        assert set(solar.rows("SELECT name, model, version FROM embeddings")) == {
            (name, other.model, other.release) for name, _, _ in kept
        }
    assert_rebuilt(solar)


def test_every_model_has_a_threshold_of_its_own(solar: Desk) -> None:
    spy = Told(vectors={NEAR[0].lower(): (0.9, 0.4359)})
    solar.write(".kantenwerk/settings.yaml", "resolution:\n  semantic_threshold:\n    told: 0.95\n    another: 0.9\n")
    for model, scores in (("told", []), ("another", [(0.9,)]), ("a third", [(0.9,)])):
        hand_in(solar, replace(spy, model=model))
        solar.apply()
        assert solar.rows("SELECT score FROM resolutions") == scores, model

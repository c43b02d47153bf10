"""`check --frozen`: what is recorded counts, what is not is an error, and nobody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kantenwerk.config import load_config
from tests.check.vaults import checked, messages, places
from tests.names.embedders import BINDS, FALKE, HOLDING, NEAR, Told, hand_in
from tests.servers.scripted import says
from tests.validation.desk import Desk, note, tree

if TYPE_CHECKING:
    from tests.servers.scripted import ScriptedServer, ServeScript

CANDIDATES = ["depends_on:ledger", "uses:bank"]
LINE = 9


@pytest.fixture
def server(desk: Desk, scripted: ServeScript) -> ScriptedServer:
    """A vault whose first candidate was judged by a model, and the endpoint that did."""
    desk.write("ledger.md", "[[bank]] [[shop]]\n")
    desk.write("bank.md", "Money.\n")
    desk.write("shop.md", note("Shop", "The shop books.", CANDIDATES[:1]))
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    desk.unplug()
    assert len(server.requests) == 1
    return server


def unlocked(desk: Desk) -> list[tuple[str, int]]:
    return places(desk.root, "candidate-unlocked", "--frozen")


def errors(desk: Desk, *options: str) -> set[str]:
    return {one.code for one in checked(desk.root, *options) if one.severity == "error"}


def test_a_verdict_beside_the_notes_is_enough(desk: Desk, server: ScriptedServer) -> None:
    desk.forget()
    before = tree(desk.root)
    assert desk.run("check", "--frozen").exit_code == 0
    assert checked(desk.root, "--frozen") == checked(desk.root)
    assert (tree(desk.root), len(server.requests)) == (before, 1)


def test_a_candidate_without_a_verdict_is_an_error_and_nothing_milder_besides(
    desk: Desk, server: ScriptedServer
) -> None:
    desk.write("shop.md", note("Shop", "The shop books.", CANDIDATES))
    desk.point(server)
    assert desk.run("check").exit_code == 0
    assert desk.run("check", "--frozen").exit_code == 1
    assert unlocked(desk) == [("shop.md", LINE + 1)]
    assert messages(desk.root, "candidate-unlocked", "--frozen") == [
        "no verdict in verdicts.jsonl holds for `uses:bank`: nobody was asked yet"
    ]
    assert places(desk.root, "candidate-pending", "--frozen") == []
    assert places(desk.root, "candidate-pending") == [("shop.md", LINE + 1)]
    assert len(server.requests) == 1


def test_a_models_verdict_on_changed_evidence_is_an_error(desk: Desk, server: ScriptedServer) -> None:
    desk.write("shop.md", note("Shop", "The shop is closed.", CANDIDATES[:1]))
    assert unlocked(desk) == [("shop.md", LINE)]
    (message,) = messages(desk.root, "candidate-unlocked", "--frozen")
    assert "`depends_on:ledger`: its evidence is not what it was on 2" in message
    # The target is evidence too, and what is no evidence changes nothing.
    desk.write("shop.md", note("Shop", "The shop books.", CANDIDATES[:1]))
    assert unlocked(desk) == []
    desk.write("bank.md", "No money.\n")
    assert unlocked(desk) == []
    desk.write("ledger.md", "[[bank]] [[shop]] It is lost.\n")
    assert unlocked(desk) == [("shop.md", LINE)]
    assert len(server.requests) == 1


def test_another_models_or_prompts_verdict_on_the_same_evidence_counts(desk: Desk, server: ScriptedServer) -> None:
    desk.point(server, model="another")
    assert unlocked(desk) == []
    desk.write(".kantenwerk/prompts.yaml", "edge_validation: {system: Say NO.}\n")
    assert unlocked(desk) == []
    assert len(server.requests) == 1


def test_a_persons_verdict_on_changed_evidence_is_a_warning(desk: Desk, server: ScriptedServer) -> None:
    desk.judge("shop", "depends_on", "ledger")
    desk.write("shop.md", note("Shop", "The shop is closed.", CANDIDATES[:1]))
    assert errors(desk, "--frozen") == set()
    assert places(desk.root, "verdict-stale", "--frozen") == [("shop.md", LINE)]
    assert len(server.requests) == 1


def test_a_model_that_was_not_sure_was_asked(desk: Desk, scripted: ServeScript) -> None:
    desk.write("ledger.md", "Books.\n")
    desk.write("shop.md", note("Shop", "The shop books.", CANDIDATES[:1]))
    desk.point(scripted(says("YES", p_yes=0.5)), abstain_below=0.1, logprobs="true")
    desk.apply()
    desk.unplug()
    assert {line["answer"] for line in desk.verdicts()} == {"UNSURE"}
    assert unlocked(desk) == []


def test_where_nobody_validates_nothing_is_to_be_recorded(desk: Desk) -> None:
    switched_off = "types: {sketch: {chunking: {%s: {enable_smart_edge_allocation: false}}}}\n"
    desk.write("Photovoltaikanlage.md", "[[shop]]\n")
    desk.write("ledger.md", "Books.\n")
    text = note("Shop", "The shop books.", [*CANDIDATES[:1], f"uses:{NEAR[0]}"])
    desk.write("shop.md", "---\ntype: sketch\n---\n" + text)
    assert errors(desk, "--frozen") == {"candidate-unlocked", "name-unlocked"}
    profile = load_config(None, environ={}).types.of("default").chunking_profile
    desk.write(".kantenwerk/types.yaml", switched_off % profile)
    assert errors(desk, "--frozen") == set()
    assert places(desk.root, "candidate-pending", "--frozen") == [("shop.md", LINE + 3)]


# names


@pytest.fixture
def solar(desk: Desk) -> Desk:
    """A vault with a candidate whose name means nearly what a note is called."""
    written, name = NEAR
    desk.write(f"{name}.md", "On the roof of the [[house]].\n")
    desk.write("house.md", note("House", "It has sun.", [f"uses:{written}"]))
    return desk


def unlocked_names(desk: Desk, *options: str) -> list[tuple[str, int]]:
    return places(desk.root, "name-unlocked", "--frozen", *options)


def test_a_name_that_only_a_meaning_could_bring_to_a_note(solar: Desk) -> None:
    spy = hand_in(solar, Told())
    assert unlocked_names(solar) == [("house.md", LINE)]
    assert messages(solar.root, "name-unlocked", "--frozen") == [
        f"`{NEAR[0]}` may mean `{NEAR[1]}.md` by its meaning alone, and nothing is recorded"
    ]
    assert places(solar.root, "name-unlocked") == []
    assert unlocked_names(solar, "--set", "resolution.level=stem") == []
    assert spy.texts == []


@pytest.mark.parametrize("answer", [("--answer", f"{NEAR[0]}={NEAR[1]}"), ("--new", NEAR[0])])
def test_what_a_person_says_of_it_is_recorded(solar: Desk, answer: tuple[str, str]) -> None:
    assert solar.run("clarify", *answer).exit_code == 0
    assert unlocked_names(solar) == []


def test_a_note_that_a_person_rejected_is_none_that_it_may_mean(solar: Desk) -> None:
    hand_in(solar, Told())
    solar.apply()
    assert solar.run("resolutions", "reject", NEAR[0]).exit_code == 0
    assert unlocked_names(solar) == []
    solar.write("Photovoltaikmodul.md", "[[house]]\n")
    (message,) = messages(solar.root, "name-unlocked", "--frozen")
    assert "`Photovoltaikmodul.md`" in message
    assert "anlage" not in message


def test_what_a_model_bound_is_recorded(desk: Desk) -> None:
    desk.write(".kantenwerk/settings.yaml", BINDS)
    desk.write(f"{HOLDING}.md", "Owns the shop.\n")
    desk.write("A.md", note("A", "A needs the owner.", [f"depends_on:{FALKE}"]))
    hand_in(desk, Told())
    assert unlocked_names(desk) == [("A.md", LINE)]
    desk.apply()
    assert unlocked_names(desk) == []


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("GPT-5", "GPT-4"),  # a stop
        ("Falke AG", "Falke GmbH"),  # a question of the names' parts
        ("Photovoltaiksystem", "Segelschiff"),  # nothing in common
        ("Lastgangs", "Lastgang"),  # its parts decide
    ],
)
def test_names_that_no_meaning_could_bring_together(desk: Desk, name: str, other: str) -> None:
    desk.write(f"{other}.md", "[[A]]\n")
    desk.write("A.md", note("A", "x", [f"uses:{name}"]))
    assert unlocked_names(desk) == []


def test_a_stated_link_is_bound_by_no_meaning(solar: Desk) -> None:
    solar.write("house.md", f"[[{NEAR[0]}]]\n")
    assert unlocked_names(solar) == []

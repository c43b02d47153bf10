"""The page as made from values: what is in it, and that text in it is data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from kantenwerk.graph.drawing import SLOT, Drawing, page_of
from tests.page.drawings import HOSTILE, SMALL, edge, hostile

TEMPLATE = f'<script type="application/json">{SLOT}</script>'


def inside(drawing: Drawing) -> str:
    """The JSON in the page."""
    before, after = TEMPLATE.split(SLOT)
    return page_of(drawing, TEMPLATE).removeprefix(before).removesuffix(after)


def content(drawing: Drawing) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(inside(drawing))
    return data


def test_that_nothing_in_the_data_can_end_its_element() -> None:
    text = inside(hostile())
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text)["name"] == HOSTILE[0]


def test_that_every_text_comes_back_as_it_was() -> None:
    data = content(hostile())
    assert [row[1] for row in data["nodes"]] == list(HOSTILE)
    assert data["kinds"] == data["types"] == list(HOSTILE)
    assert data["resolutions"][0][6] == HOSTILE[1]


def test_that_a_name_and_its_note_are_one_entity() -> None:
    data = content(SMALL)
    entity = {row[0]: row[2] for row in data["nodes"]}
    assert entity["mention:bench"] == entity["Werkbank"]
    assert len(data["entities"]) == len(SMALL.faces) - 1
    assert data["nodes"][data["entities"][entity["mention:bench"]][0]][0] == "Werkbank"


def test_that_they_are_two_when_that_is_rejected() -> None:
    (joined,) = SMALL.resolutions
    apart = replace(SMALL, entities={}, resolutions=(replace(joined, state="rejected"),))
    assert len(content(apart)["entities"]) == len(SMALL.faces)


def test_that_an_edge_has_its_trail() -> None:
    data = content(SMALL)
    nodes = [row[0] for row in data["nodes"]]
    (row,) = [row for row in data["edges"] if row[7] is not None]
    assert (nodes[row[0]], data["kinds"][row[1]], nodes[row[2]]) == ("team/Anna", "uses", "Werkbank")
    assert (data["provenances"][row[3]], data["rules"][row[4]]) == ("explicit", "explicit")
    assert row[5:] == [0.93, 12, 0, 0, 0]
    assert data["texts"] == ["- uses: <b>Werkbank</b>"]
    assert data["kinds"][data["inverses"][row[1]]] == "used_by"
    assert data["verdicts"] == [["model", "qwen3:8b", "YES", 0.93, 0.93, "2025-04-14"]]


def test_that_mirrors_and_unproven_edges_are_told_but_move_nothing() -> None:
    stated = replace(SMALL, edges=tuple(e for e in SMALL.edges if not e.mirror and e.confidence > 0.3))
    assert content(SMALL)["entities"] == content(stated)["entities"]
    assert len(content(SMALL)["edges"]) == len(SMALL.edges)


def test_that_a_stated_edge_moves_something() -> None:
    more = replace(SMALL, edges=(*SMALL.edges, edge("Alone", "uses", "Werkbank")))
    assert content(SMALL)["entities"] != content(more)["entities"]


def test_that_the_same_graph_gives_the_same_page() -> None:
    assert page_of(SMALL, TEMPLATE) == page_of(SMALL, TEMPLATE)


@pytest.mark.parametrize("template", ["no place", f"{SLOT} and {SLOT}"])
def test_that_the_page_must_have_one_place_for_the_data(template: str) -> None:
    with pytest.raises(ValueError, match="once"):
        page_of(SMALL, template)

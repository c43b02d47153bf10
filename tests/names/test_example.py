"""The example vault shows a resolution of every method: why, in words, and that it can be taken back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kantenwerk.graph.model import mention_in
from tests.names.embedders import Told, hand_in
from tests.names.graph import assert_rebuilt, checked, entity, found, resolutions
from tests.validation.desk import Desk, Tables

EXAMPLE = Path(__file__).parents[2] / "vault_example"
CHECKOUT = ("mention:checkout-svc", "projects/checkout/checkout-service")
GRACEFUL = ("mention:graceful deterioration", "concepts/Graceful Degradation")
JULIA = (mention_in("mention:julia", "journal/2025-03-05"), "people/Julia Augsburg")
ROWS = "SELECT a, b, method, score, state, model, reason FROM resolutions ORDER BY ALL"
FOLLOWS = ("mentions", "links", "edges", "verdicts", "entity_of", "entities", "entity_edges")


@pytest.fixture(scope="module")
def imported(shared: Desk) -> Path:
    """A copy of the example with its graph; no name in it needs a model."""
    shutil.copytree(EXAMPLE, shared.root, ignore=shutil.ignore_patterns("graph.duckdb*", "lock*"), dirs_exist_ok=True)
    hand_in(shared, Told(is_gone=True))
    shared.apply()
    shared.close()
    return shared.root


@pytest.fixture
def example(imported: Path, desk: Desk) -> Desk:
    shutil.copytree(imported, desk.root, dirs_exist_ok=True)
    hand_in(desk, Told(is_gone=True))
    return desk


def decide(desk: Desk, *words: str) -> None:
    result = desk.run("resolutions", *words)
    assert result.exit_code == 0, result.output


def follows(desk: Desk) -> Tables:
    """All that follows from resolutions, and what must not."""
    tables = desk.tables()
    return {name: tables[name] for name in FOLLOWS}


def test_every_method_is_there_with_its_reason(example: Desk) -> None:
    rows = {row[:2]: row[2:] for row in example.rows(ROWS)}
    shown = example.run("resolutions").stdout.splitlines()
    for method, state, pair, reason in (
        ("exact", "proposed", ("mention:julia", "people/Julia Augsburg"), "it carries this very name"),
        ("stem", "proposed", ("mention:ebersroth", "people/Klaus Ebersroth"), "only one has Klaus"),
        ("stem", "accepted", CHECKOUT, "same: checkout; svc = service; nothing against"),
        ("semantic", "accepted", GRACEFUL, "graceful deterioration means nearly graceful degradation (0.88)"),
        ("person", "accepted", JULIA, "said by a person"),
    ):
        has_method, _, has_state, _, has_reason = rows[pair]
        assert (has_method, has_state) == (method, state)
        assert reason in has_reason
        (line,) = (line for line in shown if f"→ {pair[1]} " in line and reason in line)
        assert f" {method} " in line
        assert f" {state} " in line


def test_what_is_rejected_and_accepted_again_is_as_it_was(example: Desk) -> None:
    before, rows = follows(example), example.rows(ROWS)
    edges = example.rows("SELECT * FROM edges ORDER BY ALL")
    for mention, node in (CHECKOUT, GRACEFUL, JULIA):
        assert entity(example, mention) == entity(example, node) == node
        decide(example, "reject", mention, node)
        assert (entity(example, mention), entity(example, node)) == (mention, node)
        assert {state for a, b, _, state, _ in resolutions(example) if (a, b) == (mention, node)} == {"rejected"}
    assert example.rows("SELECT * FROM edges ORDER BY ALL") == edges
    # None of them stands behind a candidate that was proven.
    example.apply()
    assert example.rows("SELECT * FROM edges ORDER BY ALL") == edges
    for mention, node in (CHECKOUT, GRACEFUL, JULIA):
        assert entity(example, mention) != node
        decide(example, "accept", mention, node)
        assert entity(example, mention) == node
    assert follows(example)["entity_of"] == before["entity_of"]
    example.apply()
    assert (follows(example), example.rows(ROWS)) == (before, rows)
    assert_rebuilt(example)


def test_check_says_of_it_what_the_import_says(example: Desk) -> None:
    assert checked(example) == found(example)

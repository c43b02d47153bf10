"""A plan, once it is written, is the graph that the notes say, and there is nothing left to do."""

from __future__ import annotations

import json

from hypothesis import example, given
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.graph.plan import EdgeChanges, NoteChanges
from kantenwerk.ingest.pipeline import ImportResult
from tests.properties.histories import (
    A_VERDICT_MOVES_BESIDE_ANOTHER_ON_THE_SAME_CLAIM,
    A_VERDICT_MOVES_IN_A_DAMAGED_FILE,
    History,
    histories,
)
from tests.properties.profiles import examples, slow
from tests.properties.vaults import Vault, assert_equal, new_vault, or_refusal, planned_tables, stored_tables


def import_(vault: Vault, *options: str) -> str:
    command = ["import", "--vault", str(vault.root), "--set", "resolution.level=exact", *options]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output + result.stderr
    return result.stdout


def compare_with_plan(history: History) -> None:
    with new_vault() as vault:
        history.begin(vault)
        for turn in [[], *history.turns]:
            for step in turn:
                step.take(vault)
            database = vault.new_database()
            result = or_refusal(lambda: vault.plan(None, ask=history.with_model))
            if not isinstance(result, str):
                vault.apply(result, database)
                assert_equal(planned_tables(result.plan), stored_tables(database), ("planned", "stored"))


def import_twice(history: History) -> None:
    with new_vault() as vault:
        history.begin(vault)
        second = None
        for turn in [[], *history.turns]:
            for step in turn:
                step.take(vault)
            first = or_refusal(lambda: vault.plan(vault.database))
            if isinstance(first, str):
                continue
            vault.apply(first, vault.database)
            second = vault.plan(vault.database)
            assert_nothing_to_do(second)
            assert second.findings == first.findings
        if second is not None and not isinstance(or_refusal(lambda: vault.plan(vault.database)), str):
            before = stored_tables(vault.database)
            assert_nothing_to_do(vault.plan(vault.database, verify=True))
            vault.apply(second, vault.database)
            assert_equal(before, stored_tables(vault.database), ("before", "after"))


def assert_nothing_to_do(result: ImportResult) -> None:
    assert result.plan.is_empty
    assert result.plan.notes == NoteChanges()
    assert result.plan.edges == EdgeChanges()
    assert not [change for change in result.plan.tables if change]
    assert not result.verdicts


@given(history=histories())
@examples(10)
def test_that_the_stored_graph_is_the_one_that_was_planned(history: History) -> None:
    compare_with_plan(history)


@given(history=histories(turns=1, with_model=True))
@examples(6)
def test_that_the_stored_graph_is_the_one_that_was_planned_where_a_model_is_asked(history: History) -> None:
    compare_with_plan(history)


@given(history=histories())
@example(history=A_VERDICT_MOVES_IN_A_DAMAGED_FILE)
@example(history=A_VERDICT_MOVES_BESIDE_ANOTHER_ON_THE_SAME_CLAIM)
@examples(10)
def test_that_a_second_import_is_empty(history: History) -> None:
    import_twice(history)


@given(history=histories(fewest=0, turns=0))
@examples(6)
def test_that_the_second_import_of_the_command_says_and_changes_nothing(history: History) -> None:
    with new_vault() as vault:
        history.begin(vault)
        import_(vault, "--apply")
        before = stored_tables(vault.database)
        for options in (["--format", "json"], ["--format", "json", "--apply"]):
            plan = json.loads(import_(vault, *options))
            assert (plan["added"], plan["removed"], plan["changed"], plan["shifted"]) == ([], [], [], 0)
            assert not any(plan["notes"].values())
        assert "The graph already says" in import_(vault)
        assert "The graph already says" in import_(vault, "--apply")
        assert_equal(before, stored_tables(vault.database), ("before", "after"))


@slow
@given(history=histories(turns=6))
def test_that_a_second_import_is_always_empty(history: History) -> None:
    import_twice(history)


@slow
@given(history=histories(turns=2, with_model=True))
def test_that_the_stored_graph_is_always_the_one_that_was_planned(history: History) -> None:
    compare_with_plan(history)

"""However a graph came about, it is the one that the notes, the decisions and the settings give."""

from __future__ import annotations

from hypothesis import given
from tests.properties.histories import History, histories
from tests.properties.profiles import examples, slow
from tests.properties.vaults import Vault, assert_equal, new_vault, or_refusal, planned_tables, stored_tables


def import_and_compare(vault: Vault, *, ask: bool) -> None:
    """Import what changed, and hold it against an import into an empty database."""
    changed = or_refusal(lambda: vault.plan(vault.database, ask=ask))
    if ask and not isinstance(changed, str):
        # The model's answers are decisions: a rebuild starts from the same ones.
        vault.apply(changed, vault.database)
    anew = or_refusal(lambda: vault.plan(None, ask=ask))
    if isinstance(changed, str) or isinstance(anew, str):
        assert changed == anew
        return
    if not ask:
        assert changed.verdicts_text == anew.verdicts_text
        vault.apply(changed, vault.database)
    assert_equal(stored_tables(vault.database), planned_tables(anew.plan), ("changed", "anew"))
    assert changed.findings == anew.findings


def compare_through_turns(history: History) -> None:
    with new_vault() as vault:
        history.begin(vault)
        import_and_compare(vault, ask=history.with_model)
        for turn in history.turns:
            for step in turn:
                step.take(vault)
            import_and_compare(vault, ask=history.with_model)


@given(history=histories())
@examples(40)
def test_that_an_incremental_import_equals_a_rebuild(history: History) -> None:
    compare_through_turns(history)


@given(history=histories(with_model=True))
@examples(20)
def test_that_an_incremental_import_equals_a_rebuild_where_a_model_is_asked(history: History) -> None:
    compare_through_turns(history)


@slow
@given(history=histories(turns=6))
def test_that_many_incremental_imports_equal_a_rebuild(history: History) -> None:
    compare_through_turns(history)


@slow
@given(history=histories(turns=6, with_model=True))
def test_that_many_incremental_imports_equal_a_rebuild_where_a_model_is_asked(history: History) -> None:
    compare_through_turns(history)

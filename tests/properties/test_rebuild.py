"""However a graph came about, it is the one that the notes, the decisions and the settings give."""

from __future__ import annotations

from hypothesis import example, given

from tests.properties.histories import (
    A_NOTE_WITH_A_RELATIVE_LINK_CHANGES,
    A_NOTE_WITHOUT_LINKS_COMES,
    A_VERDICT_IS_TAKEN_OVER_BY_AN_UNCHANGED_NOTE,
    AN_ID_LIKE_A_RELATIVE_PATH_COMES,
    AN_ID_LIKE_A_RELATIVE_PATH_GOES,
    VERDICTS_ARE_GIVEN_IN_A_DAMAGED_FILE,
    History,
    histories,
)
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
        assert changed.verdicts == anew.verdicts
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
@example(history=A_NOTE_WITHOUT_LINKS_COMES)
@example(history=AN_ID_LIKE_A_RELATIVE_PATH_COMES)
@example(history=AN_ID_LIKE_A_RELATIVE_PATH_GOES)
@example(history=A_NOTE_WITH_A_RELATIVE_LINK_CHANGES)
@example(history=A_VERDICT_IS_TAKEN_OVER_BY_AN_UNCHANGED_NOTE)
@examples(30)
def test_that_an_incremental_import_equals_a_rebuild(history: History) -> None:
    compare_through_turns(history)


@given(history=histories(with_model=True))
@example(history=VERDICTS_ARE_GIVEN_IN_A_DAMAGED_FILE)
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

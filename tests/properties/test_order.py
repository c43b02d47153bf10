"""No order that a file system, a folder or a dictionary happens to have makes a difference."""

from __future__ import annotations

import os
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.config import load_config
from kantenwerk.config.names import name_key
from kantenwerk.graph.decisions import VERDICTS
from kantenwerk.graph.model import ParsedNote
from kantenwerk.ingest.ids import assign_ids
from kantenwerk.ingest.parse.note import parse_note
from kantenwerk.ingest.resolve.catalogue import Catalogue, Name, attachment_name, note_names
from kantenwerk.ingest.resolve.exact import Resolver
from tests.properties.histories import ATTACHMENTS, PATHS, TITLES, History, histories, note, spellings, words
from tests.properties.profiles import examples, slow
from tests.properties.vaults import Vault, assert_equal, assert_same_plan, new_vault, or_refusal, planned_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = load_config(None, environ={})


@contextmanager
def shuffled_folders(random: Random) -> Iterator[None]:
    scandir = os.scandir

    @contextmanager
    def shuffled(path: str | os.PathLike[str]) -> Iterator[Iterator[os.DirEntry[str]]]:
        with scandir(path) as entries:
            found = list(entries)
        random.shuffle(found)
        yield iter(found)

    with mock.patch("os.scandir", shuffled):
        yield


def import_in_two_orders(history: History, random: Random) -> None:
    with new_vault() as vault:
        history.begin(vault)
        for turn in [[], *history.turns]:
            for step in turn:
                step.take(vault)
            plain = or_refusal(lambda: vault.plan(vault.database))
            with shuffled_folders(random):
                shuffled = or_refusal(lambda: vault.plan(vault.database))
            if isinstance(plain, str) or isinstance(shuffled, str):
                assert plain == shuffled
                continue
            assert_same_plan(plain.plan, shuffled.plan)
            assert plain.findings == shuffled.findings
            assert plain.verdicts == shuffled.verdicts
            vault.apply(shuffled, vault.database)


@given(history=histories(turns=2), random=st.randoms(use_true_random=False))
@examples(8)
def test_that_the_order_of_files_makes_no_difference(history: History, random: Random) -> None:
    import_in_two_orders(history, random)


@slow
@given(history=histories(turns=5), random=st.randoms(use_true_random=False))
def test_that_the_order_of_files_never_makes_a_difference(history: History, random: Random) -> None:
    import_in_two_orders(history, random)


def shuffle_verdicts(vault: Vault, random: Random) -> None:
    lines = (vault.read(VERDICTS) or "").splitlines(keepends=True)
    random.shuffle(lines)
    vault.write(VERDICTS, "".join(lines))


@given(history=histories(turns=3), random=st.randoms(use_true_random=False))
@examples(8)
def test_that_the_order_of_recorded_verdicts_makes_no_difference(history: History, random: Random) -> None:
    with new_vault() as vault:
        history.begin(vault)
        for turn in [[], *history.turns]:
            for step in turn:
                step.take(vault)
            plain = or_refusal(lambda: vault.plan(None))
            shuffle_verdicts(vault, random)
            shuffled = or_refusal(lambda: vault.plan(None))
            if isinstance(plain, str) or isinstance(shuffled, str):
                continue
            # Findings name the line of the file, and the basis is a hash of the whole file.
            left, right = planned_tables(plain.plan), planned_tables(shuffled.plan)
            for tables in (left, right):
                tables["findings"] = tables["meta"] = []
            assert_equal(left, right, ("before", "shuffled"))
            vault.apply(plain, vault.database)


def parsed(texts: dict[str, str]) -> dict[str, ParsedNote]:
    found = {path: parse_note(path, text.encode(), CONFIG) for path, text in texts.items()}
    return {path: note for path, note in found.items() if isinstance(note, ParsedNote)}


parsed_vaults = st.builds(
    lambda texts, known: parsed({path: known.fill(text) for path, text in texts.items()}),
    st.dictionaries(st.sampled_from(PATHS), note, min_size=1, max_size=5),
    words,
)


def names_of(vault: dict[str, ParsedNote]) -> list[Name]:
    ids, _ = assign_ids(vault, declared(vault))
    names = [name for path, note in vault.items() for name in note_names(note, ids[path], CONFIG.settings)]
    return [*names, *map(attachment_name, ATTACHMENTS)]


def declared(vault: dict[str, ParsedNote]) -> dict[str, str]:
    return {path: note.declared_id for path, note in vault.items() if note.declared_id is not None}


def resolver(names: list[Name]) -> Resolver:
    return Resolver(
        Catalogue(names),
        frozenset(map(name_key, CONFIG.settings.self_names)),
        frozenset(CONFIG.settings.attachment_extensions),
    )


@given(vault=parsed_vaults, random=st.randoms(use_true_random=False))
@examples(60)
def test_that_the_order_of_names_makes_no_difference_to_any_answer(
    vault: dict[str, ParsedNote], random: Random
) -> None:
    names = names_of(vault)
    plain = resolver(names)
    shuffled = resolver(random.sample(names, len(names)))
    for written in (*spellings(PATHS[:6]), *TITLES, *ATTACHMENTS, "ICH"):
        for source in ("X.md", "a/Y.md", "a/b/X.md"):
            for relative in (False, True):
                answers = [one.resolve(written, source, relative=relative) for one in (plain, shuffled)]
                assert answers[0] == answers[1]


@given(vault=parsed_vaults, random=st.randoms(use_true_random=False))
@examples(60)
def test_that_ids_are_unique_and_the_same_in_every_order(vault: dict[str, ParsedNote], random: Random) -> None:
    paths = random.sample(list(vault), len(vault))
    ids, findings = assign_ids(vault, declared(vault))
    assert len(set(ids.values())) == len(ids) == len(vault)
    others = dict(reversed(declared(vault).items()))
    assert assign_ids(paths, others) == (ids, findings)

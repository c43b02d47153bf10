"""Kinds: one spelling, an inverse for every string, and sentences that say what is known."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.config import Vocabulary, load_config
from kantenwerk.config.model import KindEntry

PACKAGED = load_config(None, environ={}).vocabulary
# Beside the packaged kinds: one without an inverse, one whose inverse has no entry.
OWN = Vocabulary.from_entries(
    {
        **PACKAGED.entries,
        "lonely": KindEntry(acyclic=True, aliases=("Einsam",)),
        "blocks": KindEntry(
            inverse="blocked_by",
            mirrored=False,
            excludes=("required_by", "next"),
            meaning={"en": "a thing in the way"},
            direction={"en": "A blocks B: B cannot go on."},
        ),
    }
)
kinds = st.one_of(
    st.text(),
    st.sampled_from([*OWN.kinds, *OWN.alias_of, "x", ""]),
    st.builds(
        "{}{}".format,
        st.integers(0, 5).map("inverse_of_".__mul__),
        st.sampled_from([*OWN.kinds, *OWN.alias_of, "x", ""]),
    ),
)


@given(kinds)
def test_the_inverse_of_the_inverse_is_the_kind(kind: str) -> None:
    assert OWN.inverse(OWN.inverse(kind)) == kind


@given(kinds)
def test_a_normalised_kind_stays_as_it_is(kind: str) -> None:
    once = OWN.normalise(kind)
    assert OWN.normalise(once) == once


@given(kinds)
def test_the_inverse_of_a_normalised_kind_is_normalised(kind: str) -> None:
    inverse = OWN.inverse(OWN.normalise(kind))
    assert OWN.normalise(inverse) == inverse


@given(kinds)
def test_both_directions_are_acyclic_or_none(kind: str) -> None:
    assert OWN.is_acyclic(kind) == OWN.is_acyclic(OWN.inverse(kind))


@given(kinds)
def test_every_string_has_a_meaning_and_a_direction(kind: str) -> None:
    for language in ("en", "de"):
        assert OWN.meaning(kind, language)
        assert OWN.direction(kind, language)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Führt hin zu", "führt_hin_zu"),
        ("FÜHRT_HIN_ZU", "führt_hin_zu"),
        (unicodedata.normalize("NFD", "führt hin zu"), "führt_hin_zu"),
        ("führt \u00a0 hin--zu", "führt_hin_zu"),
        ("\u00a0depends-on\u2003", "depends_on"),
        ("Depends On", "depends_on"),
        ("depends\u2011on", "depends_on"),
        ("Abhängig von", "depends_on"),
        ("hängt-ab-von", "depends_on"),
        ("nutzt", "uses"),
        ("VERWENDET", "uses"),
        ("Teil von", "part_of"),
        ("verursacht von", "caused_by"),
        ("basiert auf", "based_on"),
        ("unterstützt", "supports"),
        ("widerspricht", "contradicts"),
        ("Verwandt mit", "related_to"),
        ("siehe auch", "related_to"),
        ("inverse of depends on", "required_by"),
        ("inverse_of_nutzt", "used_by"),
        ("inverse_of_inverse_of_uses", "uses"),
        ("inverse_of_related_to", "related_to"),
        ("inverse_of_x", "inverse_of_x"),
        ("inverse_of_inverse_of_x", "x"),
        ("", ""),
    ],
)
def test_normalise(written: str, kind: str) -> None:
    assert PACKAGED.normalise(written) == kind


@pytest.mark.parametrize(
    ("kind", "inverse"),
    [
        ("references", "referenced_by"),
        ("embeds", "embedded_in"),
        ("related_to", "related_to"),
        ("depends_on", "required_by"),
        ("uses", "used_by"),
        ("part_of", "has_part"),
        ("mastered_by", "masters"),
        ("explored_in", "explores"),
        ("caused_by", "causes"),
        ("based_on", "basis_of"),
        ("supports", "supported_by"),
        ("contradicts", "contradicts"),
        ("next", "prev"),
        ("up", "down"),
        ("befriends", "inverse_of_befriends"),
    ],
)
def test_inverse(kind: str, inverse: str) -> None:
    assert PACKAGED.inverse(kind) == inverse
    assert PACKAGED.inverse(inverse) == kind


def test_many_prefixes_cost_no_more_than_their_length() -> None:
    assert PACKAGED.normalise("inverse_of_" * 100_001 + "uses") == "used_by"


@pytest.mark.parametrize("kind", ["depends_on", "required_by", "part_of", "has_part", "up", "down", "lonely"])
def test_circles_of_these_contradict_themselves(kind: str) -> None:
    assert OWN.is_acyclic(kind)


@pytest.mark.parametrize("kind", ["based_on", "next", "related_to", "befriends"])
def test_circles_of_these_do_not(kind: str) -> None:
    assert not OWN.is_acyclic(kind)


@pytest.mark.parametrize(
    ("kind", "near"),
    [
        ("depnds_on", "depends_on"),
        ("Depend On", "depends_on"),
        ("verwended", "uses"),
        ("mastered", "mastered_by"),
        ("führt_hin_zu", None),
        ("", None),
    ],
)
def test_nearest(kind: str, near: str | None) -> None:
    assert PACKAGED.nearest(kind) == near


def test_an_inverse_without_an_entry_takes_after_its_kind() -> None:
    assert OWN.is_known("blocked_by")
    assert OWN.inverse("blocked_by") == "blocks"
    assert not OWN.is_mirrored("blocked_by")
    assert "a thing in the way" in OWN.meaning("blocked_by", "en")
    assert OWN.direction("blocked_by", "en").startswith("A blocked_by B says the same as B blocks A.")


def test_a_kind_without_an_inverse_gets_the_one_of_an_unknown_kind() -> None:
    assert OWN.inverse("lonely") == "inverse_of_lonely"
    assert OWN.is_known("inverse_of_lonely")
    assert OWN.normalise("einsam") == "lonely"


def test_one_language_is_better_than_none() -> None:
    assert OWN.meaning("blocks", "de") == "a thing in the way"


def test_nobody_claims_to_know_an_unknown_kind() -> None:
    assert not PACKAGED.is_known("befriends")
    assert PACKAGED.is_mirrored("befriends")
    assert "nobody defined it" in PACKAGED.meaning("befriends", "en")
    assert "„befriends“" in PACKAGED.meaning("befriends", "de")
    assert PACKAGED.direction("befriends", "en") == "A befriends B: the note A states it about B."
    assert PACKAGED.direction("inverse_of_befriends", "de").endswith("dasselbe wie B befriends A.")


def test_braces_in_a_kind_are_text() -> None:
    assert "{0.__class__}" in PACKAGED.meaning("{0.__class__}", "en")


@pytest.mark.parametrize("kind", OWN.kinds)
def test_what_a_kind_excludes_excludes_it_also_from_the_other_side(kind: str) -> None:
    for other in OWN.excludes(kind):
        assert kind in OWN.excludes(other)
        assert OWN.inverse(other) in OWN.excludes(OWN.inverse(kind))


def test_what_is_excluded_is_said_once() -> None:
    assert OWN.excludes("blocks") == ("next", "required_by")
    assert OWN.excludes("blocked_by") == ("depends_on", "prev")
    assert OWN.excludes("depends_on") == ("blocked_by",)
    assert OWN.excludes("supported_by") == OWN.excludes("supports") == ("contradicts",)
    assert OWN.excludes("contradicts") == ("supported_by", "supports")
    assert OWN.excludes("uses") == OWN.excludes("unheard_of") == ()


def test_a_vault_can_take_a_packaged_exclusion_back(tmp_path: Path) -> None:
    folder = tmp_path / ".kantenwerk"
    folder.mkdir()
    (folder / "edges.yaml").write_text("kinds: {supports: {excludes: []}}\n", "utf-8")
    assert load_config(tmp_path, environ={}).vocabulary.excludes("contradicts") == ()

"""In which language a kind is explained to the judge: the note's."""

from __future__ import annotations

import pytest

from kantenwerk.ingest.validate.language import language_of
from kantenwerk.ingest.validate.probe import ProbeClaim, read_claims
from tests.validation.test_steering import STEMS, TEXTS


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("checkout-service", "en"),
        ("Zählerkästen", "de"),
        ("A braucht B, denn ohne B geht nichts.", "de"),
        ("A needs B, for without B nothing works.", "en"),
        ("The gateway war room was in an old hat shop; so also will die Hard.", "en"),
        ("Das Gateway war in München, an der Isar, und das Meeting was also weg.", "de"),
        ("```\nimport der, die, das\n```\nThis is the code that we have for it.", "en"),
        ("DIE KASSE IST OFFEN UND BLEIBT ES", "de"),
        ("三星 と 東京", "en"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("claim", read_claims(), ids=lambda claim: claim.target.title)
def test_the_language_of_the_probe_s_claims(claim: ProbeClaim) -> None:
    assert language_of(claim.passage) == claim.language


def test_the_language_of_notes_that_try_to_steer() -> None:
    """Of some, nearly all is signs or another language's words."""
    right = sum(language_of(TEXTS[stem]) == stem[-2:] for stem in STEMS)
    assert right > 0.95 * len(STEMS)

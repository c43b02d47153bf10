"""An answer is read strictly, and its probability over all spellings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.ingest.validate.answer import answer_position, p_yes_from_logprobs, read_answer

YES = [
    "YES",
    "yes",
    "Yes.",
    " YES\n",
    '"YES"',
    "**Yes**",
    "„Ja“",
    "JA!",
    "ja",
    "`YES`",
    "YES…",
    "yes;",
    "**YES.**",
]
NO = ["NO", "no", "No.", "NEIN", "nein", "*Nein*.", "\tNO\r\n", "'no'", "NO:", "No,", "«Nein»"]
NEITHER = [
    "",
    " ",
    ".",
    "YES and NO",
    "YES\nNO",
    "Yes, it does.",
    "Answer: YES",
    "The answer is no",
    "Y",
    "n",
    "yeah",
    "nope",
    "none",
    "jain",
    "yesno",
    "YES1",
    "yeſ",
    "ＹＥＳ",
    "YE S",
    "-YES",
    "<YES>",
    "<think>YES</think>",
    "oui",
]


@pytest.mark.parametrize("text", YES)
def test_yes(text: str) -> None:
    assert read_answer(text) == "YES"


@pytest.mark.parametrize("text", NO)
def test_no(text: str) -> None:
    assert read_answer(text) == "NO"


@pytest.mark.parametrize("text", NEITHER)
def test_anything_else_is_no_answer(text: str) -> None:
    assert read_answer(text) is None


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert read_answer(text) in {"YES", "NO", None}


@given(st.text(st.characters(categories=["L", "N"]), min_size=1), st.sampled_from([*YES, *NO]))
def test_a_word_beside_the_answer_spoils_it(word: str, answer: str) -> None:
    assert read_answer(f"{answer} {word}") is None
    assert read_answer(f"{word} {answer}") is None


def test_spellings_are_summed() -> None:
    likely = {"YES": 0.3, " Yes": 0.2, "ja": 0.1, "NO": 0.1, "▁Nein": 0.1, "The": 0.2}
    p_yes = p_yes_from_logprobs((token, math.log(p)) for token, p in likely.items())
    assert p_yes == pytest.approx(0.6 / 0.8)


def test_a_beginning_counts_for_the_word_that_it_begins() -> None:
    assert p_yes_from_logprobs([("Y", math.log(0.6)), ("NO", math.log(0.2))]) == pytest.approx(0.75)


@pytest.mark.parametrize("token", ["", " ", "?", "The", "Yesterday", "Now", "None", "Jahr", "yesno"])
def test_other_tokens_count_for_neither(token: str) -> None:
    assert p_yes_from_logprobs([(token, -0.1)]) is None


def test_without_any_mass_there_is_no_probability() -> None:
    assert p_yes_from_logprobs([]) is None
    assert p_yes_from_logprobs([("YES", -9999.0), ("NO", -math.inf)]) is None
    assert p_yes_from_logprobs([("YES", math.nan)]) is None


@given(st.lists(st.tuples(st.sampled_from(["YES", "no", "Ja", "x", "NE"]), st.floats())))
def test_a_probability_lies_between_0_and_1(likely: list[tuple[str, float]]) -> None:
    p_yes = p_yes_from_logprobs(likely)
    assert p_yes is None or 0.0 <= p_yes <= 1.0


@pytest.mark.parametrize(
    ("tokens", "text", "position"),
    [
        (["YES"], "YES", 0),
        (["YES", "<|im_end|>"], "YES", 0),
        (["\n", '"', "No", '"', "."], '"No".', 2),
        (["Y", "ES", ""], "YES", 0),
        (["▁NE", "IN"], "NEIN", 0),
        (["think", " YES", " no", "\n", "YES"], "YES", 4),
        (["**", " Ja", "**"], "** Ja**", 1),
        (["maybe"], "maybe", None),
        (["x", "y"], "YES", None),
        ([], "YES", None),
    ],
)
def test_the_answer_is_found_among_the_tokens(tokens: list[str], text: str, position: int | None) -> None:
    assert answer_position(tokens, text) == position

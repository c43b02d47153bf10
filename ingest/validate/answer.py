"""Reads YES or NO out of what a model said, and how sure it was. Pure."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Answer = Literal["YES", "NO"]

_WORDS: dict[str, Answer] = {"yes": "YES", "ja": "YES", "no": "NO", "nein": "NO"}
_QUOTES = "\"'`´„“”‚‘’«»‹›*_"
_SPOKEN = re.compile(rf"[\s{_QUOTES}]*([A-Za-z]+)[\s{_QUOTES}.,;:!?…。！]*")
# Some servers hand out raw vocabulary entries, whose leading blank is one of these two signs.
_TOKEN_TRIM = re.compile(rf"^[\s▁Ġ{_QUOTES}]+|[\s{_QUOTES}.,;:!?…。！]+$")


def read_answer(text: str) -> Answer | None:
    """Read an answer strictly: one word, and nothing beside it but blanks, quotes and trailing punctuation.

    Args:
        text: What the model said.

    Returns:
        YES (also for ja), NO (also for nein), or None for anything else.
    """
    spoken = _SPOKEN.fullmatch(text)
    # lower() and not casefold(): look-alikes such as the long s in "yeſ" are no answer.
    return None if spoken is None else _WORDS.get(spoken[1].lower())


def p_yes_from_logprobs(top_logprobs: Iterable[tuple[str, float]]) -> float | None:
    """Weigh YES against NO over all ways of spelling them at one position.

    A vocabulary may hold a word in several spellings ("YES", " Yes", "ja") or only its beginning ("Y"). No
    beginning of a word for YES begins a word for NO, so each token counts for one side or for none.

    Args:
        top_logprobs: The likeliest tokens at the position where the answer begins, with the natural
            logarithms of their probabilities.

    Returns:
        The share of YES in what YES and NO have together, or None where neither occurs.
    """
    mass: dict[Answer, float] = {"YES": 0.0, "NO": 0.0}
    for token, logprob in top_logprobs:
        side = _side(_trimmed(token))
        if side is not None and not math.isnan(logprob):
            mass[side] += math.exp(min(logprob, 0.0))
    both = mass["YES"] + mass["NO"]
    return mass["YES"] / both if both > 0.0 else None


def answer_position(tokens: Sequence[str], text: str) -> int | None:
    """Find the token with which the answer begins.

    A server may report tokens before the answer (a blank, a quote, a model's thoughts) and behind it (the end
    sign). The last token from which on the rest reads like the answer is the one.

    Args:
        tokens: The tokens that were generated, in order.
        text: The answer as the server gave it.

    Returns:
        The token's index, or None where the text is no answer or the tokens do not hold it.
    """
    spoken = _SPOKEN.fullmatch(text)
    if spoken is None or spoken[1].lower() not in _WORDS:
        return None
    word = spoken[1]
    for index in range(len(tokens) - 1, -1, -1):
        start = _trimmed(tokens[index])
        if start and word.startswith(start) and _trimmed("".join(tokens[index:])).startswith(word):
            return index
    return None


def _trimmed(token: str) -> str:
    return _TOKEN_TRIM.sub("", token)


def _side(token: str) -> Answer | None:
    lowered = token.lower()
    if not lowered:
        return None
    return next((answer for word, answer in _WORDS.items() if word.startswith(lowered)), None)

"""The nearest right word for a wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# "levle" is 0.8 near to "level"; below 0.7 the suggestions read like guesses.
_NEAR = 0.7
# A word that only stops short is this near: "api_key" to "api_key_env".
_BEGINNING = 0.8
_SHORTEST_BEGINNING = 3
# More of them than this help nobody.
_MOST_OPTIONS = 20


def nearest(word: str, options: Iterable[str]) -> str | None:
    """Find the option that a typo most likely stands for.

    Args:
        word: What was written.
        options: What would have been right.

    Returns:
        The nearest option, the shortest of several equally near ones, or `None` if none is near.
    """
    # Only a mistake pays for this import.
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    def score(option: str) -> float:
        begins = len(word) >= _SHORTEST_BEGINNING and option.startswith(word)
        return max(OSA.normalized_similarity(word, option), _BEGINNING if begins else 0.0)

    # Sorted, so that equally near options do not depend on the order of a file.
    best = max(sorted(options, key=lambda option: (len(option), option)), key=score, default="")
    return best if score(best) >= _NEAR else None


def no_such(thing: str, word: str, options: Iterable[str]) -> str:
    """Say that a word is unknown and which one is right.

    Args:
        thing: What the word should have been, for instance `key`.
        word: What was written.
        options: What would have been right.

    Returns:
        A sentence that names the nearest option, or all of them if none is near and they are few.
    """
    known = sorted(options)
    near = nearest(word, known)
    if near is not None:
        return f"no such {thing}; did you mean `{near}`?"
    return f"no such {thing}" + (f"; possible: {', '.join(known)}" if 0 < len(known) <= _MOST_OPTIONS else "")

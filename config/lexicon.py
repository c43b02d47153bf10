"""The words of German and English that have a part in comparing names, read once from `config/words`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any
from unicodedata import combining, normalize

import yaml

from kantenwerk.config.document import SAFE_LOADER
from kantenwerk.config.names import nfc

# Letters that are no letter with a mark on it, and what they are written as without them; `ü` is `ue` to a German.
_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th",
     "ł": "l", "ı": "i", "ħ": "h"}
)  # fmt: skip
_BARE_UMLAUTS = str.maketrans({"ä": "a", "ö": "o", "ü": "u"})


def fold(word: str) -> str:
    """Return a word as it is compared: lower case, umlauts as two letters, `ß` as `ss`, no other marks."""
    lower = word.lower()
    return lower if lower.isascii() else _without_marks(nfc(lower).translate(_SPELLED))


def fold_bare(word: str) -> str:
    """Return the same with umlauts as the bare vowel, as people write them who have no such key."""
    lower = word.lower()
    return lower if lower.isascii() else fold(nfc(lower).translate(_BARE_UMLAUTS))


def _without_marks(word: str) -> str:
    # Those of the Latin and Greek alphabets; elsewhere a mark is part of the letter.
    decomposed = normalize("NFD", word)
    kept = [char for char in decomposed if not (combining(char) and "\u0300" <= char <= "\u036f")]
    return normalize("NFC", "".join(kept))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words by their folded spelling, with the class in which they mean the same."""

    descriptors: Mapping[str, str]
    legal_forms: tuple[tuple[str, str], ...]
    titles: frozenset[str]
    fillers: frozenset[str]
    synonyms: Mapping[str, str]
    phrases: tuple[tuple[str, str], ...]
    antonyms: frozenset[tuple[str, str]]
    opposite_beginnings: frozenset[tuple[str, str]]
    negations: frozenset[str]
    negating_beginnings: tuple[str, ...]
    negating_endings: tuple[str, ...]
    directions: frozenset[str]
    whole_words: frozenset[str]
    months: Mapping[str, str]
    weekdays: Mapping[str, str]
    numbers: Mapping[str, int]
    given_names: frozenset[str]
    lookalikes: frozenset[str]


@lru_cache(maxsize=1)
def load_lexicon() -> Lexicon:
    """Return the packaged words."""
    folder = files("kantenwerk.config") / "words"
    words: dict[str, Any] = yaml.load(_text(folder / "words.yaml"), SAFE_LOADER)  # noqa: S506 - a safe loader
    return Lexicon(
        descriptors=_classes(words["descriptors"]),
        legal_forms=_legal_forms(_rows(_text(folder / "legal_forms.tsv"))),
        titles=_folded(words["titles"]),
        fillers=_folded(words["fillers"]),
        synonyms=_classes(words["synonyms"]),
        phrases=tuple((word, fold(same[0])) for same in words["synonyms"] for word in same if " " in word),
        antonyms=_either_way(words["antonyms"]),
        opposite_beginnings=_either_way(words["opposite_beginnings"]),
        negations=_folded(words["negations"]),
        negating_beginnings=tuple(sorted(_folded(words["negating_beginnings"]))),
        negating_endings=tuple(sorted(_folded(words["negating_endings"]))),
        directions=_folded(words["directions"]),
        whole_words=_folded(words["no_abbreviations"]) | _folded(_rows(_text(folder / "short_words.txt"))),
        months=_classes(words["months"]),
        weekdays=_classes(words["weekdays"]),
        numbers={fold(word): number for number, spellings in words["numbers"].items() for word in spellings},
        given_names=_folded(_rows(_text(folder / "given_names.txt"))),
        lookalikes=_folded(_rows(_text(folder / "lookalikes.txt"))),
    )


def _text(file: Traversable) -> str:
    return file.read_text("utf-8")


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(fold, words))


def _classes(classes: Iterable[list[str]]) -> dict[str, str]:
    return {fold(word): fold(words[0]) for words in classes for word in words}


def _either_way(pairs: Iterable[list[str]]) -> frozenset[tuple[str, str]]:
    folded = [(fold(one), fold(other)) for one, other in pairs]
    return frozenset(folded) | {(other, one) for one, other in folded}


def _legal_forms(rows: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return every spelling of a legal form, and its class."""
    return tuple((row.split("\t")[-1], row.split("\t")[0]) for row in rows)

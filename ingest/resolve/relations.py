"""How two words of two names can belong together: one table of partners, which count as the same, and of caps.

A cap is likeness enough for a question and too little to bind. The table's order is the order of trial; to teach
kantenwerk another likeness, write a function of two tokens and add a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import OSA

from kantenwerk.config.lexicon import load_lexicon
from kantenwerk.ingest.resolve.parts import Token

LONG_WORD = 8
_MOST_CONSONANTS = 0.6
_SHORTEST_BEGINNING = 2
_SHORTEST_ABBREVIATION = 3
_CONSONANTS = re.compile("[^aeiouy]")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMERONYM = re.compile(r"([a-z])(\d+)([a-z])")
# What German and English words end in besides their stem; -s and -es make partners and stand apart.
_ENDINGS = (
    *("innen", "ungen", "ern", "nen", "ing", "ung", "ies", "em", "en", "er", "in", "ed", "al", "e", "n", "y"),
    # Modus and Modi, Museum and Museen, Thema and Themen.
    *("us", "um", "i", "a"),
)
_SHORTEST_STEM = 3


Holds = Callable[[Token, Token], bool]


@dataclass(frozen=True, slots=True)
class Relation:
    """What two tokens have to do with each other.

    `likeness` is from 0 to 1, `is_cap` says that this is worth a question at most, `words` tells it to people with
    the two tokens put in.
    """

    name: str
    likeness: float
    is_cap: bool
    words: str
    holds: Holds

    def told(self, one: str, other: str) -> str:
        """Return what relates two words, in words."""
        return self.words.format(one, other)


# The same few words stand in many names.
@lru_cache(maxsize=1 << 12)
def relate(one: Token, other: Token) -> Relation | None:
    """Return the first relation of the table that holds between two tokens, whichever is first; None if none does."""
    if one.kind == "number" or other.kind == "number" or "legal" in {one.kind, other.kind}:
        return _EQUAL if one.kind == other.kind and one.meaning == other.meaning else None
    if one.meaning == other.meaning:
        return _EQUAL if one.key == other.key else _SYNONYM
    if "initial" in {one.kind, other.kind}:
        return None
    short, long = sorted((one, other), key=lambda token: (len(token.key), token.key))
    if one.key[:1] != other.key[:1]:
        return next((relation for relation in _OTHER_FIRST_LETTER if relation.holds(short, long)), None)
    return next((relation for relation in RELATIONS if relation.holds(short, long)), None)


def _is_plural(short: Token, long: Token) -> bool:
    # A name is no plural of a name (Han, Hans), and HTTPS is not several HTTP.
    if short.kind == long.kind == "given" or len(short.key) < _SHORTEST_STEM or long.is_acronym_written:
        return False
    return long.key in {short.key + "s", short.key + "es"}


def _is_beginning(short: Token, long: Token) -> bool:
    """Tell whether it is an abbreviation: what is a word of its own, or a name, is none."""
    if short.kind not in {"word", "descriptor"} or not _SHORTEST_ABBREVIATION <= len(short.key) < len(long.key) / 2:
        return False
    return long.key.startswith(short.key) and short.key not in load_lexicon().whole_words


def _is_consonants(short: Token, long: Token) -> bool:
    """Tell whether it is written by its consonants: mgmt. Three capitals are an acronym, of whatever."""
    shortest = _SHORTEST_ABBREVIATION + short.is_acronym_written
    if len(short.key) < shortest or set(short.key) & set("aeiou"):
        return False
    skeleton = "".join(_CONSONANTS.findall(long.key))
    most_are_there = len(short.key) >= _MOST_CONSONANTS * len(skeleton)
    return most_are_there and short.key[-1:] == skeleton[-1:] and _is_subsequence(short.key, skeleton)


def _is_slip(short: Token, long: Token) -> bool:
    """Tell whether long words differ by a letter more, less or swapped.

    Another letter makes another word far too often (Briefkasten, Briefkosten); endings, given names and what are
    words of the language both are no slips either.
    """
    if len(long.key) < LONG_WORD or len(short.key) < LONG_WORD - 1 or short.kind == long.kind == "given":
        return False
    if len(short.key) == len(long.key) and sorted(short.key) != sorted(long.key):
        return False
    return _differ_by_one(short, long) and not are_lookalikes(short.key, long.key) and not _is_inflected(short, long)


def _is_beheaded(short: Token, long: Token) -> bool:
    """Tell whether a long word lost its first letter, as scanned words do."""
    if len(short.key) < LONG_WORD or long.key[1:] != short.key:
        return False
    return not are_lookalikes(short.key, long.key)


def _is_near(short: Token, long: Token) -> bool:
    is_two_acronyms = short.is_acronym_written and long.is_acronym_written
    if len(short.key) < _SHORTEST_STEM or is_two_acronyms or is_ideographic(short.key):
        return False
    return _differ_by_one(short, long)


def _sounds_alike(short: Token, long: Token) -> bool:
    return short.kind == long.kind == "given" and _sound(short.key) == _sound(long.key)


def _sound(key: str) -> str:
    for written, heard in (("ph", "f"), ("th", "t"), ("ck", "k"), ("c", "k"), ("y", "i")):
        key = key.replace(written, heard)
    return key


def _differ_by_one(short: Token, long: Token) -> bool:
    """Tell whether one letter more, less, other or swapped makes the difference."""
    return len(long.key) - len(short.key) <= 1 and OSA.distance(short.key, long.key) <= 1


def are_lookalikes(short: str, long: str) -> bool:
    """Tell whether both are words of the language, or end in two after the same beginning (Projektbewertung)."""
    known = load_lexicon().lookalikes
    at = 0
    while True:
        if short[at:] in known and long[at:] in known:
            return True
        if at >= len(short) or short[at] != long[at]:
            return False
        at += 1


def _is_bare_umlaut(short: Token, long: Token) -> bool:
    return short.bare in {long.bare, long.key} or short.key == long.bare


def _is_inflected(short: Token, long: Token) -> bool:
    # Julia and Julius are two people.
    if short.kind == long.kind == "given":
        return False
    one, other = stems(short.bare), stems(long.bare)
    return any(len(stem) >= _SHORTEST_STEM for stem in one & other)


@lru_cache(maxsize=4096)
def stems(word: str) -> frozenset[str]:
    """Return a word, and what is left of it without each ending that it has."""
    return frozenset((word, *(word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))))


def _begins(short: Token, long: Token) -> bool:
    """Tell whether the one is how the other begins: Postgres, 三星."""
    if len(short.key) < _SHORTEST_BEGINNING or (short.is_acronym_written and long.is_acronym_written):
        return False
    return long.key.startswith(short.key)


def _is_numeronym(short: Token, long: Token) -> bool:
    found = _NUMERONYM.fullmatch(short.key)
    if not found:
        return False
    first, between, last = found.groups()
    return len(long.key) == int(between) + 2 and (long.key[0], long.key[-1]) == (first, last)


def _is_acronym_of_compound(short: Token, long: Token) -> bool:
    """Tell whether capitals may stand for the parts of one long word: DSGVO, Datenschutzgrundverordnung."""
    is_long_enough = len(short.key) > _SHORTEST_ABBREVIATION and len(long.key) >= 3 * len(short.key)
    return is_long_enough and short.is_acronym_written and _is_subsequence(short.key, long.key)


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


def is_acronym(token: Token, words: list[Token]) -> bool:
    """Tell whether a token is made of the words' beginnings: IBM, BMW, DSGVO (Datenschutz-Grundverordnung)."""
    if not 1 < len(words) <= len(token.key) <= 2 * len(words) + 2:
        return False
    initials = "".join(word.key[0] for word in words)
    if token.key == initials:
        # Two small letters are anything.
        return token.is_acronym_written or len(token.key) >= _SHORTEST_ABBREVIATION
    if not token.is_acronym_written:
        return False
    joined = "".join(word.key for word in words)
    is_long_enough = len(token.key) > _SHORTEST_ABBREVIATION and token.key[0] == initials[0]
    return is_long_enough and _is_subsequence(initials, token.key) and _is_subsequence(token.key, joined)


def is_ideographic(text: str) -> bool:
    """Tell whether a text is Chinese, Japanese or Korean, where one sign is a syllable or a word."""
    return not text.isascii() and bool(_IDEOGRAPH.search(text))


def _never(_one: Token, _other: Token) -> bool:
    return False


def _partner(name: str, likeness: float, words: str, holds: Holds = _never) -> Relation:
    return Relation(name, likeness, is_cap=False, words=words, holds=holds)


def _cap(name: str, likeness: float, words: str, holds: Holds = _never) -> Relation:
    return Relation(name, likeness, is_cap=True, words=words, holds=holds)


RELATIONS = (
    _partner("plural", 0.98, "{0} = {1}", _is_plural),
    _partner("beginning", 0.95, "{0} for {1}", _is_beginning),
    _partner("consonants", 0.95, "{0} for {1}", _is_consonants),
    _partner("slip", 0.93, "{0} and {1} differ by a slip", _is_slip),
    _cap("bare umlaut", 0.85, "{0} may be {1} without its dots", _is_bare_umlaut),
    _cap("inflected", 0.85, "{0} and {1} are forms of one word", _is_inflected),
    _cap("sound", 0.85, "{0} sounds like {1}", _sounds_alike),
    _cap("near", 0.75, "{0} and {1} differ in a letter", _is_near),
    _cap("numeronym", 0.8, "{0} may stand for {1}", _is_numeronym),
    _cap("compound acronym", 0.8, "{0} may stand for {1}", _is_acronym_of_compound),
    _cap("begins", 0.7, "{0} is how {1} begins", _begins),
)
# These hold by what a whole name says besides, see compare.py.
INITIAL = _partner("initial", 0.95, "{0} for {1}")
LONE_BEGINNING = _cap("lone beginning", 0.7, "{0} may stand for {1}")
OTHER_LETTER = _partner("other letter", 0.9, "{0} and {1} differ by a slip")
FAMILY_NAME = _cap("family name", 0.75, "{0} and {1} are two family names")
ACRONYM = _cap("acronym", 0.7, "{0} may stand for {1}")
_EQUAL = _partner("equal", 1.0, "{0}")
_SYNONYM = _partner("synonym", 1.0, "{0} = {1}")
_OTHER_FIRST_LETTER = (
    _partner("beheaded", 0.93, "{0} lacks the first letter of {1}", _is_beheaded),
    _cap("sound", 0.85, "{0} sounds like {1}", _sounds_alike),
)

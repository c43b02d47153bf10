"""Finds the names that another name may mean without comparing it to all: an index over the words of names.

Two steps: which words of the vocabulary are related to a word of the name (by traces that related words share: the
word without one letter, its stems, beginning and consonants), and which names are filed under these words. Joined
words and initials are looked up by name. What is found this way is compared; all else is apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest

from kantenwerk.ingest.resolve.parts import NameParts, Token
from kantenwerk.ingest.resolve.relations import LONG_WORD, relate, stems

# Of the names found, so many of the closest are compared.
MOST_COMPARED = 32
# Of the names with a word that many have, those with the fewest words besides are followed.
MOST_FOLLOWED = 200
# What the very same words count for, beside a word's vote of at most a half.
_ALL_EQUAL = 10.0
# What initials count for, which stand for all words of a name.
_FOR_ALL_WORDS = 3.0
_MOST_BEGINNINGS = 200
_LONGEST_RUN = 4
_LONGEST_TRACED = 40
_BEGINNING = 5
_CAPITALS = 4
_VOWELS = re.compile("[aeiouy]")
_NUMERONYM = re.compile("[a-z][0-9]+[a-z]")
_LIGHT = frozenset({"filler", "legal", "title"})
WORDS = frozenset({"word", "given", "descriptor", "month", "weekday", "title"})
# What a name is filed under: the meanings of its words, joined ones, initials, beginnings, and all meanings together.
_WITH, _JOINED, _INITIALS, _BEGINS, _WHOLE = "=", "+", ".", "^", "!"


def first_words(names: Sequence[NameParts]) -> dict[str, tuple[int, Token]]:
    """Return every word of some names by its key: where the first of the shortest ones is, and how it writes it."""
    words: dict[str, tuple[int, Token]] = {}
    for position in sorted(range(len(names)), key=lambda at: size_of(names[at])):
        for token in names[position].tokens:
            if token.kind in WORDS:
                words.setdefault(token.key, (position, token))
    return words


def size_of(name: NameParts) -> int:
    """Return how many words a name has that say something."""
    return sum(token.kind not in _LIGHT for token in name.tokens) or 1


def filed_under(name: NameParts) -> set[str]:
    """Return all that a name is filed under in an index."""
    keys = {meaning_key(token) for token in name.tokens if token.kind != "filler"}
    keys.update(_JOINED + joined for joined in _joined_runs(name))
    keys.update(beginnings_of(name))
    keys.add(whole_of(name))
    if initials := _initials(name):
        keys.add(_INITIALS + initials)
    return keys


class Vocabulary:
    """The words of names by what related ones share; tells under which keys a name's like are filed.

    `filed` are all keys of the names that the words are of; `asked` the words that will be asked for, where these are
    known: of the others' traces nothing is kept.
    """

    def __init__(self, words: Mapping[str, Token], filed: Iterable[str], asked: Iterable[Token] | None = None) -> None:
        self._words = words
        sought = None if asked is None else {trace for token in asked for trace in _traces(token, asked=True)}
        self._traced: dict[str, list[str]] = defaultdict(list)
        self._capitals: dict[str, list[str]] = defaultdict(list)
        self._sorted = sorted(words)
        for word in self._sorted:
            token = words[word]
            for trace in _traces(token):
                if sought is None or trace in sought:
                    self._traced[trace].append(word)
            if token.is_acronym_written and len(word) >= _CAPITALS:
                self._capitals[word[0]].append(word)
        self._compound_runs = sorted({key[1:] for key in filed if key[0] == _JOINED and len(key) > 3 * _CAPITALS})
        self._known_related: dict[Token, list[tuple[float, str]]] = {}

    def keys_like(self, name: NameParts) -> Iterator[tuple[float, str]]:
        """Yield what the names are filed under that share something with a name, and how much it says."""
        for token in name.tokens:
            yield from self.keys_like_word(token)
        yield from self.keys_like_runs(name)

    def keys_like_word(self, token: Token) -> Iterator[tuple[float, str]]:
        """Yield the same for one word of a name alone."""
        if token.kind == "filler":
            return
        yield 1.0, meaning_key(token)
        yield 1.0, _JOINED + token.key
        yield _FOR_ALL_WORDS, _INITIALS + token.key
        if token.kind in WORDS:
            for likeness, meaning in self._related(token):
                yield likeness, _WITH + meaning
        if is_compound(token):
            for joined in _spread(token.key, self._compound_runs):
                yield 0.5, _JOINED + joined

    def keys_like_runs(self, name: NameParts) -> Iterator[tuple[float, str]]:
        """Yield the same for the words of a name together."""
        if initials := _initials(name):
            yield _FOR_ALL_WORDS, _WITH + initials
        for joined in dict.fromkeys(_joined_runs(name)):
            yield 1.0, _WITH + joined
            yield 1.0, _JOINED + joined
            if len(joined) >= 3 * _CAPITALS:
                for capitals in self._capitals.get(joined[0], ()):
                    yield 0.5, _WITH + self._words[capitals].meaning

    def has_beginning_of(self, token: Token) -> bool:
        """Tell whether a word begins as another, or is the beginning of it."""
        return token.kind in WORDS and any(True for _ in self._beginnings(token.key))

    def _related(self, token: Token) -> list[tuple[float, str]]:
        """Return likeness and meaning of the vocabulary's words that are related to a word and do not equal it."""
        if (known := self._known_related.get(token)) is not None:
            return known
        keys = {key for trace in _traces(token, asked=True) for key in self._traced.get(trace, ())}
        keys.update(self._beginnings(token.key), self._compounds(token))
        related = set()
        for key in keys:
            other = self._words[key]
            if other.meaning != token.meaning and (relation := relate(token, other)):
                related.add((relation.likeness, other.meaning))
        self._known_related[token] = sorted(related)
        return self._known_related[token]

    def _beginnings(self, key: str) -> Iterator[str]:
        """Yield the words that begin with a word, and those with which it begins."""
        start = bisect_left(self._sorted, key)
        for word in self._sorted[start : start + _MOST_BEGINNINGS]:
            if not word.startswith(key):
                break
            yield word
        yield from (key[:size] for size in range(2, len(key)) if key[:size] in self._words)

    def _compounds(self, token: Token) -> Iterable[str]:
        """Return long words that capitals may stand for, or the capitals that may stand for a long word."""
        if is_compound(token):
            return _spread(token.key, self._sorted)
        return self._capitals.get(token.key[0], ()) if len(token.key) >= 3 * _CAPITALS else ()


class NameIndex:
    """The positions of names by what they are filed under, under every key those with the fewest words first.

    `sizes` are those of the names in order, `vocabulary` has the words of all that matter, and where not all are filed
    `counts` says how many there are under a key.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        filed: Mapping[str, Sequence[int]],
        vocabulary: Vocabulary,
        counts: Mapping[str, int],
    ) -> None:
        self._sizes, self._filed, self._counts = sizes, filed, counts
        self.vocabulary = vocabulary

    @classmethod
    def of(
        cls,
        names: Sequence[NameParts],
        vocabulary: Vocabulary | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> NameIndex:
        """File names in the order given; where they are some of a vault's, with the vocabulary and counts of all."""
        sizes = [size_of(name) for name in names]
        filed: dict[str, list[int]] = defaultdict(list)
        for position in sorted(range(len(names)), key=sizes.__getitem__):
            for key in filed_under(names[position]):
                filed[key].append(position)
        if vocabulary is None:
            vocabulary = Vocabulary({key: token for key, (_, token) in first_words(names).items()}, filed)
        return cls(sizes, filed, vocabulary, counts or {})

    def candidates(self, name: NameParts) -> list[int]:
        """Return the positions of the names worth comparing, in order."""
        votes: dict[int, float] = defaultdict(float)
        for likeness, key in self.vocabulary.keys_like(name):
            if positions := self._filed.get(key):
                # A word that few names have says more.
                weight = likeness / (1 + self._counts.get(key, len(positions)).bit_length())
                for position in positions[:MOST_FOLLOWED]:
                    votes[position] += weight
        for position in self._filed.get(whole_of(name), ())[:MOST_FOLLOWED]:
            votes[position] += _ALL_EQUAL
        size, sizes = size_of(name), self._sizes
        closest = nsmallest(MOST_COMPARED, votes, key=lambda at: (-votes[at] / (size + sizes[at]), at))
        return sorted(closest)

    def kindred(self, name: NameParts) -> list[int]:
        """Return the positions of some names with a long word that begins as one of this name, in order."""
        positions = {at for beginning in beginnings_of(name) for at in self._filed.get(beginning, ())}
        return sorted(nsmallest(MOST_COMPARED, positions, key=lambda at: (abs(self._sizes[at] - len(name.tokens)), at)))


def beginnings_of(name: NameParts) -> set[str]:
    """Return the beginnings of a name's long words, as names are filed under them."""
    return {
        _BEGINS + token.key[:_BEGINNING] for token in name.tokens if token.kind in WORDS and len(token.key) > _BEGINNING
    }


def whole_of(name: NameParts) -> str:
    """Return what all names with the same words are filed under."""
    return _WHOLE + "\t".join(sorted({token.meaning for token in name.tokens if token.kind not in _LIGHT}))


def meaning_key(token: Token) -> str:
    """Return what names with a word are filed under."""
    return _WITH + token.meaning


def is_compound(token: Token) -> bool:
    """Tell whether a word is in capitals that may stand for one long word, or for several joined."""
    return token.is_acronym_written and len(token.key) >= _CAPITALS


def runs_from(capitals: Token) -> str:
    """Return how the keys begin of joined words that capitals may stand for."""
    return _JOINED + capitals.key[0]


def _spread(letters: str, words: list[str]) -> list[str]:
    """Return those of sorted words that have these letters in this order, the first one first."""
    start = bisect_left(words, letters[0])
    end = bisect_left(words, chr(ord(letters[0]) + 1))
    spread = re.compile(".*".join(map(re.escape, letters)))
    return [word for word in words[start:end] if spread.match(word)]


def _traces(token: Token, *, asked: bool = False) -> Iterator[str]:
    """Yield what a word shares with every word that it is related to, but for beginnings.

    Abbreviations and what they stand for are told apart by the sign before them, so that two words do not meet
    because one abbreviation could stand for both; who asks seeks the other kind.
    """
    key = token.key
    yield key
    if len(key) < 3:  # noqa: PLR2004 - too short for any relation but a beginning
        return
    # Near words and slips have the word without one letter in common; only long words lose their first letter.
    yield f"-{key}"
    if len(key) <= _LONGEST_TRACED:
        yield from {f"-{key[:at]}{key[at + 1 :]}" for at in range(int(len(key) <= LONG_WORD), len(key))}
    yield from (f"~{stem}" for stem in stems(token.bare))
    skeleton = _VOWELS.sub("", key)
    if skeleton:
        is_abbreviation = skeleton == key
        yield f"{'?' if is_abbreviation != asked else '!'}{key[0]}{skeleton[-1]}"
    if _NUMERONYM.fullmatch(key):
        yield f"#{key}" if asked else f"={key}"
    else:
        yield f"{'=' if asked else '#'}{key[0]}{len(key) - 2}{key[-1]}"


def _joined_runs(name: NameParts) -> Iterator[str]:
    """Yield the joined words of every run of two and more."""
    words = [token for token in name.tokens if token.kind in WORDS or token.kind in {"initial", "filler"}]
    for start in range(len(words)):
        joined = words[start].key
        for token in words[start + 1 : start + _LONGEST_RUN]:
            joined += token.key
            yield joined


def _initials(name: NameParts) -> str:
    """Return the first letters of a name's words; empty where it has but one."""
    letters = [token.key[0] for token in name.tokens if token.kind in {"word", "given", "descriptor"}]
    return "".join(letters) if len(letters) > 1 else ""

"""Finds the names that another name may mean without comparing it to all: an index over the words of names.

Two steps: which words of the vocabulary are related to a word of the name (by traces that related words share: the
word without one letter, its stems, beginning and consonants), and which names hold these words. Joined words and
initials are looked up by name. What is found this way is compared; all else is apart.
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
_MOST_COMPARED = 32
# Of the names with a word that many have, those with the fewest words besides are followed.
_MOST_FOLLOWED = 200
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
_WORDS = frozenset({"word", "given", "descriptor", "month", "weekday", "title"})


def first_words(names: Sequence[NameParts]) -> dict[str, Token]:
    """Return every word of some names by its key, as the first of the shortest names writes it."""
    words: dict[str, Token] = {}
    for name in sorted(names, key=_size):
        for token in name.tokens:
            if token.kind in _WORDS:
                words.setdefault(token.key, token)
    return words


def _size(name: NameParts) -> int:
    return sum(token.kind not in _LIGHT for token in name.tokens) or 1


class NameIndex:
    """Names by their words, and words by what related ones share; `names` stay in the order given.

    Where the names are some of a vault's, `words` are those of all.
    """

    def __init__(self, names: Sequence[NameParts], words: Mapping[str, Token] | None = None) -> None:
        self.names = names
        own = first_words(names)
        self._words = own if words is None else {key: words.get(key, token) for key, token in own.items()}
        self._traced: dict[str, list[str]] = defaultdict(list)
        self._capitals: dict[str, list[str]] = defaultdict(list)
        self._names_with: dict[str, list[int]] = defaultdict(list)
        self._names_joined: dict[str, list[int]] = defaultdict(list)
        self._names_beginning: dict[str, list[int]] = defaultdict(list)
        self._names_by_initials: dict[str, list[int]] = defaultdict(list)
        self._names_of: dict[frozenset[str], list[int]] = defaultdict(list)
        self._sizes = [_size(name) for name in names]
        # In every posting the names with the fewest words come first.
        for position in sorted(range(len(names)), key=self._sizes.__getitem__):
            self._add(position, names[position])
        for token in self._words.values():
            for trace in _traces(token):
                self._traced[trace].append(token.key)
            if token.is_acronym_written and len(token.key) >= _CAPITALS:
                self._capitals[token.key[0]].append(token.key)
        self._sorted = sorted(self._words)
        self._known_related: dict[Token, list[tuple[float, str]]] = {}
        self._compound_runs = sorted(joined for joined in self._names_joined if len(joined) >= 3 * _CAPITALS)

    def candidates(self, name: NameParts) -> list[int]:
        """Return the positions of the names worth comparing, in order."""
        votes: dict[int, float] = defaultdict(float)
        for likeness, positions in self._postings(name):
            # A word that few names have says more.
            weight = likeness / (1 + len(positions).bit_length())
            for position in positions[:_MOST_FOLLOWED]:
                votes[position] += weight
        for position in self._names_of.get(_whole(name), ())[:_MOST_FOLLOWED]:
            votes[position] += _ALL_EQUAL
        size, sizes = _size(name), self._sizes
        closest = nsmallest(_MOST_COMPARED, votes, key=lambda at: (-votes[at] / (size + sizes[at]), at))
        return sorted(closest)

    def kindred(self, name: NameParts) -> list[int]:
        """Return the positions of some names with a long word that begins as one of this name, in order."""
        positions = {at for beginning in _beginnings(name) for at in self._names_beginning.get(beginning, ())}
        return sorted(
            nsmallest(_MOST_COMPARED, positions, key=lambda at: (abs(self._sizes[at] - len(name.tokens)), at))
        )

    def touches(self, name: NameParts) -> bool:
        """Tell whether one of the names, or one of their words, may have a part in what is found for a name."""
        return (
            any(positions for _, positions in self._postings(name))
            or _whole(name) in self._names_of
            or any(beginning in self._names_beginning for beginning in _beginnings(name))
            # Of words that begin alike only so many are looked at, and one more may push another out.
            or any(True for token in name.tokens if token.kind in _WORDS for _ in self._beginnings(token.key))
        )

    # --- building

    def _add(self, position: int, name: NameParts) -> None:
        for meaning in {token.meaning for token in name.tokens if token.kind != "filler"}:
            self._names_with[meaning].append(position)
        for joined in set(_joined_runs(name)):
            self._names_joined[joined].append(position)
        self._names_of[_whole(name)].append(position)
        if initials := _initials(name):
            self._names_by_initials[initials].append(position)
        for beginning in _beginnings(name):
            self._names_beginning[beginning].append(position)

    # --- looking up

    def _postings(self, name: NameParts) -> Iterator[tuple[float, list[int]]]:
        """Yield likeness and positions of the names that share something, a posting for each thing shared."""
        for token in name.tokens:
            if token.kind != "filler":
                yield from self._postings_of(token)
        if initials := _initials(name):
            yield _FOR_ALL_WORDS, self._names_with.get(initials, [])
        for joined in set(_joined_runs(name)):
            yield 1.0, self._names_with.get(joined, [])
            yield 1.0, self._names_joined.get(joined, [])
            if len(joined) >= 3 * _CAPITALS:
                for capitals in self._capitals.get(joined[0], ()):
                    yield 0.5, self._names_with[self._words[capitals].meaning]

    def _postings_of(self, token: Token) -> Iterator[tuple[float, list[int]]]:
        yield 1.0, self._names_with.get(token.meaning, [])
        yield 1.0, self._names_joined.get(token.key, [])
        yield _FOR_ALL_WORDS, self._names_by_initials.get(token.key, [])
        if token.kind in _WORDS:
            for likeness, meaning in self._related(token):
                yield likeness, self._names_with[meaning]
        if token.is_acronym_written and len(token.key) >= _CAPITALS:
            for joined in _spread(token.key, self._compound_runs):
                yield 0.5, self._names_joined[joined]

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
        if token.is_acronym_written and len(token.key) >= _CAPITALS:
            return _spread(token.key, self._sorted)
        return self._capitals.get(token.key[0], ()) if len(token.key) >= 3 * _CAPITALS else ()


def _beginnings(name: NameParts) -> set[str]:
    return {token.key[:_BEGINNING] for token in name.tokens if token.kind in _WORDS and len(token.key) > _BEGINNING}


def _spread(letters: str, words: list[str]) -> list[str]:
    """Return those of sorted words that have these letters in this order, the first one first."""
    start = bisect_left(words, letters[0])
    end = bisect_left(words, chr(ord(letters[0]) + 1))
    spread = re.compile(".*".join(map(re.escape, letters)))
    return [word for word in words[start:end] if spread.match(word)]


def _whole(name: NameParts) -> frozenset[str]:
    return frozenset(token.meaning for token in name.tokens if token.kind not in _LIGHT)


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
    words = [token for token in name.tokens if token.kind in _WORDS or token.kind in {"initial", "filler"}]
    for start in range(len(words)):
        joined = words[start].key
        for token in words[start + 1 : start + _LONGEST_RUN]:
            joined += token.key
            yield joined


def _initials(name: NameParts) -> str:
    """Return the first letters of a name's words; empty where it has but one."""
    letters = [token.key[0] for token in name.tokens if token.kind in {"word", "given", "descriptor"}]
    return "".join(letters) if len(letters) > 1 else ""

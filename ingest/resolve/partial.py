"""The names of a vault's notes where nearly all are stored: only those are read that a name may mean.

What is found in them is what would be found in all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Protocol

from kantenwerk.config.names import name_key
from kantenwerk.graph.name_parts import Rank
from kantenwerk.ingest.resolve import index
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import (
    WORDS,
    NameIndex,
    Vocabulary,
    beginnings_of,
    filed_under,
    is_compound,
    runs_from,
    whole_of,
)
from kantenwerk.ingest.resolve.parts import NameParts, Token, key_of, split_name, word_of
from kantenwerk.ingest.resolve.stock import Names, WholeStock
from kantenwerk.ingest.resolve.weights import Weights

# Who asks for more names one by one, or has more that are not stored, has all read.
_MOST_SELECTIONS = 20
_MOST_FRESH = 2000


class StoredNames(Protocol):
    """The stored names, those of notes left out that are called otherwise now."""

    def all(self) -> list[tuple[str, str, str]]:
        """Return note, path and name of all."""

    def words(self) -> list[str]:
        """Return every word, once in each spelling."""

    def first_with(self, words: Collection[str]) -> dict[str, Rank]:
        """Return the rank of the first name with each of some spellings."""

    def keys_from(self, beginnings: Collection[str]) -> list[str]:
        """Return the keys that begin with one of some texts of two letters."""

    def filed(self, keys: Collection[str], most: int) -> list[tuple[str, int, str, str, str]]:
        """Return the first names under each key: the key, how many names it has, note, path and name."""

    def nearest(self, asked: Collection[tuple[str, int]], most: int) -> list[tuple[str, str, str]]:
        """Return note, path and name of those under each key whose size is nearest to the one beside it."""

    def last_filed(self, keys: Collection[str], place: int) -> dict[str, tuple[int, Rank]]:
        """Return for each key how many names it has and the rank of the one at a place; not for those with fewer."""

    def last_nearest(self, asked: Collection[tuple[str, int]], place: int) -> dict[tuple[str, int], Rank]:
        """Return the rank of the name at a place by nearness to the size, for those keys that have so many."""

    def notes(self) -> int:
        """Return how many notes there are."""

    def notes_with(self, tokens: Collection[str]) -> dict[str, int]:
        """Return how many notes have each of some tokens in a name; those that none has are left out."""

    def with_token(self, tokens: Collection[str], most: int) -> list[tuple[str, str, str]]:
        """Return note, path and name of names with one of some tokens, no more than `most`."""

    def folders(self) -> list[str]:
        """Return the folders in which the notes lie."""


class PartialStock:
    """Stored names, and `fresh` ones beside them."""

    def __init__(self, stored: StoredNames, fresh: Iterable[NoteName], generic: float) -> None:
        self.stored, self.generic = stored, generic
        self.fresh = WholeStock(fresh, generic)
        self.counts = _Counts(stored, self.fresh.weights.counts)
        self._expected: dict[str, NameParts] = {}
        self._like: dict[str, Names] = {}
        self._kin: dict[str, Names] = {}
        self._selections = 0

    @cached_property
    def weights(self) -> Weights:
        """What words weigh among all names."""
        return Weights(self.generic, self.counts, self.stored.notes() + self.fresh.weights.notes)

    def has_folder(self, key: str) -> bool:
        """Tell whether a note lies in a folder of that name."""
        return self.fresh.has_folder(key) or key in self.folders

    @cached_property
    def folders(self) -> frozenset[str]:
        """The names of the folders in which stored notes lie."""
        return frozenset(name_key(part) for path in self.stored.folders() if path for part in path.split("/"))

    def expect(self, names: Iterable[NameParts]) -> None:
        """Hear of names that will be asked for, so that they are looked up together."""
        self._expected.update((name.written, name) for name in names)

    def like(self, name: NameParts) -> Names:
        """Return names in which the index finds the same candidates for a name as it would in all."""
        return self._selected(name, self._like, self._alike)

    def kin_of(self, name: NameParts) -> Names:
        """Return names in which the index finds the same kindred of a name as it would in all."""
        return self._selected(name, self._kin, self._kindred)

    def _selected(
        self, name: NameParts, known: dict[str, Names], select: Callable[[Collection[NameParts]], Names]
    ) -> Names:
        if name.written not in known:
            self._selections += 1
            if self._selections > _MOST_SELECTIONS or len(self.fresh.names) > _MOST_FRESH:
                return self._whole.like(name)
            asked = self._expected if name.written in self._expected else {name.written: name}
            known.update(dict.fromkeys(asked, select(asked.values())))
        return known[name.written]

    @cached_property
    def _whole(self) -> WholeStock:
        return WholeStock((*(NoteName(*name) for name in self.stored.all()), *self.fresh.names), self.generic)

    # --- selecting

    def _alike(self, asked: Collection[NameParts]) -> Names:
        vocabulary = self._vocabulary({token for name in asked for token in name.tokens})
        keys = {key for name in asked for _, key in vocabulary.keys_like(name)} | set(map(whole_of, asked))
        found = self.stored.filed(keys, index.MOST_FOLLOWED)
        counts = {key: count for key, count, *_ in found}
        for parts in self.fresh.parts:
            for key in filed_under(parts) & keys:
                counts[key] = counts.get(key, 0) + 1
        return self._names((NoteName(*name) for _, _, *name in found), asked, vocabulary, counts)

    def _kindred(self, asked: Collection[NameParts]) -> Names:
        sizes = {(beginning, len(name.tokens)) for name in asked for beginning in beginnings_of(name)}
        found = self.stored.nearest(sizes, index.MOST_COMPARED)
        return self._names((NoteName(*name) for name in found), asked, Vocabulary({}, ()), {})

    def _names(
        self, found: Iterable[NoteName], asked: Iterable[NameParts], vocabulary: Vocabulary, counts: Mapping[str, int]
    ) -> Names:
        some = WholeStock((*found, *self.fresh.names), self.generic)
        self.counts.read(token.key for parts in (*asked, *some.parts) for token in parts.tokens)
        return Names.of(some.names, some.parts, NameIndex.of(some.parts, vocabulary, counts))

    def _vocabulary(self, tokens: Collection[Token]) -> Vocabulary:
        """Return all words that may be related to some tokens, and the joined words that these may stand for."""
        letters = {token.key[0] for token in tokens}
        # Words with another first letter are related only where one lost it.
        tails = {tail for token in tokens for tail in (token.key, token.key[1:])}
        words = [
            key
            for key in self.spellings.keys() | self.fresh.firsts.keys()
            if key[0] in letters or key in tails or key[1:] in tails
        ]
        joined = [key for parts in self.fresh.parts for key in filed_under(parts)]
        if beginnings := {runs_from(token) for token in tokens if is_compound(token)}:
            joined += self.stored.keys_from(beginnings)
        return Vocabulary(self.first_words(words, self.fresh), joined)

    @cached_property
    def spellings(self) -> Mapping[str, list[str]]:
        """How each word is spelled in the stored names."""
        spellings: dict[str, list[str]] = defaultdict(list)
        for spelling in self.stored.words():
            spellings[key_of(spelling)].append(spelling)
        return dict(spellings)

    def first_words(self, keys: Collection[str], more: WholeStock) -> dict[str, Token]:
        """Return words as the first of the shortest names writes them, among the stored names and `more`."""
        spellings = {key: self.spellings.get(key, []) for key in keys}
        several = {key for key in keys if len(spellings[key]) + (key in more.firsts) > 1}
        ranks = self.stored.first_with([spelling for key in several for spelling in spellings[key]]) if several else {}
        words: dict[str, Token] = {}
        for key in keys:
            if key in several:
                rank = min(ranks[spelling] for spelling in spellings[key])
                is_stored = key not in more.firsts or rank < more.firsts[key][0]
                words[key] = _word_in(rank[-1], key) if is_stored else more.firsts[key][1]
            elif spellings[key]:
                words[key] = word_of(spellings[key][0])
            elif key in more.firsts:
                words[key] = more.firsts[key][1]
        return words


class _Counts(dict[str, int]):
    """In how many notes tokens occur, read as they are asked for."""

    def __init__(self, stored: StoredNames, fresh: Mapping[str, int]) -> None:
        super().__init__()
        self._stored, self._fresh = stored, fresh

    def read(self, tokens: Iterable[str]) -> None:
        """Read those of some tokens together."""
        missing = set(tokens) - self.keys()
        found = self._stored.notes_with(missing) if missing else {}
        self.update({token: found.get(token, 0) + self._fresh.get(token, 0) for token in missing})

    def __missing__(self, token: str) -> int:
        self.read([token])
        return self[token]


def _word_in(name: str, key: str) -> Token:
    return next(token for token in split_name(name).tokens if token.kind in WORDS and token.key == key)

"""The names of a vault's notes where nearly all are stored: only those are read that a name may mean.

What is found in them is what would be found in all. And what may mean something else, once some names changed: what a
name means rests on the names found for it, on what else bears their words, and on how often these occur. Where none
of this changed, the answer of before still holds; that is told here without searching.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Protocol

from kantenwerk.config.names import name_key
from kantenwerk.ingest.resolve import index
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import (
    WORDS,
    NameIndex,
    Vocabulary,
    beginnings_of,
    filed_under,
    is_compound,
    runs_like,
    whole_of,
)
from kantenwerk.ingest.resolve.parts import NameParts, Token, key_of, split_name, word_of
from kantenwerk.ingest.resolve.stock import Names, Rank, WholeStock
from kantenwerk.ingest.resolve.weights import Weights

# Where more names have a word whose weight changed, all answers are found out again.
_MOST_REWEIGHED = 2000
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

    def keys_like(self, pattern: str) -> list[str]:
        """Return the keys that begin as a regular expression says."""

    def filed(self, keys: Collection[str], most: int) -> list[tuple[str, int, str, str, str]]:
        """Return the first names under each key: the key, how many names it has, note, path and name."""

    def nearest(self, asked: Collection[tuple[str, int]], most: int) -> list[tuple[str, str, str]]:
        """Return note, path and name of those under each key whose size is nearest to the one beside it."""

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
        self._stored, self._generic = stored, generic
        self._fresh = WholeStock(fresh, generic)
        self._counts = _Counts(stored, self._fresh.weights.counts)
        self._expected: dict[str, NameParts] = {}
        self._like: dict[str, Names] = {}
        self._kin: dict[str, Names] = {}
        self._selections = 0

    @cached_property
    def weights(self) -> Weights:
        """What words weigh among all names."""
        return Weights(self._generic, self._counts, self._stored.notes() + self._fresh.weights.notes)

    def has_folder(self, key: str) -> bool:
        """Tell whether a note lies in a folder of that name."""
        return self._fresh.has_folder(key) or key in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(name_key(part) for path in self._stored.folders() if path for part in path.split("/"))

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
            if self._selections > _MOST_SELECTIONS or len(self._fresh.names) > _MOST_FRESH:
                return self._whole.like(name)
            asked = self._expected if name.written in self._expected else {name.written: name}
            known.update(dict.fromkeys(asked, select(asked.values())))
        return known[name.written]

    @cached_property
    def _whole(self) -> WholeStock:
        return WholeStock((*(NoteName(*name) for name in self._stored.all()), *self._fresh.names), self._generic)

    # --- selecting

    def _alike(self, asked: Collection[NameParts]) -> Names:
        vocabulary = self._vocabulary({token for name in asked for token in name.tokens})
        keys = {key for name in asked for _, key in vocabulary.keys_like(name)} | set(map(whole_of, asked))
        found = self._stored.filed(keys, index.MOST_FOLLOWED)
        counts = {key: count for key, count, *_ in found}
        for parts in self._fresh.parts:
            for key in filed_under(parts) & keys:
                counts[key] = counts.get(key, 0) + 1
        return self._names((NoteName(*name) for _, _, *name in found), asked, vocabulary, counts)

    def _kindred(self, asked: Collection[NameParts]) -> Names:
        sizes = {(beginning, len(name.tokens)) for name in asked for beginning in beginnings_of(name)}
        found = self._stored.nearest(sizes, index.MOST_COMPARED)
        return self._names((NoteName(*name) for name in found), asked, Vocabulary({}, ()), {})

    def _names(
        self, found: Iterable[NoteName], asked: Iterable[NameParts], vocabulary: Vocabulary, counts: Mapping[str, int]
    ) -> Names:
        some = WholeStock((*found, *self._fresh.names), self._generic)
        self._counts.read(token.key for parts in (*asked, *some.parts) for token in parts.tokens)
        return Names(some.names, some.parts, NameIndex(some.parts, vocabulary, counts))

    def _vocabulary(self, tokens: Collection[Token]) -> Vocabulary:
        """Return all words that may be related to some tokens, and the joined words that these may stand for."""
        letters = {token.key[0] for token in tokens}
        # Words with another first letter are related only where one lost it.
        tails = {tail for token in tokens for tail in (token.key, token.key[1:])}
        words = [
            key
            for key in self._spellings.keys() | self._fresh.firsts.keys()
            if key[0] in letters or key in tails or key[1:] in tails
        ]
        joined = [key for parts in self._fresh.parts for key in filed_under(parts)]
        if patterns := {runs_like(token) for token in tokens if is_compound(token)}:
            joined += self._stored.keys_like("|".join(sorted(patterns)))
        return Vocabulary(self._first_words(words, self._fresh), joined)

    @cached_property
    def _spellings(self) -> Mapping[str, list[str]]:
        """How each word is spelled in the stored names."""
        spellings: dict[str, list[str]] = defaultdict(list)
        for spelling in self._stored.words():
            spellings[key_of(spelling)].append(spelling)
        return dict(spellings)

    def _first_words(self, keys: Collection[str], more: WholeStock) -> dict[str, Token]:
        """Return words as the first of the shortest names writes them, among the stored names and `more`."""
        spellings = {key: self._spellings.get(key, []) for key in keys}
        several = {key for key in keys if len(spellings[key]) + (key in more.firsts) > 1}
        ranks = self._stored.first_with([spelling for key in several for spelling in spellings[key]]) if several else {}
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

    # --- what a change of names changes

    def may_differ(self, gone: Iterable[NoteName]) -> Callable[[NameParts], bool]:
        """Return what tells whether a name may mean another note than with the names `gone` for the fresh ones.

        It may say so of a name for which all is the same, and never the other way round.
        """
        before, after = WholeStock(gone, self._generic), self._fresh
        stayed = set(before.names) & set(after.names)
        changed = [
            parts
            for stock in (before, after)
            for name, parts in zip(stock.names, stock.parts, strict=True)
            if name not in stayed
        ]
        old, new = self._weights_with(before), self.weights
        words = _words_of(changed)
        was, now = self._first_words(words, before), self._first_words(words, after)
        if old.scale != new.scale or any(_has_other_traces(was[key], now[key]) for key in was.keys() & now.keys()):
            return lambda _: True
        keys = {token.key for parts in changed for token in parts.tokens}
        reweighed = {key for key in keys if old.of_word(key) != new.of_word(key)}
        found = self._stored.with_token(reweighed, _MOST_REWEIGHED + 1) if reweighed else []
        if len(found) > _MOST_REWEIGHED:
            return lambda _: True
        of_these = [split_name(name) for *_, name in found]
        of_these += [parts for parts in after.parts if any(token.key in reweighed for token in parts.tokens)]
        names = [*changed, *of_these]
        words = _words_of(names)
        vocabulary = Vocabulary(
            self._first_words(words, before) | self._first_words(words, after),
            [key for parts in names for key in filed_under(parts)],
        )
        touched = NameIndex(names, vocabulary)
        return lambda name: any(token.key in reweighed for token in name.tokens) or touched.touches(name)

    def have_folders_changed(self, gone: Iterable[NoteName]) -> bool:
        """Tell whether there are other folders than with the names `gone` for the fresh ones."""
        folders = WholeStock(gone, self._generic).folders ^ self._fresh.folders
        return bool(folders) and not folders <= self._folders

    def _weights_with(self, others: WholeStock) -> Weights:
        """Return what words weigh with others for the fresh names; of no other words than both have."""
        fresh, now = self._fresh.weights, self.weights
        keys = {*others.weights.counts, *fresh.counts}
        self._counts.read(keys)
        counts = {key: now.counts[key] - fresh.counts[key] + others.weights.counts[key] for key in keys}
        return Weights(self._generic, counts, now.notes - fresh.notes + others.weights.notes)


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


def _words_of(names: Iterable[NameParts]) -> set[str]:
    return {token.key for parts in names for token in parts.tokens if token.kind in WORDS}


def _word_in(name: str, key: str) -> Token:
    return next(token for token in split_name(name).tokens if token.kind in WORDS and token.key == key)


def _has_other_traces(one: Token, other: Token) -> bool:
    """Tell whether two spellings of one word may be related to different words."""
    return one != other and (one.bare, one.meaning, one.kind, one.is_acronym_written) != (
        other.bare,
        other.meaning,
        other.kind,
        other.is_acronym_written,
    )

"""The names of a vault's notes in their parts, as a search has them: all at hand, the shortest path first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from kantenwerk.config.names import name_key, nfc
from kantenwerk.graph.name_parts import Rank
from kantenwerk.graph.plan import Row
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import WORDS, NameIndex, filed_under, first_words, size_of
from kantenwerk.ingest.resolve.parts import NameParts, Token, spelling_of, split_name
from kantenwerk.ingest.resolve.weights import Weights


@dataclass(frozen=True, slots=True)
class Names:
    """Names of notes, the shortest path first: the name at a position with its parts, and an index of these."""

    at: Callable[[int], tuple[NoteName, NameParts]]
    index: NameIndex

    @classmethod
    def of(cls, names: Sequence[NoteName], parts: Sequence[NameParts], index: NameIndex) -> Names:
        """Return names that are all at hand."""
        return cls(list(zip(names, parts, strict=True)).__getitem__, index)


class Stock(Protocol):
    """Where a search has names from."""

    @property
    def weights(self) -> Weights:
        """What words weigh among all names."""

    def has_folder(self, key: str) -> bool:
        """Tell whether a note lies in a folder of that name."""

    def expect(self, names: Iterable[NameParts]) -> None:
        """Hear of names that will be asked for, so that they are looked up together."""

    def like(self, name: NameParts) -> Names:
        """Return names in which the index finds the same candidates for a name as it would in all."""

    def kin_of(self, name: NameParts) -> Names:
        """Return names in which the index finds the same kindred of a name as it would in all."""


class WholeStock:
    """All names, or some that are few."""

    def __init__(self, names: Iterable[NoteName], generic: float) -> None:
        self.names = sorted(set(names), key=lambda name: (len(nfc(name.path)), nfc(name.path), name))
        self.parts = [split_name(name.name) for name in self.names]
        owners = (name.node for name in self.names)
        self.weights = Weights.of(zip(owners, self.parts, strict=True), generic)

    @cached_property
    def folders(self) -> frozenset[str]:
        """The names of all folders."""
        return frozenset(name_key(part) for name in self.names for part in name.path.split("/")[:-1])

    @cached_property
    def firsts(self) -> dict[str, tuple[Rank, Token]]:
        """Every word by its key, as the first name has it, and that name's rank."""
        return {
            key: (rank_of(self.names[at], self.parts[at]), token)
            for key, (at, token) in first_words(self.parts).items()
        }

    def has_folder(self, key: str) -> bool:
        """Tell whether a note lies in a folder of that name."""
        return key in self.folders

    def expect(self, names: Iterable[NameParts]) -> None:
        """Do nothing, for all names are here."""

    def like(self, _name: NameParts, /) -> Names:
        """Return all names."""
        return self._all

    def kin_of(self, _name: NameParts, /) -> Names:
        """Return all names."""
        return self._all

    @cached_property
    def _all(self) -> Names:
        return Names.of(self.names, self.parts, NameIndex.of(self.parts))


def parts_row(name: NoteName) -> Row:
    """Return the row of `name_parts`, from which a search reads no more than it needs."""
    parts = split_name(name.name)
    words = [spelling_of(token) for token in parts.tokens if token.kind in WORDS]
    return row_of(rank_of(name, parts), parts, words)


def row_of(rank: Rank, parts: NameParts, words: Iterable[str]) -> Row:
    """Return the same of a name whose parts, and the spellings of its words, are known already."""
    size, _, path, node, name = rank
    tokens = dict.fromkeys(token.key for token in parts.tokens)
    return node, path, name, size, sorted(filed_under(parts)), list(dict.fromkeys(words)), list(tokens)


def rank_of(name: NoteName, parts: NameParts) -> Rank:
    """Return where a name stands among others."""
    path = nfc(name.path)
    return size_of(parts), len(path), path, name.node, name.name

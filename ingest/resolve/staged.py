"""The names of a vault of which nothing is stored yet: they wait in a file, and pass by when somebody asks for some.

Who says which names will be asked for has an index that files nothing else, for so many of them at a time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Any

from kantenwerk.config.names import name_key
from kantenwerk.graph.name_parts import Rank
from kantenwerk.graph.plan import Row
from kantenwerk.ingest.resolve import index
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import (
    WORDS,
    NameIndex,
    Vocabulary,
    beginnings_of,
    is_compound,
    runs_from,
    whole_of,
)
from kantenwerk.ingest.resolve.parts import Kind, NameParts, Token, spelling_of, split_name, word_of
from kantenwerk.ingest.resolve.stock import Names, rank_of, row_of
from kantenwerk.ingest.resolve.weights import Weights
from kantenwerk.ingest.staging import Stage

# So many of the names that are expected are looked up together.
_MOST_TOGETHER = 1 << 11
# A few notes are read together: who seeks one name reads little, and who reads all not too often.
_NOTES_A_BLOCK = 8
_NAMES_AT_HAND = 1 << 12
# A row of `name_parts`, and behind it the path as it is written and the tokens.
_COLUMNS, _KEYS = 7, 4
_Staged = tuple[Any, ...]


class StagedNames:
    """The rows of names in a file, note by note."""

    def __init__(self) -> None:
        self._stage: Stage[_Staged] = Stage(lambda row: row, lambda row: row)
        self._blocks: list[Sequence[_Staged]] = []
        # What the names are filed under, apart: who looks for keys reads nothing else.
        self._keys: list[Sequence[_Staged]] = []
        # The first note of each block, and the place of its first name.
        self._notes: list[str] = []
        self._places: list[int] = []
        self._at_hand: tuple[int, Sequence[_Staged]] = (-1, ())

    def keep(self, place: int, rows: list[_Staged]) -> None:
        """Take in the rows of some notes, in the order of their ids, behind what is kept already."""
        if rows:
            self._blocks.append(self._stage.keep(rows))
            self._keys.append(self._stage.keep([row[_KEYS] for row in rows]))
            self._notes.append(rows[0][0])
            self._places.append(place)

    def filed(self) -> Iterator[Sequence[str]]:
        """Yield what each name is filed under."""
        return chain.from_iterable(self._keys)

    def at(self, place: int) -> tuple[NoteName, NameParts]:
        """Return the name at a place, and its parts."""
        number = bisect_right(self._places, place) - 1
        row = next(islice(self._blocks[number], place - self._places[number], None))
        node, _, name, *_, path, tokens = row
        return NoteName(node, path, name), NameParts(name, tuple(map(_token_of, tokens)))

    def rows_of(self, node: str) -> tuple[Row, ...]:
        """Return the rows of `name_parts` of a note."""
        number = max(bisect_right(self._notes, node) - 1, 0)
        if number != self._at_hand[0]:
            # Who writes all asks for one note after the other.
            self._at_hand = number, [row for block in self._blocks[number : number + 1] for row in block]
        return tuple(row[:_COLUMNS] for row in self._at_hand[1] if row[0] == node)


class _Intake:
    """What is to be known of all names, gathered as they are put into the file."""

    def __init__(self, rows: StagedNames) -> None:
        self.firsts: dict[str, tuple[Rank, Token]] = {}
        self.counts: Counter[str] = Counter()
        self.folders: set[str] = set()
        self.sizes = array("H")
        # The path and the first place of each note, and the places of its names by rank.
        self.paths: list[str] = []
        self._starts, self._places = array("I"), array("I")
        self._rows, self._block = rows, list[_Staged]()

    def take(self, names: Collection[NoteName]) -> None:
        """Take in the names of a note."""
        start, tokens, firsts = len(self.sizes), set[str](), self.firsts
        for name in names:
            parts = split_name(name.name)
            rank = rank_of(name, parts)
            for token in parts.tokens:
                tokens.add(token.key)
                if token.kind in WORDS and ((first := firsts.get(token.key)) is None or rank < first[0]):
                    firsts[token.key] = rank, token
            self.sizes.append(rank[0])
            texts = [_text_of(token) for token in parts.tokens]
            row = row_of(rank, parts, (text for text in texts if isinstance(text, str)))
            self._block.append((*row, name.path, texts))
        self.paths.append(rank[2])
        self.counts.update(tokens)
        self.folders.add(name.path.rpartition("/")[0])
        self._starts.append(start)
        self._places.extend(start + at for _, at in sorted(zip(names, range(len(names)), strict=True)))
        if len(self.paths) % _NOTES_A_BLOCK == 0:
            self.keep()

    def keep(self) -> None:
        """Put the last ones into the file."""
        self._rows.keep(len(self.sizes) - len(self._block), self._block)
        self._block = []

    def places(self) -> array[int]:
        """Return the places of all names by rank."""
        ends = (*self._starts[1:], len(self.sizes))
        notes = sorted(range(len(self.paths)), key=lambda note: (len(self.paths[note]), self.paths[note]))
        return array("I", (place for note in notes for place in self._places[self._starts[note] : ends[note]]))


class StagedStock:
    """All names of a vault; they come note by note, in the order of the notes' ids."""

    def __init__(self, names: Iterable[NoteName], generic: float) -> None:
        self.rows = StagedNames()
        taken = _Intake(self.rows)
        for _, of_note in groupby(names, attrgetter("node")):
            taken.take(dict.fromkeys(of_note))
        taken.keep()
        # A word that only one note has weighs as much as one that none has.
        counts = Counter({key: count for key, count in taken.counts.items() if count > 1})
        self.weights = Weights(generic, counts, len(taken.paths))
        self.folders = frozenset(name_key(part) for path in taken.folders if path for part in path.split("/"))
        self._words = {key: token for key, (_, token) in taken.firsts.items()}
        places = taken.places()
        self._positions = array("I", bytes(len(places) * places.itemsize))
        for position, place in enumerate(places):
            self._positions[place] = position
        self._sizes = array("H", (taken.sizes[place] for place in places))
        self._at = lru_cache(_NAMES_AT_HAND)(partial(_at, self.rows, places))
        self._expected: dict[str, NameParts] = {}
        self._asked: Mapping[str, NameParts] = {}
        self._alike: Names | None = None
        self._kindred: Names | None = None

    def has_folder(self, key: str) -> bool:
        """Tell whether a note lies in a folder of that name."""
        return key in self.folders

    def expect(self, names: Iterable[NameParts]) -> None:
        """Hear of names that will be asked for, so that they are looked up together."""
        self._expected.update((name.written, name) for name in names)

    def like(self, name: NameParts) -> Names:
        """Return names in which the index finds the same candidates for a name as it would in all."""
        self._turn_to(name)
        if self._alike is None:
            asked = self._asked.values()
            vocabulary = self._vocabulary({token for name in asked for token in name.tokens})
            keys = {key for name in asked for _, key in vocabulary.keys_like(name)} | set(map(whole_of, asked))
            filed = self._filed(keys)
            counts = {key: len(positions) for key, positions in filed.items() if len(positions) > index.MOST_FOLLOWED}
            filed |= {key: filed[key][: index.MOST_FOLLOWED] for key in counts}
            self._alike = Names(self._at, NameIndex(self._sizes, filed, vocabulary, counts))
        return self._alike

    def kin_of(self, name: NameParts) -> Names:
        """Return names in which the index finds the same kindred of a name as it would in all."""
        self._turn_to(name)
        if self._kindred is None:
            filed = self._filed({beginning for name in self._asked.values() for beginning in beginnings_of(name)})
            self._kindred = Names(self._at, NameIndex(self._sizes, filed, Vocabulary({}, ()), {}))
        return self._kindred

    def _turn_to(self, name: NameParts) -> None:
        """Have a name among those that are looked up together: with the next of those expected, if it is one."""
        if name.written in self._asked:
            return
        self._alike = self._kindred = None
        others = islice(self._expected, _MOST_TOGETHER) if name.written in self._expected else ()
        together = dict.fromkeys((name.written, *others))
        self._asked = {written: self._expected.pop(written, name) for written in together}

    def _vocabulary(self, tokens: Collection[Token]) -> Vocabulary:
        """Return all words as some tokens are compared to them, and the joined words that these may stand for."""
        joined: Iterable[str] = ()
        if beginnings := tuple({runs_from(token) for token in tokens if is_compound(token)}):
            joined = (key for keys in self.rows.filed() for key in keys if key.startswith(beginnings))
        return Vocabulary(self._words, joined, tokens)

    def _filed(self, keys: Collection[str]) -> dict[str, Sequence[int]]:
        """Return the positions of the names under some keys, those with the fewest words first."""
        keys, filed = frozenset(keys), defaultdict[str, list[int]](list)
        for position, of_name in zip(self._positions, self.rows.filed(), strict=True):
            for key in keys.intersection(of_name):
                filed[key].append(position)
        for positions in filed.values():
            if len(positions) > 1:
                positions.sort()
                positions.sort(key=self._sizes.__getitem__)
        return dict(filed)


def _at(rows: StagedNames, places: Sequence[int], position: int) -> tuple[NoteName, NameParts]:
    return rows.at(places[position])


def _text_of(token: Token) -> str | tuple[str, ...]:
    """Return a token as it can be kept: nearly all are words, as they are written."""
    if token.kind in WORDS:
        return spelling_of(token)
    return token.key, token.bare, token.meaning, token.kind, token.written


def _token_of(kept: str | tuple[str, str, str, Kind, str]) -> Token:
    return word_of(kept) if isinstance(kept, str) else Token(*kept)

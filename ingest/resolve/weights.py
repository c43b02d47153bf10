"""What a part of a name weighs: fully if it is rare among the names of a vault's notes, little if it is generic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import log2, sqrt

from kantenwerk.ingest.resolve.parts import NameParts, Token

_COUNTING = frozenset({"number", "month", "weekday"})
_GENERIC = frozenset({"legal", "descriptor", "title"})
# A word counts as frequent from about half the square root of the number of notes on (5 of 100, 50 of 10,000), and
# the fall is soft: half the weight at that point, four fifths at two thirds of it.
_FALL = 4
# In fewer notes than this, how often a word occurs says nothing.
_FEW_NOTES = 100
# The number of notes counts in steps of a tenth, and a weight has two digits: a note more leaves nearly all weights as
# they were, so that what other names mean need not be found out again.
_STEPS_A_DOUBLING = 8
_DIGITS = 2


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of every token, from how many of `notes` notes have its key in a name."""

    generic: float
    counts: Mapping[str, int] = field(default_factory=Counter)
    notes: int = 0
    _known: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, names: Iterable[tuple[str, NameParts]], generic: float) -> Weights:
        """Count in how many notes each word of their names occurs; `names` are pairs of note and name."""
        words: dict[str, set[str]] = defaultdict(set)
        for note, name in names:
            words[note].update(token.key for token in name.tokens)
        return cls(generic, Counter(chain.from_iterable(words.values())), len(words))

    def of_token(self, token: Token) -> float:
        """Return a token's weight from 0 to 1."""
        if token.kind == "filler":
            return 0.0
        if token.kind in _GENERIC:
            return self.generic
        if token.kind in _COUNTING:
            return 1.0
        return self.of_word(token.key)

    def of_word(self, key: str) -> float:
        """Return the weight that a plain word has."""
        weight = self._known.get(key)
        if weight is None:
            often = self.counts[key] / (sqrt(self.scale) / 2)
            weight = round(self.generic + (1 - self.generic) / (1 + often**_FALL), _DIGITS)
            self._known[key] = weight
        return weight

    @property
    def scale(self) -> float:
        """The number of notes as it counts."""
        steps = round(_STEPS_A_DOUBLING * log2(max(self.notes, _FEW_NOTES) / _FEW_NOTES))
        return _FEW_NOTES * 2 ** (steps / _STEPS_A_DOUBLING)

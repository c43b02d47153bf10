"""The names of a vault's notes in their parts, and which answers may differ once some of the names do.

What a name means rests on the names found for it, on what else bears their words, and on how often these occur. Where
none of this changed, the answer of before still holds; that is told here without searching.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kantenwerk.config.names import name_key, nfc
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import NameIndex, first_words
from kantenwerk.ingest.resolve.parts import NameParts, Token, split_name
from kantenwerk.ingest.resolve.weights import Weights

# Where more names have a word whose weight changed, all answers are found out again.
_MOST_REWEIGHED = 2000


@dataclass(frozen=True, slots=True)
class NameStock:
    """All names of a vault's notes, the shortest path first, each with its parts; and what words weigh in them."""

    names: Sequence[NoteName]
    parts: Sequence[NameParts]
    weights: Weights
    folders: frozenset[str]

    @classmethod
    def of(cls, names: Iterable[NoteName], generic: float, known: Mapping[str, NameParts] | None = None) -> NameStock:
        """Return the stock of some names; `known` are parts of names that need not be split again."""
        known = known or {}
        ordered = sorted(set(names), key=lambda name: (len(nfc(name.path)), nfc(name.path), name))
        parts = [known.get(name.name) or split_name(name.name) for name in ordered]
        owners = (name.node for name in ordered)
        return cls(
            ordered,
            parts,
            Weights.of(zip(owners, parts, strict=True), generic),
            frozenset(name_key(part) for name in ordered for part in name.path.split("/")[:-1]),
        )

    def replaced(self, fresh: Iterable[NoteName], gone: Iterable[NoteName]) -> NameStock:
        """Return the stock with the names `gone` in place of those `fresh`."""
        known = {part.written: part for part in self.parts}
        return NameStock.of((set(self.names) - set(fresh)) | set(gone), self.weights.generic, known)


def may_differ(before: NameStock, after: NameStock) -> Callable[[NameParts], bool]:
    """Return what tells whether a name may mean another note among the names `after` than among those `before`.

    It may say so of a name for which all is the same, and never the other way round.
    """
    old_words, new_words = first_words(before.parts), first_words(after.parts)
    is_rewritten = any(_has_other_traces(old_words[key], new_words[key]) for key in old_words.keys() & new_words.keys())
    if before.weights.scale != after.weights.scale or is_rewritten:
        return lambda *_: True
    old, new = dict(zip(before.names, before.parts, strict=True)), dict(zip(after.names, after.parts, strict=True))
    changed = [parts for name, parts in (*old.items(), *new.items()) if name not in old or name not in new]
    keys = {token.key for parts in changed for token in parts.tokens}
    reweighed = {key for key in keys if before.weights.of_word(key) != after.weights.of_word(key)}
    of_these = [parts for parts in after.parts if any(token.key in reweighed for token in parts.tokens)]
    if len(of_these) > _MOST_REWEIGHED:
        return lambda *_: True
    index = NameIndex([*changed, *of_these], old_words | new_words)
    return lambda name: any(token.key in reweighed for token in name.tokens) or index.touches(name)


def _has_other_traces(one: Token, other: Token) -> bool:
    """Tell whether two spellings of one word may be related to different words."""
    return one != other and (one.bare, one.meaning, one.kind, one.is_acronym_written) != (
        other.bare,
        other.meaning,
        other.kind,
        other.is_acronym_written,
    )

"""Which names may mean something else once some notes are called otherwise.

What a name means rests on the names found for it, on what else bears their words, and on how often these occur. Where
none of this changed, the answer of before still holds; that is told here without searching.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import cache

from kantenwerk.ingest.resolve import index
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import WORDS, Vocabulary, beginnings_of, filed_under, meaning_key, whole_of
from kantenwerk.ingest.resolve.partial import PartialStock
from kantenwerk.ingest.resolve.parts import NameParts, Token, keys_meaning, split_name
from kantenwerk.ingest.resolve.stock import WholeStock, rank_of
from kantenwerk.ingest.resolve.weights import Weights

# Where more names have a word whose weight changed, all answers are found out again.
_MOST_REWEIGHED = 2000
_Named = tuple[NoteName, NameParts]


def may_differ(stock: PartialStock, gone: Iterable[NoteName]) -> Callable[[NameParts], bool]:
    """Return what tells whether a name may mean another note than with the names `gone` for the fresh ones of a stock.

    It may say so of a name for which all is the same, and never the other way round.
    """
    before = WholeStock(gone, stock.generic)
    changed = _changed(before, stock.fresh)
    was, now = (stock.first_words(_words_of(changed), side) for side in (before, stock.fresh))
    old, new = _weights_with(stock, before), stock.weights
    if old.scale != new.scale or any(_has_other_traces(was[key], now[key]) for key in was.keys() & now.keys()):
        return lambda _: True
    tokens = {token.key for _, parts in changed for token in parts.tokens}
    reweighed = {key for key in tokens if old.of_word(key) != new.of_word(key)}
    of_these = _with_token(stock, reweighed)
    if len(of_these) > _MOST_REWEIGHED:
        return lambda _: True
    other_words = {key: token for key, token in (was | now).items() if key not in was or key not in now}
    effective = _effective_keys(stock, before, changed, of_these) | set(map(meaning_key, other_words.values()))
    vocabulary = _vocabulary(stock, before, [parts for _, parts in (*changed, *of_these)])
    # Of words that begin alike only so many are looked at, and one more may push another out.
    pushing = Vocabulary(other_words, ())

    @cache
    def is_of_effect(token: Token) -> bool:
        is_filed = any(key in effective for _, key in vocabulary.keys_like_word(token))
        return is_filed or token.key in reweighed or pushing.has_beginning_of(token)

    def differs(name: NameParts) -> bool:
        return (
            any(map(is_of_effect, name.tokens))
            or any(key in effective for _, key in vocabulary.keys_like_runs(name))
            or whole_of(name) in effective
            or not effective.isdisjoint(beginnings_of(name))
        )

    return differs


def have_folders_changed(stock: PartialStock, gone: Iterable[NoteName]) -> bool:
    """Tell whether there are other folders than with the names `gone` for the fresh ones of a stock."""
    folders = WholeStock(gone, stock.generic).folders ^ stock.fresh.folders
    return bool(folders) and not folders <= stock.folders


def _changed(before: WholeStock, after: WholeStock) -> list[_Named]:
    """Return the names that only one of both has."""
    both = set(before.names) & set(after.names)
    sides = ((*zip(side.names, side.parts, strict=True),) for side in (before, after))
    return [named for side in sides for named in side if named[0] not in both]


def _vocabulary(stock: PartialStock, before: WholeStock, names: list[NameParts]) -> Vocabulary:
    """Return the words through which a name may be led to one of some names."""
    words = {key for parts in names for token in parts.tokens for key in (token.key, *keys_meaning(token.meaning))}
    known = stock.first_words(words, before) | stock.first_words(words, stock.fresh)
    return Vocabulary(known, [key for parts in names for key in filed_under(parts)])


def _weights_with(stock: PartialStock, others: WholeStock) -> Weights:
    """Return what words weighed with others for the fresh names; of no other words than these names have."""
    fresh, now = stock.fresh.weights, stock.weights
    keys = {*others.weights.counts, *fresh.counts}
    stock.counts.read(keys)
    counts = {key: stock.counts[key] - fresh.counts[key] + others.weights.counts[key] for key in keys}
    return Weights(stock.generic, counts, now.notes - fresh.notes + others.weights.notes)


def _with_token(stock: PartialStock, tokens: Collection[str]) -> list[_Named]:
    """Return the names with one of some tokens, or too many."""
    if not tokens:
        return []
    stored = (NoteName(*name) for name in stock.stored.with_token(tokens, _MOST_REWEIGHED + 1))
    found = [(name, split_name(name.name)) for name in stored]
    fresh = zip(stock.fresh.names, stock.fresh.parts, strict=True)
    return found + [named for named in fresh if any(token.key in tokens for token in named[1].tokens)]


def _effective_keys(
    stock: PartialStock, before: WholeStock, changed: Collection[_Named], others: Collection[_Named]
) -> set[str]:
    """Return the keys under which one of some names is followed, or tells by how many there are that it changed."""
    names = (*changed, *others)
    sorted_keys = {key for _, parts in names for key in filed_under(parts) - beginnings_of(parts)}
    last = stock.stored.last_filed(sorted_keys, index.MOST_FOLLOWED)
    sized = {(key, index.size_of(parts)) for _, parts in names for key in beginnings_of(parts)}
    nearest = stock.stored.last_nearest(sized, index.MOST_COMPARED)
    counts = [Counter(key for parts in side.parts for key in filed_under(parts)) for side in (before, stock.fresh)]
    effective = set()
    for name, parts in names:
        rank, beginnings = rank_of(name, parts), beginnings_of(parts)
        for key in filed_under(parts) - beginnings:
            count, end = last.get(key, (0, rank))
            sizes = {(count + of_side[key]).bit_length() for of_side in counts}
            if rank <= end or len(sizes) > 1:
                effective.add(key)
        # Of one size, and before it: nearer to any other.
        ends = {key: nearest.get((key, rank[0]), rank) for key in beginnings}
        effective |= {key for key, end in ends.items() if rank <= end or end[0] != rank[0]}
    return effective


def _words_of(names: Iterable[_Named]) -> set[str]:
    return {token.key for _, parts in names for token in parts.tokens if token.kind in WORDS}


def _has_other_traces(one: Token, other: Token) -> bool:
    """Tell whether two spellings of one word may be related to different words."""
    return one != other and (one.bare, one.meaning, one.kind, one.is_acronym_written) != (
        other.bare,
        other.meaning,
        other.kind,
        other.is_acronym_written,
    )

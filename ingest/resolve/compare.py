"""Compares two names by their parts: are they one thing, worth a question, or two things (design, section 5, step 3)?

A stop is never outvoted; apart says that nothing of weight is shared; a cap is worth a question at most; what is left
is bound from the threshold on. Every answer keeps what matched and what was held against it, so that it can be told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise, product
from unicodedata import category

from kantenwerk.config.lexicon import Lexicon, load_lexicon
from kantenwerk.ingest.resolve.parts import NameParts, Token
from kantenwerk.ingest.resolve.relations import (
    ACRONYM,
    FAMILY_NAME,
    INITIAL,
    LONE_BEGINNING,
    LONG_WORD,
    OTHER_LETTER,
    Relation,
    are_lookalikes,
    is_acronym,
    relate,
)

Weigh = Callable[[Token], float]
# From this weight on a word distinguishes a name; below the other, it may stand on one side alone: so frequent that
# it says no more than a descriptor does.
_DISTINCTIVE = 0.5
_LIKE_A_DESCRIPTOR = 0.35
# Below this score two names are no question either.
_LEAST = 0.6
# What the likeness of names is worth whose words stand in another order.
_REORDERED = 0.6
# And that of two people who share a given name alone.
_OF_ONE_GIVEN_NAME = 0.6
_LONGEST_RUN = 4
_SHORTEST_REST = 3
_SHORT_BEGINNING = 2
_NAMES_A_THING = frozenset({"word", "given", "month", "weekday", "initial"})
_JOINABLE = frozenset({"word", "given", "initial", "descriptor", "filler"})
_SIGNS = frozenset("+%€$£<>=")
_MINUS = re.compile(r"(?<!\w)-\d|-\s*$")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tokens that belong together, and how."""

    one: Token
    other: Token
    relation: Relation


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing two names came to.

    `stop` and `apart` say why they are two things (a meaning may still bring together what is only apart), `caps` why
    a person has to say; `aside` is what was left out of account; `score` is from 0 to 1.
    """

    score: float = 0.0
    matched: tuple[str, ...] = ()
    stop: str | None = None
    apart: str | None = None
    caps: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    shares_given_name_only: bool = False

    @property
    def is_open(self) -> bool:
        """Tell whether they may be one thing."""
        return self.stop is None and self.apart is None

    @property
    def can_bind(self) -> bool:
        """Tell whether a score that is high enough binds them."""
        return self.is_open and not self.caps

    @property
    def reason(self) -> str:
        """What matched and what was held against it, in words."""
        against = self.stop or self.apart
        held = [against] if against else [*self.caps, *self.aside]
        return "; ".join([*self.matched, *(held or ["nothing against"])])


def compare(one: NameParts, other: NameParts, weigh: Weigh) -> Comparison:
    """Return how two names compare; `weigh` gives a token's weight from 0 to 1. Symmetric in outcome and score."""
    left, right = _joined(list(one.tokens), list(other.tokens))
    comparison = _Comparing(_Side.of(left, weigh), _Side.of(right, weigh), load_lexicon()).run()
    if not comparison.is_open:
        return comparison
    if _is_reordered(one, other, left, right):
        caps = (*comparison.caps, "the names stand in another order")
        return replace(comparison, caps=caps, score=comparison.score * _REORDERED)
    if held := _held_by_signs(one.written, other.written) or _held_by_directions(left, right):
        return replace(comparison, caps=(*comparison.caps, held))
    return comparison


def stem(name: NameParts, weigh: Weigh) -> str:
    """Return what distinguishes a name: its words, without legal forms, descriptors and titles; empty if none does."""
    words = [token for token in name.tokens if token.kind in _NAMES_A_THING]
    heavy = [token for token in words if weigh(token) >= _DISTINCTIVE] or words
    return " ".join(token.written.lower() for token in heavy)


@dataclass(slots=True)
class _Side:
    """One of the two names: all its tokens, those not paired yet, and which keys distinguish it."""

    tokens: Sequence[Token]
    rest: list[Token]
    marks: frozenset[str]
    weigh: Weigh

    @classmethod
    def of(cls, tokens: list[Token], weigh: Weigh) -> _Side:
        return cls(tokens, list(tokens), _distinctive(tokens, weigh), weigh)

    def of_kind(self, kind: str) -> list[Token]:
        return [token for token in self.rest if token.kind == kind]

    def weight(self, token: Token) -> float:
        """Return a token's weight; where all is generic, that is what distinguishes the name."""
        weight = self.weigh(token)
        return 1.0 if token.key in self.marks and token.kind not in _NAMES_A_THING else weight

    def distinctive_rest(self) -> list[Token]:
        return [token for token in self.rest if token.key in self.marks and token.kind != "number"]

    def weighty_rest(self, *, every_word: bool) -> list[Token]:
        """Return what may not stand on one side alone: all words but very frequent ones, or every word."""
        words = [token for token in self.rest if token.kind in _NAMES_A_THING]
        return [t for t in words if every_word or t.kind == "given" or self.weigh(t) > _LIKE_A_DESCRIPTOR]

    def numbers(self) -> list[str]:
        return [token.key for token in self.tokens if token.kind == "number" and "-" not in token.key]

    def dates(self) -> frozenset[str]:
        return frozenset(token.key for token in self.tokens if token.kind == "number" and "-" in token.key)


@dataclass(slots=True)
class _Comparing:
    """One comparison under way."""

    left: _Side
    right: _Side
    lexicon: Lexicon
    pairs: list[Pair] = field(default_factory=list)

    def run(self) -> Comparison:
        self._pair_equal()
        if stop := self._opposite():
            return Comparison(stop=stop)
        self._pair_alike()
        self._pair_initials()
        self._pair_acronyms()
        self._drop_repeated()
        self._doubt()
        matched = tuple(self._matched())
        if stop := self._stop():
            return Comparison(matched=matched, stop=stop)
        score = self._score()
        apart = self._apart(score)
        return Comparison(
            score,
            matched,
            apart=apart,
            caps=tuple(self._caps(is_apart=apart is not None)),
            aside=tuple(self._aside()),
            shares_given_name_only=self._are_two_of_one_given_name(),
        )

    @property
    def sides(self) -> tuple[_Side, _Side]:
        return self.left, self.right

    # --- pairing

    def _take(self, one: Token, other: Token, relation: Relation) -> None:
        self.left.rest.remove(one)
        self.right.rest.remove(other)
        self.pairs.append(Pair(one, other, relation))

    def _pair_equal(self) -> None:
        for is_same in (_are_same, _are_same_word):
            for one in tuple(self.left.rest):
                other = next((other for other in self.right.rest if is_same(one, other)), None)
                if other and (relation := relate(one, other)):
                    self._take(one, other, relation)

    def _pair_alike(self) -> None:
        """Pair what is related, the closest first."""
        found = [
            Pair(one, other, relation)
            for one, other in product(self.left.rest, self.right.rest)
            if "filler" not in {one.kind, other.kind} and (relation := relate(one, other))
        ]
        for pair in sorted(found, key=_closeness):
            if pair.one in self.left.rest and pair.other in self.right.rest:
                self._take(pair.one, pair.other, pair.relation)

    def _pair_initials(self) -> None:
        """An initial stands for a name where another name beside it is equal."""
        if not any(pair.relation.name == "equal" and _are_words(pair.one, pair.other) for pair in self.pairs):
            return
        for one, other in product(tuple(self.left.rest), tuple(self.right.rest)):
            are_left = one in self.left.rest and other in self.right.rest
            if (
                are_left
                and "initial" in {one.kind, other.kind}
                and _are_words(one, other)
                and one.key[0] == other.key[0]
            ):
                self._take(one, other, INITIAL)

    def _pair_acronyms(self) -> None:
        for mine, theirs in (self.sides, self.sides[::-1]):
            words = [token for token in theirs.rest if token.kind in {"word", "given", "descriptor"}]
            for token in tuple(mine.rest):
                if token.kind in {"word", "descriptor"} and is_acronym(token, words):
                    mine.rest.remove(token)
                    theirs.rest = [other for other in theirs.rest if other not in words]
                    whole = Token("", "", "", "word", " ".join(word.written for word in words))
                    self.pairs.append(Pair(token, whole, ACRONYM))
                    return

    def _drop_repeated(self) -> None:
        """Where only one side has something left, what it says twice does not count: Sergey Sergey Shoigu."""
        for mine, theirs in (self.sides, self.sides[::-1]):
            if not theirs.rest:
                paired = {token.key for pair in self.pairs for token in (pair.one, pair.other)}
                mine.rest = [token for token in mine.rest if token.kind == "number" or token.key not in paired]

    def _doubt(self) -> None:
        """Make caps of partners that are none in these names, and a partner of a cap.

        A beginning counts as an abbreviation beside something equal (notif-svc, but not Wolfen for Wolfenbüttel);
        Peters is not several Peter and Lind no short Lindemann where they are family names. Another letter in a long
        word is a slip in the name of a company.
        """
        has_given = any(token.kind == "given" for side in self.sides for token in side.tokens)
        ends = {side.tokens[-1] for side in self.sides if len(side.tokens) > 1}
        for number, pair in enumerate(self.pairs):
            if pair.relation.name in {"beginning", "plural"} and has_given and {pair.one, pair.other} <= ends:
                self.pairs[number] = replace(pair, relation=FAMILY_NAME)
            elif pair.relation.name == "beginning" and len(self.pairs) == 1:
                self.pairs[number] = replace(pair, relation=LONE_BEGINNING)
            elif pair.relation.name == "near" and self._is_slip_of_company(pair):
                self.pairs[number] = replace(pair, relation=OTHER_LETTER)

    def _is_slip_of_company(self, pair: Pair) -> bool:
        """Tell whether another letter in a long word is a slip, for both names bear the same legal form.

        Elsewhere it makes another word too often.
        """
        has_form = any(other.one.kind == "legal" for other in self.pairs)
        is_long = min(len(pair.one.key), len(pair.other.key)) >= LONG_WORD
        is_given = pair.one.kind == pair.other.kind == "given"
        return has_form and is_long and not is_given and not are_lookalikes(pair.one.key, pair.other.key)

    # --- stops

    def _opposite(self) -> str | None:
        for one, other in product(self.left.rest, self.right.rest):
            if _are_opposite(one.key, other.key):
                return f"{one.written} is the opposite of {other.written}"
        for token in (*self.left.rest, *self.right.rest):
            if token.key in self.lexicon.negations:
                return f"only one of them says {token.written}"
        return None

    def _stop(self) -> str | None:
        mine, theirs = self.left.numbers(), self.right.numbers()
        are_dated = bool(self.left.dates()) and bool(self.right.dates())
        if are_dated and self.left.dates() != self.right.dates():
            return f"different dates: {_sorted(self.left.dates())} and {_sorted(self.right.dates())}"
        if not _is_part(mine, theirs) and not _is_part(theirs, mine):
            return f"different numbers: {', '.join(mine)} and {', '.join(theirs)}"
        for side, other in (self.sides, self.sides[::-1]):
            counts, initials = side.of_kind("number"), other.of_kind("initial")
            if any(_are_other_letters(one.key, two.key) for one, two in product(counts, initials)):
                return f"different: {_listed(counts)} and {_listed(initials)}"
        kinds = (("month", "months"), ("weekday", "days of the week"), ("given", "given names"))
        for kind, what in kinds:
            left, right = self.left.of_kind(kind), self.right.of_kind(kind)
            if left and right:
                return f"different {what}: {_listed(left)} and {_listed(right)}"
        return None

    # --- apart

    def _apart(self, score: float) -> str | None:
        if not any(self._is_distinctive(pair) for pair in self.pairs):
            return "no distinctive word in common"
        mine, theirs = self.left.distinctive_rest(), self.right.distinctive_rest()
        shares_given_name = self._shares_given_name()
        if mine and theirs and not shares_given_name:
            return f"different: {_listed(mine)} and {_listed(theirs)}"
        if (mine or theirs) and any(pair.relation.is_cap for pair in self.pairs):
            # Two doubts at once are no question: Hamburg and Bad Homburg.
            return f"only one has {_listed(mine or theirs)}"
        return "too little in common" if score < _LEAST and not shares_given_name else None

    def _is_distinctive(self, pair: Pair) -> bool:
        if pair.relation is ACRONYM:
            return True
        return pair.one.key in self.left.marks and pair.other.key in self.right.marks

    def _shares_given_name(self) -> bool:
        return any(pair.relation.name == "equal" and pair.one.kind == pair.other.kind == "given" for pair in self.pairs)

    def _are_two_of_one_given_name(self) -> bool:
        return self._shares_given_name() and bool(self.left.distinctive_rest() and self.right.distinctive_rest())

    # --- caps

    def _weighty_rest(self) -> tuple[list[Token], list[Token]]:
        """Return what may not stand alone: every word of a person's name, and where no word is equal (set)."""
        named = [pair for pair in self.pairs if self._is_distinctive(pair)]
        of_person = all(pair.one.kind == "given" for pair in named)
        is_none_equal = not any(pair.relation.name in {"equal", "synonym"} for pair in named)
        every_word = bool(named) and (of_person or is_none_equal)
        return self.left.weighty_rest(every_word=every_word), self.right.weighty_rest(every_word=every_word)

    def _caps(self, *, is_apart: bool) -> Iterator[str]:
        for pair in self.pairs:
            if pair.relation.is_cap:
                yield _told(pair)
        mine, theirs = self._weighty_rest()
        if mine and theirs:
            if not is_apart:
                yield f"different: {_listed(mine)} and {_listed(theirs)}"
        elif alone := mine or theirs:
            yield f"only one has {_listed(alone)}"
        if numbers := [*self.left.of_kind("number"), *self.right.of_kind("number")]:
            yield f"only one has {_listed(numbers)}"
        for kind in ("legal", "descriptor"):
            mine, theirs = self.left.of_kind(kind), self.right.of_kind(kind)
            if mine and theirs:
                yield f"{_listed(mine)} is not {_listed(theirs)}"

    def _aside(self) -> Iterator[str]:
        """What one of them has besides, and what does not keep them from being one."""
        weighty = [token for tokens in self._weighty_rest() for token in tokens]
        kinds = _NAMES_A_THING | {"legal", "descriptor", "title"}
        left_out = [token for side in self.sides for token in side.rest if token.kind in kinds and token not in weighty]
        if left_out:
            yield f"set aside: {_listed(left_out)}"

    # --- telling

    def _matched(self) -> Iterator[str]:
        equal = [pair.one for pair in self.pairs if pair.relation.name == "equal" and pair.one.kind != "filler"]
        if equal:
            yield f"same: {_listed(equal)}"
        for pair in self.pairs:
            if pair.relation.name != "equal" and not pair.relation.is_cap:
                yield _told(pair)

    def _score(self) -> float:
        """Return Dice's coefficient of the tokens' weights, each pair by its likeness."""
        if any(pair.relation is ACRONYM for pair in self.pairs):
            return ACRONYM.likeness
        total = sum(side.weight(token) for side in self.sides for token in side.tokens)
        shared = sum(
            (self.left.weight(pair.one) + self.right.weight(pair.other)) * pair.relation.likeness for pair in self.pairs
        )
        score = shared / total if total else 0.0
        return score * _OF_ONE_GIVEN_NAME if self._are_two_of_one_given_name() else score


def _distinctive(tokens: Iterable[Token], weigh: Weigh) -> frozenset[str]:
    """Return the keys of what distinguishes a name: its words; where all is generic, its descriptors."""
    words = [token for token in tokens if token.kind in _NAMES_A_THING]
    heavy = frozenset(token.key for token in words if weigh(token) >= _DISTINCTIVE)
    if heavy or words:
        return heavy or frozenset(token.key for token in words)
    for kind in ("descriptor", "title", "filler", "number", "legal"):
        if found := frozenset(token.key for token in tokens if token.kind == kind):
            return found
    return frozenset()


def _joined(left: list[Token], right: list[Token]) -> tuple[list[Token], list[Token]]:
    """Return both with runs of words put together that the other writes in another way: Argo CD, ArgoCD."""
    for _ in range(max(len(left), len(right))):
        mine, theirs = _longest_joined(left, right)
        if not mine:
            break
        left, right = _put_together(left, mine), _put_together(right, theirs)
    return left, right


def _longest_joined(left: list[Token], right: list[Token]) -> tuple[list[Token], list[Token]]:
    """Return the longest runs of both that are one word joined and two written apart; empty if there are none."""
    runs = {_joined_key(run): run for run in _runs(right)}
    found = [
        (mine, theirs)
        for mine in _runs(left)
        if (theirs := runs.get(_joined_key(mine))) and len(mine) + len(theirs) > 2 and _keys(mine) != _keys(theirs)  # noqa: PLR2004
    ]
    return max(found, key=lambda both: (len(both[0]) + len(both[1]), _joined_key(both[0])), default=([], []))


def _runs(tokens: list[Token]) -> Iterator[list[Token]]:
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + _LONGEST_RUN, len(tokens)) + 1):
            if tokens[end - 1].kind not in _JOINABLE:
                break
            yield tokens[start:end]


def _keys(tokens: list[Token]) -> list[str]:
    return [token.key for token in tokens]


def _joined_key(tokens: list[Token]) -> str:
    return "".join(_keys(tokens))


def _put_together(tokens: list[Token], run: list[Token]) -> list[Token]:
    if len(run) == 1:
        whole = replace(run[0], kind="word", meaning=run[0].key)
    else:
        key, bare = _joined_key(run), "".join(token.bare for token in run)
        whole = Token(key, bare, key, "word", " ".join(token.written for token in run))
    at = next(i for i in range(len(tokens)) if tokens[i : i + len(run)] == run)
    return [*tokens[:at], whole, *tokens[at + len(run) :]]


def _is_reordered(one: NameParts, other: NameParts, left: list[Token], right: list[Token]) -> bool:
    """Tell whether given names stand in another order with no comma to say why: Hans Friedrich, Friedrich Hans."""
    if "," in one.written + other.written:
        return False
    keys = {token.key for token in left if token.kind == "given"} & {token.key for token in right}
    return [token.key for token in left if token.key in keys] != [token.key for token in right if token.key in keys]


def _held_by_signs(one: str, other: str) -> str | None:
    """Return what is held against names that bear different signs: +/-, %/€, a tick and a cross."""
    mine, theirs = _signs(one), _signs(other)
    # A sign that only one of them has is ornament, but for a minus.
    if mine == theirs or not ((mine and theirs) or "-" in mine | theirs):
        return None
    return f"different signs: {_sorted(mine) or 'none'} and {_sorted(theirs) or 'none'}"


def _signs(written: str) -> frozenset[str]:
    signs = frozenset(char for char in written if char in _SIGNS or category(char) == "So")
    return signs | {"-"} if _MINUS.search(written) else signs


def _held_by_directions(left: list[Token], right: list[Token]) -> str | None:
    """Return what is held against a way there and the way back: von Berlin nach Köln, von Köln nach Berlin."""
    mine, theirs = _directions(left), _directions(right)
    return "from and to differ" if mine and theirs and mine != theirs else None


def _directions(tokens: list[Token]) -> set[tuple[str, str]]:
    known = load_lexicon().directions
    return {(one.key, next_.key) for one, next_ in pairwise(tokens) if one.key in known}


def _closeness(pair: Pair) -> tuple[bool, float, list[tuple[str, str]]]:
    """Return what orders pairs, whichever side their tokens stand on: partners first, then the likest."""
    tokens: list[tuple[str, str]] = [(pair.one.key, pair.one.kind), (pair.other.key, pair.other.kind)]
    return pair.relation.is_cap, -pair.relation.likeness, sorted(tokens)


def _are_same(one: Token, other: Token) -> bool:
    return one.kind == other.kind and one.key == other.key


def _are_same_word(one: Token, other: Token) -> bool:
    return one.key == other.key and _are_words(one, other)


def _are_words(one: Token, other: Token) -> bool:
    return {one.kind, other.kind} <= _NAMES_A_THING


@lru_cache(maxsize=1 << 12)
def _are_opposite(one: str, other: str) -> bool:
    lexicon = load_lexicon()
    if (one, other) in lexicon.antonyms:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    shared = 0
    while shared < len(short) and short[-shared - 1] == long[-shared - 1]:
        shared += 1
    # Of what both end in, some may belong to the beginnings: inner and outer.
    for rest in range(shared, _SHORTEST_REST - 1, -1):
        if (short[:-rest], long[:-rest]) in lexicon.opposite_beginnings:
            return True
    return _is_denied(short, long, lexicon)


def _is_denied(short: str, long: str, lexicon: Lexicon) -> bool:
    """Tell whether the one is the other with something that denies it: unsicher, serverless."""
    if long.endswith(short) and long[: -len(short)] in lexicon.negating_beginnings:
        beginning = long[: -len(short)]
        return len(short) > _SHORTEST_REST + (len(beginning) <= _SHORT_BEGINNING)
    return len(short) >= _SHORTEST_REST and long.startswith(short) and long[len(short) :] in lexicon.negating_endings


def _are_other_letters(number: str, initial: str) -> bool:
    """Tell whether a letter or number that counts is another one than an initial says: William W, William G."""
    return initial in {"i", "v", "x"} or (number.isalpha() and number != initial)


def _is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """Tell whether all of a sequence is in another, in its order."""
    rest = iter(long)
    return all(entry in rest for entry in short)


def _listed(tokens: Iterable[Token]) -> str:
    return ", ".join(token.written for token in tokens)


def _sorted(texts: Iterable[str]) -> str:
    return ", ".join(sorted(texts))


def _told(pair: Pair) -> str:
    short, long = sorted((pair.one, pair.other), key=lambda token: (len(token.written), token.written))
    return pair.relation.told(short.written, long.written)

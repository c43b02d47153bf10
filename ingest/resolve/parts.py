"""A name's parts: words, numbers and what each is (a legal form, a title, a given name), as names are compared by.

`Checkout-Service GmbH`, `checkoutService` and `CHECKOUT_SERVICE` have the same words. Nothing here knows a vault.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Literal, cast

from kantenwerk.config.lexicon import Lexicon, fold, fold_bare, load_lexicon
from kantenwerk.config.names import nfc, trim

Kind = Literal["word", "given", "number", "month", "weekday", "legal", "descriptor", "title", "filler", "initial"]

# Signs that Indian, Thai and other scripts write above and below their letters are parts of words.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u1000-\u109f\u1780-\u17ff"
_LETTER = f"(?:[^\\W\\d_]|[{_MARKS}])"
# As many letters as there are: none is given back, for what follows them is no letter.
_LETTERS = f"(?:[^\\W\\d_]++|[{_MARKS}]++)++"
_APOSTROPHES = re.compile("['’‘`´ʼʹ]")
# A.B.C., G.m.b.H., U.S.: two letters or more with a dot behind each; the last dot may be missing.
_ACRONYM = re.compile(
    rf"(?<!{_LETTER})(?:(?:{_LETTER}\.){{2,}}(?:{_LETTER}(?!{_LETTER}))?|{_LETTER}\.{_LETTER}(?!{_LETTER}))"
)
# e. V. and its kin, the only legal forms written with a blank between two dotted letters.
_REGISTERED = re.compile(r"(?<!\w)e\. ?([VKG])\b\.?")
_PIECE = re.compile(
    rf"""
      (?P<date>(?<!\d)(?:\d{{4}}([-/_])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|(?:19|20)\d{{6}})(?!\d))
    | (?P<numeronym>(?<!\w)[A-Za-z]\d{{1,2}}[A-Za-z](?!\w))
    | (?P<number>\d+(?:[.,]\d+)*)(?:(?:st|nd|rd|th)(?!{_LETTER}))?(?P<designator>{_LETTER}(?!{_LETTER}))?
    | (?P<sharp>(?<!{_LETTER})[A-Za-z]\#(?!\w) | {_LETTERS}\++ | (?<![\w.])\.[A-Za-z]{{2,}})
    | (?P<ordinal>(?<!{_LETTER})[IVX]{{2,}}\.(?!{_LETTER}))
    | (?P<initial>(?<!{_LETTER}){_LETTER}\.(?!{_LETTER}))
    | (?P<street>(?={_LETTERS}\.){_LETTER}{{2,}}str\.)
    | (?P<word>{_LETTERS})
    | (?P<and>&)
    """,
    re.VERBOSE,
)
_ROMAN = re.compile("(X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_GERMAN_NUMBER = re.compile(r"(\w+?)und(\w+)")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Shorter legal forms are ordinary words as well, unless they stand at a name's end.
_SHORT_FORM = 2
_LONGEST_ACRONYM = 6
# Nobody's name has more parts, and what a page of text pasted into a link means is no question of names.
_MOST_TOKENS = 40
# Editors and given names rather than numbers.
_NO_NUMBERS = frozenset({"vi", "xi", "ix"})
_TENS, _HUNDRED = 10, 100
_SHORTEST_PART = 2


@dataclass(frozen=True, slots=True)
class Token:
    """One part of a name.

    `key` is its folded spelling, `bare` the same with umlauts as bare vowels, `meaning` what tokens that mean the
    same share (the class of a descriptor or synonym, a legal form's class, else the key), `written` the author's.
    """

    key: str
    bare: str
    meaning: str
    kind: Kind
    written: str

    @property
    def is_acronym_written(self) -> bool:
        """Tell whether it is short and written in capitals alone."""
        return len(self.written) <= _LONGEST_ACRONYM and self.written.isupper()


@dataclass(frozen=True, slots=True)
class NameParts:
    """A name and its parts, in the order in which they are written."""

    written: str
    tokens: tuple[Token, ...]


@lru_cache(maxsize=1 << 10)
def split_name(name: str) -> NameParts:
    """Return a name's parts; a name of signs alone has none."""
    lexicon = load_lexicon()
    tokens = _numbers_in_words(islice(_pieces(name), _MOST_TOKENS), lexicon)
    return NameParts(name, tuple(_with_middle_initials(list(_with_runs(tokens)))))


def _with_middle_initials(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens, a letter between a person's names as an initial: Hans J Friedrich."""
    is_person = any(token.kind == "given" for token in tokens)
    for token in tokens:
        is_letter = token.kind == "number" and token.key.isalpha() and token is not tokens[-1]
        yield replace(token, kind="initial") if is_person and is_letter else token


def _pieces(name: str) -> Iterator[Token]:
    """Yield the tokens one by one; what stands first, in the middle or last may be read differently."""
    text = _APOSTROPHES.sub("", nfc(trim(name)))
    if "." in text:
        text = _REGISTERED.sub(r"e\1 ", text)
        text = _ACRONYM.sub(lambda found: found.group().replace(".", "") + " ", text)
    found = list(_PIECE.finditer(text))
    for number, piece in enumerate(found):
        is_last = number == len(found) - 1
        if piece.lastgroup == "word":
            is_before_digit = text[piece.end() : piece.end() + 1].isdigit()
            may_count = number > 0 and not is_before_digit
            tokens: Iterable[Token] = _words(piece.group(), may_count=may_count, is_last=is_last)
        else:
            tokens = [_token(piece, is_last=is_last and number > 0)]
        for token in tokens:
            if token.key:
                yield token


def _token(found: re.Match[str], *, is_last: bool) -> Token:
    """Return the token of a piece that is no plain word."""
    piece = found.group()
    if found["date"]:
        return _number(_date(piece), piece)
    if found["number"]:
        value = found["number"].replace(",", ".").lstrip("0") or "0"
        return _number(value + fold(found["designator"] or ""), piece)
    if found["ordinal"]:
        return _number(str(_roman(piece[:-1]) or piece), piece)
    if found["initial"]:
        roman = _roman(piece[0]) if is_last else None
        key = fold(piece[0])
        return _number(str(roman), piece) if roman else Token(key, key, key, "initial", piece)
    if found["and"]:
        return _word("and", piece)
    return _word(piece[:-1] + "asse", piece) if found["street"] else _word(piece, piece)


def _words(piece: str, *, may_count: bool, is_last: bool) -> Iterator[Token]:
    """Yield the words of a run of letters; a number where it is a roman one, or a letter that counts (Plan B)."""
    if len(piece) == 1 and may_count and piece.isascii():
        roman = _roman(piece)
        if roman or is_last or piece.isupper():
            yield _number(str(roman or fold(piece)), piece)
            return
    for word in _camel_parts(piece):
        roman = _roman(word) if may_count else None
        yield _number(str(roman), word) if roman else _word(word, word)


def _number(value: str, written: str) -> Token:
    return Token(value, value, value, "number", written)


@lru_cache(maxsize=1 << 16)
def _word(spelling: str, written: str) -> Token:
    """Return the token of a word that is read as `spelling`."""
    key = fold(spelling)
    kind, meaning = _kind(key, load_lexicon())
    return Token(key, fold_bare(spelling), meaning, kind, written)


def spelling_of(word: Token) -> str:
    """Return a word as one text, nearly always as it is written."""
    plain = _word(word.written, word.written)
    # Nearly always the very same.
    if plain is word or plain == word:
        return word.written
    return f"{word.key}\t{word.bare}\t{word.meaning}\t{word.kind}\t{word.written}"


def word_of(spelling: str) -> Token:
    """Return the word that a text of `spelling_of` is."""
    key, _, rest = spelling.partition("\t")
    if not rest:
        return _word(spelling, spelling)
    bare, meaning, kind, written = rest.split("\t", 3)
    return Token(key, bare, meaning, cast("Kind", kind), written)


def key_of(spelling: str) -> str:
    """Return the key of the word that a text of `spelling_of` is."""
    key, _, rest = spelling.partition("\t")
    return key if rest else fold(spelling)


def _kind(key: str, lexicon: Lexicon) -> tuple[Kind, str]:
    """Return what a word is, and what it means as that."""
    if key in lexicon.months:
        return "month", lexicon.months[key]
    if key in lexicon.weekdays:
        return "weekday", lexicon.weekdays[key]
    if key in lexicon.descriptors:
        return "descriptor", lexicon.descriptors[key]
    if key in lexicon.titles:
        return "title", key
    meaning = lexicon.synonyms.get(key, key)
    if key in lexicon.fillers:
        return "filler", meaning
    return "given" if key in lexicon.given_names else "word", meaning


def keys_meaning(meaning: str) -> Iterable[str]:
    """Return the keys of the words that mean the same by what the lexicon says."""
    return _by_meaning().get(meaning, ())


@lru_cache(maxsize=1)
def _by_meaning() -> dict[str, list[str]]:
    lexicon = load_lexicon()
    by_meaning: dict[str, list[str]] = defaultdict(list)
    for meanings in (lexicon.months, lexicon.weekdays, lexicon.descriptors, lexicon.synonyms):
        for key, meaning in meanings.items():
            by_meaning[meaning].append(key)
    return by_meaning


def _date(written: str) -> str:
    if written.isdecimal():
        return f"{written[:4]}-{written[4:6]}-{written[6:]}"
    year, month, day = reversed(written.split(".")) if "." in written else re.split("[-/_]", written)
    return f"{year}-{int(month):02}-{int(day):02}"


def _camel_parts(word: str) -> list[str]:
    """Split `checkoutService` and `HTTPServer`; not GmbH, OAuth or iPhone, whose parts are single letters."""
    if word[1:].islower() or word.isupper() or (not word.isascii() and _IDEOGRAPH.search(word)):
        return [word]
    parts, start = [], 0
    for at in range(_SHORTEST_PART, len(word) - 1):
        if at - start < _SHORTEST_PART or not word[at].isupper():
            continue
        begins_word = word[at - 1].islower() or (word[at - 1].isupper() and word[at + 1].islower())
        if begins_word:
            parts.append(word[start:at])
            start = at
    return [*parts, word[start:]]


def _roman(word: str) -> int | None:
    found = _ROMAN.fullmatch(word.upper())
    if not found or not word or (len(word) == 1 and not word.isupper()) or word in _NO_NUMBERS:
        return None
    values = [_ROMAN_VALUES[letter] for letter in word.upper()]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _numbers_in_words(tokens: Iterable[Token], lexicon: Lexicon) -> Iterator[Token]:
    """Yield the tokens with number words as numbers; `forty four` is one."""
    tens: tuple[int, Token] | None = None
    for token in tokens:
        value = _value(token, lexicon)
        if tens and value is not None and 0 < value < _TENS:
            yield _number(str(tens[0] + value), f"{tens[1].written} {token.written}")
            tens = None
            continue
        if tens:
            yield _number(str(tens[0]), tens[1].written)
            tens = None
        if value is not None and token.kind != "number" and _TENS < value < _HUNDRED and value % _TENS == 0:
            tens = (value, token)
        elif value is not None and token.kind != "number":
            yield _number(str(value), token.written)
        else:
            yield token
    if tens:
        yield _number(str(tens[0]), tens[1].written)


def _value(token: Token, lexicon: Lexicon) -> int | None:
    if token.kind == "number":
        return int(token.key) if token.key.isdecimal() and len(token.key) == 1 else None
    if token.key in lexicon.numbers:
        return lexicon.numbers[token.key]
    if found := _GERMAN_NUMBER.fullmatch(token.key):
        ones = lexicon.numbers.get("eins" if found[1] == "ein" else found[1])
        tens = lexicon.numbers.get(found[2])
        return tens + ones if ones and tens and 0 < ones < _TENS <= tens else None
    return None


@dataclass(frozen=True, slots=True)
class _Runs:
    """What several words together are: legal forms and phrases by their first word, the longest ones first."""

    by_first: dict[str, list[tuple[tuple[str, ...], Kind, str]]]
    attached: tuple[tuple[str, str], ...]


@lru_cache(maxsize=1)
def _runs() -> _Runs:
    lexicon = load_lexicon()
    by_words: dict[tuple[str, ...], tuple[Kind, str]] = {}
    tables: tuple[tuple[Kind, tuple[tuple[str, str], ...]], ...] = (
        ("word", lexicon.phrases),
        ("legal", lexicon.legal_forms),
    )
    for kind, table in tables:
        for spelling, meaning in table:
            by_words.setdefault(tuple(token.key for token in _pieces(spelling)), (kind, meaning))
    by_first: dict[str, list[tuple[tuple[str, ...], Kind, str]]] = defaultdict(list)
    for words in sorted(filter(None, by_words), key=lambda words: (-len(words), words)):
        by_first[words[0]].append((words, *by_words[words]))
    # In Chinese, Japanese and Korean no blank stands between a name and its legal form.
    attached = [(spelling, meaning) for spelling, meaning in lexicon.legal_forms if _IDEOGRAPH.search(spelling)]
    attached.sort(key=lambda form: -len(form[0]))
    return _Runs(dict(by_first), tuple(attached))


def _with_runs(tokens: Iterator[Token]) -> Iterator[Token]:
    """Yield the tokens, those of a legal form or a phrase as one."""
    runs = _runs()
    waiting = [part for token in tokens for part in _detached(token, runs.attached)]
    at = 0
    while at < len(waiting):
        whole, size = _longest_run(waiting, at, runs)
        yield whole
        at += size


def _longest_run(tokens: list[Token], at: int, runs: _Runs) -> tuple[Token, int]:
    """Return the longest run from a place on as one token, and how many it takes; else the token there."""
    for words, kind, meaning in runs.by_first.get(tokens[at].key, ()):
        run = tokens[at : at + len(words)]
        is_short = kind == "legal" and sum(map(len, words)) <= _SHORT_FORM
        if tuple(token.key for token in run) == words and not (is_short and at + len(words) < len(tokens)):
            return Token(meaning, meaning, meaning, kind, " ".join(token.written for token in run)), len(words)
    return tokens[at], 1


def _detached(token: Token, attached: tuple[tuple[str, str], ...]) -> list[Token]:
    """Split a legal form off a Chinese, Japanese or Korean name, where no blank stands between."""
    if token.kind != "word" or token.key.isascii() or not _IDEOGRAPH.search(token.key):
        return [token]
    for spelling, meaning in attached:
        form = Token(meaning, meaning, meaning, "legal", spelling)
        if token.key.endswith(spelling) and len(token.key) > len(spelling):
            return [_shortened(token, token.key[: -len(spelling)]), form]
        if token.key.startswith(spelling) and len(token.key) > len(spelling):
            return [form, _shortened(token, token.key[len(spelling) :])]
    return [token]


def _shortened(token: Token, key: str) -> Token:
    return replace(token, key=key, bare=key, meaning=key, written=key)

"""Whatever names are called: comparing them is fair, and no name is too odd."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from random import Random
from unicodedata import normalize

import duckdb
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kantenwerk.config import load_config
from kantenwerk.graph.name_parts import StoredNameParts
from kantenwerk.ingest.resolve import index
from kantenwerk.ingest.resolve.compare import Comparison, compare, stem
from kantenwerk.ingest.resolve.embedder import Vector
from kantenwerk.ingest.resolve.guess import Meaning, Meant, NoteName, SearchFailed, Vectors
from kantenwerk.ingest.resolve.index import NameIndex
from kantenwerk.ingest.resolve.partial import PartialStock
from kantenwerk.ingest.resolve.parts import Token, key_of, spelling_of, split_name, word_of
from kantenwerk.ingest.resolve.relations import Relation, relate
from kantenwerk.ingest.resolve.similar import SimilarNames
from kantenwerk.ingest.resolve.staged import StagedStock
from kantenwerk.ingest.resolve.stock import WholeStock, parts_row
from kantenwerk.ingest.resolve.weights import Weights
from tests.properties.profiles import examples

SETTINGS = load_config(None, environ={}).settings.resolution
WEIGHTS = Weights(SETTINGS.generic_weight)

WORDS = (
    *(
        "Falke",
        "falken",
        "Falkes",
        "Adler",
        "checkout",
        "Checkout",
        "notif",
        "notifications",
        "mgmt",
        "Management",
        "Argo",
        "CD",
        "ArgoCD",
    ),
    *(
        "Müller",
        "Mueller",
        "Muller",
        "Möller",
        "Straße",
        "Str.",
        "Buch",
        "Bücher",
        "Projekt",
        "Projekte",
        "三星",
        "三星电子",
        "株式会社",
    ),
    *(
        "Anna",
        "Anne",
        "Lena",
        "Lea",
        "Julia",
        "Max",
        "J.",
        "A.",
        "Hans",
        "Han",
        "Berlin",
        "Nürnberg",
        "Augsburg",
        "Nuremberg",
    ),
    *(
        "service",
        "svc",
        "Dienst",
        "api",
        "app",
        "Team",
        "GmbH",
        "G.m.b.H.",
        "AG",
        "e.V.",
        "GmbH & Co. KG",
        "Dr.",
        "Prof.",
        "Frau",
    ),
    *("der", "die", "von", "nach", "mit", "ohne", "nicht", "und", "&", "the", "a", "in", "out", "ein", "aus"),
    *(
        "1",
        "2",
        "12",
        "1.2",
        "II",
        "V",
        "X",
        "v1",
        "V1",
        "gpt4",
        "zwei",
        "forty",
        "two",
        "einundzwanzig",
        "2024-11-29",
        "29.11.2024",
    ),
    *(
        "Mai",
        "May",
        "Montag",
        "Einkauf",
        "Verkauf",
        "Import",
        "Export",
        "IBM",
        "International",
        "Business",
        "Machines",
        "k8s",
        "Kubernetes",
    ),
    *("C++", "C#", ".NET", "C", "U.S.", "O'Brien", "🚀", "-", "§", "(", ")", "\u0308", "ﬁ", "İ", "ẞ", "Ⅳ", "²"),
)
# In capitals these are numbers, in small letters words.
_SMALL_WORDS = frozenset({"V", "X"})
JOINED = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).flatmap(
    lambda words: st.sampled_from([" ", "-", "_", ""]).map(lambda sign: sign.join(words))
)
PLACES = st.sampled_from(["", "a/", "check/", "Ärger/", "A\u0308rger/"])
MEANINGS: tuple[Meaning, ...] = ("unknown", "asks", "binds")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.one_of(JOINED, JOINED, st.builds("{} {}".format, JOINED, TEXT), TEXT)

# Names that have much in common.
FEW_WORDS = st.lists(
    st.sampled_from(
        (
            "Falke",
            "Falken",
            "Plan",
            "plan",
            "Datenschutz",
            "Grundverordnung",
            "DSGVO",
            "dsgvo",
            "Datenschutzgrundverordnung",
            "mgmt",
            "Management",
            "7",
        )
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


class _Same:
    """An embedder to which all texts mean the same."""

    model = "same"
    version = "1"

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return [(1.0,) for _ in texts]


def compared(one: str, other: str, weigh: Callable[[Token], float] = WEIGHTS.of_token) -> Comparison:
    return compare(split_name(one), split_name(other), weigh)


def is_bound(comparison: Comparison) -> bool:
    return comparison.can_bind and comparison.score >= SETTINGS.threshold


@examples(400)
@given(NAMES, NAMES)
def test_it_makes_no_difference_which_name_comes_first(one: str, other: str) -> None:
    forth, back = compared(one, other), compared(other, one)
    assert (forth.is_open, forth.stop is None, forth.can_bind) == (back.is_open, back.stop is None, back.can_bind)
    assert abs(forth.score - back.score) <= 1e-9
    assert 0 <= forth.score <= 1 + 1e-9


@examples(300)
@given(NAMES)
def test_a_name_is_itself(name: str) -> None:
    assume(split_name(name).tokens)
    assert is_bound(compared(name, name))


@examples(300)
@given(NAMES)
def test_a_name_is_itself_in_other_letters(name: str) -> None:
    assume(split_name(name).tokens)
    assert is_bound(compared(name, normalize("NFD", name)))


@examples(200)
@given(
    st.lists(st.sampled_from(WORDS).filter(lambda word: word not in _SMALL_WORDS), min_size=1, max_size=6).map(" ".join)
)
@example("API V1")
def test_a_name_is_itself_in_small_letters(name: str) -> None:
    assume(split_name(name).tokens)
    assert is_bound(compared(name, name.lower()))


@examples(300)
@given(NAMES, NAMES, st.integers(100, 999), st.integers(100, 999))
def test_other_numbers_never_bind(one: str, other: str, first: int, second: int) -> None:
    assume(first != second and str(first) not in other and str(second) not in one)
    assert not is_bound(compared(f"{one} {first}", f"{other} {second}"))
    assert not is_bound(compared(f"{one} {first}", f"{one} {second}"))
    assert not is_bound(compared(one, f"{one} {second}"))


@examples(300)
@given(NAMES, NAMES, st.dictionaries(st.sampled_from(WORDS).map(str.lower), st.floats(0, 1)), st.floats(0, 1))
def test_no_weight_outvotes_a_stop(one: str, other: str, weights: dict[str, float], otherwise: float) -> None:
    weighed = compared(one, other, lambda token: weights.get(token.key, otherwise))
    assert (weighed.stop is None) == (compared(one, other).stop is None)
    assert not (weighed.stop and weighed.can_bind)


@examples(60)
@given(st.lists(NAMES, max_size=80), NAMES)
def test_the_index_always_offers_the_same_name(others: list[str], name: str) -> None:
    parts = split_name(name)
    assume(parts.tokens)
    names = [split_name(other) for other in [*others, name]]
    offered = NameIndex.of(names).candidates(parts)
    assert any(names[position].tokens == parts.tokens for position in offered)
    assert offered == sorted(set(offered))


@examples(60)
@given(st.lists(NAMES, max_size=12), st.lists(NAMES, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_names_makes_no_difference(names: list[str], queries: list[str], chance: Random) -> None:
    notes = [NoteName(f"n{at // 2}", f"n{at // 2}.md", name) for at, name in enumerate(names)]
    shuffled = list(notes)
    chance.shuffle(shuffled)
    one, other = SimilarNames.of(notes, SETTINGS), SimilarNames.of(shuffled, SETTINGS)
    for query in queries:
        assert one.resolve(query, meaning="unknown") == other.resolve(query, meaning="unknown")


@examples(80)
@given(st.lists(NAMES, max_size=12), st.lists(NAMES, max_size=3), st.integers(0, 3), st.lists(NAMES, max_size=8))
def test_where_nothing_may_differ_the_answer_is_the_same(
    names: list[str], others: list[str], gone: int, queries: list[str]
) -> None:
    with few_are_followed():
        old = [NoteName(f"n{at}", f"check/n{at}.md", name) for at, name in enumerate(names)]
        fresh = [NoteName(f"m{at}", f"m{at}.md", name) for at, name in enumerate(others)]
        before = SimilarNames.of(old, SETTINGS, Vectors(_Same()))
        after = SimilarNames.of([*old[gone:], *fresh], SETTINGS, Vectors(_Same()))
        may_differ = partly_stored(old, old[:gone], fresh).may_differ(old[:gone])
        for query in (*queries, *(f"check/{query}" for query in queries)):
            if not may_differ(query):
                assert before.resolve(query, meaning="binds") == after.resolve(query, meaning="binds")
            elif not fresh and not gone:
                pytest.fail(f"nothing changed, and {query} may differ")


@examples(50)
@given(
    st.lists(st.tuples(NAMES, PLACES, st.booleans()), max_size=20),
    st.integers(0, 6),
    st.lists(NAMES, min_size=1, max_size=3),
    st.integers(0, 6),
)
def test_few_of_the_stored_names_give_the_answers_of_all(
    notes: list[tuple[str, str, bool]], split: int, queries: list[str], expected: int
) -> None:
    """Also where some are not stored yet, and where limits decide which are compared."""
    names = [
        # Every third note has a second name.
        NoteName(f"n{at - at % 3 // 2}", f"{notes[at - at % 3 // 2][1]}n{at - at % 3 // 2}.md", name)
        for at, (name, _, _) in enumerate(notes)
    ]
    fresh = [name for name in names if int(name.node[1:]) < split]
    gone = [NoteName(name.node, name.path, "Falke 7") for name in fresh if notes[int(name.node[1:])][2]]
    queries += [f"check/{query}" for query in queries]
    with few_are_followed():
        whole = SimilarNames.of(names, SETTINGS, Vectors(_Same()))
        some = partly_stored([*(name for name in names if name not in fresh), *gone], gone, fresh)
        some.expect(queries[:expected])
        for query in queries:
            for meaning in MEANINGS:
                assert some.resolve(query, meaning=meaning) == whole.resolve(query, meaning=meaning)
            assert some.left_to_meaning(query) == whole.left_to_meaning(query)


@examples(100)
@given(
    st.lists(st.one_of(FEW_WORDS, NAMES), max_size=40),
    st.lists(PLACES, min_size=40, max_size=40),
    st.lists(st.one_of(FEW_WORDS, NAMES), min_size=1, max_size=6),
    st.integers(0, 10),
    st.integers(1, 3),
)
def test_names_in_a_file_are_found_as_those_at_hand(
    names: list[str], places: list[str], queries: list[str], expected: int, together: int
) -> None:
    """Also where names are asked for that nobody expected, and where limits decide which are compared."""
    # Every third note has a second name.
    owners = [at - at % 3 // 2 for at in range(len(names))]
    notes = [NoteName(f"n{at:02}", f"{places[at]}n{at}.md", name) for at, name in zip(owners, names, strict=True)]
    asked = [split_name(query) for query in queries]
    with few_are_followed() as patch:
        patch.setattr("kantenwerk.ingest.resolve.staged._MOST_TOGETHER", together)
        whole, staged = (kind(notes, SETTINGS.generic_weight) for kind in (WholeStock, StagedStock))
        staged.expect(asked[:expected])
        for name in (*asked, *asked):
            for one, other, find in (
                (whole.like(name), staged.like(name), NameIndex.candidates),
                (whole.kin_of(name), staged.kin_of(name), NameIndex.kindred),
            ):
                found = find(one.index, name)
                assert find(other.index, name) == found
                assert list(map(other.at, found)) == list(map(one.at, found))
    for name in (*asked, *map(split_name, names)):
        assert [*map(staged.weights.of_token, name.tokens)] == [*map(whole.weights.of_token, name.tokens)]
    assert staged.folders == whole.folders


@pytest.mark.parametrize(("spellings", "is_found"), [(("DSGVO", "dsgvo"), True), (("dsgvo", "DSGVO"), False)])
def test_a_word_in_a_file_counts_as_the_first_name_writes_it(spellings: tuple[str, ...], *, is_found: bool) -> None:
    names = [NoteName(f"n{at}", f"n{at}.md", spelling) for at, spelling in enumerate(spellings)]
    asked = split_name("Datenschutzgrundverordnung")
    for stock in (kind(names, SETTINGS.generic_weight) for kind in (WholeStock, StagedStock)):
        assert bool(stock.like(asked).index.candidates(asked)) == is_found


@examples(30)
@given(st.lists(NAMES, max_size=40))
def test_names_in_a_file_have_the_rows_that_are_stored_of_them(names: list[str]) -> None:
    notes = [NoteName(f"n{at // 3 * 3:02}", "Ärger/n.md", name) for at, name in enumerate(names)]
    rows = StagedStock(notes, SETTINGS.generic_weight).rows
    for at in range(len(names)):
        of_note = dict.fromkeys(note for note in notes if note.node == f"n{at:02}")
        assert rows.rows_of(f"n{at:02}") == tuple(map(parts_row, of_note))
    assert rows.rows_of("") == rows.rows_of("o") == ()


def test_who_asks_for_many_one_by_one_has_the_answers_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kantenwerk.ingest.resolve.partial._MOST_SELECTIONS", 3)
    names = [NoteName(f"n{at}", f"n{at}.md", f"{word} Plan") for at, word in enumerate(WORDS)]
    whole, some = SimilarNames.of(names, SETTINGS), partly_stored(names[5:], [], names[:5])
    for query in WORDS[:12]:
        assert some.resolve(query, meaning="unknown") == whole.resolve(query, meaning="unknown")


def test_what_stored_and_other_names_share_counts_once() -> None:
    names = [NoteName(f"n{at}", f"n{at}.md", "DSGVO Mueller") for at in range(3)]
    names.append(NoteName("m", "m.md", "DSGVODSGVO"))
    some, whole = partly_stored(names[1:], [], names[:1]), SimilarNames.of(names, SETTINGS)
    with few_are_followed():
        assert some.resolve("DSGVO", meaning="unknown") == whole.resolve("DSGVO", meaning="unknown")


def test_a_name_that_is_not_followed_changes_no_answer() -> None:
    names = [NoteName(f"n{at}", f"{at:03}.md", f"Plan {at}") for at in range(900)]
    gone = [NoteName("z", "long/path.md", "Plan 999")]
    may_differ = partly_stored([*names, *gone], gone, []).may_differ(gone)
    assert not may_differ("Plan 7")
    assert may_differ("Plan 999")
    assert partly_stored([*names, *gone], names[:1], []).may_differ(names[:1])("Plan 7")


def test_that_most_names_have_nothing_to_do_with_a_new_one() -> None:
    names = [NoteName(f"n{at}", f"n{at}.md", f"Granite {at} {word}") for at, word in enumerate(WORDS)]
    may_differ = partly_stored(names, [], [NoteName("m", "m.md", "Zebraplan Quarzhaus")]).may_differ([])
    assert not may_differ("Granit")
    assert may_differ("Zebraplan")
    assert may_differ("quartzhaus")


@examples(300)
@given(NAMES)
def test_a_word_is_the_same_in_its_spelling(name: str) -> None:
    for token in split_name(name).tokens:
        if token.kind in index.WORDS:
            assert word_of(spelling_of(token)) == token
            assert key_of(spelling_of(token)) == token.key


@cache
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(files("kantenwerk.graph").joinpath("schema.sql").read_text("utf-8"))
    return connection


def partly_stored(stored: list[NoteName], gone: list[NoteName], fresh: list[NoteName]) -> SimilarNames:
    """Return the names of which some are stored, in place of those `gone` the fresh ones."""
    connection = database()
    for table in ("notes", "name_parts"):
        connection.execute(f"DELETE FROM {table}")
    notes = {name.node: name.path for name in stored}
    for table, rows in (
        ("notes", [(node, path, "", "", [], "", "", None, [], False) for node, path in notes.items()]),
        ("name_parts", [parts_row(name) for name in dict.fromkeys(stored)]),
    ):
        appender = connection.appender(table)
        appender.append_rows(rows)
        appender.flush()

    def rows_of(sql: str, *parameters: object) -> list[tuple[object, ...]]:
        return connection.execute(sql, list(parameters)).fetchall()

    without = {name.node for name in gone}
    stock = PartialStock(StoredNameParts(rows_of, without), fresh, SETTINGS.generic_weight)
    return SimilarNames(stock, SETTINGS, Vectors(_Same()))


@contextmanager
def few_are_followed() -> Iterator[pytest.MonkeyPatch]:
    """Set limits that a handful of names reaches."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("MOST_COMPARED", "MOST_FOLLOWED", "_MOST_BEGINNINGS"):
            patch.setattr(index, limit, 2)
        yield patch


@examples(150)
@given(st.lists(st.one_of(NAMES, st.text(max_size=30)), max_size=6), st.one_of(NAMES, st.text(max_size=30)))
@example(["\u0308"], "\u0308")
@example(["\ud800"], "\ud800 a")
def test_no_name_is_too_odd(names: list[str], query: str) -> None:
    notes = [NoteName(f"n{at}", f"n{at}.md", name) for at, name in enumerate(names)]
    similar = SimilarNames.of(notes, SETTINGS, Vectors(_Same()))
    guess = similar.resolve(query, meaning="binds")
    assert not isinstance(guess, SearchFailed)
    if isinstance(guess, Meant):
        assert guess.option.reason
    for name in names:
        assert compared(query, name).reason
        assert isinstance(stem(split_name(name), WEIGHTS.of_token), str)


def test_the_work_for_long_names_grows_with_their_words_and_no_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    def counted(one: Token, other: Token) -> Relation | None:
        nonlocal tries
        tries += 1
        return relate(one, other)

    monkeypatch.setattr("kantenwerk.ingest.resolve.compare.relate", counted)
    for one, other in (
        ("ab " * 100, "ba " * 100),
        (
            " ".join(f"wort{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(42)),
            " ".join(f"wart{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(42)),
        ),
        ("a" * 300, "a" * 299),
        ("1 " * 150, "2 " * 150),
        ("A." * 150, "B. " * 100),
    ):
        tries = 0
        left, right = split_name(one).tokens, split_name(other).tokens
        compared(one, other)
        assert tries <= 2 * (len(left) + 1) * (len(right) + 1)

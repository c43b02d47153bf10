"""Which note a name means that none carries: a small vault a line, what is asked, and what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from kantenwerk.config import load_config
from kantenwerk.config.errors import EmbedderError
from kantenwerk.ingest.resolve.embedder import Vector
from kantenwerk.ingest.resolve.guess import Asked, Guess, Meaning, Meant, New, NoteName, SearchFailed, Vectors
from kantenwerk.ingest.resolve.parts import split_name
from kantenwerk.ingest.resolve.similar import SimilarNames
from tests.ingest.resolve import test_compare as pairs

SETTINGS = load_config(None, environ={}).settings.resolution.model_copy(update={"semantic_binds": True})
FILLING = [
    f"{one}{other}"
    for one in ("Apfel", "Birnen", "Tisch", "Lampen", "Fenster", "Garten", "Vogel", "Wagen")
    for other in (
        "baum",
        "haus",
        "bein",
        "schirm",
        "rahmen",
        "zaun",
        "nest",
        "dach",
        "weg",
        "blau",
        "gras",
        "horn",
        "rad",
        "topf",
        "stuhl",
    )
]


@dataclass
class Spy:
    """An embedder to which all texts mean the same, and that remembers what it was given."""

    vector: Vector | None = (1.0, 0.0)
    vectors: dict[str, Vector] = field(default_factory=dict)
    fails: bool = False
    texts: list[str] = field(default_factory=list)
    model: str = "spy"
    version: str = "1"

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        if self.fails:
            raise EmbedderError("the model is gone")
        self.texts.extend(texts)
        return [self.vectors.get(text, self.vector) for text in texts]


def vault(*names: str, embedder: Spy | None = None, level: str = "semantic") -> SimilarNames:
    notes = [NoteName(name, f"{name}.md", name) for name in names]
    settings = SETTINGS.model_copy(update={"level": level})
    return SimilarNames.of(notes, settings, Vectors(embedder) if embedder else None)


def answer(written: str, *names: str, meaning: Meaning = "unknown") -> str | list[str] | None:
    return told(vault(*names).resolve(written, meaning=meaning))


def told(guess: Guess) -> str | list[str] | None:
    match guess:
        case Meant(option):
            return option.node
        case Asked(options):
            return sorted(option.node for option in options)
        case _:
            return None


def test_must_show() -> None:
    assert answer("checkout-svc", "checkout-service", "checkout-api") == "checkout-service"
    assert answer("notif-svc", "notifications-service", "nordlicht-service") == "notifications-service"
    assert answer("Granite Logistik GmbH", "Pyrite Logistik GmbH") is None
    assert answer("Anna", "Max") is None
    assert answer("Lena", "Lea") == ["Lea"]
    assert answer("Anna", "Anne") == ["Anne"]
    assert answer("Julia", "Julia Nürnberg", "Julia Augsburg") == ["Julia Augsburg", "Julia Nürnberg"]
    assert answer("Julia aus Nürnberg", "Julia Nürnberg", "Julia Augsburg") == "Julia Nürnberg"


@pytest.mark.parametrize("others", [[], FILLING], ids=["in a small vault", "in a larger one"])
@pytest.mark.parametrize("name", ["Julia Augsburg", "Julia aus Augsburg"])
def test_two_julias_are_a_question(name: str, others: list[str]) -> None:
    assert answer("Julia aus Nürnberg", name, *others) == [name]


def test_julia_of_a_third_town_may_be_either() -> None:
    assert answer("Julia aus Kiel", "Julia Nürnberg", "Julia Augsburg") == ["Julia Augsburg", "Julia Nürnberg"]


@pytest.mark.parametrize(("one", "other"), pairs.lines(pairs.BOUND))
def test_a_name_alone_is_bound_as_it_is_compared(one: str, other: str) -> None:
    assert answer(one, other) == other


# Two people of one given name are a question only where a name says so: Julia aus Nürnberg.
ASKED = [line for line in pairs.lines(pairs.CAPS) if "Julia Kiel" not in str(line)]


@pytest.mark.parametrize(("one", "other"), ASKED)
def test_a_name_alone_is_asked_as_it_is_compared(one: str, other: str) -> None:
    assert answer(one, other) == [other]


@pytest.mark.parametrize(("one", "other"), pairs.lines(pairs.STOPS | pairs.APART))
def test_a_name_alone_is_new_as_it_is_compared(one: str, other: str) -> None:
    assert answer(one, other) is None


def test_two_notes_equally_near_are_a_question() -> None:
    assert answer("Falke", "Falke GmbH", "Falke AG") == ["Falke AG", "Falke GmbH"]
    assert answer("J. Smith", "John Smith", "Jane Smith") == ["Jane Smith", "John Smith"]
    assert answer("Projekt Falke", "Projekt Falke GmbH", "Projekt Adler", "Falkensee") == "Projekt Falke GmbH"


def test_two_names_of_one_note_are_no_rivals() -> None:
    names = [NoteName("f", "f.md", "Falke GmbH"), NoteName("f", "f.md", "Falke AG"), NoteName("a", "a.md", "Adler")]
    assert told(SimilarNames.of(names, SETTINGS).resolve("Falke", meaning="unknown")) == "f"


def test_a_note_that_is_known_not_to_be_meant_is_left_out() -> None:
    names = vault("Falke GmbH", "Falke AG")
    assert told(names.resolve("Falke", meaning="unknown", without={"Falke AG"})) == "Falke GmbH"
    assert names.resolve("Falke", meaning="unknown", without={"Falke AG", "Falke GmbH"}) == New()


def test_the_option_says_how_and_why() -> None:
    guess = vault("checkout-service").resolve("checkout-svc", meaning="unknown")
    assert isinstance(guess, Meant)
    assert (guess.option.method, guess.option.score, guess.option.model) == ("stem", 1.0, None)
    assert guess.option.reason == "same: checkout; svc = service; nothing against"


def test_a_folder_before_the_name_is_no_part_of_it() -> None:
    notes = [
        NoteName("s", "services/checkout-service.md", "checkout-service"),
        NoteName("p", "people/anna.md", "Anna Berger"),
    ]
    names = SimilarNames.of(notes, SETTINGS)
    for written in ("services/checkout-svc", "services/checkout-svc.md", "./services/checkout-svc", "checkout-svc.md"):
        assert told(names.resolve(written, meaning="unknown")) == "s"
    assert told(names.resolve("people/checkout-svc", meaning="unknown")) == ["s"]
    asked = names.resolve("Old/People/checkout-svc", meaning="unknown")
    assert isinstance(asked, Asked)
    assert asked.options[0].reason.endswith("it is not in Old/People")


def test_a_slash_without_a_folder_is_part_of_the_name() -> None:
    assert answer("TCP/IP", "IP") == ["IP"]
    assert answer("TCP/IP", "TCP-IP") == "TCP-IP"


@pytest.mark.parametrize(
    ("written", "name", "pattern"),
    [
        ("Anna Berger", "Berger", "Anna {}"),
        ("Anna Müller", "Anna", "{} Müller"),
    ],
)
def test_a_word_that_many_names_have_is_still_a_difference(written: str, name: str, pattern: str) -> None:
    """A hard frequency cutoff strips Berlin, Bank and Müller (issue 3): a question, not a binding."""
    assert answer(written, name, *FILLING, *[pattern.format(other) for other in FILLING[:30]]) == [name]


# --- meaning

GENERIC = frozenset({"legal", "descriptor", "title"})
MEANINGS: list[Meaning] = ["asks", "binds"]


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize(("one", "other"), pairs.lines(pairs.STOPS))
def test_no_likeness_of_meaning_passes_a_stop(one: str, other: str, meaning: Meaning) -> None:
    assert vault(other, embedder=Spy()).resolve(one, meaning=meaning) == New()


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize(("one", "other"), ASKED)
def test_no_likeness_of_meaning_binds_what_is_capped(one: str, other: str, meaning: Meaning) -> None:
    assert told(vault(other, embedder=Spy()).resolve(one, meaning=meaning)) == [other]


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize(("one", "other"), pairs.lines(pairs.APART))
def test_no_likeness_of_meaning_binds_what_is_apart(one: str, other: str, meaning: Meaning) -> None:
    assert not isinstance(vault(other, embedder=Spy()).resolve(one, meaning=meaning), Meant)


def test_only_what_distinguishes_a_name_is_embedded() -> None:
    spy = Spy()
    for table in (pairs.STOPS, pairs.APART, pairs.CAPS, pairs.BOUND):
        names = [names for rows in table.values() for names in rows]
        notes = vault(*[other for _, other in names], embedder=spy)
        for one, _ in names:
            for written in (one, f"{one} GmbH", f"Dr. {one}", f"{one} Service Team"):
                notes.resolve(written, meaning="binds")
    assert spy.texts
    assert [text for text in spy.texts if {token.kind for token in split_name(text).tokens} & GENERIC] == []
    assert [text for text in spy.texts if not text.strip()] == []


def test_where_all_is_generic_nothing_is_embedded() -> None:
    spy = Spy()
    names = vault("Team Holding", "Service Group AG", embedder=spy)
    for written in ("Team Group", "Service GmbH", "Holding", "Dr."):
        names.resolve(written, meaning="binds")
    assert spy.texts == []


def test_who_stands_behind_a_guess_decides_how_far_it_goes() -> None:
    # Alike but for so many generic words that step 3 is not sure.
    note, written = "Falkenhorst Holding International Online", "Falkenhorst"
    assert answer(written, note) == [note]
    bound = vault(note, embedder=Spy()).resolve(written, meaning="binds")
    assert isinstance(bound, Meant)
    assert (bound.option.method, bound.option.score, bound.option.model) == ("semantic", 1.0, "spy")
    assert told(vault(note, embedder=Spy()).resolve(written, meaning="asks")) == [note]


@pytest.mark.parametrize(
    ("meaning", "level"),
    [("unknown", "semantic"), ("asks", "stem"), ("binds", "stem"), ("binds", "exact")],
)
def test_meaning_is_asked_for_only_where_it_may_be(meaning: Meaning, level: str) -> None:
    spy = Spy()
    names = vault("Falkenhorst Holding International Online", "Auth", "Bank", embedder=spy, level=level)
    for written in ("Falkenhorst", "OAuth", "Bahn"):
        names.resolve(written, meaning=meaning)
    assert spy.texts == []


def test_below_its_threshold_meaning_says_nothing() -> None:
    spy = Spy(vectors={"deutsche bahn": (0.84, 0.5426)})
    assert vault("Deutsche Bahn", embedder=spy).resolve("Deutsche Bank", meaning="binds") == New()
    assert spy.texts == ["deutsche bank", "deutsche bahn"]


def test_a_search_that_fails_is_never_new() -> None:
    guess = vault("Deutsche Bahn", embedder=Spy(fails=True)).resolve("Deutsche Bank", meaning="asks")
    assert guess == SearchFailed("the model is gone")


def test_a_vector_that_cannot_be_made_is_a_failed_search_and_stands_as_none() -> None:
    vectors = Vectors(Spy(vector=None))
    guess = SimilarNames.of([NoteName("b", "b.md", "Deutsche Bahn")], SETTINGS, vectors).resolve(
        "Deutsche Bank", meaning="asks"
    )
    assert isinstance(guess, SearchFailed)
    assert "deutsche ba" in guess.reason
    assert vectors.fresh == {"deutsche bank": None, "deutsche bahn": None}


def test_a_binding_by_name_needs_no_embedder() -> None:
    names = vault("checkout-service", embedder=Spy(fails=True))
    assert told(names.resolve("checkout-svc", meaning="binds")) == "checkout-service"


def test_vectors_are_embedded_once_and_stored_ones_never() -> None:
    spy = Spy()
    vectors = Vectors(spy, lambda: {"known": (0.0, 1.0)})
    assert vectors.of(["known", "new", "new"]) == {"known": (0.0, 1.0), "new": (1.0, 0.0)}
    assert vectors.of(["new"]) == {"new": (1.0, 0.0)}
    assert spy.texts == ["new"]
    assert vectors.fresh == {"new": (1.0, 0.0)}


def test_texts_are_marked_as_missing_when_embedding_breaks_off() -> None:
    vectors = Vectors(Spy(fails=True))
    with pytest.raises(EmbedderError):
        vectors.of(["new"])
    assert vectors.fresh == {"new": None}

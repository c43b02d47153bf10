"""How two words belong together: a pair a line, and which relation of the table holds."""

from __future__ import annotations

import pytest

from kantenwerk.ingest.resolve.parts import Token, split_name
from kantenwerk.ingest.resolve.relations import RELATIONS, is_acronym, relate


def token(word: str) -> Token:
    (only,) = split_name(word).tokens
    return only


PARTNERS = {
    "equal": [("Falke", "falke"), ("Müller", "Mueller"), ("Straßenbau", "Strassenbau"), ("Café", "cafe")],
    "synonym": [
        ("svc", "service"),
        ("Dienst", "Service"),
        ("db", "Datenbank"),
        ("München", "Munich"),
        ("colour", "color"),
    ],
    "plural": [
        *[("payment", "payments"), ("Hotel", "Hotels"), ("Box", "Boxes")],
        *[("Völkerbund", "Völkerbundes"), ("Jahrbuch", "Jahrbuchs")],
    ],
    "beginning": [
        ("notif", "notifications"),
        ("konfig", "Konfiguration"),
        ("doku", "Dokumentation"),
        ("auth", "authentication"),
    ],
    "consonants": [("mgmt", "management"), ("cfg", "config"), ("pkg", "package")],
}
CAPS = {
    "near": [("Lea", "Lena"), ("Anna", "Anne"), ("Müller", "Möller"), ("Meyer", "Meier")],
    "bare umlaut": [("Muller", "Müller"), ("Kohler", "Köhler"), ("Grosse", "Größe")],
    "inflected": [
        ("Projekt", "Projekte"),
        ("Buch", "Bücher"),
        ("Idee", "Ideen"),
        ("Rechnung", "Rechnungen"),
        ("Lehrer", "Lehrerin"),
        *[("Modus", "Modi"), ("Bearbeitungsmodi", "Bearbeitungsmodus"), ("Morphismus", "Morphismen")],
        *[("Museum", "Museen"), ("Thema", "Themen")],
    ],
    "numeronym": [("k8s", "Kubernetes"), ("i18n", "internationalization"), ("a11y", "accessibility")],
    "begins": [("Postgres", "postgresql"), ("三星", "三星电子"), ("Beth", "Bethany")],
    "compound acronym": [("DSGVO", "Datenschutzgrundverordnung")],
}
NONE = [
    *[("Haus", "Maus"), ("SAP", "ASP"), ("Berlin", "Bern"), ("Bank", "Bahn"), ("東京", "京都"), ("Granite", "Pyrite")],
    *[("1", "2"), ("1.2", "1.20"), ("AG", "GmbH"), ("C", "C++"), ("Auth", "OAuth"), ("Anna", "Max"), ("John", "Jane")],
]


def _lines(table: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(name, *words) for name, pairs in table.items() for words in pairs]


@pytest.mark.parametrize(("name", "one", "other"), _lines(PARTNERS))
def test_partners(name: str, one: str, other: str) -> None:
    for relation in (relate(token(one), token(other)), relate(token(other), token(one))):
        assert relation is not None
        assert (relation.name, relation.is_cap) == (name, False)


@pytest.mark.parametrize(("name", "one", "other"), _lines(CAPS))
def test_caps(name: str, one: str, other: str) -> None:
    for relation in (relate(token(one), token(other)), relate(token(other), token(one))):
        assert relation is not None
        assert relation.is_cap
        # Grosse is Größe without its dots and near it: which of the caps is told makes no difference.
        assert relation.name == name or {relation.name, name} <= set(CAPS)


@pytest.mark.parametrize(("one", "other"), NONE)
def test_no_relation(one: str, other: str) -> None:
    assert relate(token(one), token(other)) is None
    assert relate(token(other), token(one)) is None


@pytest.mark.parametrize(("one", "other"), [("Carlo", "Carlos"), ("Juan", "Juana"), ("William", "Willi")])
def test_a_name_is_no_plural_of_a_name(one: str, other: str) -> None:
    relation = relate(token(one), token(other))
    assert relation is None or relation.is_cap


@pytest.mark.parametrize(
    ("short", "long"), [("Haus", "Hausverwaltung"), ("Bank", "Bankverbindung"), ("Car", "Carpenters")]
)
def test_a_word_of_its_own_is_no_abbreviation(short: str, long: str) -> None:
    relation = relate(token(short), token(long))
    assert relation is not None
    assert relation.is_cap


@pytest.mark.parametrize(
    ("short", "long"),
    [("Mai", "Mailand"), ("Tim", "Timbuktu"), ("Max", "Maximilian"), ("Rom", "Romantik"), ("alt", "Altersheim")],
)
def test_a_month_a_given_name_or_a_common_word_is_no_abbreviation(short: str, long: str) -> None:
    relation = relate(token(short), token(long))
    assert relation is None or relation.is_cap


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *[("Auftritt", "Austritt"), ("Verfahren", "Vorfahren"), ("Gegenwart", "Gegenwert"), ("Stadtrat", "Stadtrad")],
        *[("Verteilung", "Erteilung"), ("Vermittlung", "Ermittlung"), ("Evolution", "Revolution")],
        *[("Vertragsdauer", "Vortragsdauer"), ("Aufgabenliste", "Ausgabenliste"), ("Briefkasten", "Briefkosten")],
        *[("Projektleitung", "Projektleistung"), ("Seitenwahl", "Seitenzahl"), ("interviewer", "interviewee")],
        *[("Aufnahmeprüfung", "Ausnahmeprüfung"), ("Jahreszahlen", "Jahreswahlen"), ("imminent", "immanent")],
    ],
)
def test_long_words_that_look_alike_and_mean_two_things_are_never_partners(one: str, other: str) -> None:
    relation = relate(token(one), token(other))
    assert relation is None or relation.is_cap


@pytest.mark.parametrize(("one", "other"), [line[1:] for line in _lines(PARTNERS | CAPS)])
def test_what_is_told_names_both_words(one: str, other: str) -> None:
    mine, theirs = token(one), token(other)
    relation = relate(mine, theirs)
    assert relation is not None
    told = relation.told(mine.written, theirs.written)
    assert mine.written in told
    assert theirs.written in told or relation.name == "equal"


@pytest.mark.parametrize(
    ("short", "words", "expected"),
    [
        ("IBM", "International Business Machines", True),
        ("BMW", "Bayerische Motoren Werke", True),
        ("NZZ", "Neue Zürcher Zeitung", True),
        ("ibm", "International Business Machines", True),
        ("DSGVO", "Datenschutz Grundverordnung", True),
        ("IBM", "Business International Machines", False),
        ("IBM", "International Machines", False),
        ("IBM", "International", False),
        ("SAP", "Systems Products", False),
    ],
)
def test_acronyms(short: str, words: str, *, expected: bool) -> None:
    assert is_acronym(token(short), list(split_name(words).tokens)) is expected


def test_partners_are_tried_before_caps() -> None:
    caps = [relation.is_cap for relation in RELATIONS]
    assert caps == sorted(caps)

"""What two names come to: a pair a line under the rule that decides it (design, section 5, step 3)."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest

from kantenwerk.config import load_config
from kantenwerk.ingest.resolve.compare import Comparison, compare, stem
from kantenwerk.ingest.resolve.parts import split_name
from kantenwerk.ingest.resolve.weights import Weights

SETTINGS = load_config(None, environ={}).settings.resolution
WEIGHTS = Weights(SETTINGS.generic_weight)

Outcome = Literal["bound", "asked", "apart", "stopped"]
Pairs = dict[str, list[tuple[str, str]]]


def compared(one: str, other: str) -> Comparison:
    return compare(split_name(one), split_name(other), WEIGHTS.of_token)


def outcome(comparison: Comparison) -> Outcome:
    if comparison.stop:
        return "stopped"
    if comparison.apart:
        return "apart"
    return "bound" if comparison.can_bind and comparison.score >= SETTINGS.threshold else "asked"


STOPS: Pairs = {
    "numbers": [
        *[("GPT-4", "GPT-5"), ("Band 1", "Band 2"), ("Kapitel I", "Kapitel II"), ("Q3 2024", "Q4 2024")],
        *[
            ("Windows 10", "Windows 11"),
            ("Release v1.2", "Release v1.20"),
            ("Sprint 12", "Sprint 13"),
            ("KW 47", "KW 48"),
        ],
        *[("Erster Weltkrieg", "Zweiter Weltkrieg"), ("First Draft", "Second Draft"), ("DSGVO § 5", "DSGVO § 6")],
        *[("Ludwig XIV", "Ludwig XVI"), ("Friedrich I.", "Friedrich II."), ("I. Weltkrieg", "II. Weltkrieg")],
        *[("vierundvierzig Gedichte", "fünfundvierzig Gedichte"), ("forty two poems", "forty three poems")],
        *[("Aufgabe 1a", "Aufgabe 2a"), ("Python 3.11", "Python 3.12"), ("Rechnung 1001", "Rechnung 1010")],
    ],
    "dates": [
        *[("2024-11-29 Meeting", "2024-11-30 Meeting"), ("Meeting 29.11.2024", "Meeting 30.11.2024")],
        *[("Meeting 2024-11-29", "Meeting 30.11.2024"), ("Log 2024-11", "Log 2024-12")],
    ],
    "months and weekdays": [
        *[("Vorlesung Januar", "Vorlesung Februar"), ("Report May", "Report June"), ("Report Mai", "Report June")],
        *[("Standup Montag", "Standup Dienstag"), ("Standup Monday", "Standup Tuesday")],
    ],
    "antonyms": [
        *[("Einkauf", "Verkauf"), ("opt-in", "opt-out"), ("Nord AG", "Süd AG"), ("Import Service", "Export Service")],
        *[("internal-api", "external-api"), ("Frontend Team", "Backend Team"), ("Vertrag alt", "Vertrag neu")],
        *[("Eingangsrechnung", "Ausgangsrechnung"), ("Überführung", "Unterführung"), ("upload job", "download job")],
        *[("Herr Becker", "Frau Becker"), ("Tee mit Milch", "Tee ohne Milch"), ("scale up", "scale down")],
        *[("Mikroökonomie", "Makroökonomie"), ("producer group", "consumer group"), ("Nordkorea", "Südkorea")],
    ],
    "negations": [
        *[("Rauchen", "Nicht rauchen"), ("Raucher", "Nichtraucher"), ("wichtige Themen", "unwichtige Themen")],
        *[("Materie", "Antimaterie"), ("connected", "disconnected"), ("Fleisch", "kein Fleisch"), ("done", "not done")],
    ],
    "given names": [
        *[
            ("John Smith", "Jane Smith"),
            ("Anna", "Max"),
            ("Thomas Berger", "Tobias Berger"),
            ("Peter Weber", "Petra Weber"),
        ],
        *[("1:1 Lena", "1:1 Max"), ("John Kennedy", "Robert Kennedy"), ("Julia Kern", "Julius Kern")],
    ],
}
APART: Pairs = {
    "something distinctive on both sides": [
        *[
            ("Deutsche Bank", "Deutsche Bahn"),
            ("Auth Service", "OAuth Service"),
            ("Granite Logistik GmbH", "Pyrite Logistik GmbH"),
        ],
        *[
            ("Sparkasse Köln", "Sparkasse Bonn"),
            ("Lufthansa Cargo", "Lufthansa Technik"),
            ("Krieg und Frieden", "Krieg und Sprache"),
        ],
        *[("payment-service", "shipment-service"), ("New York", "New Jersey")],
    ],
    "nothing distinctive in common": [
        *[("Haus", "Maus"), ("Holding GmbH", "Group AG"), ("SAP", "ASP"), ("東京", "京都"), ("C", "C++"), ("C#", "C")],
        *[
            ("Berlin", "Bern"),
            ("清华大学", "北京大学"),
            ("Müller GmbH", "Bosch GmbH"),
            ("billing-service", "search-service"),
        ],
    ],
}
CAPS: Pairs = {
    "descriptors": [("payment-api", "payment-app"), ("Falke Team", "Falke Projekt"), ("users-db", "users-service")],
    "legal forms": [
        ("Falke AG", "Falke GmbH"),
        ("Falke Inc.", "Falke Ltd."),
        ("Falke e.V.", "Falke GmbH"),
        ("Logistik GmbH", "Logistik AG"),
    ],
    "a word on one side only": [
        *[("Angela Merkel", "Merkel"), ("Deutsche Telekom AG", "Telekom"), ("Deep Learning", "Deep Learning Basics")],
        *[("Hans Müller", "Hans-Peter Müller"), ("Go", "Go Lang"), ("Frankfurt", "Frankfurt am Main")],
    ],
    "a number on one side only": [
        *[("Alpha", "Alpha 2"), ("Retro", "Retro 2024-11-29"), ("Faust", "Faust II"), ("Python", "Python 3")],
    ],
    "near short words": [
        *[
            ("Lena", "Lea"),
            ("Anna", "Anne"),
            ("Müller", "Möller"),
            ("Meyer", "Meier"),
            ("Peter Schmidt", "Peter Schmitt"),
        ],
        *[("Julia Klein", "Julie Klein")],
    ],
    "u for ü": [("Müller", "Muller"), ("Größe", "Grosse"), ("Köhler", "Kohler")],
    "acronyms and numeronyms": [
        *[
            ("IBM", "International Business Machines"),
            ("BMW", "Bayerische Motoren Werke AG"),
            ("NZZ", "Neue Zürcher Zeitung"),
        ],
        *[("DB", "Deutsche Bahn"), ("k8s", "Kubernetes"), ("i18n", "internationalization")],
        *[("DSGVO", "Datenschutz-Grundverordnung"), ("DSGVO", "Datenschutzgrundverordnung")],
    ],
    "other inflections": [
        ("Projekte", "Projekt"),
        ("Buch", "Bücher"),
        ("Rechnung", "Rechnungen"),
        ("Lehrer", "Lehrerin"),
        ("Ansichten und Modi", "Ansichten und Modus"),
    ],
    "a beginning": [("PostgreSQL", "Postgres"), ("三星电子", "三星"), ("Wolfen", "Wolfenbüttel")],
    "two of one given name": [("Julia aus Nürnberg", "Julia aus Augsburg"), ("Julia Kiel", "Julia Bonn")],
}
BOUND: Pairs = {
    "equal words": [
        *[
            ("Checkout-Flow", "checkoutFlow"),
            ("ArgoCD", "Argo CD"),
            ("GitHub", "Github"),
            ("Kick-off Falke", "Kickoff Falke"),
        ],
        *[("Datenschutzgrundverordnung", "Datenschutz-Grundverordnung"), ("Müller", "Mueller"), ("Straße", "Strasse")],
        *[("Hoffmann, Lena", "Lena Hoffmann"), ("Anna-Lena Fischer", "Annalena Fischer"), ("GPT4", "GPT-4")],
        *[("Band II", "Band 2"), ("Erster Weltkrieg", "1. Weltkrieg"), ("2024-11-29 Meeting", "Meeting 29.11.2024")],
        *[("Zweiter Weltkrieg", "II. Weltkrieg"), ("Release V2", "Release v2"), ("Report March", "Report März")],
    ],
    "generic on one side only": [
        *[("Deutsche Bank AG", "Deutsche Bank"), ("Dr. Angela Merkel", "Angela Merkel"), ("Projekt Falke", "Falke")],
        *[("The Lord of the Rings", "Lord of the Rings"), ("Falke Team", "Falke")],
    ],
    "abbreviations": [
        *[
            ("notif-svc", "notifications-service"),
            ("user mgmt", "user management"),
            ("Doku Falke", "Dokumentation Falke"),
        ],
        *[("J. Smith", "John Smith"), ("Thomas M. Berger", "Thomas Michael Berger"), ("Smith, J.", "John Smith")],
        ("cfg service", "config service"),
    ],
    "-s and -es": [
        *[("payment-service", "payments-service"), ("Völkerbund", "Völkerbundes"), ("Goethes Faust", "Goethe Faust")],
        *[("Annas Geburtstag", "Anna Geburtstag"), ("Meeting", "Meetings")],
    ],
    "synonyms": [
        *[("checkout-service", "checkout-svc"), ("Checkout Dienst", "Checkout Service"), ("Köln", "Cologne")],
        *[("Müller & Söhne", "Müller und Söhne"), ("St. Gallen", "Sankt Gallen"), ("Theatre Club", "Theater Club")],
    ],
    "all generic": [("Team Service", "Service Team"), ("Service", "Dienst")],
}
NEVER_BOUND: Pairs = {
    "numbers in another order": [
        *[("Band 1 Kapitel 2", "Band 2 Kapitel 1"), ("BGB § 1 Abs. 2", "BGB § 2 Abs. 1"), ("Spiel 3:2", "Spiel 2:3")],
        ("03/04/2024", "04/03/2024"),
    ],
    "a number once or twice": [("Raum 1/1", "Raum 1"), ("10:10 Zug", "10 Zug"), ("Lage 2024/11/11", "Lage 2024/11")],
    "a letter that numbers": [
        *[
            ("Team A", "Team"),
            ("Plan A", "Plan B"),
            ("Vitamin A", "Vitamin"),
            ("Aufgabe 1a", "Aufgabe 1"),
            ("Hepatitis A", "Hepatitis B"),
        ],
    ],
    "signs": [
        ("Konto +", "Konto -"),
        ("5 %", "5 €"),
        ("-1", "1"),
        ("Liste ✅", "Liste ❌"),
        ("😀 Projekt", "😎 Projekt"),
    ],
    "whence and whither": [
        *[("Flug von Berlin nach Köln", "Flug von Köln nach Berlin"), ("Zahlung an Müller", "Zahlung von Müller")],
        *[("Migration to AWS", "Migration from AWS"), ("Brief an Max von Anna", "Brief an Anna von Max")],
    ],
    "long words that look alike": [
        *[("Auftritt", "Austritt"), ("Vertragsdauer", "Vortragsdauer"), ("Aufgabenliste", "Ausgabenliste")],
        *[("Projektleitung", "Projektleistung"), ("Briefkasten", "Briefkosten"), ("Evolution", "Revolution")],
    ],
    "short words that are no abbreviations": [
        ("Mai Feier", "Mailand Feier"),
        ("Tim Projekt", "Timbuktu Projekt"),
        ("Max Groß", "Maximilian Groß"),
    ],
    "family names with an s": [
        ("Anna Peter", "Anna Peters"),
        ("Robin William", "Robin Williams"),
        ("Steve Job", "Steve Jobs"),
    ],
    "product lines": [
        ("iPhone 14", "iPhone 14 Pro"),
        ("Java", "JavaScript"),
        ("Spring", "Spring Boot"),
        ("Xbox One", "Xbox Series X"),
    ],
    "given names in another order": [("Hans Friedrich", "Friedrich Hans")],
}


def lines(table: Pairs) -> list[object]:
    return [pytest.param(*names, id=f"{rule}: {' | '.join(names)}") for rule, pairs in table.items() for names in pairs]


@pytest.mark.parametrize(("one", "other"), lines(STOPS))
def test_stops(one: str, other: str) -> None:
    assert outcome(compared(one, other)) == "stopped"


@pytest.mark.parametrize(("one", "other"), lines(APART))
def test_apart(one: str, other: str) -> None:
    assert outcome(compared(one, other)) == "apart"


@pytest.mark.parametrize(("one", "other"), lines(CAPS))
def test_caps(one: str, other: str) -> None:
    assert outcome(compared(one, other)) == "asked"


@pytest.mark.parametrize(("one", "other"), lines(BOUND))
def test_bound(one: str, other: str) -> None:
    assert outcome(compared(one, other)) == "bound"


@pytest.mark.parametrize(("one", "other"), lines(NEVER_BOUND))
def test_never_bound(one: str, other: str) -> None:
    assert outcome(compared(one, other)) != "bound"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Set", "Data Sets", "asked"),
        ("Sets", "Data Sets", "bound"),
        ("Data Set", "Data Sets", "bound"),
        ("Phnx", "Data Phoenix", "asked"),
        ("Foto", "Data Photo", "bound"),
    ],
)
def test_a_frequent_word_stands_alone_only_beside_an_equal_one(one: str, other: str, expected: Outcome) -> None:
    weights = Weights(SETTINGS.generic_weight, Counter({"data": 20}), 100)
    assert outcome(compare(split_name(one), split_name(other), weights.of_token)) == expected


@pytest.mark.parametrize("table", [STOPS, APART, CAPS, BOUND, NEVER_BOUND])
def test_it_makes_no_difference_which_name_comes_first(table: Pairs) -> None:
    for one, other in (names for pairs in table.values() for names in pairs):
        forth, back = compared(one, other), compared(other, one)
        assert outcome(forth) == outcome(back), (one, other)
        assert forth.score == pytest.approx(back.score, abs=1e-9), (one, other)


REASONS: list[tuple[str, str, list[str]]] = [
    ("checkout-svc", "checkout-service", ["same: checkout", "svc = service", "nothing against"]),
    ("notif-svc", "notifications-service", ["notif for notifications", "svc = service", "nothing against"]),
    ("Falke AG", "Falke GmbH", ["same: Falke", "AG is not GmbH"]),
    ("payment-api", "payment-db", ["same: payment", "api is not db"]),
    ("Angela Merkel", "Merkel", ["same: Merkel", "only one has Angela"]),
    ("Alpha", "Alpha 2", ["same: Alpha", "only one has 2"]),
    ("Band 1", "Band 2", ["different numbers: 1 and 2"]),
    ("Report May", "Report June", ["different months: May and June"]),
    ("Anna", "Max", ["different given names: Anna and Max"]),
    ("Einkauf", "Verkauf", ["Einkauf is the opposite of Verkauf"]),
    ("Rauchen", "Nicht rauchen", ["only one of them says Nicht"]),
    ("Lena", "Lea", ["Lea and Lena differ in a letter"]),
    ("IBM", "International Business Machines", ["IBM may stand for International Business Machines"]),
    ("Deutsche Bank", "Deutsche Bahn", ["different: Bank and Bahn"]),
    ("Haus", "Maus", ["no distinctive word in common"]),
    ("Falke GmbH", "Falke", ["same: Falke", "set aside: GmbH"]),
]


@pytest.mark.parametrize(("one", "other", "expected"), REASONS, ids=[f"{one} | {other}" for one, other, _ in REASONS])
def test_the_reason_says_what_matched_and_what_was_held_against_it(one: str, other: str, expected: list[str]) -> None:
    said = compared(one, other).reason.split("; ")
    assert [part for part in expected if part not in said] == [], said


def test_what_was_held_against_it_is_never_nothing() -> None:
    for table in (STOPS, APART, CAPS):
        for one, other in (names for pairs in table.values() for names in pairs):
            assert "nothing against" not in compared(one, other).reason, (one, other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Granite Logistik GmbH", "granite logistik"),
        ("checkout-service", "checkout"),
        ("Dr. Angela Merkel", "angela merkel"),
        ("Service Team", ""),
        ("Holding GmbH", ""),
        ("GPT-4", "gpt"),
        ("🚀", ""),
    ],
)
def test_the_stem_is_what_distinguishes_a_name(name: str, expected: str) -> None:
    assert stem(split_name(name), WEIGHTS.of_token) == expected

"""Which names of a vault are compared with another name: the right one must be among them, and few besides."""

from __future__ import annotations

import pytest

from kantenwerk.ingest.resolve.index import NameIndex
from kantenwerk.ingest.resolve.parts import split_name

# A vault of 900 names beside which the one that is meant has to be found.
OTHERS = [
    f"{one} {other} {number}"
    for one in ("Nordlicht", "Anlage", "Bericht")
    for other in ("rot", "grün", "Team")
    for number in range(100)
]


def offered(query: str, *names: str) -> list[str]:
    parts = [split_name(name) for name in (*OTHERS, *names)]
    return [parts[position].written for position in NameIndex.of(parts).candidates(split_name(query))]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("checkout-svc", "Checkout Service"),
        ("checkoutsvc", "checkout-svc"),
        ("notif-svc", "notifications-service"),
        ("user mgmt", "User Management"),
        ("ArgoCD", "Argo CD"),
        ("Argo CD", "ArgoCD"),
        ("Kick off Falke", "Kickoff Falke"),
        ("Mueller", "Müller"),
        ("Muller", "Müller"),
        ("Möller", "Müller"),
        ("Lea", "Lena"),
        ("Anne", "Anna"),
        ("Bücher", "Buch"),
        ("Projekte Falke", "Projekt Falke"),
        ("Angela Merkel", "Merkel"),
        ("Merkel", "Angela Merkel"),
        ("J. Smith", "John Smith"),
        ("IBM", "International Business Machines"),
        ("International Business Machines", "IBM"),
        ("BMW", "Bayerische Motoren Werke AG"),
        ("DSGVO", "Datenschutzgrundverordnung"),
        ("Datenschutzgrundverordnung", "DSGVO"),
        ("DSGVO", "Datenschutz-Grundverordnung"),
        ("Datenschutz-Grundverordnung", "DSGVO"),
        ("k8s", "Kubernetes"),
        ("Kubernetes", "k8s"),
        ("Postgres", "PostgreSQL"),
        ("PostgreSQL", "Postgres"),
        ("三星", "三星电子"),
        ("株式会社トヨタ", "トヨタ"),
        ("Dienst", "Service"),
        ("GPT4", "GPT-4"),
        ("Köln", "Cologne"),
        ("Komunikationsplan", "Kommunikationsplan"),
        ("Völkerbundes", "Völkerbund"),
        ("Nordlicht", "Nordlicht"),
        ("Team", "Team"),
        ("Bericht rot 7", "bericht Rot VII"),
        ("GmbH", "GmbH"),
    ],
)
def test_the_name_that_may_be_meant_is_offered(query: str, name: str) -> None:
    assert name in offered(query, name)


@pytest.mark.parametrize("query", ["", "🚀", "…", "zzz qqq", "\u0308", "\u0308\u0308 \u0301"])
def test_what_shares_nothing_is_not_offered(query: str) -> None:
    assert offered(query, "Falke") == []


@pytest.mark.parametrize("name", ["", "🚀", "\u0308", "\u0308\u0308 \u0301", "\u200d"])
def test_names_without_letters_can_stand_in_a_vault(name: str) -> None:
    assert offered("Falke", name, "Falke") == ["Falke"]


def test_few_are_offered_even_if_all_share_a_word() -> None:
    assert 0 < len(offered("Bericht rot")) < 50


def test_positions_are_those_of_the_names_given_in_order() -> None:
    index = NameIndex.of([split_name(name) for name in ("Falke", "Adler", "Falke AG", "Falken")])
    assert index.candidates(split_name("Falke")) == [0, 2, 3]

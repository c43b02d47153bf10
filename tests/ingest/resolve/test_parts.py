"""What a name is made of: a name a line, and its parts as `kind:key`, a word's kind left out."""

from __future__ import annotations

from unicodedata import normalize

import pytest

from kantenwerk.ingest.resolve.parts import split_name


def parts(name: str) -> list[str]:
    return [
        token.meaning if token.kind in {"word", "given"} else f"{token.kind}:{token.meaning}"
        for token in split_name(name).tokens
    ]


def kinds(name: str) -> list[str]:
    return [token.kind for token in split_name(name).tokens]


PARTS: dict[str, list[str]] = {
    # how words are put together
    "checkoutFlow": ["checkout", "flow"],
    "checkout_flow": ["checkout", "flow"],
    "checkout-flow": ["checkout", "flow"],
    "CHECKOUT FLOW": ["checkout", "flow"],
    "HTTPHandler": ["http", "handler"],
    "OAuth": ["oauth"],
    "iPhone": ["iphone"],
    "C++": ["c++"],
    "C#": ["c#"],
    "C": ["c"],
    ".NET": [".net"],
    "ASP .NET": ["asp", ".net"],
    "A.B.C.": ["abc"],
    "U.S. Army": ["usa", "army"],
    "J.-C. Rivers": ["initial:j", "initial:c", "rivers"],
    "J. Smith": ["initial:j", "smith"],
    "O'Brien": ["obrien"],
    "O’Brien": ["obrien"],
    # letters
    "Straßenbau": ["strassenbau"],
    "Müller": ["mueller"],
    "Mueller": ["mueller"],
    "Café": ["cafe"],
    "三星电子": ["三星电子"],
    # numbers
    "gpt4": ["gpt", "number:4"],
    "GPT-4": ["gpt", "number:4"],
    "Faust II": ["faust", "number:2"],
    "Faust IV": ["faust", "number:4"],
    "Faust XIX": ["faust", "number:19"],
    "Faust XXIV": ["faust", "number:24"],
    "Faust 007": ["faust", "number:7"],
    "3rd Draft": ["number:3", "draft"],
    "Third Draft": ["number:3", "draft"],
    "Dritte Auflage": ["number:3", "auflage"],
    "vierundvierzig Gedichte": ["number:44", "gedichte"],
    "einundzwanzig Gedichte": ["number:21", "gedichte"],
    "dreißig Gedichte": ["number:30", "gedichte"],
    "zwölf Gedichte": ["number:12", "gedichte"],
    "forty two poems": ["number:42", "poems"],
    "forty-two poems": ["number:42", "poems"],
    "forty poems": ["number:40", "poems"],
    "Release v1.20": ["release", "v", "number:1.20"],
    # dates
    "Retro 2024-11-29": ["retro", "number:2024-11-29"],
    "Retro 29.11.2024": ["retro", "number:2024-11-29"],
    "Retro 1.3.2024": ["retro", "number:2024-03-01"],
    "Retro 2024-3-1": ["retro", "number:2024-03-01"],
    "Retro März": ["retro", "month:maerz"],
    "Retro March": ["retro", "month:maerz"],
    "Retro Sonnabend": ["retro", "weekday:samstag"],
    "Retro Saturday": ["retro", "weekday:samstag"],
    # what says little
    "checkout svc": ["checkout", "descriptor:service"],
    "Checkout Dienst": ["checkout", "descriptor:service"],
    "Dr. Berger": ["title:dr", "berger"],
    "Prof. Dr. Berger": ["title:prof", "title:dr", "berger"],
    "🚀": [],
    "🚀 Falke": ["falke"],
    "": [],
    "   ": [],
    "— … !": [],
}


@pytest.mark.parametrize("name", PARTS)
def test_parts(name: str) -> None:
    got = [part for part in parts(name) if part != "filler:v"]
    assert got == [part for part in PARTS[name] if part != "v"]


@pytest.mark.parametrize(
    "spellings",
    [
        ("Falke GmbH", "Falke gmbh", "Falke G.m.b.H.", "Falke G.m.b.H", "Falke Gesellschaft mit beschränkter Haftung"),
        ("Falke AG", "Falke Aktiengesellschaft", "Falke A.G."),
        ("Falke GmbH & Co. KG", "Falke GmbH & Co KG", "Falke GmbH und Co. KG"),
        ("Falke e.V.", "Falke eV", "Falke e. V.", "Falke eingetragener Verein"),
        ("Falke Inc.", "Falke Inc", "Falke Incorporated"),
        ("Falke Ltd", "Falke Ltd.", "Falke Limited"),
        ("トヨタ自動車株式会社", "トヨタ自動車 株式会社"),
    ],
    ids=lambda spellings: str(spellings[0]),
)
def test_a_legal_form_is_one_part_of_one_class_however_it_is_written(spellings: tuple[str, ...]) -> None:
    assert len({tuple(parts(spelling)) for spelling in spellings}) == 1
    assert kinds(spellings[0]) == ["word", "legal"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("AG", "GmbH"), ("GmbH", "UG"), ("GmbH", "GmbH & Co. KG"), ("Inc.", "Ltd."), ("SE", "AG"), ("e.V.", "eG")],
)
def test_legal_forms_of_two_classes_stay_two(one: str, other: str) -> None:
    assert kinds(f"Falke {one}") == kinds(f"Falke {other}") == ["word", "legal"]
    assert parts(f"Falke {one}") != parts(f"Falke {other}")


@pytest.mark.parametrize(
    "name", ["株式会社トヨタ自動車", "トヨタ自動車株式会社", "北京百度有限公司", "삼성전자 주식회사"]
)
def test_chinese_japanese_and_korean_legal_forms_need_no_blank(name: str) -> None:
    assert sorted(kinds(name)) == ["legal", "word"]


@pytest.mark.parametrize("name", ["Müller", "Ångström", "Größe", "Café Zoë", "Łódź", "각", "ガス", "Ὀδυσσεύς"])
def test_decomposed_letters_make_the_same_parts(name: str) -> None:
    for form in ("NFD", "NFC"):
        decomposed, composed = split_name(normalize(form, name)).tokens, split_name(name).tokens
        assert [(token.key, token.bare, token.kind) for token in decomposed] == [
            (token.key, token.bare, token.kind) for token in composed
        ]


@pytest.mark.parametrize("name", ["Release V2", "API V1", "Falke X1", "HTTP Handler"])
def test_case_makes_no_other_parts(name: str) -> None:
    assert parts(name.lower()) == parts(name) == parts(name.upper())


@pytest.mark.parametrize(
    ("name", "number"),
    [("Friedrich II.", "2"), ("Ludwig XIV.", "14"), ("Karl V.", "5"), ("II. Weltkrieg", "2"), ("IV. Quartal", "4")],
)
def test_a_roman_number_may_have_a_dot_and_stand_first(name: str, number: str) -> None:
    assert f"number:{number}" in parts(name)


def test_a_letter_at_a_number_is_no_article() -> None:
    assert parts("Aufgabe 1a") != parts("Aufgabe 1")
    assert [kind for kind in kinds("Aufgabe 1a") if kind == "filler"] == []


def test_umlauts_keep_both_ways_of_writing_them() -> None:
    (token,) = split_name("Müller").tokens
    assert (token.key, token.bare, token.written) == ("mueller", "muller", "Müller")


def test_parts_keep_what_was_written() -> None:
    assert [token.written for token in split_name("Checkout-Svc der Falke GmbH & Co. KG").tokens] == [
        "Checkout",
        "Svc",
        "der",
        "Falke",
        "GmbH & Co KG",
    ]

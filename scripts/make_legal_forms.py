#!/usr/bin/env python3
"""Make config/words/legal_forms.tsv from rigour's org_types.yml.

Usage: make_legal_forms.py PATH_OF_ORG_TYPES_YML

The source knows up to three targets for every form: `display` (for people), `compare` (for matching; AG is not GmbH)
and `generic` (llc, jsc, ...). The class written here is `compare`, else `display`; where the source has neither, every
spelling is a class of its own. The input is pinned, so that the same file always makes the same table.
"""

import hashlib
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml

TARGET: Final = Path(__file__).resolve().parent.parent / "config" / "words" / "legal_forms.tsv"

# The pinned source. Whoever takes a newer file changes all three lines and reads the difference in the table.
VERSION: Final = "2.2.3"
COMMIT: Final = "8f4044dd6719d71e8ba59b5033818ff407e0efab"
SHA256: Final = "4f85de808d2ef78467db6556ada87645bd0048c2cdda8ff05e6af31e930921fe"

HEADER: Final = f"""\
# Legal forms of organisations: class <tab> generic class (may be empty) <tab> spelling, lower-cased, NFC; sorted.
# Source: rigour {VERSION}, https://github.com/opensanctions/rigour at {COMMIT},
# resources/names/org_types.yml (sha256 {SHA256}).
# Licence of the source: MIT, Copyright (c) 2023-2025: OpenSanctions Datenbanken GmbH;
# the permission notice is that of LICENSE.
# Changed and made by scripts/make_legal_forms.py, which says what was added and left out; do not edit by hand.
"""

# By `display`: forms that the source's `compare` throws together, and namesakes of another form.
RENAMED: Final = {
    "S.E.": "Sociedad del Estado",  # Argentina; else it would be the European SE
    "S. en C.": "S. en C.",  # a limited partnership; else it would be S.C., a general one
    "scpa": "sociedad civil privada",  # else it would be SCpA, a partnership limited by shares
    "ЗАО": "CJSC",  # closed; the source has AO for it in Cyrillic and ZAO in Latin letters
}

# Classes that are one form: the Russian joint-stock company (open, later public), its English names, either script.
FOLDED: Final = {
    "AO": "JSC",
    "OJSC": "JSC",
    "PAO": "JSC",
    "PJSC": "JSC",
    "AT": "JSC",
    "ВАТ": "JSC",
    "ААТ": "JSC",
    "ZAO": "CJSC",
    "ЗАТ": "CJSC",
    "3AT": "CJSC",
    "TOV": "OOO",
}

# Spellings of the source that are no use in German or English notes: ordinary words and common abbreviations.
# Short and risky ones that are a form in practice (ab, as, eg, sa, se) stay.
DROPPED: Final = frozenset(
    {
        "anl",  # Anlage
        "at",
        "charity",
        "cooperation",
        "coopération",
        "cv",  # curriculum vitae
        "ei",
        "et.",
        "huf",
        "ii",  # a number
        "im",
        "in",
        "is",
        "lt",  # laut
        "lt.",
        "militärische organisation",
        "militärische vereinigung",
        "nl",  # a country, a newsletter
        "non-profit",
        "nonprofit",
        "ops",  # operations; o.p.s. stays
        "partnerschaft",
        "pc",
        "pr",  # pull request, public relations
        "ps",
        "psu",  # power supply unit
        "sad",
        "unlimited",
    }
)

# What the source lacks: class, generic class, spellings. One that the source has under another class is an error.
ADDED: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    # GmbHG § 4, and how people write it
    (
        "GmbH",
        "llc",
        ("g. m. b. h.", "gesellschaft m. b. h.", "ges mbh", "ges. mbh", "ges. m.b.h.", "ges.mbh", "ges.m.b.h."),
    ),
    ("gGmbH", "llc", ("g-gmbh", "gemeinn. gmbh", "gemeinnützige gesellschaft mbh")),
    # GmbHG § 5a
    ("UG", "llc", ("ug (haftungsbeschraenkt)", "ug haftungsbeschraenkt", "unternehmergesellschaft haftungsbeschränkt")),
    # AktG § 4 and § 279
    ("AG", "jsc", ("aktien-gesellschaft",)),
    ("KGaA", "lp", ("kg a. a.", "kg a.a.", "kg auf aktien")),
    # HGB § 19: Kaufleute, OHG, KG, and the GmbH & Co. KG
    ("eK", "sp", ("e. kffr.", "e.kffr.", "eingetr. kauffrau")),
    ("OHG", "gp", ("o. h. g.", "offene handelsges.")),
    ("KG", "lp", ("kommandit gesellschaft", "kommanditges.")),
    (
        "GmbHCoKG",
        "lp",
        (
            "gesellschaft mit beschränkter haftung & co. kommanditgesellschaft",
            "gesmbh & co kg",
            "gesmbh & co. kg",
            "ges.m.b.h. & co kg",
            "ges.m.b.h. & co. kg",
            "gmbh & co",
            "gmbh & co kg",
            "gmbh & co. kommanditgesellschaft",
            "gmbh & co.kg",
            "gmbh & cokg",
            "gmbh + co kg",
            "gmbh + co. kg",
            "gmbh u. co kg",
            "gmbh und co kg",
            "gmbh und co. kg",
            "gmbh&co kg",
            "gmbh&co. kg",
            "gmbh&co.kg",
            "gmbh+co. kg",
        ),
    ),
    # BGB § 705, § 707a (the registered one), § 21 and § 65 (Verein)
    ("GbR", "gp", ("bgb gesellschaft", "g.b.r.", "gesellschaft buergerlichen rechts")),
    ("eGbR", "gp", ("e. gbr",)),
    ("eV", "ngo", ("eingetr. ver.",)),
    # GenG § 3; Austria: GenG § 4
    ("eG", "coop", ("e. gen.", "e.gen.", "eingetr. genossenschaft")),
    (
        "GenmbH",
        "coop",
        (
            "gen. m. b. h.",
            "gen.m.b.h.",
            "genmbh",
            "genossenschaft mit beschränkter haftung",
            "reg. gen. m. b. h.",
            "reg.gen.m.b.h.",
            "registrierte genossenschaft mit beschränkter haftung",
        ),
    ),
    # PartGG § 2 and § 8
    ("PartG", "gp", ("part g", "partnerschaftsges.")),
    ("PartGmbB", "llp", ("partg m. b. b.", "partgesmbb", "partnerschaftsges. mbb")),
    # Public law: the Länder's municipal codes
    ("AöR", "soe", ("adör", "anstalt d. ö. r.", "anstalt d.ö.r.")),
    ("KdöR", "soe", ("k. d. ö. r.", "k.ö.r.", "körperschaft d. ö. r.", "körperschaft d.ö.r.")),
    ("Stiftung", "ngo", ("sdör", "stiftung d.ö.r.", "stiftung öffentlichen rechts")),
    # Austria: FlexKapGG § 2; Switzerland: OR art. 772 in Italian
    ("FlexCo", "llc", ("flexco", "flexible kapitalgesellschaft", "flexkapg")),
    ("Sagl", "llc", ("s.a.g.l.", "sagl", "società a garanzia limitata")),
    # Regulation (EC) 2157/2001
    ("SE", "jsc", ("europaeische gesellschaft",)),
    # English forms
    ("Corp", "", ("corp", "corp.", "corporation", "corpn", "corpn.")),
    (
        "Co",
        "",
        (
            "& cie",
            "& cie.",
            "& co",
            "& co.",
            "and co",
            "and co.",
            "and company",
            "cie",
            "cie.",
            "co",
            "co.",
            "company",
            "und co.",
        ),
    ),
    (
        "CoLtd",
        "llc",
        ("co limited", "co ltd.", "co. limited", "co. ltd", "co. ltd.", "co., limited", "company limited"),
    ),
    ("Ltd", "llc", ("(pvt) ltd", "private limited", "private ltd", "pvt ltd", "pvt. ltd.")),
    ("LLP", "llp", ("l l p", "l.l.p", "l.l.p.")),
    ("PLC", "jsc", ("p.l.c",)),
    ("Coop", "coop", ("co-op", "co-operative", "coop", "cooperative", "coopérative")),
    # Forms of other countries that turn up in German and English texts
    ("AB", "", ("a.b.", "ab (publ)")),
    ("AS", "jsc", ("a/s", "aksjeselskap")),
    ("ASA", "jsc", ("allmennaksjeselskap", "asa")),
    ("IS", "soe", ("i/s",)),
    ("ks", "lp", ("k/s",)),
    ("ps", "", ("p/s",)),
    ("KK", "jsc", ("k.k.", "kabushiki gaisha", "kabushiki kaisha", "kabushiki-gaisha", "株式会社")),
    ("Jusikhoesa", "jsc", ("(주)", "chusik hoesa", "jusik hoesa", "jusikhoesa", "㈜", "주식회사")),
    ("SARL", "llc", ("s. à r.l.", "s.à r.l.", "s.à.r.l.", "s.àr.l.", "sàrl")),
    ("SL", "llc", ("s.l", "s.l.", "sociedad limitada")),
    ("SpA", "jsc", ("s.p.a",)),
)


def spelled(text: str) -> str:
    """Bring a spelling to the form of the table: lower-cased, NFC, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text.lower()).split())


class Table:
    """Spellings with their classes; a class is one in any case, named as first seen."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._generics: dict[str, str] = {}

    def name(self, wanted: str, generic: str) -> str:
        """Give the class's name and remember its generic class; two generic classes for one class are an error."""
        name = self._names.setdefault(wanted.casefold(), wanted)
        generic = generic.lower()
        known = self._generics.get(name, "")
        if known and generic and known != generic:
            sys.exit(f"class {name!r} is {known!r} and {generic!r}: rename one of the two")
        self._generics[name] = known or generic
        return name

    def add(self, name: str, spellings: Iterable[str]) -> None:
        """Add a class's spellings; one that is another class's already is an error."""
        for spelling in spellings:
            if self.rows.setdefault(spelling, name) != name:
                sys.exit(f"{spelling!r} was to be added as {name!r}, but is {self.rows[spelling]!r} in the source")

    def lines(self) -> Iterable[str]:
        """Yield the table's lines, sorted."""
        rows = sorted((name.casefold(), name, spelling) for spelling, name in self.rows.items())
        for _, name, spelling in rows:
            yield f"{name}\t{self._generics[name]}\t{spelling}\n"


def named(spec: dict[str, Any]) -> str:
    """Give the class of one entry of the source, empty where it has neither `compare` nor `display`."""
    display = spec.get("display") or ""
    name = RENAMED.get(display) or spec.get("compare") or display
    return FOLDED.get(name, name)


def table_of(specs: list[dict[str, Any]]) -> Table:
    """Make the table. As in the source the last entry wins a contested alias, and a display form never takes one."""
    table = Table()
    kept = [(spec, named(spec), [s for s in map(spelled, spec["aliases"]) if s not in DROPPED]) for spec in specs]
    for spec, wanted, spellings in kept:
        if wanted:
            table.rows.update(dict.fromkeys(spellings, table.name(wanted, spec.get("generic") or "")))
    for spec, wanted, _ in kept:
        display = spelled(spec.get("display") or "")
        if display and display not in DROPPED:
            table.rows.setdefault(display, table.name(wanted, ""))
    for wanted, generic, added in ADDED:
        table.add(table.name(wanted, generic), map(spelled, added))
    for spec, wanted, spellings in kept:
        for spelling in spellings:
            if not wanted and spelling not in table.rows:
                table.rows[spelling] = table.name(spelling, spec.get("generic") or "")
    return table


def main() -> None:
    """Read the source named on the command line and write the table."""
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and its one argument
        sys.exit(__doc__)
    content = Path(sys.argv[1]).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        sys.exit(f"{sys.argv[1]} is not the pinned org_types.yml of rigour {VERSION}: its sha256 is {found}")
    table = table_of(yaml.safe_load(content)["types"])
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(HEADER + "".join(table.lines()), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{TARGET}: {len(table.rows)} spellings, {len(set(table.rows.values()))} classes\n")


if __name__ == "__main__":
    main()

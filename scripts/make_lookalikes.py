#!/usr/bin/env python3
"""Make lookalikes.txt and short_words.txt of config/words from the German and English counts of pyspellchecker.

Usage: make_lookalikes.py PYSPELLCHECKER_WHEEL_OR_PACKAGE_FOLDER

A word is a lookalike if another word of its language looks like it and is neither a form nor a spelling of it, so
that two listed words are not taken for one word and a slip of the pen, nor for one that lost its first letter.
Conjugated verbs and declined adjectives, most of the German words and few of those in names, are left out.

A short word is listed if longer words begin with it and it is common as a word, so that it is not taken for an
abbreviation of them: Rom is none of Romantik.
"""

import gzip
import json
import re
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Final

from rapidfuzz.distance import OSA

from kantenwerk.config.lexicon import fold

FOLDER: Final = Path(__file__).resolve().parent.parent / "config" / "words"

LOOKALIKES: Final = "words that look like another word, as names are compared"
SHORT_WORDS: Final = "words that begin longer words and abbreviate none of them"
HEADER: Final = """\
# German and English {what} (config/lexicon.py, fold), sorted.
# Source: pyspellchecker {version}, https://github.com/barrust/pyspellchecker, resources de.json.gz and en.json.gz.
# Licence of the source: MIT, Copyright (c) 2018-2021 Tyler Barrus; the permission notice is that of LICENSE.
# Chosen and made by scripts/make_lookalikes.py, which says what was added and left out; do not edit by hand.
"""

# The fewest occurrences of a word: 50 is the least that pyspellchecker gives any word of its dictionaries. Nearly all
# German words have it, which come from a dictionary; of the rare English ones few are met in names.
FEWEST: Final = {"de": 50, "en": 100}
TYPO_RATIO: Final = 200  # a word so many times rarer than its lookalike is most probably a typo of it

# The same for short words: more than a German dictionary word has for being one, and common English.
FEWEST_OF_SHORT: Final = {"de": 51, "en": 1000}
SHORT_WORD_LENGTHS: Final = range(3, 8)

SHORTEST_WORD: Final = 7
SHORTEST_LONGER_WORD: Final = 8  # of a pair: shorter ones are never taken for slips (ingest/resolve/relations.py)
VERY_LONG_WORD: Final = 16  # from here on two letters may differ
SHORTEST_STEM: Final = 5
SHORTEST_FIRST_PART: Final = 4  # of a compound
ENDINGS: Final = """
    en n e s es er ers ern em in ins innen nen erin erinnen erei erers ens ung ungen us um ismus lern
    ed d ing ings ly al y ies
"""

# Spellings of one sound, by which spellings of one word are told from two words: organise and organize, Direktor and
# director, colour and color; doubled letters are the commonest slip of all.
SAME_SOUNDS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"c(?=[eiy])|t(?=i[aeo])|(?<=[iy])s(?=[aei])|(?<=en)s(?=e)", "z"),
        (r"c(?!h)", "k"),
        (r"ph", "f"),
        (r"y", "i"),
        (r"our", "or"),
        (r"(?<=.{4})(?:re|or)(?=s?$)", "er"),
        (r"an(?=(?:t|ze|zi)s?$)", "en"),
        (r"(?<=dg)e", ""),
        (r"(.)\1+", r"\1"),
    )
)

UMLAUT: Final = re.compile("([aou])e")
CASES: Final = ("e", "en", "er", "es", "em")
DECLENSIONS: Final = ("", *(degree + case for degree in ("", "er", "st", "est") for case in CASES))
CONJUGATIONS: Final = "e en n st est t et te ten test tet ete eten etest etet re le ern eln"
# Any of these beside a form makes it one of a verb.
CONJUGATED: Final = (("test",), ("etest",), ("st", "t"), ("est", "et"), ("en", "t"), ("e", "en"), ("ern",), ("eln",))
SEPARABLE: Final = """
    abwaerts aneinander aufeinander auseinander aufwaerts daheim daher dahin daneben darauf davon dazu dazwischen
    durch einher empor entgegen entlang fehl fest fort frei gegen gegenueber gleich heim herab heran herauf heraus
    herbei herein herueber herum herunter hervor hinab hinan hinauf hinaus hindurch hinein hinter hinueber hinunter
    hinweg hinzu hoch kennen klar miss nach nieder schief statt still tot ueber ueberein umher unter voll voran
    voraus vorbei vorher vorueber weiter wieder zurecht zurueck zusammen
"""

# Groups of which the source lacks a word, or that are not near enough to one another, or that look like verbs in it.
ADDED: Final = """
    abfrage anfrage umfrage, abreise anreise ausreise, ablage anlage auflage auslage umlage,
    absage ansage aussage, abgabe angabe aufgabe ausgabe, abschluss anschluss aufschluss ausschluss,
    auffahrt ausfahrt abfahrt anfahrt, auffahrten ausfahrten abfahrten anfahrten, anforderung aufforderung,
    anforderungen aufforderungen, vorstellung verstellung, ausstellung aufstellung abstellung,
    abrechnung anrechnung aufrechnung ausrechnung, bewertung bewerbung, aufnahme ausnahme abnahme annahme,
    immigration emigration, immigrant emigrant, immigranten emigranten, adaption adaptation adoption,
    personal personnel, affection affectation, dissent descent decent dissident, stationary stationery,
    complement compliment, complementary complimentary, principal principle, principals principles,
    continual continuous, allusion illusion, eminent imminent, elicit illicit, proscribe prescribe,
    precede proceed, preceding proceeding, perspective prospective, discreet discrete, veracity voracity,
    economic economical, historic historical, sensible sensitive, personell, formal formell, rational rationell,
    original originell, nominal nominell, aufnahmen ausnahmen abnahmen annahmen, abschlag anschlag aufschlag ausschlag,
    abschnitt anschnitt ausschnitt aufschnitt, anschreiben abschreiben ausschreiben aufschreiben, verdruck vordruck,
    nachkauf nachlauf, einlage einklage, einlagen einklagen anlagen anklagen, beilage beilagen, auflagen auslagen,
    vorschlag verschlag, vorlagen verlagen, anfragen abfragen, forderung foerderung, forderungen foerderungen,
    auslosung ausloesung auslosungen ausloesungen, auftritt austritt, verfahren vorfahren, vertrag vortrag,
    gegenwart gegenwert, leitung leistung, phosphat phosphit, mietrecht, interviewer interviewee, zusendung zuwendung,
    verteilung erteilung, verfassung erfassung, vermittlung ermittlung, verbrechen erbrechen, reinigung einigung,
    revolution evolution
"""

# Short words that are no whole words here, since they are what people really abbreviate with; the last are names.
EXCLUDED: Final = """
    notif doku konfig config conf auth dev info app repo lib spec docs admin prod infra temp max min org dept dir doc
    ref proj prof intro demo uni abt tech comm comp gen int ext sys env perf sec auto bio geo micro multi exp reg stat
    std tel univ vol apt arg cal coop exam fed fig fin gym ing kilo lab lit math memo mic ops opt photo pic prep psych
    recon rehab rep rev sub sync tab vet
    alex ben chris dan fred ken kim leo matt phil rob sam stan tim
"""

# What nobody wants to read in a list of words; no name is missed for it.
UNWANTED: Final = """
    niggers sniggers nigger coon coons fag fags nazi slut sluts spic whore bitch cunt fuck nutte hure fotze
"""


def count_words(packed: bytes) -> Counter[str]:
    """Give the words of a pyspellchecker dictionary, folded, with their counts."""
    counts = Counter[str]()
    for word, count in json.loads(gzip.decompress(packed)).items():
        counts[fold(word)] += count
    return Counter({word: count for word, count in counts.items() if word.isascii() and word.isalpha()})


def without(word: str, letters: int) -> set[str]:
    """Give a word and what is left of it without up to so many letters, never the first."""
    shortened = shortest = {word}
    for _ in range(letters):
        shortest = {left[:at] + left[at + 1 :] for left in shortest for at in range(1, len(left))}
        shortened = shortened | shortest
    return shortened


def neighbours(words: Iterable[str], letters: int) -> Iterator[tuple[str, str]]:
    """Yield the pairs of words with one first letter that differ in up to so many letters."""
    by_first_letter = defaultdict[str, list[str]](list)
    for word in sorted(words):
        by_first_letter[word[0]].append(word)
    for begun_alike in by_first_letter.values():
        by_rest = defaultdict[str, list[str]](list)
        for word in begun_alike:
            for rest in without(word, letters):
                by_rest[rest].append(word)
        pairs = {pair for sharing in by_rest.values() for pair in combinations(sharing, 2)}
        yield from (pair for pair in pairs if OSA.distance(*pair) <= letters)


def beheaded(words: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the words that are words without their first letter, and what is left; not Aethanol, a spelling."""
    for word in words:
        if len(word) >= SHORTEST_LONGER_WORD and word[1:] in words and not re.match("[ao]e", word):
            yield word[1:], word


def sounded(word: str) -> str:
    """Spell a word so that spellings of one word come out the same."""
    for pattern, sound in SAME_SOUNDS:
        word = pattern.sub(sound, word)
    return word


def stems(word: str) -> set[str]:
    """Give a word and what is left of it without an ending, as written and as sounded without umlauts."""
    cut = {word} | {word.removesuffix(ending) for ending in ENDINGS.split() if word.endswith(ending)}
    return {stem for one in cut for stem in (one, sounded(UMLAUT.sub(r"\1", one))) if len(stem) >= SHORTEST_STEM}


def is_joint(one: str, other: str) -> bool:
    """Tell whether just an s or e within makes the difference, as in Schreckensschrei and Abriegelung."""
    short, long = sorted((one, other), key=len)
    return any(long[at] in "es" and long[:at] + long[at + 1 :] == short for at in range(2, len(long) - 2))


def is_declined(word: str, words: Collection[str]) -> bool:
    """Tell whether a German word is a form of an adjective or participle."""
    cut = (word.removesuffix(ending) for ending in DECLENSIONS if word.endswith(ending))
    return any(stem + "em" in words and stem + "es" in words for stem in cut)


def is_conjugated(word: str, words: Collection[str]) -> bool:
    """Tell whether a German word is a form of a verb."""
    if word + "st" in words or re.search(r"(?:te[st]|test|end|.[^i]ens|zu[a-z]{4,}e?n)$", word):
        return True
    for ending in ("", *CONJUGATIONS.split()):
        stem = word.removesuffix(ending)
        if word.endswith(ending) and any(
            all(stem + other in words for other in others) for others in CONJUGATED if ending not in others
        ):
            return True
    return False


def second_parts(words: Collection[str]) -> set[str]:
    """Give the words that end a German compound: nouns, whatever verbs look the same."""
    separable = frozenset(SEPARABLE.split())
    return {
        word[at:]
        for word in words
        for at in range(SHORTEST_FIRST_PART, len(word) - SHORTEST_WORD + 1)
        if word[at:] in words and word[:at] not in separable and (word[:at] in words or word[: at - 1] in words)
    }


def considered(counts: Mapping[str, int], language: str) -> set[str]:
    """Give the words of a language among which lookalikes are sought."""
    long = {word for word, count in counts.items() if len(word) >= SHORTEST_WORD and count >= FEWEST[language]}
    if language != "de":
        return long
    nouns = second_parts(counts)
    return {
        word for word in long if not is_declined(word, counts) and (word in nouns or not is_conjugated(word, counts))
    }


def lookalikes(words: Collection[str], counts: Mapping[str, int]) -> set[str]:
    """Give the words that look like another one, less what is most probably a typo of it."""
    one_apart = (pair for pair in neighbours(words, 1) if max(map(len, pair)) >= SHORTEST_LONGER_WORD)
    very_long = [word for word in words if len(word) >= VERY_LONG_WORD - 2]
    two_apart = (pair for pair in neighbours(very_long, 2) if max(map(len, pair)) >= VERY_LONG_WORD)
    found, typos = set[str](), set[str]()
    for pair in {*one_apart, *two_apart, *beheaded(words)}:
        if stems(pair[0]) & stems(pair[1]) or is_joint(*pair):
            continue
        rare, frequent = sorted(pair, key=counts.__getitem__)
        if counts[frequent] >= TYPO_RATIO * counts[rare]:
            typos.add(rare)
        else:
            found.update(pair)
    return found - typos


def one_spelling(words: Iterable[str], counts: Mapping[str, int]) -> set[str]:
    """Give the words, of spellings of one word the most frequent: two listed words are two words."""
    most_frequent = dict[str, str]()
    for word in sorted(words, key=lambda word: (counts[word], word)):
        most_frequent[sounded(word)] = word
    return set(most_frequent.values())


def short_words(dictionaries: Mapping[str, Mapping[str, int]]) -> set[str]:
    """Give the common short words with which a word more than twice as long begins, of either language."""
    beginnings = {
        word[:length]
        for counts in dictionaries.values()
        for word in counts
        for length in SHORT_WORD_LENGTHS
        if len(word) > 2 * length
    }
    common = {
        word
        for language, counts in dictionaries.items()
        for word, count in counts.items()
        if count >= FEWEST_OF_SHORT[language]
    }
    return (common & beginnings) - set(EXCLUDED.split()) - set(UNWANTED.split())


def write(name: str, header: str, words: Collection[str]) -> None:
    """Write a list, one word a line."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{word}\n" for word in sorted(words))
    (FOLDER / name).write_text(header + lines, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{FOLDER / name}: {len(words)} words\n")


def main() -> None:
    """Read the package named on the command line and write the lists."""
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and its one argument
        sys.exit(__doc__)
    given = Path(sys.argv[1])
    root = given.parent if given.is_dir() else zipfile.Path(given)
    version = next(
        (found[1] for path in root.iterdir() if (found := re.match(r"pyspellchecker-([\d.]+)\.dist-info", path.name))),
        None,
    )
    if version is None:
        sys.exit("no pyspellchecker-….dist-info beside the package: is it pyspellchecker, as installed or unpacked?")
    dictionaries = {
        language: count_words((root / "spellchecker" / "resources" / f"{language}.json.gz").read_bytes())
        for language in FEWEST
    }
    words, all_counts = set[str](), Counter[str]()
    for language, counts in dictionaries.items():
        words |= lookalikes(considered(counts, language), counts)
        all_counts += counts
    words = one_spelling(words, all_counts) | set(ADDED.replace(",", " ").split())
    words -= set(UNWANTED.split())
    write("lookalikes.txt", HEADER.format(what=LOOKALIKES, version=version), words)
    write("short_words.txt", HEADER.format(what=SHORT_WORDS, version=version), short_words(dictionaries))


if __name__ == "__main__":
    main()

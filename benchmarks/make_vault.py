"""Make a vault of N notes that looks like a real one, the same every time.

Run it as `python benchmarks/make_vault.py N FOLDER [--seed S]`; the README beside it says what is in such a vault.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SEED = 6
LINKS = 8
# Of a hundred notes: how many have candidates, an alias, no frontmatter.
WITH_CANDIDATES, WITH_ALIAS, BARE = 20, 10, 5
# Of a thousand links: how many name a note that nobody wrote, a title or an alias, a path.
DANGLING, BY_TITLE, BY_PATH = 10, 40, 100
SMALLEST, LARGEST = 2000, 4000
NOTES_A_FOLDER = 200
AREAS = ("people", "projects", "orgs", "meetings", "concepts", "dienste", "orte", "quellen")

GERMAN = (
    *("Die Planung hängt an der Lieferung, und die Lieferung hängt am Wetter.", "Das klären wir am Montag."),
    *("Wer den Vertrag ändert, muss es im Protokoll vermerken.", "Der Bericht über die Prüfung fehlt noch."),
    *("Für den Umzug der Datenbank sind drei Nächte vorgesehen.", "Größere Mengen lagern wir außerhalb."),
    *("Im zweiten Halbjahr übernimmt das Team die Wartung.", "Die Zahlen stimmen nicht überein; siehe unten."),
)
ENGLISH = (
    *("The plan depends on the delivery, and the delivery depends on the weather.", "We decide this on Monday."),
    *("Whoever changes the contract has to say so in the minutes.", "The report on the audit is still missing."),
    *("Three nights are set aside for moving the database.", "Larger quantities are stored elsewhere."),
    *("The team takes over maintenance in the second half of the year.", "The figures do not agree; see below."),
)
HEADINGS = {
    "de": ("Überblick", "Stand der Dinge", "Offene Fragen", "Entscheidungen", "Nächste Schritte"),
    "en": ("Overview", "State of affairs", "Open questions", "Decisions", "Next steps"),
}
SECTIONS = {"de": "Unzugeordnete Kanten", "en": "Candidates"}
SYLLABLES = (
    *("ber", "lin", "ham", "stein", "feld", "werk", "bach", "tal", "hof", "mark", "ring", "licht", "strom", "netz"),
    *("bau", "kraft", "mann", "tech", "data", "flow", "port", "ley", "ton", "ford", "wood", "grün", "höh", "süd"),
)
KINDS = ("depends_on", "uses", "part_of", "related_to", "mastered_by", "based_on")


@dataclass(frozen=True, slots=True)
class Planned:
    """What is known of a note before any is written, so that others can link to it."""

    path: str
    title: str
    alias: str | None
    language: str

    @property
    def stem(self) -> str:
        """The name of its file."""
        return self.path.rpartition("/")[2].removesuffix(".md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the vault; exit with 1 where the folder already holds something."""
    parser = argparse.ArgumentParser(description="Make a vault of many notes, the same every time.")
    parser.add_argument("notes", type=int, metavar="N", help="how many notes")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where; it must be new or empty")
    parser.add_argument("--seed", type=int, default=SEED, help=f"another vault of the same sort (default: {SEED})")
    options = parser.parse_args(arguments)
    if options.notes < 1:
        parser.error("N must be at least 1")
    try:
        make_vault(options.folder, options.notes, options.seed)
    except OSError as error:
        print(f"make_vault: {error.filename or options.folder}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def make_vault(folder: Path, count: int, seed: int = SEED) -> None:
    """Write `count` notes into a new or empty folder; equal arguments write equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(17, "it is not empty", str(folder))
    rng = random.Random(seed)
    notes = [_planned(number, rng) for number in range(count)]
    for parent in sorted({note.path.rpartition("/")[0] for note in notes}):
        (folder / parent).mkdir(parents=True)
    for number, note in enumerate(notes):
        # A generator of its own for each: a note does not depend on how long those before it became.
        text = _text(note, notes, random.Random(f"{seed}/{number}"))
        (folder / note.path).write_bytes(text.encode())


def _planned(number: int, rng: random.Random) -> Planned:
    word = "".join(rng.choices(SYLLABLES, k=3))
    name = f"{word.capitalize()} {rng.choice(SYLLABLES).capitalize()} {number:06d}"
    folder = f"{rng.choice(AREAS)}/{number // (NOTES_A_FOLDER * len(AREAS)):03d}"
    # Titles and aliases have letters of their own, for a name that is a file's is found as that.
    title = f"{name}, {rng.choice(SYLLABLES)}" if rng.random() < 1 / 2 else name
    alias = f"{word[:5].upper()}-{number}" if rng.randrange(100) < WITH_ALIAS else None
    return Planned(f"{folder}/{name}.md", title, alias, rng.choice(("de", "en")))


def _text(note: Planned, notes: Sequence[Planned], rng: random.Random) -> str:
    links = [_link(_linked(note, notes, rng), rng) for _ in range(LINKS)]
    parts = [_frontmatter(note, rng), f"# {note.title}\n", *_sections(note, links, rng)]
    if rng.randrange(100) < WITH_CANDIDATES:
        parts.append(_candidates(note, notes, rng))
    return "\n".join(filter(None, parts))


def _frontmatter(note: Planned, rng: random.Random) -> str:
    if rng.randrange(100) < BARE:
        return ""
    lines = [f'title: "{note.title}"', f"type: {rng.choice(('default', 'project', 'concept'))}"]
    if note.alias:
        lines.append(f"aliases: [{note.alias}]")
    lines += ["tags:", f"  - {rng.choice(AREAS)}", f"created: 2025-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"]
    return "\n".join(("---", *lines, "---\n"))


def _sections(note: Planned, links: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Yield sections with all links, until the note is as long as it is to be."""
    sentences = GERMAN if note.language == "de" else ENGLISH
    waiting, length, left = list(links), 0, rng.randint(SMALLEST, LARGEST) - 300
    first, *others = HEADINGS[note.language]
    # The first is in every note, so that others can link to it.
    headings = [first, *rng.sample(others, k=rng.randint(1, 4))]
    share = left // len(headings)
    for number, heading in enumerate(headings, start=1):
        paragraphs = [f"## {heading}\n"]
        while length < share * number or (number == len(headings) and waiting):
            words = rng.choices(sentences, k=rng.randint(1, 5))
            if waiting and rng.random() < 2 / 3:
                words.insert(rng.randrange(len(words) + 1), waiting.pop())
            paragraph = ("- " if rng.random() < 1 / 4 else "") + " ".join(words) + "\n"
            length += len(paragraph.encode())
            paragraphs.append(paragraph)
        yield "\n".join(paragraphs)


def _linked(note: Planned, notes: Sequence[Planned], rng: random.Random) -> Planned:
    """Pick a note to link to: most links stay near, some go anywhere."""
    if rng.random() < 1 / 4:
        return rng.choice(notes)
    number = int(note.stem.rpartition(" ")[2])
    return notes[(number + rng.randint(1, NOTES_A_FOLDER)) % len(notes)]


def _link(other: Planned, rng: random.Random) -> str:
    drawn = rng.randrange(1000)
    if drawn < DANGLING:
        return f"[[{other.stem} {rng.choice(SYLLABLES)}]]"
    if drawn < DANGLING + BY_TITLE:
        return f"[[{other.alias or other.title}]]"
    if drawn < DANGLING + BY_TITLE + BY_PATH:
        return f"[[{other.path.removesuffix('.md')}|{other.stem}]]"
    form = rng.choice(("[[{}]]", "[[{}]]", "[[{}|mehr]]", "[[{}#{}]]", "[[rel:uses|{}]]"))
    return form.format(other.stem, HEADINGS[other.language][0])


def _candidates(note: Planned, notes: Sequence[Planned], rng: random.Random) -> str:
    lines = [f"- {rng.choice(KINDS)}: {_linked(note, notes, rng).stem}" for _ in range(rng.randint(1, 4))]
    return "\n".join((f"## {SECTIONS[note.language]}\n", *lines, ""))


if __name__ == "__main__":
    raise SystemExit(main())

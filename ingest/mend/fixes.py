"""What `check --fix` can mend in one note: unquoted property links, spellings of kinds, needless candidates. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kantenwerk.config import Vocabulary
from kantenwerk.config.names import kind_key
from kantenwerk.graph.findings import SPELLING
from kantenwerk.graph.model import Link, ParsedNote, WrittenLink
from kantenwerk.ingest.mend.candidates import Taken, take
from kantenwerk.ingest.mend.edits import MOST_TRIALS, Edit, Line, Skipped, most, read_lines
from kantenwerk.ingest.mend.trial import Difference, Trial, codes, unplaced
from kantenwerk.ingest.parse.frontmatter import read_frontmatter
from kantenwerk.ingest.parse.target import Target, is_kind, read_wikilink

REDUNDANT = "redundant-candidate"
UNQUOTED = "property-link-unquoted"
_PROPERTY_RULE = "explicit:property"
# The kinds that plain links and embeds have, which nobody writes out.
_PLAIN = frozenset({"explicit:wikilink", "explicit:markdown", "explicit:embed"})
_TYPED = re.compile(r"\[\[\s*rel:\s*([^|\[\]\n]*)\|", re.IGNORECASE)
_BEFORE_KIND = re.compile(
    r"(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s|\[[^\[\]]\]\s|\[!edge(?:\|[^\]\n]*)?\][+-]?)*+", re.IGNORECASE
)
_KEY = re.compile(r"([\"']?)([\w-]+(?: [\w-]+){0,2})\1[ \t]*:(?=\s|$)")
# A value that YAML reads as a list in a list; with quotes or escapes inside, the name is not what stands there.
_NESTED = re.compile(r"\s*(?:-\s+)*(?:(?![-\s])[^\[\]{}#:]+:\s+)?(\[\[([^\[\]{}\"'\\\n]+)\]\])[ \t]*(?:\s#.*)?$")
_PROBE = "kantenwerkprobe"
IsRight = Callable[[tuple[Edit, ...]], bool]


@dataclass(frozen=True, slots=True)
class Fixes:
    """Edits that are certain, and what could have been mended and is not."""

    edits: tuple[Edit, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def may_be_spelled(note: ParsedNote) -> bool:
    """Tell whether a note writes any kind out, so that it is worth looking at how."""
    return any(link.rule_id not in _PLAIN for link in note.links)


def quote_links(trial: Trial) -> Fixes:
    """Return the edits that put property links in quotes, so that they are links."""
    note, lines = trial.note, read_lines(trial.data)
    told = sorted({found.line for found in note.findings if found.code == UNQUOTED})
    edits, skipped, meant = [], [], {}
    for number in told:
        line = lines[number - 1]
        match = _NESTED.match(line.text)
        target = read_wikilink(match.group(2)) if match else None
        if match is None or not isinstance(target, Target):
            skipped.append(Skipped(note.path, number, "which link is meant is not certain: quote it yourself"))
            continue
        new = f'"{match.group(1)}"'.encode()
        edit = Edit(line.at(match.start(1)), line.at(match.end(1)), new, number, UNQUOTED, "in quotes it is a link")
        edits.append(edit)
        meant[edit] = (target.name, target.anchor)

    def is_right(chosen: tuple[Edit, ...]) -> bool:
        found = trial.difference(chosen)
        return (
            found is not None
            and found.is_harmless
            and not found.gone
            and all(link.rule_id == _PROPERTY_RULE for link in found.new)
            and Counter((link.written, link.anchor) for link in found.new.elements())
            == Counter(meant[edit] for edit in chosen)
            and codes(found.settled) == {UNQUOTED}
            and found.settled.total() == len(chosen)
            and codes(found.told) <= {"unknown-kind"}
        )

    return _certain(trial, edits, skipped, is_right)


def mend(trial: Trial, redundant: Iterable[Link], *, spells: bool) -> Fixes:
    """Return the edits that spell kinds as the vocabulary does, if asked to, and take out what is stated anyway."""
    note, lines = trial.note, read_lines(trial.data)
    skipped: list[Skipped] = []
    taken: dict[Edit, Taken] = {}
    for link in redundant:
        found = take(note, link, lines)
        if isinstance(found, Skipped):
            skipped.append(found)
            continue
        why = f"{found.said} is stated already"
        taken[Edit(found.line.start, found.line.end, b"", link.line, REDUNDANT, why)] = found
    gone = {edit.line for edit in taken}
    spellings = [edit for edit in _spellings(trial, lines) if edit.line not in gone] if spells else []

    def is_right(chosen: tuple[Edit, ...]) -> bool:
        wanted = Counter(unplaced(taken[edit].written) for edit in chosen if edit in taken)
        found = trial.difference(chosen)
        return found is not None and _only_takes(found, wanted)

    edits = [*taken, *_proven(trial, spellings)]
    return _certain(trial, edits, skipped, is_right)


def _only_takes(found: Difference, wanted: Counter[WrittenLink]) -> bool:
    return (
        found.is_harmless
        and found.gone == wanted
        and not found.new
        and not found.told
        and codes(found.settled) <= {"unknown-kind"}
    )


def _certain(
    trial: Trial,
    edits: Sequence[Edit],
    skipped: Sequence[Skipped],
    is_right: IsRight,
) -> Fixes:
    """Return the edits that are right together, and with the others why they are not."""
    right = frozenset(most(edits, is_right))
    wrong = [edit for edit in edits if edit not in right]
    dropped = [
        Skipped(trial.note.path, edit.line, f"{edit.why}, but {_objection(trial, edit, may_try=number < MOST_TRIALS)}")
        for number, edit in enumerate(wrong)
    ]
    return Fixes(tuple(edit for edit in edits if edit in right), (*skipped, *dropped))


def _objection(trial: Trial, edit: Edit, *, may_try: bool) -> str:
    found = trial.difference([edit]) if may_try else None
    if found is not None and found.is_same_note and not found.is_same_evidence:
        return "candidates are judged on this very text"
    return "the note would not be read as before"


# --- spellings


def _spellings(trial: Trial, lines: tuple[Line, ...]) -> Iterator[Edit]:
    """Yield an edit for all that looks like a known kind in another spelling, a link of that kind being near."""
    vocabulary, note = trial.config.vocabulary, trial.note
    body = read_frontmatter(note.path, tuple(line.text for line in lines)).body_start
    kinds: dict[int, set[str]] = {}
    properties = set()
    for link in note.links:
        if vocabulary.is_known(link.kind):
            kinds.setdefault(link.line, set()).add(link.kind)
            if link.rule_id == _PROPERTY_RULE:
                properties.add(link.kind)
    for number, known in kinds.items():
        for start, written in _written_kinds(lines[number - 1].text, in_body=number > body):
            yield from _spelling(lines[number - 1], number, start, written, known, vocabulary)
    for number, line in enumerate(lines[1 : max(body - 1, 1)], 2):
        match = _KEY.match(line.text)
        # A property's name is also what queries ask for: an alias stays.
        if match and kind_key(match.group(2)) in properties:
            yield from _spelling(line, number, match.start(2), match.group(2), properties, vocabulary)


def _written_kinds(text: str, *, in_body: bool) -> Iterator[tuple[int, str]]:
    """Yield where a kind may be written in a line: in `[[rel:kind|`, and in the body before the first colon."""
    for match in _TYPED.finditer(text):
        yield match.start(1), match.group(1).removesuffix("\\").rstrip()
    before = _BEFORE_KIND.match(text)
    start = before.end() if before else 0
    kind, colon, _ = text[start:].partition(":")
    if colon and in_body:
        yield start, kind.rstrip()


def _spelling(
    line: Line, number: int, start: int, written: str, known: set[str], vocabulary: Vocabulary
) -> Iterator[Edit]:
    kind = vocabulary.normalise(written)
    if written != kind and kind in known and is_kind(written):
        span = line.at(start), line.at(start + len(written))
        yield Edit(*span, kind.encode(), number, SPELLING, f"`{written}` is spelled `{kind}`")


def _proven(trial: Trial, edits: list[Edit]) -> list[Edit]:
    """Return the edits of what the parser does read as a link's kind, and not as code or text.

    Proof is by trial: with a kind in its place that nobody has, that very link must get this kind.
    """

    def is_read(chosen: tuple[tuple[int, Edit], ...]) -> bool:
        return _probed(trial, chosen) is not None

    readable = most(tuple(enumerate(edits)), is_read)
    found = _probed(trial, readable) or set()
    return [edit for number, edit in readable if number in found]


def _probed(trial: Trial, chosen: Sequence[tuple[int, Edit]]) -> set[int] | None:
    """Return the numbers of those edits that change a link's kind; None where they change more than kinds."""
    probes = {f"{_PROBE}{number}": (number, edit.new.decode()) for number, edit in chosen}
    probing = [replace(edit, new=f"{_PROBE}{number}".encode()) for number, edit in chosen]
    before, after = trial.note.links, trial.links_after(probing)
    if len(before) != len(after):
        return None
    found = set()
    for old, new in zip(before, after, strict=True):
        if new._replace(kind=old.kind, chunk=old.chunk) != old:
            return None
        number, kind = probes.get(new.kind, (-1, ""))
        if number >= 0 and kind == old.kind:
            found.add(number)
        elif new.kind != old.kind:
            return None
    return found

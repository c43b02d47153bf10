"""Mending changes the lines that it names, comes to an end at once, and leaves the graph as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.ingest.check.scope import Flags
from kantenwerk.ingest.mend.edits import read_lines
from kantenwerk.ingest.mend.run import Look, Mending, find_fixes, find_promotions
from kantenwerk.ingest.mend.write import write_note
from tests.properties.histories import Answered, History, Words, block, edge, front, histories
from tests.properties.profiles import examples, slow
from tests.properties.vaults import new_vault, rows_of, sorted_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.properties.vaults import Vault

ENDS = ("\n", "\n", "\r\n", "\r")
MARKS = ("", "", "- ", "- ", "  - ", "    - ", "      - ", "* [ ] ", "1. ", "> ")
TAILS = ("", "", "", "  ", "\t", " ^mark", " %% why %%", " %% why")
_EDGE = re.compile(r"(?:[a-z]+[_ ]?)+:\S.*")
_PROPERTY = re.compile(r'((?:[a-z]+[_ ]?)+): "(\[\[.*\]\])"')
_KIND = re.compile(r"(?:(?<=rel:)|(?<=\[!edge\] )|^)(?:[a-z]+[_ ]?)+(?=[:|])")


@dataclass(frozen=True)
class Rough:
    """How the notes of a tidy vault are made such as people write: by dice, one for each line in turn."""

    dice: tuple[int, ...]
    with_quotes: bool

    def note(self, text: str) -> str:
        lines = text.split("\n")
        rough = [self._line(line, self.dice[number % len(self.dice)]) for number, line in enumerate(lines)]
        return ("\ufeff" if self.dice[0] % 3 == 0 else "") + "".join(rough)[: -1 if self.dice[-1] % 2 else None]

    def _line(self, line: str, die: int) -> str:
        if _EDGE.fullmatch(line):
            line = MARKS[die % len(MARKS)] + self._spelled(line, die) + TAILS[die // 9 % len(TAILS)]
        elif (prop := _PROPERTY.fullmatch(line)) and not self.with_quotes and die % 2:
            line = f"{self._spelled(prop[1] + ':', die)[:-1]}: {prop[2]}"
        else:
            line = self._spelled(line, die)
        return line + ENDS[die // 5 % len(ENDS)]

    def _spelled(self, line: str, die: int) -> str:
        return _KIND.sub(lambda kind: kind[0].replace("_", "- "[die % 2]).title(), line) if die % 3 else line


def rough(*, with_quotes: bool) -> st.SearchStrategy[Rough]:
    dice = st.lists(st.integers(0, 359), min_size=3, max_size=12).map(tuple)
    return st.builds(Rough, dice, st.just(with_quotes))


_answered = st.builds(
    Answered,
    st.integers(0, 5),
    st.sampled_from(("YES", "YES", "NO", "UNSURE")),
    st.sampled_from(("person", "model")),
    st.sampled_from((True, True, False)),
    st.just("2026-01-01T00:00:00+00:00"),
)
_ALL_PROVEN = [
    Answered(number, "YES", "person", fresh=True, asked_at="2026-01-01T00:00:00+00:00") for number in range(9)
]
ANSWERS = st.one_of(st.lists(_answered, min_size=2, max_size=6), st.just(_ALL_PROVEN), st.just(_ALL_PROVEN))


def begin(vault: Vault, history: History, how: Rough, answers: list[Answered]) -> None:
    """Write the notes, import them, and let candidates be answered."""
    History({path: how.note(text) for path, text in history.notes.items()}, []).begin(vault)
    vault.apply(vault.plan(vault.database), vault.database)
    for answer in answers:
        answer.take(vault)


def mend(vault: Vault, find: Callable[[], Mending]) -> None:
    """Mend the vault; what is not named is not touched, and a second time nothing is to do."""
    mending = find()
    for note in mending.notes:
        assert write_note(vault.root, note) is None
        assert (vault.root / note.path).read_bytes() == note.after
        kept = [
            (start, end, data)
            for start, end, data in split(note.before)
            if not any(edit.start < end and start < edit.end for edit in note.edits)
        ]
        rest = iter(data for *_, data in split(note.after))
        open_ended = split(note.before)[-1:]
        for *place, data in kept:
            # A last line without an end gets one where a line follows it now.
            ends = {data, *(data + end for end in (b"\n", b"\r\n", b"\r") if [(*place, data)] == open_ended)}
            assert any(other in ends for other in rest), "lines that are not named stay as they are, and in order"
    assert find().notes == ()


def split(data: bytes) -> list[tuple[int, int, bytes]]:
    return [(line.start, line.end, data[line.start : line.end]) for line in read_lines(data)]


def graph(vault: Vault, what: str, *databases: Path) -> list[tuple[list[str], list[str]]]:
    """The edges and the candidates that an import of now writes, or that databases hold."""
    if databases:
        found = [rows_of(database, f"SELECT {what} FROM edges", CANDIDATES) for database in databases]
        return [(sorted_rows(edges), sorted_rows(candidates)) for edges, candidates in found]
    result = vault.plan(None)
    names = what.split(", ")
    edges = (tuple(getattr(edge, name) for name in names) for edge in result.plan.edges.added)
    links = (link for links in result.wanted.links.values() for link in links if link.candidate)
    candidates = (
        (link.source, link.kind, link.written, link.target, link.state, link.verdict)
        for link in links
        if link.state != "redundant"
    )
    return [(sorted_rows(edges), sorted_rows(candidates))]


def imported(vault: Vault) -> tuple[Path, Path]:
    """The database that was there and a new one, with the vault as it is now in both."""
    new = vault.new_database()
    vault.apply(vault.plan(vault.database), vault.database)
    vault.apply(vault.plan(new), new)
    return vault.database, new


FIXED = "source, kind, target, provenance, rule_id, confidence, scope, verdict, mirror"
PROMOTED = "source, kind, target"
CANDIDATES = "SELECT source, kind, written, target, state, verdict FROM links WHERE candidate AND state != 'redundant'"


def check_fixes(history: History, how: Rough, answers: list[Answered], *, with_database: bool) -> None:
    with new_vault() as vault:
        begin(vault, history, how, answers)
        (before,) = graph(vault, FIXED)
        mend(vault, lambda: find_fixes(vault.root, vault.config(), Flags()))
        if how.with_quotes:
            databases = imported(vault) if with_database else ()
            assert all(after == before for after in graph(vault, FIXED, *databases))


def check_promotions(history: History, how: Rough, answers: list[Answered], *, drop: bool, with_database: bool) -> None:
    with new_vault() as vault:
        begin(vault, history, how, answers)
        ((edges, _),) = graph(vault, PROMOTED)
        mend(vault, lambda: find_promotions(Look(vault.root, vault.config()), None, drop_rejected=drop))
        databases = imported(vault) if with_database else ()
        assert all(after == edges for after, _ in graph(vault, PROMOTED, *databases))


# Three notes that speak of each other, so that much is stated twice and much can be proven.
_WORDS = st.builds(
    Words,
    st.just(("X.md", "Y.md", "a/Z.md")),
    st.permutations(("X", "Y", "Z", "a/Z", "Missing", "Y")).map(tuple),
    st.permutations(("uses", "used_by", "based_on", "related_to", "mystery")).map(lambda kinds: tuple(kinds[:3])),
)
_POOL = st.builds(
    "Text [[rel:{}]].\n\n{} Edge Pool\n{}".format,
    edge.map(lambda written: written.replace(":", "|")),
    st.sampled_from(("#", "##")),
    st.lists(edge, min_size=2, max_size=5).map("\n".join),
)
_TEXT = st.builds(
    "{}{}\n".format,
    st.one_of(st.just(""), front),
    st.lists(st.one_of(block, _POOL, _POOL), min_size=1, max_size=4).map("\n\n".join),
)
_DENSE = st.builds(
    lambda known, texts: History(dict(zip(known.paths, map(known.fill, texts), strict=True)), []),
    _WORDS,
    st.lists(_TEXT, min_size=3, max_size=3),
)
VAULTS = st.one_of(histories(fewest=0, turns=0), _DENSE, _DENSE)


@given(history=VAULTS, how=rough(with_quotes=True), answers=ANSWERS)
@examples(12)
def test_that_fixes_leave_the_graph_as_it_is(history: History, how: Rough, answers: list[Answered]) -> None:
    check_fixes(history, how, answers, with_database=False)


@given(history=VAULTS, how=rough(with_quotes=False), answers=ANSWERS)
@examples(8)
def test_that_fixes_come_to_an_end_also_where_links_are_quoted(
    history: History, how: Rough, answers: list[Answered]
) -> None:
    check_fixes(history, how, answers, with_database=False)


@given(history=VAULTS, how=rough(with_quotes=True), answers=ANSWERS, drop=st.booleans())
@examples(12)
def test_that_promotions_leave_the_graph_as_it_is(
    history: History, how: Rough, answers: list[Answered], *, drop: bool
) -> None:
    check_promotions(history, how, answers, drop=drop, with_database=False)


@slow
@given(history=VAULTS, how=st.one_of(rough(with_quotes=True), rough(with_quotes=False)), answers=ANSWERS)
def test_that_fixes_always_leave_the_graph_as_it_is(history: History, how: Rough, answers: list[Answered]) -> None:
    check_fixes(history, how, answers, with_database=True)


@slow
@given(history=VAULTS, how=rough(with_quotes=True), answers=ANSWERS, drop=st.booleans())
def test_that_promotions_always_leave_the_graph_as_it_is(
    history: History, how: Rough, answers: list[Answered], *, drop: bool
) -> None:
    check_promotions(history, how, answers, drop=drop, with_database=True)

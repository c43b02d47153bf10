"""`decisions.yaml`: a text file that people merge, mend and add to."""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from kantenwerk.graph.decisions import write_git_files
from kantenwerk.graph.resolutions import (
    RESOLUTIONS,
    RecordedResolution,
    ResolutionChange,
    ResolutionFile,
    changed_text,
    normal,
    parse_resolutions,
    read_resolutions,
    write_resolutions,
)
from tests.properties.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Iterable

NOTHING = ResolutionChange()
ACCEPTED = RecordedResolution(
    "mention:julia", "people/Julia Nürnberg", "accepted", "person", "person", "2026-11-29T10:00:00+00:00"
)
REJECTED = replace(ACCEPTED, b="people/Julia Augsburg", state="rejected")
GUESSED = replace(
    ACCEPTED, b="people/Juliane", method="semantic", decided_by="model", score=0.93, model="m-1", reason="julia, near"
)
NEW = replace(ACCEPTED, b=None, state="new")
LINE = (
    "- {a: 'mention:julia', b: people/Julia Nürnberg, state: accepted, method: person, decided_by: person, "
    "decided_at: '2026-11-29T10:00:00+00:00'}"
)
REST = "method: person, decided_by: person, decided_at: 2026-01-01"

# What YAML might take for something else than a word, or for more than one line.
PIECES = (
    *("\n", "\r", "\r\n", "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe", "\x00", "\x1b", "\t", " ", "  ", "\xa0"),
    *(": ", ":", " #", "#", "- ", "-", "---", "...", "'", '"', "\\", "{", "}", "[", "]", ",", "? ", "&a", "*a", "!x"),
    *("null", "~", "yes", "No", "123", "1e3", "0x1f", "1:30", "2026-01-01", "<<", "=", "|", ">", "%", "@", "`"),
    *("😀", "\U0010ffff", "ü", "u\u0308", "三星", "mention:", "people/Julia", "<<<<<<< HEAD", "𝕏"),
)
CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TEXTS = st.one_of(CHARACTERS, st.lists(st.one_of(st.sampled_from(PIECES), CHARACTERS), max_size=5).map("".join))
WORDS = TEXTS.filter(bool)
BITS = (*PIECES, ", k: ", ", ", "}", "} #", "{", "}", "[", "]", "'x'", '"\\n"')
JUMBLES = st.lists(st.sampled_from(BITS), max_size=12).map("".join)
SCORES = st.floats(0, 1)
MOMENTS = st.one_of(
    st.sampled_from(("2026-01-01", "2026-01-01T10:00:00Z", "2026-01-01T11:00:00+01:00", "20260101T100000")),
    st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat()),
)
NAMES = st.sampled_from(("mention:julia", "mention:julia@daily/2026-03-05", "mention:ibm", "people/Julia"))


def decisions(
    names: st.SearchStrategy[str] = WORDS, moments: st.SearchStrategy[str] = MOMENTS
) -> st.SearchStrategy[RecordedResolution]:
    def build(state: str) -> st.SearchStrategy[RecordedResolution]:
        return st.builds(
            RecordedResolution,
            a=names,
            b=st.none() if state == "new" else names,
            state=st.just(state),
            method=st.sampled_from(("stem", "semantic", "person")),
            decided_by=st.sampled_from(("person", "model")),
            decided_at=moments,
            score=st.none() | SCORES,
            model=st.none() | TEXTS,
            reason=TEXTS,
        )

    # Of what names the nodes as the graph does; another spelling is read as that.
    return st.sampled_from(("accepted", "rejected", "new")).flatmap(build).filter(is_normal)


def is_normal(said: RecordedResolution) -> bool:
    try:
        return normal(said) == said
    except ValueError:
        return False


def parse(*lines: str) -> ResolutionFile:
    return parse_resolutions("".join(f"{line}\n" for line in lines).encode())


def text_of(*said: RecordedResolution) -> str:
    return changed_text(ResolutionFile(), ResolutionChange(said))


def lines_of(said: Iterable[RecordedResolution]) -> list[str]:
    """One line each, also of those that contradict one another."""
    return [text_of(entry).removesuffix("\n") for entry in said]


def codes(file: ResolutionFile) -> list[tuple[int, str, str]]:
    assert all(found.path == ".kantenwerk/decisions.yaml" and found.help for found in file.findings)
    return [(found.line, found.code, found.severity) for found in file.findings]


def rewritten(file: ResolutionFile) -> bytes:
    return changed_text(file, NOTHING).encode(errors="surrogateescape")


def test_a_line_looks_like_this() -> None:
    assert text_of(ACCEPTED) == f"{LINE}\n"
    file = parse(LINE)
    assert file.recorded == {ACCEPTED.pair: ACCEPTED}
    assert file.lines == {ACCEPTED.pair: 1}
    assert not file.findings
    assert yaml.safe_load(text_of(GUESSED)) == [
        {
            "a": "mention:julia",
            "b": "people/Juliane",
            "state": "accepted",
            "method": "semantic",
            "decided_by": "model",
            "decided_at": "2026-11-29T10:00:00+00:00",
            "score": 0.93,
            "model": "m-1",
            "reason": "julia, near",
        }
    ]


@given(decisions())
@examples(400)
@example(replace(ACCEPTED, b="2025-03-05"))
@example(replace(ACCEPTED, b="null", reason="a\nb: c", model=""))
@example(replace(GUESSED, score=1e-7))
def test_what_is_written_comes_back(said: RecordedResolution) -> None:
    text = text_of(said)
    assert text.count("\n") == 1
    assert not {"\r", "\x85", "\u2028", "\u2029"} & set(text)
    for loader in ("CSafeLoader", "SafeLoader"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("kantenwerk.graph.recorded.SAFE_LOADER", getattr(yaml, loader))
            file = parse_resolutions(text.encode())
        assert file.recorded == {said.pair: said}
        assert not file.findings
    assert rewritten(file) == text.encode()
    assert yaml.safe_load(text)[0]["a"] == said.a, "it is YAML to others, too"


@given(decisions())
@examples(60)
def test_what_a_machine_without_libyaml_writes_comes_back(said: RecordedResolution) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kantenwerk.graph.recorded._Dumper", yaml.SafeDumper)
        text = text_of(said)
    assert text.count("\n") == 1
    assert parse_resolutions(text.encode()).recorded == {said.pair: said}


@given(st.lists(decisions(NAMES), max_size=8), st.randoms(use_true_random=False))
@examples(150)
def test_the_order_of_lines_makes_no_difference(said: list[RecordedResolution], chance: random.Random) -> None:
    lines = [f"{line} # {chance.randint(0, 1)}" for line in lines_of(said)]
    file = parse(*lines)
    chance.shuffle(lines)
    other = parse(*lines)
    assert list(file.recorded.items()) == list(other.recorded.items())
    assert file.extras == other.extras
    assert len(file.findings) == len(other.findings)
    assert rewritten(file) == rewritten(other)
    settled = parse_resolutions(rewritten(file))
    assert settled.recorded == file.recorded
    assert not settled.findings
    standing = [entry.a for entry in file.recorded.values() if entry.a.startswith("m") and entry.state != "rejected"]
    assert len(standing) == len(set(standing))


@given(
    st.one_of(
        st.binary(max_size=80), JUMBLES.map(lambda text: f"- {{a: x, b: y, state: accepted, {REST}{text}".encode())
    ),
    st.sampled_from((b"", f"{LINE}\n".encode())),
)
@examples(300)
def test_any_bytes_are_a_file_and_what_is_damaged_survives(data: bytes, before: bytes) -> None:
    file = parse_resolutions(before + data)
    assert (ACCEPTED.pair in file.recorded) == bool(before)
    last = (before + data).count(b"\n") + 1
    assert all(1 <= found.line <= last for found in file.findings)
    once = rewritten(file)
    again = parse_resolutions(once)
    assert (again.damaged, again.comments, again.recorded) == (file.damaged, file.comments, file.recorded)
    assert rewritten(again) == once


DAMAGE = {
    "no-yaml": "- {",
    "no-mapping": "- [a, b]",
    "nothing": "null",
    "a-dash": "-",
    "empty": "- {}",
    "marker": "<<<<<<< HEAD",
    "marker-middle": "=======",
    "marker-end": ">>>>>>> other",
    "two-in-one": f"{LINE} {LINE}",
    "two-joined": f"{LINE}{LINE[2:]}",
    "two-documents": f"{LINE[2:]}\x85--- {LINE[2:]}",
    "block": "- a: 'mention:julia'",
    "twice": LINE.replace("{a:", "{a: x, a:"),
    "a-missing": LINE.replace("a: 'mention:julia', ", ""),
    "a-null": LINE.replace("'mention:julia'", "~"),
    "a-empty": LINE.replace("'mention:julia'", "''"),
    "a-list": LINE.replace("'mention:julia'", "['mention:julia']"),
    "b-missing": LINE.replace("b: people/Julia Nürnberg, ", ""),
    "b-empty": LINE.replace("people/Julia Nürnberg", "''"),
    "b-beside-new": LINE.replace("accepted", "new"),
    "comma": LINE.replace("Julia Nürnberg", "Nürnberg, Julia"),
    "state": LINE.replace("accepted", "proposed"),
    "state-missing": LINE.replace("state: accepted, ", ""),
    "method": LINE.replace("method: person", "method: guess"),
    "decided-by": LINE.replace("decided_by: person", "decided_by: rule"),
    "decided-at": LINE.replace("2026-11-29", "2026-13-29"),
    "decided-at-missing": LINE.replace("decided_at", "when"),
    "score-text": LINE.replace("}", ", score: high}"),
    "score-true": LINE.replace("}", ", score: true}"),
    "score-nan": LINE.replace("}", ", score: .nan}"),
    "score-python-nan": LINE.replace("}", ", score: nan}"),
    "score-beyond-one": LINE.replace("}", ", score: 7.5}"),
    "score-huge": LINE.replace("}", f", score: {'9' * 5000}}}"),
    "half-a-character": LINE.replace("'mention:julia'", '"\\ud800"'),
    "no-character": LINE.replace("'mention:julia'", '"\\UFFFFFFFF"'),
    "deep": LINE.replace("}", f", x: {'[' * 5000}{']' * 5000}}}"),
    "open": "[" * 10_000,
    "long": LINE.replace("julia", "julia" * 60_000),
    "binary": "\x00\x01\x02",
    "alias": LINE.replace("}", ", x: *nobody}"),
}


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
@pytest.mark.parametrize("line", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_line_costs_only_itself(line: str, loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kantenwerk.graph.recorded.SAFE_LOADER", getattr(yaml, loader))
    file = parse(LINE, line)
    assert file.recorded == {ACCEPTED.pair: ACCEPTED}
    assert codes(file) == [(2, "decision-damaged", "warning")]
    assert "\n" not in file.findings[0].message
    assert len(file.findings[0].message) < 200
    assert "- {a: 'mention:name', b: note, state: accepted" in file.findings[0].help
    assert rewritten(file) == f"{LINE}\n{line}\n".encode()


def test_a_line_that_is_no_utf_8_survives_as_it_was(tmp_path: Path) -> None:
    broken = LINE.encode("latin-1")
    (tmp_path / RESOLUTIONS).parent.mkdir()
    (tmp_path / RESOLUTIONS).write_bytes(broken + b"\n")
    write_resolutions(tmp_path, ResolutionChange((NEW,)))
    assert (tmp_path / RESOLUTIONS).read_bytes() == text_of(NEW).encode() + broken + b"\n"
    file = read_resolutions(tmp_path)
    assert file.recorded == {NEW.pair: NEW}
    assert file.findings[0].message == "the line is no decision: it is no UTF-8"


def test_a_decision_over_several_lines_is_damaged_and_stays_together() -> None:
    block = ("- a: mention:ibm", "  b: org/IBM", "  state: accepted", f"  {REST.replace(', ', chr(10) + '  ')}")
    file = parse(*block, LINE)
    assert file.recorded == {ACCEPTED.pair: ACCEPTED}
    assert {code for _, code, _ in codes(file)} == {"decision-damaged"}
    assert len(file.findings) == 6
    text = rewritten(file).decode()
    assert text == "".join(f"{line}\n" for line in (LINE, *block)), "nothing in it is moved"


def test_a_file_by_hand() -> None:
    by_hand = f"""\
# Who is who.
---

-  {{a: mention:julia, b: people/Julia Nürnberg, state: accepted, {REST}}}   # the colleague
{{"a": "mention:ibm", "b": "org/IBM", "state": "rejected", {REST}, reviewer: the owner}}
  # Days are notes, too.
- {{state: accepted, {REST}, b: 2025-03-05, a: mention:today, reason: null, score: 1}}
- {{a: mention:no, b: No, state: accepted, {REST}}}
"""
    file = parse_resolutions(b"\xef\xbb\xbf" + by_hand.replace("\n", "\r\n").encode())
    assert not file.findings
    assert [(said.a, said.b, said.state) for said in file.recorded.values()] == [
        ("mention:ibm", "org/IBM", "rejected"),
        ("mention:julia", "people/Julia Nürnberg", "accepted"),
        ("mention:no", "No", "accepted"),
        ("mention:today", "2025-03-05", "accepted"),
    ]
    assert file.lines["mention:today", "2025-03-05"] == 7
    assert (
        rewritten(file).decode()
        == """\
# Who is who.
---
# Days are notes, too.
- {a: 'mention:ibm', b: org/IBM, state: rejected, method: person, decided_by: person, decided_at: '2026-01-01', \
reviewer: the owner}
- {a: 'mention:julia', b: people/Julia Nürnberg, state: accepted, method: person, decided_by: person, \
decided_at: '2026-01-01'} # the colleague
- {a: 'mention:no', b: 'No', state: accepted, method: person, decided_by: person, decided_at: '2026-01-01'}
- {a: 'mention:today', b: '2025-03-05', state: accepted, method: person, decided_by: person, \
decided_at: '2026-01-01', score: 1.0}
"""
    )


@pytest.mark.parametrize(
    "extra",
    [
        "reviewer: the owner",
        'when: 2026-01-01, by: [x, {y: null, 1: 0x10}], tags: !!set {b, a}, "long\\nkey": "a\\u2028b", é: "😀"',
        "? [1, 2] : !mine x, raw: !!binary aGFsbG8=, deep: " + "[" * 200 + "]" * 200,
        "k" * 200 + ": 'it''s'",
    ],
)
def test_fields_of_others_survive(extra: str) -> None:
    line = f"{LINE[:-1]}, {extra}}}"
    file = parse(line)
    assert not file.findings
    once = rewritten(file)
    assert once.count(b"\n") == 1
    assert yaml.compose(once.decode()) is not None
    assert rewritten(parse_resolutions(once)) == once
    # An answer to the same question takes them over, and what makes way takes its own along.
    other = changed_text(file, ResolutionChange((replace(ACCEPTED, state="rejected"),)))
    assert other == once.decode().replace("accepted", "rejected")
    assert changed_text(file, ResolutionChange((NEW,))) == text_of(NEW)


def test_yaml_that_explodes_does_not() -> None:
    bomb = ", ".join(f"k{level}: &k{level} [{', '.join([f'*k{level - 1}'] * 9)}]" for level in range(1, 30))
    merges = ", ".join(f"m{level}: &m{level} {{<<: [{', '.join([f'*m{level - 1}'] * 9)}]}}" for level in range(1, 30))
    line = f"- &all {{{LINE[3:-1]}, k0: &k0 [x], {bomb}, m0: &m0 {{x: y}}, {merges}, me: *all}}"
    file = parse(line, LINE.replace("accepted", "rejected"))
    assert file.recorded == {ACCEPTED.pair: replace(ACCEPTED, state="rejected")}
    once = rewritten(parse(line))
    assert once.count(b"\n") == 1
    assert len(once) < 3 * len(line)
    assert parse_resolutions(once).recorded == {ACCEPTED.pair: ACCEPTED}


def at(said: RecordedResolution, day: int, **changes: object) -> RecordedResolution:
    return replace(said, decided_at=f"2026-01-{day:02d}", **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wins", "loses"),
    [
        # One pair: a person before a model, then the newest, in whatever time zone, then the line.
        (at(ACCEPTED, 1), at(ACCEPTED, 2, state="rejected", decided_by="model")),
        (at(ACCEPTED, 2, state="rejected"), at(ACCEPTED, 1)),
        (
            replace(ACCEPTED, state="rejected", decided_at="2026-01-01T10:30:00+00:00"),
            replace(ACCEPTED, decided_at="2026-01-01T11:00:00+01:00"),
        ),
        (at(ACCEPTED, 1, reason="b"), at(ACCEPTED, 1, reason="a")),
        # One mention is one thing.
        (at(ACCEPTED, 1), at(GUESSED, 2)),
        (at(ACCEPTED, 2, b="x"), at(ACCEPTED, 1, b="y")),
        (at(NEW, 2), at(ACCEPTED, 1)),
        (at(ACCEPTED, 1), at(NEW, 2, decided_by="model")),
        (at(ACCEPTED, 1, b="y"), at(ACCEPTED, 1, b="x")),
    ],
)
def test_the_stronger_line_counts(wins: RecordedResolution, loses: RecordedResolution) -> None:
    lines = lines_of((loses, wins))
    for order in (lines, lines[::-1]):
        file = parse(*order)
        assert file.recorded == {wins.pair: wins}
        assert codes(file) == [(order.index(lines[0]) + 1, "decision-conflict", "warning")]
        message = file.findings[0].message
        assert f"line {order.index(lines[1]) + 1}" in message
        assert all((said.b or "a thing of its own") in message for said in (wins, loses))
        assert rewritten(file).decode() == text_of(wins)


def test_a_line_that_lost_its_name_loses_its_pair_too() -> None:
    """What a model said of a pair before does not come back because the newer answer lost to another note."""
    older, newer = at(GUESSED, 1, state="rejected"), at(GUESSED, 2)
    file = parse(*lines_of((older, newer, at(ACCEPTED, 1))))
    assert list(file.recorded) == [ACCEPTED.pair]
    assert len(file.findings) == 2


def test_what_does_not_contradict_stands_side_by_side() -> None:
    said = (
        ACCEPTED,
        REJECTED,
        replace(ACCEPTED, a="mention:julia@daily/2026-03-05", b="people/Julia Augsburg"),
        # What is no mention may be the same as several.
        replace(ACCEPTED, a="people/J", b="x"),
        replace(ACCEPTED, a="people/J", b="y"),
    )
    file = parse(*lines_of(said), *lines_of(said))
    assert file.recorded == {entry.pair: entry for entry in said}
    assert not file.findings, "a line twice is no conflict"
    assert rewritten(file).decode() == text_of(*said)


def test_a_change_takes_the_place_of_what_it_contradicts() -> None:
    file = parse(*lines_of((GUESSED, REJECTED)), "# why", "half a line, {")

    def after(*added: RecordedResolution, removed: tuple[tuple[str, str | None], ...] = ()) -> set[RecordedResolution]:
        text = changed_text(file, ResolutionChange(added, removed))
        lines = text.splitlines()
        assert (lines[0], lines[-1]) == ("# why", "half a line, {")
        assert lines[1:-1] == sorted(lines[1:-1])
        result = parse_resolutions(text.encode())
        assert [code for _, code, _ in codes(result)] == ["decision-damaged"]
        return set(result.recorded.values())

    assert after() == {GUESSED, REJECTED}
    assert after(ACCEPTED) == {ACCEPTED, REJECTED}
    assert after(NEW) == {NEW, REJECTED}
    assert after(NEW, ACCEPTED) == {ACCEPTED, REJECTED}
    no_longer = replace(GUESSED, state="rejected")
    assert after(no_longer, ACCEPTED) == {ACCEPTED, REJECTED, no_longer}
    assert after(replace(REJECTED, state="accepted")) == {replace(REJECTED, state="accepted")}
    assert after(removed=(GUESSED.pair, ("mention:nobody", None))) == {REJECTED}
    assert after(ACCEPTED, removed=(REJECTED.pair,)) == {ACCEPTED}
    # A person may have answered while the model was at it.
    assert after(replace(GUESSED, b=REJECTED.b)) == {GUESSED, REJECTED}
    assert after(replace(GUESSED, score=0.95)) == {replace(GUESSED, score=0.95), REJECTED}


@pytest.mark.parametrize(
    "said",
    [
        replace(ACCEPTED, a=""),
        replace(ACCEPTED, b=None),
        replace(NEW, b="x"),
        replace(ACCEPTED, score=float("nan")),
        replace(ACCEPTED, decided_at="yesterday"),
        replace(ACCEPTED, b="\ud800"),
        replace(ACCEPTED, a="\udcfc"),
        replace(ACCEPTED, reason="x" * 20_000),
    ],
)
def test_what_would_not_come_back_is_not_written(said: RecordedResolution, tmp_path: Path) -> None:
    write_resolutions(tmp_path, ResolutionChange((REJECTED,)))
    with pytest.raises(ValueError, match=r"\w"):
        write_resolutions(tmp_path, ResolutionChange((said,)))
    assert (tmp_path / RESOLUTIONS).read_text("utf-8") == text_of(REJECTED)


def test_a_long_line_by_hand_can_be_rewritten() -> None:
    line = LINE.replace("}", f', reason: "\\n{"😀" * 19_000}"}}')
    file = parse(line)
    assert not file.findings
    once = rewritten(file)
    assert parse_resolutions(once).recorded == file.recorded


def test_reading_and_writing_files(tmp_path: Path) -> None:
    path = tmp_path / RESOLUTIONS
    write_resolutions(tmp_path, NOTHING)
    assert not path.parent.exists()
    assert read_resolutions(tmp_path) == ResolutionFile()
    write_resolutions(tmp_path, ResolutionChange((REJECTED, ACCEPTED)))
    data = path.read_bytes()
    assert data == text_of(ACCEPTED, REJECTED).encode()
    file = read_resolutions(tmp_path)
    assert file.digest
    write_resolutions(tmp_path, ResolutionChange((ACCEPTED,)))
    assert path.read_bytes() == data
    assert read_resolutions(tmp_path) == file
    write_resolutions(tmp_path, ResolutionChange(removed=(ACCEPTED.pair,)))
    assert read_resolutions(tmp_path).digest != file.digest
    assert [entry.name for entry in path.parent.iterdir()] == ["decisions.yaml"]


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / RESOLUTIONS
    path.mkdir(parents=True)
    file = read_resolutions(tmp_path)
    assert not file.is_readable
    assert codes(file) == [(1, "unreadable", "error")]
    with pytest.raises(PermissionError):
        write_resolutions(tmp_path, ResolutionChange((ACCEPTED,)))
    assert path.is_dir()


def git(vault: Path, *words: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    command = ["git", *settings, "-C", str(vault), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(vault: Path) -> None:
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "x")


def merge(vault: Path, common: Iterable[RecordedResolution], *branches: tuple[RecordedResolution, ...]) -> Path:
    """Decide on each branch, merge them all, and return the file."""
    git(vault, "init", "-q")
    write_git_files(vault)
    write_resolutions(vault, ResolutionChange(tuple(common)))
    commit(vault)
    for number, added in enumerate(branches):
        git(vault, "checkout", "-qb", f"branch-{number}", "main")
        write_resolutions(vault, ResolutionChange(added))
        commit(vault)
    git(vault, "checkout", "-q", "main")
    for number in range(len(branches)):
        git(vault, "merge", "-q", f"branch-{number}", "-m", "merge")
    return vault / RESOLUTIONS


def test_two_branches_merge(tmp_path: Path) -> None:
    common = replace(ACCEPTED, a="mention:ibm", b="org/IBM")
    one = (ACCEPTED, replace(ACCEPTED, a="mention:aal", b="Aal"))
    two = (REJECTED, replace(NEW, a="mention:zoo"))
    path = merge(tmp_path, (common,), one, two)
    file = read_resolutions(tmp_path)
    assert set(file.recorded.values()) == {common, *one, *two}
    assert not file.findings
    write_resolutions(tmp_path, ResolutionChange((common,)))
    assert path.read_text("utf-8") == text_of(common, *one, *two)


@pytest.mark.parametrize("common", [(), (GUESSED,)])
def test_two_branches_disagree(tmp_path: Path, common: tuple[RecordedResolution, ...]) -> None:
    newer = replace(NEW, decided_at="2026-12-24T10:00:00+00:00")
    path = merge(tmp_path, common, (newer,), (ACCEPTED,))
    assert len(path.read_text("utf-8").splitlines()) == 2
    file = read_resolutions(tmp_path)
    assert set(file.recorded.values()) == {newer}
    assert [code for _, code, _ in codes(file)] == ["decision-conflict"]
    write_resolutions(tmp_path, ResolutionChange((newer,)))
    assert path.read_text("utf-8") == text_of(newer)
    assert not read_resolutions(tmp_path).findings

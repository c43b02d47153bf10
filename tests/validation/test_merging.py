"""`verdicts.jsonl`: a text file that people merge, mend and add to."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.servers.scripted import Received, Response, says
from tests.validation.desk import Desk, asks_about, note, read_lines

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript
    from tests.validation.conftest import Begin

FIELDS = {"p_yes": None, "confidence": 1.0, "judge": "person", "evidence_hash": "0", "asked_at": "2026-01-01T00:00:00"}
CLAIM = {"key": "k", "source": "A", "kind": "depends_on", "target": "B", "answer": "YES"}
GOOD = {**FIELDS, **CLAIM}


def damaged(**changes: object) -> str:
    return json.dumps({**GOOD, **changes})


DAMAGE = {
    "no-json": "{",
    "no-object": "[]",
    "nothing": "null",
    "marker": "<<<<<<< HEAD",
    "two-in-one": f"{json.dumps(GOOD)}{json.dumps(GOOD)}",
    "empty": "{}",
    "answer": damaged(answer="MAYBE"),
    "answer-list": damaged(answer=["YES"]),
    "judge": damaged(judge="jury"),
    "key-number": damaged(key=7),
    "key-missing": json.dumps({name: value for name, value in GOOD.items() if name != "key"}),
    "confidence-text": damaged(confidence="high"),
    "confidence-nan": damaged(confidence=float("nan")),
    "confidence-infinite": json.dumps(GOOD).replace("1.0", "1e999"),
    "tokens-text": damaged(tokens="many"),
    "deep": "[" * 100_000,
    "long-number": f'{{"key": {"9" * 5000}}}',
    "binary": "\x00\x01\x02",
}
HARSH = {
    "confidence-huge": damaged(confidence=10**400),
    "confidence-beyond-one": damaged(confidence=7.5),
    "probability-below-zero": damaged(p_yes=-1),
    "tokens-beyond-a-column": damaged(tokens=10**30),
    "half-a-character": damaged(source="\ud800"),
}


def build(desk: Desk) -> None:
    """Two candidates that nobody has judged."""
    desk.write("A.md", note("A", "A braucht B und C.", ["depends_on:B", "depends_on:C"]))
    for name in "BC":
        desk.write(f"{name}.md", f"# {name}\n\n{name}.\n")
    desk.apply()


@pytest.fixture
def vault(begin: Begin) -> Desk:
    """That vault."""
    return begin(build)


def git(vault: Desk, *words: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    command = ["git", *settings, "-C", str(vault.root), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(vault: Desk) -> None:
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "x")


def test_two_branches_merge(vault: Desk, scripted: ServeScript) -> None:
    git(vault, "init", "-q")
    commit(vault)
    assert git(vault, "ls-files").split() == [
        ".kantenwerk/.gitattributes",
        ".kantenwerk/.gitignore",
        "A.md",
        "B.md",
        "C.md",
    ]
    # On one branch a model proves the one, on the other a person the other.
    git(vault, "checkout", "-qb", "one")

    def answer(request: Received) -> Response:
        return says("YES", p_yes=0.9 if asks_about(request, "B") else 0.2)

    vault.point(scripted(answer), max_calls=1)
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "B")}
    commit(vault)
    git(vault, "checkout", "-q", "main")
    git(vault, "checkout", "-qb", "two")
    vault.unplug()
    vault.judge("A", "depends_on", "C")
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "C")}
    commit(vault)
    git(vault, "merge", "-q", "one", "-m", "merge")
    assert len(read_lines(vault.verdicts_file)) == 2
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "B"), ("A", "depends_on", "C")}
    assert not vault.codes()
    assert git(vault, "status", "--porcelain") == "", "an import changes nothing that git knows"
    before = vault.tables()
    assert vault.rebuild() == before


def test_two_branches_disagree(vault: Desk) -> None:
    git(vault, "init", "-q")
    commit(vault)
    for branch, answer, when in (("one", "NO", "2026-03-01"), ("two", "YES", "2026-02-01")):
        git(vault, "checkout", "-q", "main")
        git(vault, "checkout", "-qb", branch)
        vault.judge("A", "depends_on", "B", "YES")
        text = vault.verdicts_file.read_text("utf-8")
        vault.verdicts_file.write_text(text.replace('"YES"', f'"{answer}"').replace("2026-01-02", when), "utf-8")
        commit(vault)
    git(vault, "merge", "-q", "one", "-m", "merge")
    assert len(read_lines(vault.verdicts_file)) == 2
    vault.apply()
    assert vault.stand("B").state == "rejected", "the newest counts"
    assert vault.codes()["decision-conflict"] == 1
    assert vault.rows("SELECT path FROM findings WHERE code = 'decision-conflict'") == [(".kantenwerk/verdicts.jsonl",)]
    assert [found["code"] for found in vault.json(command="check")].count("decision-conflict") == 1


def test_the_order_of_lines_makes_no_difference(vault: Desk) -> None:
    for answer, when in (("YES", "2026-02-01"), ("NO", "2026-04-01"), ("YES", "2026-03-01")):
        vault.judge("A", "depends_on", "B", "YES")
        lines = vault.verdicts_file.read_text("utf-8").splitlines()
        lines[-1] = lines[-1].replace('"YES"', f'"{answer}"').replace("2026-01-02", when)
        vault.verdicts_file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for order in (lines, lines[::-1], sorted(lines), lines[1:] + lines[:1]):
        vault.verdicts_file.write_text("".join(f"{line}\n" for line in order), "utf-8")
        vault.apply()
        assert vault.stand("B").state == "rejected"


def test_a_line_twice_is_no_conflict(vault: Desk) -> None:
    vault.judge("A", "depends_on", "B")
    vault.judge("A", "depends_on", "B")
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "B")}
    assert "decision-conflict" not in vault.codes()


def damaged_lines(vault: Desk) -> list[tuple[object, ...]]:
    where = "path = '.kantenwerk/verdicts.jsonl'"
    return [(*row,) for row in vault.rows(f"SELECT code, severity, line FROM findings WHERE {where} ORDER BY line")]


def test_damaged_lines_cost_only_themselves(vault: Desk) -> None:
    vault.add_lines(*DAMAGE.values())
    vault.judge("A", "depends_on", "C")
    assert vault.run("check").exit_code == 0
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "C")}
    assert damaged_lines(vault) == [("verdict-damaged", "warning", line + 1) for line in range(len(DAMAGE))]


@pytest.mark.parametrize("line", HARSH.values(), ids=HARSH)
def test_a_damaged_line_costs_only_itself(vault: Desk, line: str) -> None:
    vault.add_lines(line)
    vault.judge("A", "depends_on", "C")
    assert vault.run("check").exit_code == 0
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "C")}
    assert damaged_lines(vault) == [("verdict-damaged", "warning", 1)]


def test_a_damaged_line_alone(vault: Desk) -> None:
    vault.apply()
    vault.add_lines("half a line, {")
    vault.apply()
    assert damaged_lines(vault) == [("verdict-damaged", "warning", 1)]


def test_a_line_that_is_no_utf_8_costs_only_itself(vault: Desk) -> None:
    vault.verdicts_file.write_bytes(b'{"key": "\xff\xfe"}\n')
    vault.judge("A", "depends_on", "C")
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "C")}
    assert vault.codes()["verdict-damaged"] == 1


def test_what_is_not_ours_survives_a_rewrite(vault: Desk, scripted: ServeScript) -> None:
    vault.judge("A", "depends_on", "B")
    ours = json.loads(vault.verdicts_file.read_text("utf-8"))
    theirs = {**ours, "reviewer": "the owner", "notes": {"why": ["ja", 1, None]}, "é": "ü"}
    broken = "half a line, {"
    vault.verdicts_file.write_text(f"{json.dumps(theirs)}\n{broken}\n", "utf-8")
    vault.point(scripted(says("NO")))
    vault.apply()
    assert vault.states() == {"verified": 1, "rejected": 1}
    lines = vault.verdicts_file.read_text("utf-8").splitlines()
    assert lines == sorted(lines)
    assert broken in lines
    kept = [json.loads(line) for line in lines if line != broken]
    assert theirs in kept
    assert len(kept) == 2
    # A verdict that moves with its note takes them along.
    (vault.root / "A.md").rename(vault.root / "Z.md")
    vault.apply()
    lines = vault.verdicts_file.read_text("utf-8").splitlines()
    assert broken in lines
    (moved,) = (json.loads(line) for line in lines if "reviewer" in line)
    assert moved == {**theirs, "key": moved["key"], "source": "Z"}


def test_what_comes_while_models_are_asked_is_kept(vault: Desk, scripted: ServeScript) -> None:
    """A person answers, or git pulls, during an import that takes an hour."""

    vault.judge("A", "depends_on", "C", "NO")
    text = vault.verdicts_file.read_bytes()
    vault.verdicts_file.unlink()

    def answer(_request: Received) -> Response:
        vault.verdicts_file.write_bytes(text)
        return says("YES")

    vault.point(scripted(answer))
    vault.apply()
    assert [line["judge"] for line in read_lines(vault.verdicts_file)].count("person") == 1
    vault.apply()
    assert vault.stand("C").state == "rejected"


def test_a_file_from_another_system(vault: Desk) -> None:
    vault.judge("A", "depends_on", "B")
    text = vault.verdicts_file.read_bytes()
    vault.verdicts_file.write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n") + b"\r\n\r\n")
    vault.apply()
    assert vault.triples() == {("A", "depends_on", "B")}
    assert vault.codes() == {"candidate-pending": 1}


def test_a_file_that_is_written_is_sorted_and_ends_its_last_line(vault: Desk, scripted: ServeScript) -> None:
    vault.point(scripted(says("YES")))
    vault.apply()
    data = vault.verdicts_file.read_bytes()
    assert data.endswith(b"}\n")
    assert b"\r" not in data
    lines = data.decode().splitlines()
    assert lines == sorted(lines)
    for line in lines:
        keys = list(json.loads(line))
        assert keys == sorted(keys)
    assert sorted(path.name for path in (vault.root / ".kantenwerk").iterdir() if "verdicts" in path.name) == [
        "verdicts.jsonl"
    ]


def test_a_file_that_cannot_be_read_loses_nothing(vault: Desk, scripted: ServeScript) -> None:
    vault.judge("A", "depends_on", "B")
    vault.apply()
    data = vault.verdicts_file.read_bytes()
    edges = vault.edges()
    server = scripted(says("NO"))
    vault.point(server)
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == vault.verdicts_file:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        result = vault.run("import", "--apply")
    assert result.exit_code in {1, 3}
    assert "verdicts.jsonl" in result.output
    assert vault.verdicts_file.read_bytes().startswith(data), "what people said is not written over"
    assert vault.edges() == edges

"""Files and folders that cannot be read or written, or that change meanwhile: told, and nothing is lost."""

from __future__ import annotations

from contextlib import contextmanager
from shutil import rmtree
from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest import changes, scan
from tests.faults.commands import ALL, READING, WRITING, files, run
from tests.faults.rights import like_anybody, with_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.validation.desk import Desk

IN_FOLDER = ("import", "review --answer", "clarify --answer", "resolutions reject")
"""What writes into `.kantenwerk`."""


@pytest.mark.parametrize("mode", [0, 0o300, 0o600])
def test_a_vault_that_cannot_be_read_is_not_an_empty_one(desk: Desk, mode: int) -> None:
    before = files(desk)
    with with_mode(desk.root, mode):
        for name in ALL:
            result = run(desk, ALL[name])
            assert (name, result.exit_code) == (name, 2)
            assert f"{desk.root} cannot be read: Permission denied: give yourself the right" in result.stderr
    assert files(desk) == before


def test_a_vault_below_a_folder_that_cannot_be_entered(desk: Desk) -> None:
    with with_mode(desk.root.parent, 0o600):
        result = run(desk, ALL["import"])
    assert result.exit_code == 2
    assert "cannot be read: Permission denied" in result.stderr


@pytest.mark.parametrize("what", ["missing", "empty", "a file"])
def test_a_vault_that_is_none(desk: Desk, tmp_path: Path, what: str) -> None:
    before = files(desk)
    place = tmp_path / "other"
    if what == "empty":
        place.mkdir()
    elif what == "a file":
        place.write_text("# no vault\n")
    for name in ALL.keys() - {"init", "resolutions", "resolutions reject"}:
        words = ALL[name]
        result = desk.run(words[0], *words[1:], "--vault", str(place))
        assert (name, result.exit_code) == (name, 2)
        assert result.stderr.startswith(f"kantenwerk: {place} ")
    result = desk.run("import", "--apply", "--vault", str(place), "--db", str(desk.database))
    assert result.exit_code == 2
    assert files(desk) == before


@pytest.mark.parametrize("place", ["A.md", "people"])
def test_what_cannot_be_read_keeps_its_edges(desk: Desk, place: str) -> None:
    desk.apply()
    before = desk.tables()
    desk.close()
    with with_mode(desk.root / place, 0):
        for name, code in (("preview", 1), ("check", 1), ("import", 1)):
            result = run(desk, ALL[name])
            assert (name, result.exit_code) == (name, code)
            assert f"{place}" in result.output
            assert "cannot be read: Permission denied" in result.output
    now = desk.tables()
    assert [name for name in before if before[name] != now[name]] == ["findings"]
    desk.apply()
    assert desk.tables() == before


def test_what_cannot_be_read_is_judged_again_where_all_else_is_read_anew(desk: Desk) -> None:
    desk.write("C.md", "# C\n\n## Candidates\n\nuses:D\n")
    desk.write("D.md", "# D\n\nText.\n")
    desk.apply()
    assert desk.stand("D", "C").state == "pending"
    desk.close()
    desk.write("D.md", "# D\n\nText.\n\n[[rel:used_by|C]]\n")
    # With other settings every note is read.
    desk.write(".kantenwerk/settings.yaml", "dataview_fields: true\n")
    with with_mode(desk.root / "C.md", 0):
        assert run(desk, ALL["import"]).exit_code == 1
    assert desk.stand("D", "C").state == "redundant"


def test_what_cannot_be_read_has_the_mirrors_of_other_kinds(desk: Desk) -> None:
    desk.write(".kantenwerk/edges.yaml", "kinds:\n  uses: {mirrored: false}\n")
    desk.write("C.md", "# C\n\n[[rel:uses|D]]\n")
    desk.write("D.md", "# D\n\nText.\n")
    desk.apply()
    mirrors = "SELECT kind, mirror FROM edges WHERE source = 'D' AND target = 'C'"
    assert desk.rows(mirrors) == []
    desk.close()
    desk.write(".kantenwerk/edges.yaml", "kinds: {}\n")
    with with_mode(desk.root / "C.md", 0):
        assert run(desk, ALL["import"]).exit_code == 1
    assert desk.rows(mirrors) == [("used_by", True)]


def test_what_cannot_be_read_while_all_else_is_read_anew_is_read_anew_later(desk: Desk) -> None:
    desk.write("C.md", "# C\n\n## Ahnungen\n\n- uses:D\n")
    desk.write("D.md", "# D\n\nText.\n")
    desk.apply()
    desk.close()
    desk.write(".kantenwerk/settings.yaml", "candidate_headings: [Ahnungen]\n")
    with with_mode(desk.root / "C.md", 0):
        assert run(desk, ALL["import"]).exit_code == 1
    assert desk.rows("SELECT source FROM links WHERE candidate") == []
    desk.apply()
    assert desk.rows("SELECT source, kind, target FROM links WHERE candidate") == [("C", "uses", "D")]
    assert desk.tables() == desk.rebuild()


@pytest.mark.parametrize("name", sorted(READING))
def test_a_read_only_vault_can_be_read(desk: Desk, name: str) -> None:
    with with_mode(desk.root / ".kantenwerk", 0o500), with_mode(desk.root, 0o500):
        assert run(desk, READING[name]).exit_code == 0


@pytest.mark.parametrize("name", sorted(WRITING))
def test_a_read_only_vault_is_told_and_stays_as_it_is(desk: Desk, name: str) -> None:
    # What `init` wants to write must be missing.
    before = files(desk)
    with with_mode(desk.root / ".kantenwerk", 0o500), with_mode(desk.root, 0o500):
        result = run(desk, WRITING[name])
    assert result.exit_code == (3 if name in IN_FOLDER else 1)
    assert "cannot be written: Permission denied" in result.stderr
    assert files(desk) == before
    assert run(desk, WRITING[name]).exit_code == 0


@pytest.mark.parametrize("file", ["verdicts.jsonl", "decisions.yaml"])
@pytest.mark.parametrize(
    "name", ["preview", "import", "check", "review --answer", "clarify --answer", "promote --apply"]
)
def test_decisions_that_cannot_be_read_are_never_taken_for_none(desk: Desk, file: str, name: str) -> None:
    assert run(desk, ALL["clarify --answer"]).exit_code == 0
    before = files(desk)
    path = desk.root / ".kantenwerk" / file
    with with_mode(path, 0):
        result = run(desk, ALL[name])
    assert result.exit_code == 1
    assert f"{path}: it cannot be read: Permission denied" in result.stderr
    assert files(desk) == before


@pytest.mark.parametrize("name", ["lock", "lock.json", "journal.jsonl"])
def test_a_folder_where_a_file_belongs(desk: Desk, name: str) -> None:
    (desk.root / ".kantenwerk" / name).unlink(missing_ok=True)
    (desk.root / ".kantenwerk" / name).mkdir()
    result = run(desk, ALL["import"])
    assert result.exit_code == 3
    assert "cannot be written: Is a directory" in result.stderr


def test_what_a_kill_left_is_cleared_and_nothing_else(desk: Desk) -> None:
    folder = desk.root / ".kantenwerk"
    left = ("verdicts.jsonlab12cd_x.tmp", "decisions.yaml00000000.tmp", "lock.jsonzzzzzzzz.tmp")
    kept = ("verdicts.jsonl.tmp", "baseline.jsonab12cd_x.tmp", "notes.tmp", "verdicts.jsonlab12cd_x.tmp.bak")
    for name in (*left, *kept):
        (folder / name).write_text("half")
    desk.apply()
    names = {path.name for path in folder.iterdir()}
    assert not names & set(left)
    assert set(kept) <= names


# between scan and read


@contextmanager
def meanwhile(act: Callable[[Path], object]) -> Iterator[None]:
    """Do something to the vault between each scan of it and the reading of its notes."""

    def scanned(root: Path) -> scan.Scan:
        found = scan.scan_vault(root)
        act(root)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "scan_vault", scanned)
        yield


def test_a_note_that_vanishes_between_scan_and_read(desk: Desk) -> None:
    desk.write("Neu.md", "# Neu\n\n[[A]]\n")
    with meanwhile(lambda root: (root / "Neu.md").unlink()):
        result = run(desk, ALL["import"])
    assert result.exit_code == 1
    assert "Neu.md:1: unreadable: it cannot be read: No such file" in result.stderr
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_a_known_note_that_vanishes_keeps_its_edges_until_that_is_sure(desk: Desk) -> None:
    before = desk.triples()
    desk.write("A.md", "# A\n\nAnders: [[B]].\n")
    with meanwhile(lambda root: (root / "A.md").unlink()):
        assert run(desk, ALL["import"]).exit_code == 1
    assert {edge for edge in before if edge[0] == "A"} <= desk.triples()
    desk.apply()
    assert not any(edge[0] == "A" for edge in desk.triples())
    assert desk.tables() == desk.rebuild()


def test_a_folder_that_vanishes(desk: Desk) -> None:
    with meanwhile(lambda root: rmtree(root / "people", ignore_errors=True)):
        run(desk, ALL["import"])
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_a_note_that_becomes_a_folder(desk: Desk) -> None:
    def swap(root: Path) -> None:
        (root / "B.md").unlink()
        (root / "B.md").mkdir()

    with meanwhile(swap):
        result = run(desk, ALL["import"])
    assert result.exit_code == 1
    assert "B.md:1: unreadable: it cannot be read: Is a directory" in result.stderr
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_a_note_that_changes_between_scan_and_read_is_read_again(desk: Desk) -> None:
    desk.write("B.md", "# B\n\n[[A]]\n")
    texts = iter(("# B\n\n[[Eins]]\n", "# B\n\n[[Zwei]]\n"))
    with meanwhile(lambda _: desk.write("B.md", next(texts))):
        desk.apply()
        assert ("B", "references", "mention:eins") in desk.triples()
        desk.apply()
    assert ("B", "references", "mention:zwei") in desk.triples()
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_rights_that_were_taken_come_back(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    file.chmod(0)
    with like_anybody(), pytest.raises(PermissionError):
        file.read_text()
    with with_mode(file, 0o400), pytest.raises(PermissionError):
        file.write_text("other")

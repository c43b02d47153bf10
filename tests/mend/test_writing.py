"""Notes are written all at once or not at all, and only where they are what they were."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer.testing import Result

    from tests.validation.desk import Desk

BEFORE, AFTER = "[[rel:Uses|B]]\n", "[[rel:uses|B]]\n"


@pytest.fixture
def two(desk: Desk) -> Desk:
    """Two notes that can be mended."""
    for name in ("A", "Z"):
        desk.write(f"{name}.md", BEFORE)
    return desk


def mend(desk: Desk) -> Result:
    return desk.run("check", "--fix", "--apply")


def read(desk: Desk, path: str) -> str:
    return (desk.root / path).read_bytes().decode()


def names(desk: Desk) -> list[str]:
    return sorted(path.name for path in desk.root.iterdir() if path.name != ".kantenwerk")


def at_the_last_moment(monkeypatch: pytest.MonkeyPatch, what: Callable[[], object]) -> None:
    """Let something happen when the new text of the first note is on the disk, and the old one still in its place."""
    sync = os.fsync
    waiting = [what]

    def happen(handle: int) -> None:
        sync(handle)
        if waiting:
            waiting.pop()()

    monkeypatch.setattr(os, "fsync", happen)


def assert_one_is_left(desk: Desk, result: Result, why: str, a: str = BEFORE) -> None:
    """The other note is written, nothing is left behind, and the exit code says that something was not done."""
    assert result.exit_code == 1
    assert f"A.md:1: {why}" in result.stderr
    assert result.stderr.endswith("Written: 1 edit in 1 note.\n")
    assert (read(desk, "A.md"), read(desk, "Z.md")) == (a, AFTER)
    assert names(desk) == ["A.md", "B.md", "C.md", "Z.md"]


def test_that_what_a_kill_left_beside_a_note_goes(two: Desk) -> None:
    old, new, other = (two.root / name for name in (".kantenwerk-1.tmp", ".kantenwerk-2.tmp", ".mine.tmp"))
    for path in (old, new, other):
        path.write_text("half")
        os.utime(path, (1, 1))
    os.utime(new)
    assert mend(two).exit_code == 0
    assert [path.exists() for path in (old, new, other)] == [False, True, True]


def test_that_the_mode_stays(two: Desk) -> None:
    modes = {"A.md": 0o600, "Z.md": 0o664}
    for path, mode in modes.items():
        (two.root / path).chmod(mode)
    assert mend(two).exit_code == 0
    assert {path: (two.root / path).stat().st_mode & 0o7777 for path in modes} == modes
    assert (read(two, "A.md"), names(two)) == (AFTER, ["A.md", "B.md", "C.md", "Z.md"])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root may give files away")
def test_that_the_owner_stays(two: Desk) -> None:
    os.chown(two.root / "A.md", 1234, 2345)
    assert mend(two).exit_code == 0
    owner = (two.root / "A.md").stat()
    assert (owner.st_uid, owner.st_gid, read(two, "A.md")) == (1234, 2345, AFTER)


@pytest.mark.parametrize("text", ["changed\n", BEFORE.replace("U", "u"), ""])
def test_a_note_that_changes_meanwhile(two: Desk, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    at_the_last_moment(monkeypatch, lambda: two.write("A.md", text))
    assert_one_is_left(two, mend(two), "it has changed meanwhile", text)


def test_a_note_that_is_replaced_by_the_same_text(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else writes it just now, and what they will write next is not known."""

    def replace() -> None:
        two.write("new", BEFORE)
        (two.root / "new").replace(two.root / "A.md")

    at_the_last_moment(monkeypatch, replace)
    assert_one_is_left(two, mend(two), "it has changed meanwhile")


def test_a_note_that_goes_meanwhile(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_last_moment(monkeypatch, (two.root / "A.md").unlink)
    result = mend(two)
    assert (result.exit_code, names(two)) == (1, ["B.md", "C.md", "Z.md"])
    assert "A.md:1: it cannot be written: No such file" in result.stderr


def test_a_note_that_becomes_a_link_meanwhile(two: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(BEFORE)

    def swap() -> None:
        (two.root / "A.md").unlink()
        (two.root / "A.md").symlink_to(secret)

    at_the_last_moment(monkeypatch, swap)
    assert_one_is_left(two, mend(two), "it has changed meanwhile")
    assert secret.read_text() == BEFORE


def test_a_disk_that_is_full(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device")

    at_the_last_moment(monkeypatch, fail)
    assert_one_is_left(two, mend(two), "it cannot be written: No space left on device")


def test_a_note_that_is_read_only(two: Desk) -> None:
    (two.root / "A.md").chmod(0o444)
    assert_one_is_left(two, mend(two), "it is read-only")


def test_a_folder_that_is_read_only(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    two.write("deep/A.md", BEFORE)
    make = tempfile.mkstemp

    def refuse(*, dir: Path, prefix: str, suffix: str) -> tuple[int, str]:  # noqa: A002 - the function's own name
        if dir.name == "deep":
            # As for everybody but root, who may run the tests.
            raise PermissionError(13, "Permission denied")
        return make(dir=dir, prefix=prefix, suffix=suffix)

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    result = mend(two)
    assert (result.exit_code, read(two, "deep/A.md"), read(two, "A.md")) == (1, BEFORE, AFTER)
    assert "deep/A.md:1: it cannot be written: Permission denied" in result.stderr


def test_that_links_are_not_followed(two: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "O.md").write_text(BEFORE)
    (two.root / "folder").symlink_to(outside)
    (two.root / "L.md").symlink_to(outside / "O.md")
    assert mend(two).exit_code == 0
    assert (outside / "O.md").read_text() == BEFORE
    assert read(two, "A.md") == AFTER


def test_a_folder_that_becomes_a_link_meanwhile(two: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    two.write("deep/X.md", BEFORE)

    def swap() -> None:
        (two.root / "deep").rename(tmp_path / "outside")
        (two.root / "deep").symlink_to(tmp_path / "outside")

    at_the_last_moment(monkeypatch, swap)
    result = mend(two)
    assert result.exit_code == 1
    assert "deep/X.md:1: a symbolic link leads there" in result.stderr
    assert (tmp_path / "outside" / "X.md").read_text() == BEFORE


def test_a_vault_that_is_named_by_a_link(two: Desk, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(two.root)
    from typer.testing import CliRunner  # noqa: PLC0415 - the desk names the vault itself

    from kantenwerk.cli.app import app  # noqa: PLC0415 - the same

    assert CliRunner().invoke(app, ["check", "--fix", "--apply", "--vault", str(tmp_path / "link")]).exit_code == 0
    assert read(two, "A.md") == AFTER


def test_json_says_what_was_written(two: Desk) -> None:
    (two.root / "A.md").chmod(0o444)
    found = two.json("--fix", "--apply", command="check", code=1)
    assert [(edit["path"], edit["written"]) for edit in found["edits"]] == [("A.md", False), ("Z.md", True)]
    assert [one["path"] for one in found["skipped"]] == ["A.md"]


@pytest.mark.parametrize(
    "name", ["-rf.md", "a b\tc.md", "x\x1b[31m.md", "li\nne.md", "ü\u202e.md", "'$(id)'.md", "%s.md"]
)
def test_hostile_names(desk: Desk, name: str) -> None:
    desk.write(name, BEFORE)
    result = desk.run("check", "--fix")
    assert result.stdout.count("\n") == 5
    assert not {"\x1b", "\u202e"} & set(result.output)
    assert mend(desk).exit_code == 0
    assert read(desk, name) == AFTER

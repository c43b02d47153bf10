"""A disk that is full: the graph, the verdicts and the notes are as they were, and a sentence says what to do."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.faults.commands import LEVEL, WRITING, files, run
from tests.validation.desk import QUICK, new_desk, note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.validation.desk import Desk

KIB = 1024
# As `df` counts them: in steps of a page.
PAGE = 4 * KIB


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size: what is written there fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", sorted(WRITING))
def test_no_room_at_all(desk: Desk, name: str) -> None:
    before = files(desk)
    with largest_file(0):
        result = run(desk, WRITING[name])
    assert result.exit_code in {1, 3}
    assert "cannot be written: File too large" in result.stderr
    assert files(desk) == before
    assert run(desk, WRITING[name]).exit_code == 0


@pytest.mark.parametrize("size", [100, 2000, 4500])
def test_no_room_for_the_graph(desk: Desk, size: int) -> None:
    """Room for the lock or the verdicts, and not for what the graph gains."""
    text = note("Viel", "Viel.", [f"uses:B{number}" for number in range(40)])
    desk.write("Viel.md", text + "".join(f"\n[[Name {number}]]\n" for number in range(200)))
    desk.judge("A", "depends_on", "B", "NO")
    before, notes = desk.tables(), files(desk)
    desk.close()
    with largest_file(size):
        result = run(desk, WRITING["import"])
    assert result.exit_code == 3
    assert "File too large: make room there" in result.stderr
    assert desk.tables() == before
    assert {name: data for name, data in files(desk).items() if name in notes} == notes
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_no_room_for_a_new_graph(desk: Desk) -> None:
    desk.apply()
    wanted = desk.tables()
    for size in (0, 100, 4096, 5000, 9000, 20_000, 300_000, 1_000_000):
        desk.close()
        desk.database.unlink(missing_ok=True)
        with largest_file(size):
            result = run(desk, WRITING["import"])
        if result.exit_code == 3:
            assert "File too large" in result.stderr
            # Without help from anybody.
            desk.apply()
        else:
            assert result.exit_code == 0
        assert desk.tables() == wanted


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path_factory.mktemp("disk")
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(place)], check=False, capture_output=True
    )
    if not mounted or mounted.returncode:
        pytest.skip("only root can mount a disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def on_disk(disk: Path, ready: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The vault on that disk."""
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with new_desk(disk, monkeypatch, QUICK | LEVEL, shares_duckdb=False) as desk:
        shutil.copytree(ready, desk.root, dirs_exist_ok=True)
        yield desk


@contextmanager
def room(disk: Path, size: int) -> Iterator[None]:
    """Fill a disk up but for so many bytes."""
    state = os.statvfs(disk)
    filler = disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - size)
    try:
        yield
    finally:
        filler.unlink()


@pytest.mark.parametrize("name", sorted(WRITING))
def test_a_full_disk(on_disk: Desk, disk: Path, name: str) -> None:
    before = files(on_disk)
    with room(disk, 0):
        result = run(on_disk, WRITING[name])
    assert result.exit_code == (1 if name in {"init", "promote --apply", "check --fix --apply"} else 3)
    assert "cannot be written: No space left on device" in result.stderr
    assert files(on_disk) == before
    assert run(on_disk, WRITING[name]).exit_code == 0


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_moment_of_an_import(on_disk: Desk, disk: Path) -> None:
    """From no room to enough of it, page by page at first."""
    names = "".join(f"\n[[Name {number}]]\n" for number in range(300))
    old = on_disk.tables()
    on_disk.close()
    kept = on_disk.database.read_bytes()
    on_disk.write("Viel.md", f"# Viel\n{names}")
    on_disk.apply()
    new = on_disk.tables()
    codes = []
    for pages in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610):
        on_disk.close()
        on_disk.database.write_bytes(kept)
        with room(disk, pages * PAGE):
            result = run(on_disk, WRITING["import"])
        codes.append(result.exit_code)
        if result.exit_code:
            assert "No space left on device: make room there" in result.stderr
            assert on_disk.tables() == old
            on_disk.apply()
        assert on_disk.tables() == new
    assert codes == sorted(codes, reverse=True)
    assert set(codes) == {0, 3}

"""A database that is no database, damaged, changed, forbidden or open elsewhere: a sentence, exit 3, nothing lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from unittest.mock import Mock

import duckdb
import pytest

from kantenwerk.graph import store
from tests.faults.commands import ALL, run
from tests.faults.rights import with_mode
from tests.validation.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DAMAGED = "delete it"
# Whatever the database is, these do without.
WITHOUT = sorted(ALL.keys() - {"preview", "import", "resolutions", "resolutions reject", "review"})


def cut(path: Path, share: float) -> None:
    os.truncate(path, int(path.stat().st_size * share))


def flip(path: Path, *places: int) -> None:
    data = bytearray(path.read_bytes())
    for place in places:
        data[place] ^= 0x5A
    path.write_bytes(data)


def tell(path: Path, sql: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (make_folder, "is a folder, not a database"),
    "random bytes": (lambda path: path.write_bytes(random.Random(1).randbytes(60_000)), "is no DuckDB database"),
    "text": (lambda path: path.write_text("# Notes\n"), "is no DuckDB database"),
    "half of it": (lambda path: cut(path, 0.5), DAMAGED),
    "all but its end": (lambda path: cut(path, 0.999), DAMAGED),
    "another first block": (lambda path: flip(path, 100), DAMAGED),
    "other blocks": (lambda path: flip(path, *range(12_500, path.stat().st_size, 4096)), DAMAGED),
    "a newer version": (lambda path: tell(path, "UPDATE meta SET value = '9'"), "update kantenwerk"),
    "no version": (lambda path: tell(path, "DELETE FROM meta"), DAMAGED),
    "two versions": (lambda path: tell(path, "INSERT INTO meta VALUES ('schema_version', '1')"), DAMAGED),
    "no table of names": (lambda path: tell(path, "DROP TABLE files"), "lacks a table or a column"),
    "no column of aliases": (
        lambda path: tell(path, "ALTER TABLE notes DROP COLUMN aliases"),
        "lacks a table or a column",
    ),
    "no meta": (lambda path: tell(path, "DROP TABLE meta"), "of another program"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_told_and_nothing_is_written(desk: Desk, fault: str) -> None:
    spoil, says = FAULTS[fault]
    spoil(desk.database)
    before = desk.database.read_bytes() if desk.database.is_file() else b""
    for command in ("preview", "import"):
        result = run(desk, ALL[command])
        assert (result.exit_code, result.stdout) == (3, "")
        assert str(desk.database) in result.stderr
        assert says in result.stderr
        assert result.stderr.count("\n") == 1
    assert desk.database.is_dir() or desk.database.read_bytes() == before


@pytest.mark.parametrize("fault", ["a folder", "half of it"])
def test_what_needs_no_database_does_without(desk: Desk, fault: str) -> None:
    FAULTS[fault][0](desk.database)
    assert {name: run(desk, ALL[name]).exit_code for name in WITHOUT} == dict.fromkeys(WITHOUT, 0)


@pytest.mark.parametrize("command", ["resolutions", "resolutions reject", "review"])
def test_what_needs_one_says_so(desk: Desk, command: str) -> None:
    FAULTS["half of it"][0](desk.database)
    result = run(desk, ALL[command])
    assert result.exit_code == 3
    assert DAMAGED in result.stderr


def test_a_deleted_database_is_built_anew_with_the_decisions(desk: Desk) -> None:
    desk.apply()
    wanted = desk.tables()
    desk.close()
    FAULTS["other blocks"][0](desk.database)
    assert run(desk, ALL["import"]).exit_code == 3
    assert desk.rebuild() == wanted


@pytest.mark.parametrize("size", [0, 4096, 8192])
def test_what_a_kill_left_of_a_new_database_is_none(desk: Desk, size: int) -> None:
    desk.apply()
    wanted = desk.tables()
    desk.close()
    os.truncate(desk.database, size)
    assert run(desk, ALL["preview"]).exit_code == 0
    assert desk.database.stat().st_size == size
    desk.apply()
    assert desk.tables() == wanted


def test_texts_too_long_for_the_memory_that_writing_is_given(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        desk.write(f"Lang {number}.md", f"# Lang {number}\n\n{random.Random(number).randbytes(400_000).hex()}\n")
    monkeypatch.setattr(store, "_WRITING", {"memory_limit": "2MiB"})
    monkeypatch.setattr(duckdb, "connect", connect := Mock(wraps=duckdb.connect))
    desk.apply()
    limits = [call.kwargs["config"].get("memory_limit") for call in connect.mock_calls if "config" in call.kwargs]
    assert limits[-2:] == ["2MiB", None]
    assert desk.tables() == desk.rebuild()


def test_what_a_kill_left_beside_the_database_goes(desk: Desk) -> None:
    folder = desk.database.with_name("graph.duckdb.tmp")
    folder.mkdir()
    (folder / "duckdb_temp_1_0_owner").touch()
    desk.write("Neu.md", "# Neu\n")
    desk.apply()
    assert not folder.exists()


def test_a_folder_of_somebody_else_beside_the_database_stays(desk: Desk) -> None:
    folder = desk.database.with_name("graph.duckdb.tmp")
    folder.mkdir()
    (folder / "mine").touch()
    desk.write("Neu.md", "# Neu\n")
    desk.apply()
    assert (folder / "mine").exists()


@pytest.mark.parametrize("mode", [0, 0o644])
def test_a_small_file_that_is_no_database_is_never_replaced(desk: Desk, mode: int) -> None:
    other = desk.root.parent / "passwords.txt"
    other.write_text("secret\n")
    with with_mode(other, mode):
        result = desk.run("import", "--apply", "--db", str(other))
    assert result.exit_code == 3
    assert other.read_text() == "secret\n"


@pytest.mark.slow
def test_no_flipped_byte_is_misread(desk: Desk) -> None:
    """Whatever byte is another one: the graph is the right one, or it is told that it is damaged."""
    desk.apply()
    wanted = desk.tables()
    desk.close()
    whole = desk.database.read_bytes()
    chance = random.Random()
    for _ in range(200):
        flip(desk.database, chance.randrange(len(whole)))
        result = run(desk, ALL["import"])
        if result.exit_code == 0:
            # A table that the import had no need of: DuckDB itself tells who asks it.
            with suppress(duckdb.Error):
                assert desk.tables() == wanted
            desk.close()
        else:
            assert result.exit_code == 3
            assert DAMAGED in result.stderr or "is no DuckDB database" in result.stderr
        desk.database.write_bytes(whole)


def test_a_write_ahead_log_of_another_database_is_told(desk: Desk) -> None:
    # Bytes that are no log are nothing to DuckDB: what was committed stands in the file.
    desk.database.with_name("graph.duckdb.wal").write_bytes(b"nonsense")
    desk.apply()
    wanted = desk.tables()
    assert desk.rebuild() == wanted


def test_a_database_that_may_not_be_read_or_written(desk: Desk) -> None:
    before = desk.database.read_bytes()
    with with_mode(desk.database, 0o400):
        assert run(desk, ALL["preview"]).exit_code == 0
        result = run(desk, ALL["import"])
        assert (result.exit_code, result.stdout) == (3, "")
        assert "cannot be written: Permission denied: give yourself the right" in result.stderr
    with with_mode(desk.database, 0):
        for command in ("preview", "import", "resolutions", "review"):
            result = run(desk, ALL[command])
            assert result.exit_code == 3
            assert "cannot be read: Permission denied: give yourself the right" in result.stderr
    assert desk.database.read_bytes() == before
    desk.apply()


@contextmanager
def opened(path: Path, *, read_only: bool) -> Iterator[int]:
    """Hold a database open in another process, whose id it gives."""
    program = (
        f"import duckdb; held = duckdb.connect({str(path)!r}, read_only={read_only}); "
        "print(held.sql('SELECT count(*) FROM edges').fetchall(), flush=True); input()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate("\n")


def test_a_reader_is_named_and_loses_nothing(desk: Desk) -> None:
    with opened(desk.database, read_only=True) as pid:
        assert run(desk, ALL["preview"]).exit_code == 0, "who only reads is not in the way of a reader"
        result = run(desk, ALL["import"])
        assert (result.exit_code, result.stdout) == (3, "")
        assert f"is open in another process (PID {pid}, " in result.stderr
        assert "close it there, or wait" in result.stderr
        result = run(desk, ALL["resolutions reject"])
        assert result.exit_code == 3
        assert "recorded all the same" in result.stderr
    desk.apply()
    assert desk.tables() == desk.rebuild()
    assert desk.rows("SELECT state FROM resolutions WHERE a = 'mention:checkout-svc'") == [("rejected",)]


def test_a_writer_is_named(desk: Desk) -> None:
    with opened(desk.database, read_only=False) as pid:
        for command in ("preview", "import", "resolutions", "review"):
            result = run(desk, ALL[command])
            assert result.exit_code == 3
            assert f"(PID {pid}, " in result.stderr
        assert run(desk, ALL["check"]).exit_code == 0
    desk.apply()


def test_that_an_import_without_changes_leaves_the_file_as_it_is(desk: Desk) -> None:
    desk.apply()
    before, data = desk.database.stat(), desk.database.read_bytes()
    imports = len(desk.rows("SELECT * FROM imports"))
    assert "The graph already says what the notes say." in desk.apply().stdout
    assert (desk.database.stat().st_mtime_ns, desk.database.read_bytes()) == (before.st_mtime_ns, data)
    # A note that was touched has another stamp, which the next import goes by.
    (desk.root / "B.md").touch()
    desk.apply()
    assert len(desk.rows("SELECT * FROM imports")) == imports + 1

"""Databases as older versions of this program wrote them, kept as files: read as they are, or refused with a sentence.

`schema-1.duckdb.xz` was written by the last commit that had schema version 1, and so on, the newest by one that has the
version of now; each from the notes below.
"""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from kantenwerk.graph.store import SCHEMA_VERSION
from kantenwerk.ingest.parse.target import Target
from tests.validation.desk import EXACT, QUICK, Desk, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = {path.name.split("-")[1].split(".")[0]: path for path in Path(__file__).parent.glob("schema-*.duckdb.xz")}
OLDER = sorted(KEPT.keys() - {SCHEMA_VERSION})


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with new_desk(tmp_path, monkeypatch, QUICK | EXACT, shares_duckdb=False) as desk:
        desk.write("people/Klaus.md", "---\naliases: [Klausi]\n---\n# Klaus\n\nKennt [[Index]] und [[Niemand]].\n")
        desk.write("Index.md", "# Index\n\n[[rel:mastered_by|Klaus]]\n\n## Edge Pool\n\n- uses:Klaus\n")
        desk.database.parent.mkdir()
        yield desk


def put(desk: Desk, version: str) -> bytes:
    data = lzma.decompress(KEPT[version].read_bytes())
    desk.database.write_bytes(data)
    return data


def test_every_version_is_kept() -> None:
    assert sorted(map(int, KEPT)) == list(range(1, int(SCHEMA_VERSION) + 1))


@pytest.mark.parametrize("version", KEPT)
def test_a_kept_file_is_what_it_says(desk: Desk, version: str) -> None:
    put(desk, version)
    assert desk.rows("SELECT value FROM meta WHERE name = 'schema_version'") == [(version,)]
    assert desk.rows("SELECT count(*) FROM notes") == [(2,)]


@pytest.mark.parametrize("version", OLDER)
@pytest.mark.parametrize("words", [("import",), ("import", "--apply"), ("resolutions",), ("review",)], ids=" ".join)
def test_an_older_one_is_refused_with_what_to_do(desk: Desk, version: str, words: tuple[str, ...]) -> None:
    data = put(desk, version)
    result = desk.run(*words)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{desk.database} has schema version {version}, of an older kantenwerk" in result.stderr
    assert "delete it, and the next `import --apply` builds it anew" in result.stderr
    assert desk.database.read_bytes() == data
    # Which is so.
    desk.database.unlink()
    desk.apply()
    assert desk.rows("SELECT value FROM meta WHERE name = 'schema_version'") == [(SCHEMA_VERSION,)]


def test_one_of_this_version_is_gone_on_with(desk: Desk) -> None:
    put(desk, SCHEMA_VERSION)
    desk.write("Neu.md", "# Neu\n\n[[Klausi]]\n")
    desk.apply()
    assert desk.rows("SELECT count(*) FROM imports") == [(2,)]
    assert desk.tables() == desk.rebuild()


def test_what_another_version_read_is_read_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the notes that did not change would keep what that one took them to say."""
    with monkeypatch.context() as older:
        older.setattr("kantenwerk.config.loader.version", lambda _: "0.0.1")
        older.setattr("kantenwerk.ingest.parse.body.read_wikilink", lambda _: Target(""))
        desk.apply()
    assert desk.rows("SELECT count(*) FROM links WHERE rule_id <> 'candidate:edge_pool'") == [(0,)]
    desk.apply()
    assert desk.tables() == desk.rebuild()


def test_the_kept_file_has_the_tables_of_a_new_one(desk: Desk) -> None:
    """Whoever changes the schema changes its version, and keeps a file of it here."""
    columns = (
        "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
    )
    put(desk, SCHEMA_VERSION)
    kept = desk.rows(columns)
    desk.forget()
    desk.apply()
    assert desk.rows(columns) == kept


@pytest.mark.parametrize("table", ["notes", "links", "findings", "written", "edges"])
def test_a_missing_column_is_told_and_nothing_is_written(desk: Desk, table: str) -> None:
    """Also in a table that is read whole: no row is taken for another."""
    put(desk, SCHEMA_VERSION)
    column = {"notes": "summary", "links": "scope", "findings": "help", "written": "anchor", "edges": "scope"}[table]
    with duckdb.connect(str(desk.database)) as connection:
        views = [
            name for (name,) in connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        ]
        for view in views:
            connection.execute(f"DROP VIEW {view}")
        connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    before = desk.database.read_bytes()
    desk.write("Index.md", "# Index\n\n[[Klaus]] und [[Neu]]\n")
    result = desk.run("import", "--apply")
    assert result.exit_code == 3
    assert "delete it" in result.stderr
    assert desk.database.read_bytes() == before

"""`kantenwerk sql`: what a query may do, and how its rows are written."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from kantenwerk.cli import querying
from kantenwerk.cli.app import app
from kantenwerk.graph.store import QueryResult, open_query
from tests.sessions.test_table import _width
from tests.validation.desk import tree

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from typer.testing import Result

    from tests.validation.desk import Desk

pty = pytest.importorskip("pty", reason="pseudo-terminals are there on POSIX systems only")


@pytest.fixture(scope="module")
def imported(asked: Desk) -> Desk:
    asked.write("a.md", "[[b]] [[c]]\n")
    asked.write("b.md", "b\n")
    asked.apply()
    return asked


def ask(desk: Desk, query: str, *options: str, code: int = 0) -> Result:
    done = desk.run("sql", query, *options)
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM edges",
        "INSERT INTO meta VALUES ('a', 'b')",
        "UPDATE notes SET title = ''",
        "DROP TABLE edges",
        "CREATE TABLE more (a INT)",
        "COPY edges TO '{there}/edges.csv'",
        "EXPORT DATABASE '{there}/all'",
        "FROM read_text('{there}/a.md')",
        "FROM read_csv('/etc/passwd')",
        "FROM '{there}/a.md'",
        "FROM glob('{there}/*')",
        "ATTACH '{there}/other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "FROM 'https://127.0.0.1/x.parquet'",
        "SET enable_external_access = true",
        "RESET enable_external_access",
        "PRAGMA enable_external_access",
        # Variables of the program are no tables.
        "FROM query",
        "FROM statements",
    ],
)
def test_that_a_query_reads_the_graph_and_nothing_else(imported: Desk, query: str) -> None:
    before = tree(imported.root.parent)
    done = ask(imported, query.format(there=imported.root), code=2)
    assert done.stdout == ""
    assert re.fullmatch(r"kantenwerk: \S.*\n", done.stderr), "one sentence"
    assert tree(imported.root.parent) == before


def test_that_a_slip_is_told_with_its_line(imported: Desk) -> None:
    done = ask(imported, "SELECT source,\nsorce\nFROM edges", code=2)
    assert "sorce" in done.stderr
    assert done.stderr.endswith(" (line 2)\n")
    assert "source" in done.stderr.partition("sorce")[2], "what would be right"
    assert ask(imported, "SELECT error('it is\nso')", code=2).stderr.count("\n") == 1


VALUES = """
    SELECT 1 AS i, 1.5::DECIMAL(4, 2) AS d, 0.1::DOUBLE AS f, 'nan'::DOUBLE AS nan, NULL AS none, true AS yes,
    DATE '2026-01-02' AS day, TIMESTAMP '2026-01-02 03:04:05' AS moment, INTERVAL 90 MINUTE AS spell,
    [1, NULL] AS list, {'a': [DATE '2026-01-02']} AS struct, MAP {'k': 1} AS map, 'x'::BLOB AS blob,
    170141183460469231731687303715884105727::HUGEINT AS huge, 'a,"b"' || chr(10) || chr(9) || 'c' AS text
"""


def test_how_values_are_written(imported: Desk) -> None:
    (row,) = json.loads(ask(imported, VALUES, "--format", "json").stdout)
    assert row == {
        "i": 1,
        "d": 1.5,
        "f": 0.1,
        "nan": None,
        "none": None,
        "yes": True,
        "day": "2026-01-02",
        "moment": "2026-01-02T03:04:05",
        "spell": "1:30:00",
        "list": [1, None],
        "struct": {"a": ["2026-01-02"]},
        "map": {"k": 1},
        "blob": "78",
        "huge": 170141183460469231731687303715884105727,
        "text": 'a,"b"\n\tc',
    }
    table = list(csv.DictReader(io.StringIO(ask(imported, VALUES, "--format", "csv").stdout, newline="")))
    assert table == [
        {
            "i": "1",
            "d": "1.50",
            "f": "0.1",
            "nan": "nan",
            "none": "",
            "yes": "true",
            "day": "2026-01-02",
            "moment": "2026-01-02T03:04:05",
            "spell": "1:30:00",
            "list": "[1, null]",
            "struct": '{"a": ["2026-01-02"]}',
            "map": '{"k": 1}',
            "blob": "78",
            "huge": "170141183460469231731687303715884105727",
            "text": 'a,"b"\n\tc',
        }
    ]
    head, line = ask(imported, VALUES).stdout.splitlines()
    assert head.split("\t") == list(row)
    assert line.split("\t")[-1] == 'a,"b"\\n c', "one line, and no tab too many"


def test_that_a_pipe_gets_every_row_as_it_comes(imported: Desk) -> None:
    query = "SELECT i, 'row ' || i AS name FROM range(2500) t(i)"
    assert len(ask(imported, query).stdout.splitlines()) == 2501
    assert len(ask(imported, query, "--format", "csv").stdout.splitlines()) == 2501
    assert [row["i"] for row in json.loads(ask(imported, query, "--format", "json").stdout)] == list(range(2500))


def test_that_a_query_may_come_from_stdin(imported: Desk) -> None:
    command = ["sql", "-", "--vault", str(imported.root)]
    done = CliRunner().invoke(app, command, input="SELECT id FROM notes ORDER BY id;\n")
    assert (done.exit_code, done.stdout) == (0, "id\na\nb\n")
    assert CliRunner().invoke(app, command, input=b"SELECT '\xff'").exit_code == 2


def on_terminal(desk: Desk, query: str, columns: int, *options: str, **variables: str) -> str:
    """What a terminal is sent."""
    sent = bytearray()

    def read(handle: int) -> bytes:
        sent.extend(data := os.read(handle, 4096))
        return b"\0" if data else b""

    environment = {"PATH": os.defpath, "TERM": "dumb", "PYTHONUTF8": "1", "COLUMNS": str(columns), **variables}
    desk.close()
    command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), sys.executable]
    pty.spawn([*command, "-m", "kantenwerk", "sql", query, "--vault", str(desk.root), *options], read, lambda _: b"")
    return sent.decode().replace("\r\n", "\n")


def test_a_table_on_a_terminal(imported: Desk) -> None:
    said = on_terminal(imported, "SELECT i, 'x' || chr(27) || '[1m' AS x, NULL AS n FROM range(500) t(i)", 60)
    lines = said.splitlines()
    assert [line.split() for line in lines[:2]] == [["i", "x", "n"], ["0", "x\\x1b[1m", "NULL"]]
    assert len(lines) == 202
    assert lines[-1] == "… the first 200 rows; a pipe, --format csv or --format json give all"
    assert "\x1b" not in said


def test_that_what_is_too_wide_is_set_below_each_other(imported: Desk) -> None:
    said = on_terminal(imported, "FROM edges ORDER BY ALL", 40)
    assert max(map(_width, said.splitlines())) <= 40
    assert said.startswith("source      a\nkind        references\ntarget      b\n")
    assert len(said.split("\n\n")) == 4


def test_colours_and_csv_on_a_terminal(imported: Desk) -> None:
    assert "\x1b[1m" in on_terminal(imported, "SELECT 1 AS one", 60, TERM="xterm-256color")
    assert "x\\x07" in on_terminal(imported, "SELECT 'x' || chr(7) AS x", 60, "--format", "csv")
    assert on_terminal(imported, "SELECT 1 AS one WHERE false", 60) == "one\nno rows\n"


def test_that_a_long_query_can_be_interrupted(imported: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before, during = signal.getsignal(signal.SIGINT), []

    def opened(database: Path, query: str) -> AbstractContextManager[QueryResult]:
        during.append(signal.getsignal(signal.SIGINT))
        return open_query(database, query)

    monkeypatch.setattr(querying, "open_query", opened)
    ask(imported, "SELECT 1")
    ask(imported, "SELECT nothing", code=2)
    assert during == [signal.SIG_DFL, signal.SIG_DFL], "the database does not look at signals, so the system ends it"
    assert signal.getsignal(signal.SIGINT) == before

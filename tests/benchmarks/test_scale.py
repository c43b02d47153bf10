"""`scale.py` asks a graph that is what it says, and `profile_import.py` tells where an import's time goes."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import duckdb
import pytest

PROGRAMS = Path(__file__).parents[2] / "benchmarks"
NODE = "area1/Note 000001"


@pytest.fixture(scope="module")
def scale() -> ModuleType:
    spec = spec_from_file_location("benchmarks_scale", PROGRAMS / "scale.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_made_graph_has_as_many_edges_as_asked_for_each_with_its_mirror(scale: ModuleType, tmp_path: Path) -> None:
    scale.make_graph(tmp_path / "graph.duckdb", 1000)
    with duckdb.connect(str(tmp_path / "graph.duckdb")) as connection:

        def number(sql: str) -> int:
            return int(connection.execute(sql).fetchall()[0][0])

        assert number("SELECT count(*) FROM edges") == 1000
        assert number("SELECT count(*) FROM edges WHERE mirror") == 500
        assert number("SELECT count(*) FROM edges WHERE source NOT IN (SELECT id FROM notes)") == 0
        assert number("SELECT count(DISTINCT target) FROM edges WHERE NOT mirror") > 50
        for name, sql in scale.QUESTIONS.items():
            assert connection.execute(sql, [NODE]).fetchall(), name
        members = connection.execute(scale.QUESTIONS["entity lookup"], ["area10/Note 000010"]).fetchall()
    assert sorted(members) == [("area10/Note 000010",), ("mention:name 10",)]


def test_a_profile_says_where_the_time_goes_and_adds_up(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for number in range(50):
        (vault / f"Note {number}.md").write_text(f"# Note {number}\n\n[[Note {number + 1}]] is next.\n", "utf-8")
    program = [sys.executable, str(PROGRAMS / "profile_import.py"), str(vault), "--by", "room"]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()[2:]]
    spent = {place: float(seconds) for place, seconds, _ in rows}
    assert {"graph", "Python's start", "all"} <= spent.keys()
    assert spent.pop("all") == pytest.approx(sum(spent.values()), abs=0.02)
    assert not (vault / ".kantenwerk" / "graph.duckdb").exists()

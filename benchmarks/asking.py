"""How long two steps from a note, and a way between two, take in a graph of very many edges.

Run it as `python benchmarks/asking.py [--edges N]`; the README beside it says what is what.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import duckdb

from kantenwerk.config import load_config
from kantenwerk.graph.queries import StoredGraph, Walk
from kantenwerk.graph.store import open_graph
from kantenwerk.ingest.ways import neighbors, shortest_way

# Of ten notes one has a second name; a few are linked by very many, as an index is.
MAKE = """
SELECT setseed(0.5);
INSERT INTO meta VALUES ('schema_version', '3');
INSERT INTO notes SELECT id, id || '.md', id, 'default', [], '', '', NULL, [], false
    FROM (SELECT 'area' || i % 40 || '/Note about topic ' || i AS id FROM range({notes}) t(i));
CREATE TEMP TABLE numbered AS SELECT row_number() OVER () - 1 AS i, id FROM notes;
CREATE TEMP TABLE stated AS SELECT DISTINCT s.id AS source, kind, t.id AS target FROM (
    SELECT i % {notes} AS s, ['references', 'depends_on', 'uses', 'related_to'][1 + i % 4] AS kind,
        floor({notes} * power(random(), 2))::BIGINT AS t FROM range({stated}) t(i)
) JOIN numbered s ON s.i = s JOIN numbered t ON t.i = t WHERE s.id <> t.id;
INSERT INTO edges SELECT * FROM (
    SELECT source, kind, target, 'explicit', 'explicit:wikilink', 1.0, 'chunk', 'c00', 1, NULL, false FROM stated
    UNION ALL SELECT target, CASE kind WHEN 'references' THEN 'referenced_by' WHEN 'depends_on' THEN 'required_by'
        WHEN 'uses' THEN 'used_by' ELSE kind END, source, 'structure', 'structure', 1.0, 'chunk', NULL, NULL, NULL, true
    FROM stated
) ORDER BY ALL;
INSERT INTO entity_of SELECT 'mention:topic ' || i, id FROM numbered WHERE i % 10 = 0
    UNION ALL SELECT id, id FROM numbered WHERE i % 10 = 0;
"""


def main() -> None:
    """Make a graph, ask it, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=1_000_000, help="how many, mirrors included")
    parser.add_argument("--runs", type=int, default=9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "graph.duckdb"
        make(database, given.edges)
        vocabulary = load_config(Path(folder), environ={}).vocabulary
        with open_graph(database) as graph:
            table(graph, Walk(vocabulary.inverse), given.edges // 10, given.runs)


def make(database: Path, edges: int) -> None:
    """Write a graph as an import would: edges in order, and a mirror to each."""
    with duckdb.connect(str(database), config={"storage_compatibility_version": "v1.5.0"}) as connection:
        connection.execute(files("kantenwerk.graph").joinpath("schema.sql").read_text("utf-8"))
        connection.execute(MAKE.format(notes=edges // 10, stated=edges // 2))


def table(graph: StoredGraph, walk: Walk, notes: int, runs: int) -> None:
    """Print what each question costs."""
    last, hub = (f"area{number % 40}/Note about topic {number}" for number in (notes - 1, 1))
    other = f"area{notes // 2 % 40}/Note about topic {notes // 2}"
    print(f"{graph.sizes().edges}\n")
    print("| question | found | wall, ms | lowest | computing, ms |\n|---|---|---|---|---|")
    for title, ask in (
        ("two steps from a note", lambda: len(neighbors(graph, last, 2, walk))),
        ("two steps from a note that very many link", lambda: len(neighbors(graph, hub, 2, walk))),
        ("a way between two notes", lambda: len(shortest_way(graph, last, other, walk) or ())),
        ("all edges of a note", lambda: len(graph.edges_at([last]))),
    ):
        print(f"| {title} | {' | '.join(measured(ask, runs))} |")


def measured(ask: Callable[[], int], runs: int) -> tuple[str, ...]:
    """Return how much was found, the median and the lowest time, and the median of what all cores computed."""
    found, walls, cpus = ask(), [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        ask()
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    return f"{found:,}", f"{statistics.median(walls):.0f}", f"{min(walls):.0f}", f"{statistics.median(cpus):.0f}"


if __name__ == "__main__":
    main()

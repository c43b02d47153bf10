"""How imports, and questions to the graph, cost more as a vault grows.

Run it as `python benchmarks/scale.py [--notes 10000 100000] [--edges 1000000]`; the README beside it says what is what.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import duckdb

# Programs lie beside one another and are no package: Python looks beside the one that it runs, not above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.import_speed import (
    COLD,
    NO_CHANGE,
    SETTLE_SECONDS,
    BenchmarkError,
    Spread,
    Usage,
    machine,
    note_to_change,
    positive,
    run,
)
from benchmarks.make_vault import make_vault

LINE, LINK, ADDED, REMOVED = "one note, a line more", "one note, a new name linked", "one note added", "one removed"
HELP_RUNS = 5
LOOKUPS = 50
EDGES_A_NOTE = 10

# As a program that asks for them would write them; `?` is a node.
QUESTIONS = {
    "two-hop neighbours": (
        "SELECT DISTINCT far.target FROM edges AS near JOIN edges AS far ON far.source = near.target "
        "WHERE near.source = ? AND far.target <> near.source"
    ),
    "entity lookup": "SELECT node FROM entities WHERE entity = (SELECT entity FROM entities WHERE node = ?)",
    "edges of one entity": "SELECT kind, target FROM entity_edges WHERE source = ?",
}


@dataclass(frozen=True, slots=True)
class Vault:
    """A made vault, and where its graph goes."""

    folder: Path
    database: Path
    notes: int


@dataclass(slots=True)
class Results:
    """What was measured: imports by number of notes and work, the help, and questions in milliseconds."""

    imports: dict[tuple[int, str], list[Usage]] = field(default_factory=lambda: defaultdict(list))
    help: list[Usage] = field(default_factory=list)
    questions: dict[str, Spread] = field(default_factory=dict)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit with 1 where an import failed."""
    options = _parsed(arguments)
    results = Results()
    try:
        results.help = [run((sys.executable, "-m", "kantenwerk", "--help"), Path.cwd()) for _ in range(HELP_RUNS)]
        for notes in sorted(options.notes):
            _measure_imports(notes, options.runs, results)
        results.questions = _measure_questions(options.edges)
    except BenchmarkError as error:
        print(f"scale: {error}", file=sys.stderr)
        return 1
    print("\n".join(_report(results, options)))
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What imports and questions cost as a vault grows.")
    parser.add_argument(
        "--notes",
        type=positive,
        nargs="+",
        default=[10_000, 100_000],
        metavar="N",
        help="sizes of the made vaults (default: 10000 100000)",
    )
    parser.add_argument("--runs", type=positive, default=1, help="times that all is measured (default: 1)")
    parser.add_argument(
        "--edges", type=positive, default=1_000_000, metavar="N", help="of the graph that is asked (default: 1000000)"
    )
    return parser.parse_args(arguments)


# Imports


def _measure_imports(notes: int, runs: int, results: Results) -> None:
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="scale-") as folder:
            vault = Vault(Path(folder, "vault"), Path(folder, "graph.duckdb"), notes)
            make_vault(vault.folder, notes)
            # Files of a moment ago are hashed again, for they may change within a tick of the clock.
            time.sleep(SETTLE_SECONDS)
            for work in _works(vault):
                results.imports[notes, work].append(_import(vault))


def _works(vault: Vault) -> Iterator[str]:
    """Bring the vault into each state in turn, and yield what is measured there."""
    yield COLD
    yield NO_CHANGE
    note = note_to_change(vault.folder)
    for work, line in ((LINE, "One line more."), (LINK, "[[A name that no note carries]]")):
        with note.open("a", encoding="utf-8") as stream:
            stream.write(f"\n\n{line}\n")
        yield work
    added = vault.folder / "A quite new name.md"
    added.write_text(f"# A quite new name\n\n[[{note.stem}]]\n", encoding="utf-8")
    yield ADDED
    added.unlink()
    yield REMOVED


def _import(vault: Vault) -> Usage:
    command = (sys.executable, "-m", "kantenwerk", "import", "--vault", str(vault.folder), "--db", str(vault.database))
    return run((*command, "--apply", "--yes", "--max-calls", "0"), vault.folder)


# Questions


def _measure_questions(edges: int) -> dict[str, Spread]:
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        database = Path(folder, "graph.duckdb")
        make_graph(database, edges)
        with duckdb.connect(str(database), read_only=True) as connection:
            return {name: _asked(connection, sql, edges // EDGES_A_NOTE) for name, sql in QUESTIONS.items()}


def make_graph(database: Path, edges: int) -> None:
    """Make a database of `edges` edges, half of them mirrors, ten to a note; every tenth note is one with a mention."""
    notes = max(1, edges // EDGES_A_NOTE)
    with duckdb.connect(str(database)) as connection:
        connection.execute(files("kantenwerk.graph").joinpath("schema.sql").read_text("utf-8"))
        connection.execute("CREATE MACRO note(n) AS printf('area%d/Note %06d', n % 50, n)")
        connection.execute(
            "INSERT INTO notes SELECT note(n), note(n) || '.md', 'Note ' || n, 'default', [], '', md5(n::VARCHAR), "
            "NULL, [], false FROM range($1) AS made(n)",
            [notes],
        )
        connection.execute(
            "INSERT INTO mentions SELECT 'mention:name ' || n, 'Name ' || n FROM range(0, $1, 10) AS made(n)", [notes]
        )
        connection.execute(
            "INSERT INTO entity_of SELECT unnest([note(n), 'mention:name ' || n]), note(n) "
            "FROM range(0, $1, 10) AS made(n)",
            [notes],
        )
        # Five stated edges a note, to notes all over the vault, written in the order of their notes as an import does.
        connection.execute(
            "CREATE TEMP TABLE stated AS SELECT note(n % $1) AS source, note(hash(n) % $1) AS target, n "
            "FROM range($2) AS made(n)",
            [notes, edges // 2],
        )
        connection.execute(
            "INSERT INTO edges SELECT * FROM (SELECT source, 'uses', target, 'explicit', 'explicit:typed', 1.0, "
            "'chunk', 'c00', 1, NULL, false FROM stated UNION ALL SELECT target, 'used_by', source, 'structure', "
            "'structure', 1.0, 'chunk', NULL, NULL, NULL, true FROM stated) AS all_edges ORDER BY 1, 2, 3"
        )


def _asked(connection: duckdb.DuckDBPyConnection, sql: str, notes: int) -> Spread:
    """Return how many milliseconds an answer takes, over nodes drawn the same every time."""
    drawn = random.Random(LOOKUPS)
    times = []
    for _ in range(LOOKUPS):
        number = drawn.randrange(notes)
        started = time.perf_counter()
        connection.execute(sql, [f"area{number % 50}/Note {number:06d}"]).fetchall()
        times.append((time.perf_counter() - started) * 1000)
    return Spread.of(times)


# The report


def _report(results: Results, options: argparse.Namespace) -> Iterator[str]:
    yield f"{machine()} Median (min–max) of {options.runs}.\n"
    yield "| notes | work | CPU s | CPU ms a note | peak MiB |"
    yield "|---|---|---|---|---|"
    for (notes, work), usages in results.imports.items():
        cpu, peak = _cpu(usages), Spread.of([usage.peak_mib for usage in usages])
        each = f"{cpu.median / notes * 1000:.2f}" if work == COLD else "–"
        yield f"| {notes:,} | {work} | {cpu.text()} | {each} | {peak.text(0)} |"
    yield "\n| ratio | CPU |"
    yield "|---|---|"
    yield from (f"| {name} | {ratio:.2f} |" for name, ratio in _ratios(results, sorted(set(options.notes))))
    yield "\n| beside | |"
    yield "|---|---|"
    yield f"| `kantenwerk --help`, CPU s | {_cpu(results.help).text()} |"
    for name, spread in results.questions.items():
        yield f"| {options.edges:,} edges: {name}, ms | {spread.text()} |"


def _ratios(results: Results, sizes: Sequence[int]) -> Iterator[tuple[str, float]]:
    def cpu(notes: int, work: str) -> float:
        return _cpu(results.imports[notes, work]).median

    small, large = sizes[0], sizes[-1]
    if small < large:
        growth = cpu(large, COLD) / large / (cpu(small, COLD) / small)
        yield f"cold, cost of a note among {large:,} / among {small:,}", growth
    for work in (LINE, LINK, ADDED, REMOVED):
        yield f"{large:,} notes: {work} / {NO_CHANGE}", cpu(large, work) / cpu(large, NO_CHANGE)


def _cpu(usages: Sequence[Usage]) -> Spread:
    return Spread.of([usage.cpu_s for usage in usages])


if __name__ == "__main__":
    raise SystemExit(main())

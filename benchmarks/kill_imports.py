"""Kills imports at random moments, and holds what is left against the graph before and after.

Run it as `python benchmarks/kill_imports.py [--count 200] [--seed 1]`; it stops at the first thing that is lost.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

# Programs lie beside one another and are no package: Python looks beside the one that it runs, not above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.import_speed import machine, positive
from tests.faults.kills import PARTS, WRITING, Range, Tally, answer, moments
from tests.servers.scripted import ScriptedServer

# Every so often it is a first import.
FIRST = 5


def main(arguments: list[str] | None = None) -> int:
    """Kill, print what came of it, and return the exit code."""
    options = _options(arguments)
    chance = random.Random(options.seed)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(answer) as server:
        ground = Range(Path(folder), server)
        for number, (part, share) in enumerate(moments(options.count, chance)):
            try:
                ground.kill(part, share, is_first=number % FIRST == 0)
            except AssertionError:
                print(f"Lost at number {number} of seed {options.seed}: {part or 'anywhere'}, {share:.3f}.")
                raise
        lasts = {part: (ground.first.lasts[part], ground.later.lasts[part]) for part in PARTS}
    _tell(ground.tally, lasts, options.count)
    print(f"\n{machine()}; seed {options.seed}, {time.monotonic() - begun:.0f} s.")
    return 0


def _tell(tally: Tally, lasts: dict[str, tuple[float, float]], count: int) -> None:
    print("| part of an import | first, ms | with changes, ms | kills |")
    print("|---|---|---|---|")
    for part in PARTS:
        first, later = (1000 * seconds for seconds in lasts[part])
        print(f"| {part} | {first:.1f} | {later:.1f} | {tally.kills[part]} |")
    writing = sum(tally.kills[part] for part in WRITING)
    print(f"\n{count} imports: {tally.kills.total()} killed, {tally.too_late} were done before.")
    print(f"{writing} kills came while the database was open for writing ({', '.join(WRITING)}).")
    print(f"Afterwards {tally.left['old']} graphs were the old one, {tally.left['new']} the new one, no other.")
    print(f"Every next import came to the new one; {tally.asked_again} questions were asked twice. Lost: nothing.")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=positive, default=200, help="how many imports are killed")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other moments")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

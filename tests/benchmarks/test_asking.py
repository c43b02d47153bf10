"""`benchmarks/asking.py` over a small graph."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "asking.py"


def test_that_each_question_finds_something() -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, "--edges", "1000", "--runs", "1"], check=True, capture_output=True, text=True
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 4
    assert all(int(found) > 0 and float(wall) >= 0 for _, found, wall, *_ in rows)

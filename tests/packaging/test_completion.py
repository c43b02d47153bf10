"""Shells complete commands and options: the script that they load, and what the command answers it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app

BASH = shutil.which("bash") or "bash"
COMPLETES = {
    "bash": "complete -o default -F _kantenwerk_completion kantenwerk\n",
    "zsh": "compdef _kantenwerk_completion kantenwerk\n",
    "fish": "complete --command kantenwerk ",
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """One in which a shell finds `kantenwerk`."""
    program = tmp_path / "bin" / "kantenwerk"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kantenwerk "$@"\n', "utf-8")
    program.chmod(0o755)
    return {"HOME": str(tmp_path), "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def run(shell: str, script: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [shell, "-c", script], env=environment, cwd=environment["HOME"], check=True, capture_output=True, text=True
    )
    return done.stdout


def completed(words: str, shell: str = "bash") -> str:
    """What a shell's script is told of a line with the cursor at its end."""
    variables = {
        "_KANTENWERK_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    return CliRunner().invoke(app, env=variables, prog_name="kantenwerk").stdout


@pytest.mark.parametrize("shell", COMPLETES)
def test_that_each_shell_is_shown_its_script(shell: str, environment: dict[str, str], tmp_path: Path) -> None:
    # The shell that asks is known by its name; for these few words they are all alike.
    named = tmp_path / shell
    named.symlink_to(BASH)
    assert COMPLETES[shell] in run(str(named), "kantenwerk --show-completion; true", environment)


@pytest.mark.parametrize("shell", COMPLETES)
def test_that_the_script_can_be_had_from_any_shell(shell: str) -> None:
    variables = {"_KANTENWERK_COMPLETE": f"source_{shell}"}
    assert COMPLETES[shell] in CliRunner().invoke(app, env=variables, prog_name="kantenwerk").stdout


@pytest.mark.parametrize("shell", COMPLETES)
def test_that_the_start_of_a_command_is_completed(shell: str) -> None:
    said = completed("kantenwerk che", shell)
    assert "check" in said
    assert "review" not in said


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("kantenwerk check --fail-on ", ["error", "warning", "info", "never"]),
        ("kantenwerk check --fail-on w", ["warning"]),
        ("kantenwerk init --form", ["--format"]),
        ("kantenwerk resolutions re", ["reject"]),
        ("kantenwerk xyz", []),
    ],
)
def test_what_is_offered(words: str, offered: list[str]) -> None:
    assert completed(words).split() == offered


def test_that_bash_completes_with_what_was_installed(environment: dict[str, str]) -> None:
    script = """
    named=$(printf '%s/bash' "$HOME") && ln -s "$(command -v bash)" "$named"
    "$named" -c 'kantenwerk --install-completion; true' >&2
    . ~/.bashrc
    COMP_WORDS=(kantenwerk che) COMP_CWORD=1
    _kantenwerk_completion kantenwerk
    printf '%s\\n' "${COMPREPLY[@]}"
    """
    assert run(BASH, script, environment) == "check\n"

"""A small shell for sessions: `kantenwerk` runs in this process, everything else in `sh`."""

from __future__ import annotations

import logging
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app

_EXPORT = re.compile(r"export ([A-Z_]+)=(\S*)")
# `A=1 kantenwerk …`, perhaps with a pipe or a file behind it; nothing else that only a shell can do.
_OURS = re.compile(
    r"(?P<variables>(?:[A-Z_]+=(?:'[^']*'|\S*) )*)kantenwerk(?P<arguments>(?: [^|;&<>*?`$]*)?)(?P<rest>[|>][^&]*)?"
)


@dataclass(frozen=True, slots=True)
class Result:
    """What a command wrote, and its exit code."""

    stdout: str
    stderr: str
    code: int


@dataclass(slots=True)
class Shell:
    """Runs commands in a folder.

    Args:
        folder: The working directory.
        home: A folder for what programs keep for their user, and for the programs that commands find.
        in_process: Run `kantenwerk` in this process, which is faster than to start one.
        variables: What a session exported; other variables of this process that could matter are not handed on.
    """

    folder: Path
    home: Path
    in_process: bool = True
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        programs = self.home / "bin"
        programs.mkdir(parents=True)
        for name, arguments in (("kantenwerk", "-m kantenwerk"), ("python", "")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
            program.chmod(0o755)

    def run(self, command: str) -> Result:
        """Run one command line."""
        if export := _EXPORT.fullmatch(command):
            self.variables[export[1]] = _filled(export[2], self.variables)
            return Result("", "", 0)
        if command.startswith("cd ") and "&&" not in command:
            self.folder = (self.folder / shlex.split(command)[1]).resolve(strict=True)
            return Result("", "", 0)
        ours = _OURS.fullmatch(command) if self.in_process else None
        # Help is set for the width of a terminal, which a call inside this process does not see.
        if ours is None or not {"", "-h", "--help"}.isdisjoint({ours["arguments"], *ours["arguments"].split()}):
            return self._run(command)
        own = dict(variable.split("=", 1) for variable in shlex.split(ours["variables"]))
        done = self._invoke(shlex.split(ours["arguments"]), own)
        if not ours["rest"]:
            return done
        after = self._run(f"cat {ours['rest']}", done.stdout)
        # As in a shell: a pipe ends as its last command does.
        code = after.code if ours["rest"].startswith("|") else done.code
        return Result(after.stdout, done.stderr + after.stderr, code)

    def _run(self, command: str, stdin: str = "") -> Result:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self._environment(),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return Result(done.stdout, done.stderr, done.returncode)

    def _invoke(self, arguments: list[str], own: dict[str, str]) -> Result:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name in os.environ:
                patch.delenv(name)
            for name, value in {**self._environment(), **own}.items():
                patch.setenv(name, value)
            try:
                done = CliRunner().invoke(app, arguments, prog_name="kantenwerk")
            finally:
                # What --verbose switched on would go on in the next command, for both share this process.
                log = logging.getLogger("kantenwerk")
                log.handlers.clear()
                log.setLevel(logging.NOTSET)
                log.propagate = True
        return Result(done.stdout, done.stderr, done.exit_code)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.home / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.home),
            "COLUMNS": "80",
            "PYTHONUTF8": "1",
            **self.variables,
        }


def _filled(value: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$([A-Z_]+)", lambda match: variables[match[1]], value)

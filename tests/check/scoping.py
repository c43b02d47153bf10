"""A vault for the tests of what a check reports, and the real command over it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app

_RUNNER = CliRunner()


class Told(NamedTuple):
    """What a check told: findings as (path, line, code, severity), what stood on stderr, and the exit code."""

    findings: list[tuple[str, int, str, str]]
    stderr: str
    code: int

    @property
    def codes(self) -> list[str]:
        return [code for _, _, code, _ in self.findings]

    @property
    def places(self) -> list[tuple[str, int, str]]:
        return [(path, line, code) for path, line, code, _ in self.findings]


@dataclass(frozen=True, slots=True)
class Vault:
    """A folder of notes, perhaps in a git repository."""

    root: Path

    def write(self, files: Mapping[str, str | bytes]) -> Vault:
        for path, content in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def settings(self, text: str) -> Vault:
        return self.write({".kantenwerk/settings.yaml": text})

    def check(self, *options: str, code: int | None = None) -> Told:
        result = _RUNNER.invoke(app, ["check", "--vault", str(self.root), "--format", "json", *options])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        assert code is None or result.exit_code == code, result.output
        found = json.loads(result.stdout) if result.stdout else []
        rows = sorted((row["path"], row["line"], row["code"], row["severity"]) for row in found)
        return Told(rows, result.stderr, result.exit_code)

    def text(self, *options: str) -> tuple[str, str, int]:
        """Return what a check writes for people on stdout and stderr, and its exit code."""
        result = _RUNNER.invoke(app, ["check", "--vault", str(self.root), *options])
        return result.stdout, result.stderr, result.exit_code

    def git(self, *arguments: str) -> str:
        run = subprocess.run(["git", *arguments], cwd=self.root, env=git_env(), capture_output=True, check=True)
        return os.fsdecode(run.stdout).strip()

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write files and commit all that there is."""
        self.write(files or {})
        if not (self.root / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=Notes")
        return self.git("rev-parse", "HEAD")


def git_env() -> dict[str, str]:
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()}
    return {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **who}


_WHO = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2025-03-04T05:06:07Z"}


def new_vault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """An empty vault, looked at with no settings but its own."""
    for name in os.environ:
        if name.startswith(("KANTENWERK_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    # So that no repository around the tests' folder counts.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder))
    # These tests look at which findings are reported, and their notes stand alone: each would be an orphan.
    monkeypatch.setattr("kantenwerk.ingest.check.run.graph_findings", lambda *_: [])
    root = folder / "notes"
    root.mkdir()
    return Vault(root)

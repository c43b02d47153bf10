"""Asks git about a vault: what it held at a revision, and what was renamed since.

Git is asked and never told: neither the working tree nor the index changes. Nothing goes through a shell, and names
come apart at NUL, which none can hold.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kantenwerk.config.errors import ConfigError

# Where git itself looks first; a hook sets these for its own repository, and relative to another folder.
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_LINK, _SUBMODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file at a revision; `path` is relative to the vault."""

    mode: str
    object: str
    path: str

    @property
    def is_symlink(self) -> bool:
        """Whether it is a symbolic link, and its content that link's target."""
        return self.mode == _LINK


@dataclass(frozen=True, slots=True)
class Revision:
    """A vault at a revision, as git knows it; `name` is what the revision was called."""

    vault: Path
    name: str
    commit: str

    def entries(self) -> Iterator[Entry]:
        """Yield the files that the vault held, submodules left out."""
        return (entry for entry in self._tree() if entry.mode != _SUBMODULE)

    def submodules(self) -> set[str]:
        """Return the paths at which the vault held, or holds, another repository."""
        index = _records(_asked(self.vault, "ls-files", "--stage", "-z"))
        now = {record.partition("\t")[2] for record in index if record.startswith(_SUBMODULE)}
        return now | {entry.path for entry in self._tree() if entry.mode == _SUBMODULE}

    def renames(self) -> dict[str, str]:
        """Return the present path of each file that git sees as renamed since, by its old one."""
        options = ("-M", "-z", "--name-status", "--diff-filter=R", "--relative", "--no-ext-diff")
        fields = _records(_asked(self.vault, "diff-index", *options, self.commit, "--"))
        return dict(zip(fields[1::3], fields[2::3], strict=True))

    def contents(self, entries: list[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yield each entry with its content.

        Raises:
            ConfigError: the clone does not hold it.
        """
        # What git says on stderr is not read, and must not fill a pipe.
        with subprocess.Popen(  # noqa: S603 - the program is git, and its arguments are ours
            [_git(), "cat-file", "--batch"],
            cwd=self.vault,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - both are pipes
            for entry in entries:
                process.stdin.write(f"{entry.object}\n".encode())
                process.stdin.flush()
                yield entry, self._content(entry, process.stdout)

    def _content(self, entry: Entry, answers: IO[bytes]) -> bytes:
        head = answers.readline().split()
        if len(head) != 3:  # noqa: PLR2004 - object, type and size; else the object is missing
            what = f"this clone does not hold `{entry.path}` as it was; fetch the revision whole"
            raise ConfigError(f"--changed-since {self.name}: {what}")
        size = int(head[2])
        return answers.read(size + 1)[:size]

    def _tree(self) -> Iterator[Entry]:
        for record in _records(_asked(self.vault, "ls-tree", "-r", "-z", self.commit)):
            head, _, path = record.partition("\t")
            mode, _, name = head.split()
            yield Entry(mode, name, path)


def find_revision(vault: Path, name: str) -> Revision:
    """Return a revision of the repository that a vault lies in.

    Raises:
        ConfigError: there is no git, no repository or no such revision.
    """
    if not name.strip() or name.startswith("-") or "\0" in name:
        raise ConfigError(f"--changed-since {name}: this is no revision; name a commit, a branch or a tag")
    inside = _run(vault, "rev-parse", "--is-inside-work-tree")
    if inside.returncode and b"not a git repository" in inside.stderr:
        raise ConfigError(f"--changed-since {name}: {vault} lies in no git repository")
    if inside.returncode:
        raise _failed("rev-parse", inside)
    if inside.stdout.strip() != b"true":
        raise ConfigError(f"--changed-since {name}: {vault} lies in no working tree of git")
    if _run(vault, "check-ignore", "--quiet", ".").returncode == 0:
        raise ConfigError(f"--changed-since {name}: git ignores {vault}, so it knows nothing of its changes")
    found = _run(vault, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode == 0:
        return Revision(vault, name, found.stdout.decode().strip())
    if _run(vault, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        what = "this clone is shallow and does not hold the revision; fetch it (actions/checkout: `fetch-depth: 0`)"
        raise ConfigError(f"--changed-since {name}: {what}")
    raise ConfigError(f"--changed-since {name}: the repository knows no such revision")


def _asked(vault: Path, *arguments: str) -> bytes:
    run = _run(vault, *arguments)
    if run.returncode:
        raise _failed(arguments[0], run)
    return run.stdout


def _run(vault: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    # A monitor of the file system would be a program of the repository's own, with files of its own.
    command = [_git(), "-c", "core.fsmonitor=false", *arguments]
    return subprocess.run(command, cwd=vault, env=_environment(), capture_output=True, check=False)  # noqa: S603 - as above


def _git() -> str:
    program = shutil.which("git")
    if program is None:
        raise ConfigError("--changed-since needs git, and there is none: install it, or put it on the PATH")
    return program


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _failed(what: str, run: subprocess.CompletedProcess[bytes]) -> ConfigError:
    said = run.stderr.decode(errors="replace").strip().partition("\n")[0]
    return ConfigError(f"--changed-since: git failed ({what}): {said.removeprefix('fatal: ')}")


def _records(data: bytes) -> list[str]:
    return [os.fsdecode(record) for record in data.split(b"\0")[:-1]]

"""`.pre-commit-hooks.yaml`, with the real pre-commit on a real git repository of notes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.packaging.checkout import ROOT, copy_checkout
from tests.packaging.programs import SCRIPTS, complaints

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
(HOOK,) = yaml.safe_load(MANIFEST.read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository with two notes of which one links the other, in which pre-commit is installed."""

    folder: Path

    def start(self, config: dict[str, Any]) -> None:
        """Make it, with hooks that guard every commit."""
        self.folder.mkdir()
        self.do("git", "init", "-q")
        self.write("Klaus.md", "# Klaus\n")
        self.write("Index.md", "[[Klaus]]\n")
        self.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [config]}))
        self.do(sys.executable, "-m", "pre_commit", "install")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def do(self, *command: str) -> None:
        done = self._run(command)
        assert done.returncode == 0, done.stdout

    def commit(self) -> str:
        """Commit all that there is; return what a hook said against it, or nothing if it passed."""
        self.do("git", "add", "--all")
        done = self._run(["git", "commit", "-m", "notes"])
        return done.stdout if done.returncode else ""

    def _run(self, command: list[str] | tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        home = self.folder.parent
        # A test run inside a hook has variables that lead to another repository.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "KANTENWERK_"))}
        own = {
            "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": str(home / "pre-commit"),
            "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (home / "gitconfig").write_text("[user]\nname = R\nemail = r@example.org\n", "utf-8")
        return subprocess.run(
            command,
            cwd=self.folder,
            env=kept | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture
def notes(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "notes")


def local(**changes: object) -> dict[str, Any]:
    """The hook as it is, but for the environment that pre-commit would install."""
    return {"repo": "local", "hooks": [HOOK | {"language": "system"} | changes]}


def test_that_pre_commit_takes_the_manifest() -> None:
    assert not complaints("pre-commit", "validate-manifest", MANIFEST)


def test_that_sound_notes_pass_and_broken_ones_do_not(notes: Repository) -> None:
    notes.start(local())
    assert not notes.commit()
    notes.write("Index.md", "---\na: b: c\n---\n[[Klaus]]\n")
    said = notes.commit()
    assert "Index.md" in said
    assert "frontmatter-invalid" in said


def test_that_a_note_that_is_deleted_is_noticed_by_the_links_to_it(notes: Repository) -> None:
    notes.start(local(args=["--vault", ".", "--fail-on", "warning"]))
    assert not notes.commit()
    (notes.folder / "Klaus.md").unlink()
    said = notes.commit()
    assert "Index.md" in said
    assert "unresolved-target" in said


@pytest.mark.parametrize(
    ("changed", "is_checked"),
    [("More.md", True), ("MORE.MD", True), (".kantenwerk/types.yaml", True), ("code.py", False), ("mdx.mdx", False)],
)
def test_that_a_user_can_limit_it_to_changed_notes(changed: str, *, is_checked: bool, notes: Repository) -> None:
    notes.start(local(always_run=False, entry="false"))
    for name in ("Klaus.md", "Index.md"):
        (notes.folder / name).unlink()
    (notes.folder / changed).parent.mkdir(exist_ok=True)
    notes.write(changed, "")
    assert bool(notes.commit()) is is_checked


@pytest.mark.slow
def test_that_pre_commit_installs_and_runs_it(notes: Repository, tmp_path: Path) -> None:
    sources = Repository(tmp_path / "kantenwerk")
    sources.folder.mkdir()
    copy_checkout(sources.folder, MANIFEST.name)
    sources.do("git", "init", "-q")
    assert not sources.commit()
    notes.start({"repo": str(sources.folder), "rev": "HEAD", "hooks": [{"id": HOOK["id"]}]})
    assert not notes.commit()
    notes.write("Index.md", "---\na: b: c\n---\n[[Klaus]]\n")
    assert "frontmatter-invalid" in notes.commit()

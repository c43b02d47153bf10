"""The wheel: what is in it, and that it does the main job from there, with no checkout in reach."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest

from tests.packaging.checkout import ROOMS, ROOT, copy_checkout, pyproject, sources

if TYPE_CHECKING:
    from collections.abc import Sequence

BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
# What an import leaves in a vault, and what a test run leaves in a room.
LEFT_BEHIND = (
    "vault_example/.kantenwerk/graph.duckdb",
    "vault_example/.kantenwerk/graph.duckdb.wal",
    "vault_example/.kantenwerk/journal.jsonl",
    "vault_example/.kantenwerk/lock",
    "vault_example/.kantenwerk/lock.json",
    "graph/__pycache__/store.cpython-311.pyc",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from a copy of the checkout in which an import has run, with what is installed here."""
    copy, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("wheel")
    copy_checkout(copy)
    for left in LEFT_BEHIND:
        (copy / left).parent.mkdir(exist_ok=True)
        (copy / left).write_bytes(b"left behind")
    subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=copy, check=True, capture_output=True)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def inside(wheel: Path) -> set[str]:
    """The names of the files in it."""
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_its_name_says_that_it_runs_everywhere(wheel: Path) -> None:
    assert wheel.name == f"kantenwerk-{pyproject()['project']['version']}-py3-none-any.whl"


def test_it_holds_every_source(inside: set[str]) -> None:
    assert {name for name in inside if name.endswith(".py")} == set(sources())


def test_it_holds_every_setting_and_the_schema(inside: set[str]) -> None:
    settings = {f"kantenwerk/config/{path.name}" for path in (ROOT / "config").glob("*.yaml")}
    assert settings
    assert {"kantenwerk/py.typed", "kantenwerk/graph/schema.sql", *settings} <= inside


def test_it_holds_the_example_vault_whole(inside: set[str]) -> None:
    vault = ROOT / "vault_example"
    notes = {path for path in vault.rglob("*.*") if not set(path.parts) & {".kantenwerk", "__pycache__"}}
    decisions = {vault / ".kantenwerk" / name for name in ("types.yaml", "verdicts.jsonl", "decisions.yaml")}
    shipped = {f"kantenwerk/{path.relative_to(ROOT).as_posix()}" for path in notes | decisions}
    assert {name for name in inside if Path(name).parts[1] == "vault_example"} == shipped


def test_it_holds_nothing_that_is_not_the_package_s(inside: set[str]) -> None:
    assert {Path(name).parts[0] for name in inside} == {"kantenwerk", f"{_stem()}.dist-info"}
    assert {Path(name).parts[1] for name in inside if name.startswith("kantenwerk/")} == {
        *ROOMS,
        "__init__.py",
        "__main__.py",
        "py.typed",
    }


def test_it_does_the_main_job_on_its_own_example(unpacked: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(unpacked / "kantenwerk" / "vault_example", vault)
    assert run(unpacked, tmp_path, ["--version"]).split() == ["kantenwerk", pyproject()["project"]["version"]]
    run(unpacked, tmp_path, ["import", "--vault", "vault", "--apply"])
    plan: dict[str, Any] = json.loads(run(unpacked, tmp_path, ["import", "--vault", "vault", "--format", "json"]))
    assert [plan["added"], plan["removed"], plan["changed"]] == [[], [], []]
    findings = json.loads(run(unpacked, tmp_path, ["check", "--vault", "vault", "--format", "json", "--fail-on=never"]))
    assert findings


def run(site: Path, folder: Path, arguments: Sequence[str]) -> str:
    """Run the wheel's command; its packages stand before the installed ones, and it says so itself."""
    where = "import kantenwerk, sys; sys.exit(kantenwerk.__file__)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KANTENWERK_")}
    environment["PYTHONPATH"] = str(site)
    told = subprocess.run(
        [sys.executable, "-c", where], cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert told.stderr.strip() == str(site / "kantenwerk" / "__init__.py")
    command = [sys.executable, "-m", "kantenwerk", *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _stem() -> str:
    return f"kantenwerk-{pyproject()['project']['version']}"

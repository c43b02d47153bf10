"""`action.yml`, run as GitHub's runner does it: what its scripts hand to Python, and what becomes of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.packaging.checkout import ROOT, copy_checkout, pyproject
from tests.packaging.programs import complaints, schema_complaints, security_complaints

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = ROOT / "action.yml"
ACTION: dict[str, Any] = yaml.safe_load(PATH.read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
# How the runner starts a step with `shell: bash`.
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
HOSTILE = "a \"b\" 'c' $(touch x) `touch x`; touch x\n&& touch x # \\ *"
# Stands for Python and writes down how it is called; what it makes is an environment with itself in it.
STAND_IN = """#!{python}
import json, os, shutil, sys
from pathlib import Path
calls = Path({calls!r})
with calls.open("a", encoding="utf-8") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
match sys.argv[1:]:
    case ["-I", "-m", "venv", folder]:
        python = Path(folder, {python_in_venv!r})
        python.parent.mkdir()
        shutil.copy(__file__, python)
    case ["-I", "-m", "pip", *_]:
        pass
    case ["-I", "-X", "utf8", "-m", "kantenwerk", *_] if not {real}:
        print("a report")
    case _:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run of the action ended, what it wrote, and how it called Python."""

    code: int
    stdout: str
    stderr: str
    calls: tuple[list[str], ...] = ()

    @property
    def checks(self) -> list[list[str]]:
        """What followed `kantenwerk check`, call by call."""
        start = ["-I", "-X", "utf8", "-m", "kantenwerk", "check"]
        return [call[len(start) :] for call in self.calls if call[: len(start)] == start]

    @property
    def installed(self) -> list[str]:
        """What pip was to install."""
        return [call[-1] for call in self.calls if call[:3] == ["-I", "-m", "pip"]]


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs an action, that of this checkout or a copy of it, on a workspace."""

    folder: Path
    action: Path = ROOT

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def run(self, **inputs: str) -> Ran:
        """Run the action's steps until one fails; inputs are written with `_` for `-`."""
        given = {name: entry["default"] for name, entry in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        values = {f"inputs.{name}": value for name, value in given.items()}
        stdout = stderr = ""
        for step in STEPS:
            done, outputs = self._step(step, values)
            values |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in outputs.items()}
            stdout, stderr = stdout + done.stdout, stderr + done.stderr
            if done.returncode:
                break
        return Ran(done.returncode, stdout, stderr, self._calls())

    def with_stand_in(self, *, real: bool = False, venv: str = "bin/python", **inputs: str) -> Ran:
        """Run the action with a Python that writes down its calls; a real one passes on those of kantenwerk."""
        python = self.folder / "stand-in"
        text = STAND_IN.format(python=sys.executable, calls=str(self.folder / "calls"), real=real, python_in_venv=venv)
        python.write_text(text, "utf-8")
        python.chmod(0o755)
        return self.run(python=str(python), **inputs)

    def _step(
        self, step: Mapping[str, Any], values: Mapping[str, str]
    ) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
        script, output = self.folder / "script.sh", self.folder / "output"
        script.write_text(step["run"], "utf-8")
        output.write_text("", "utf-8")
        own = {name: filled(written, values) for name, written in step["env"].items()}
        runner = {
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_OUTPUT": str(output),
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KANTENWERK_")}
        done = subprocess.run(
            [*BASH, str(script)],
            cwd=self.workspace,
            env=kept | runner | own,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        lines = output.read_text("utf-8").splitlines()
        return done, dict(line.split("=", 1) for line in lines)

    def _calls(self) -> tuple[list[str], ...]:
        path = self.folder / "calls"
        return tuple(map(json.loads, path.read_text("utf-8").splitlines())) if path.exists() else ()


def filled(written: str, values: Mapping[str, str]) -> str:
    """A value with its `${{ … }}` replaced; only inputs and outputs of steps may be there."""
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda match: values[match[1]], written)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    (tmp_path / "temp").mkdir()
    (tmp_path / "workspace").mkdir()
    return Runner(tmp_path)


def vault(folder: Path, *, sound: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Klaus.md").write_text("# Klaus\n", "utf-8")
    (folder / "Index.md").write_text("[[Klaus]]\n" if sound else "---\na: b: c\n---\n[[Klaus]]\n", "utf-8")


def test_that_it_is_a_valid_action() -> None:
    assert not schema_complaints("github-actions", PATH)


def test_that_zizmor_finds_nothing_in_it() -> None:
    assert not security_complaints(PATH)


def test_that_zizmor_would_find_an_input_inside_a_script(tmp_path: Path) -> None:
    path = tmp_path / "action.yml"
    path.write_text(PATH.read_text("utf-8").replace('"$INPUT_SARIF_FILE"', "${{ inputs.sarif-file }}"), "utf-8")
    assert "template-injection" in security_complaints(path)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["name"])
def test_that_its_scripts_hold_no_expression_and_nothing_that_shellcheck_minds(step: dict[str, Any]) -> None:
    assert "${{" not in step["run"]
    assert not complaints("shellcheck", "--norc", "--shell=bash", "-", stdin=step["run"])


def test_that_it_takes_no_action_of_others() -> None:
    assert [step["uses"] for step in STEPS if "uses" in step] == []


def test_that_every_input_is_used_and_says_what_it_does() -> None:
    used = {name for step in STEPS for value in step["env"].values() for name in re.findall(r"inputs\.([\w-]+)", value)}
    assert used == set(ACTION["inputs"])
    assert all(entry["description"] and "default" in entry for entry in ACTION["inputs"].values())


def test_what_is_called_by_default(runner: Runner) -> None:
    ran = runner.with_stand_in()
    assert ran.code == 0, ran.stderr
    assert ran.installed == [str(ROOT)]
    assert ran.checks == [["--vault=.", "--format=github"]]
    assert ran.stdout == "a report\n"


def test_that_each_input_arrives(runner: Runner) -> None:
    ran = runner.with_stand_in(
        vault="notes",
        format="junit",
        fail_on="warning",
        changed_since="origin/main",
        sarif_file="all.sarif",
        args="--frozen\r\n\n--set\nresolution.level=exact",
    )
    assert ran.code == 0, ran.stderr
    shared = ["--vault=notes", "--frozen", "--set", "resolution.level=exact"]
    assert ran.checks == [
        [*shared, "--format=sarif", "--fail-on=never"],
        [*shared, "--changed-since=origin/main", "--fail-on=warning", "--format=junit"],
    ]
    assert (runner.workspace / "all.sarif").read_text("utf-8") == ran.stdout == "a report\n"


def test_that_no_value_is_more_than_a_value(runner: Runner) -> None:
    ran = runner.with_stand_in(
        vault=HOSTILE,
        format=HOSTILE,
        fail_on=HOSTILE,
        changed_since=HOSTILE,
        sarif_file=HOSTILE,
        args=HOSTILE,
    )
    assert ran.code == 0, ran.stderr
    shared = [f"--vault={HOSTILE}", *HOSTILE.splitlines()]
    assert ran.checks == [
        [*shared, "--format=sarif", "--fail-on=never"],
        [*shared, f"--changed-since={HOSTILE}", f"--fail-on={HOSTILE}", f"--format={HOSTILE}"],
    ]
    assert [path.name for path in runner.workspace.iterdir()] == [HOSTILE]


@pytest.mark.parametrize("version", ["0.1.0", "1.0rc1", "1!2.0+local.3"])
def test_that_a_version_comes_from_the_index(runner: Runner, version: str) -> None:
    assert runner.with_stand_in(version=version).installed == [f"kantenwerk=={version}"]


@pytest.mark.parametrize("version", [HOSTILE, "1.0 --index-url=http://x", "1\n2", "1,<2", "1 @ file:///x", "../x"])
def test_that_what_is_no_version_is_refused(runner: Runner, version: str) -> None:
    ran = runner.with_stand_in(version=version)
    assert ran.code == 2
    assert ran.stdout == "::error::kantenwerk: the input version is no version, such as 0.1.0\n"
    assert ran.calls == ()


def test_that_a_python_that_is_too_old_or_missing_is_told(runner: Runner) -> None:
    old = runner.folder / "old"
    old.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    old.chmod(0o755)
    for python in (str(old), "no-such-python"):
        ran = runner.run(python=python)
        assert ran.code == 2
        assert ran.stdout.startswith("::error::kantenwerk: the input python is no Python 3.11 or later")


def test_that_it_finds_the_python_of_an_environment_on_windows(runner: Runner) -> None:
    assert runner.with_stand_in(venv="Scripts/python.exe").checks


def test_that_two_uses_in_one_job_have_an_environment_each(runner: Runner) -> None:
    runner.with_stand_in()
    ran = runner.with_stand_in()
    folders = [call[3] for call in ran.calls if call[:3] == ["-I", "-m", "venv"]]
    assert len(set(folders)) == 2
    assert all(Path(folder).parent == runner.folder / "temp" for folder in folders)


def test_that_a_sound_vault_passes_and_no_python_file_in_it_is_run(runner: Runner) -> None:
    vault(runner.workspace, sound=True)
    for module in ("venv.py", "pip.py", "kantenwerk.py"):
        (runner.workspace / module).write_text("open('x', 'w')\n", "utf-8")
    ran = runner.with_stand_in(real=True, format="json")
    assert ran.code == 0, ran.stderr
    assert '"frontmatter-invalid"' not in ran.stdout
    assert not (runner.workspace / "x").exists()


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0)])
def test_that_a_broken_vault_of_any_name_fails_the_job(runner: Runner, fail_on: str, code: int) -> None:
    vault(runner.workspace / HOSTILE, sound=False)
    ran = runner.with_stand_in(real=True, vault=HOSTILE, format="json", fail_on=fail_on)
    assert ran.code == code, ran.stderr
    assert '"frontmatter-invalid"' in ran.stdout


def test_that_the_settings_of_the_vault_say_what_fails(runner: Runner) -> None:
    vault(runner.workspace, sound=False)
    (runner.workspace / ".kantenwerk").mkdir(exist_ok=True)
    (runner.workspace / ".kantenwerk" / "settings.yaml").write_text("check: {fail_on: never}\n", "utf-8")
    assert runner.with_stand_in(real=True, format="json").code == 0
    assert runner.with_stand_in(real=True, format="json", fail_on="error").code == 1


def test_that_a_vault_that_is_none_fails_the_job(runner: Runner) -> None:
    ran = runner.with_stand_in(real=True, vault="nowhere", format="json")
    assert ran.code == 2
    assert "nowhere does not exist" in ran.stderr


@pytest.mark.slow
def test_that_it_installs_itself_and_checks(runner: Runner) -> None:
    action = runner.folder / "action"
    action.mkdir()
    copy_checkout(action)
    vault(runner.workspace, sound=False)
    # What the notes bring along is in nobody's way.
    for module in ("venv.py", "pip.py"):
        (runner.workspace / module).write_text("raise SystemExit('not this one')\n", "utf-8")
    ran = Runner(runner.folder, action).run(python=sys.executable, format="json", args="--set\nresolution.level=exact")
    assert ran.code == 1, ran.stderr
    assert '"frontmatter-invalid"' in ran.stdout
    (environment,) = (runner.folder / "temp").iterdir()
    version = subprocess.run(
        [environment / "bin" / "kantenwerk", "--version"], check=True, capture_output=True, text=True
    )
    assert version.stdout.split() == ["kantenwerk", pyproject()["project"]["version"]]
    shutil.rmtree(environment)

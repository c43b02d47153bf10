"""What `docs/ci.md` gives to copy is valid, and does what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.packaging.checkout import ROOT, pyproject
from tests.packaging.programs import complaints, schema_complaints, security_complaints
from tests.readme.page import Block, blocks, tables

TEXT = (ROOT / "docs/ci.md").read_text("utf-8")
# The file that a block is for stands in its first line.
FILES = {block.text.partition("\n")[0].removeprefix("# "): block for block in blocks(TEXT) if block.language == "yaml"}
WORKFLOWS = sorted(name for name in FILES if name.startswith(".github/workflows/"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
SINCE = "0123abc"


def written(block: Block, folder: Path, name: str) -> Path:
    """A block as a file, in which placeholders are what a reader makes of them."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text.replace("OWNER", "octo").replace("@COMMIT", f"@{'0' * 40}"), "utf-8")
    return path


def parsed(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load(FILES[name].text))


def test_that_there_is_something_to_copy_for_each() -> None:
    assert set(FILES) == {*WORKFLOWS, ".gitlab-ci.yml", ".pre-commit-config.yaml"}
    assert len(WORKFLOWS) == 2


@pytest.mark.parametrize("name", WORKFLOWS)
def test_that_workflows_are_valid_and_zizmor_finds_nothing_in_them(name: str, tmp_path: Path) -> None:
    path = written(FILES[name], tmp_path, name)
    assert not schema_complaints("github-workflows", path)
    assert not security_complaints(path)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_that_workflows_give_the_action_inputs_that_it_has(name: str) -> None:
    (job,) = parsed(name)["jobs"].values()
    (step,) = [step for step in job["steps"] if step["uses"].startswith("OWNER/kantenwerk@")]
    assert set(step["with"]) <= set(ACTION["inputs"])


def test_that_the_table_has_the_inputs_of_the_action_with_their_defaults() -> None:
    (table,) = [table for table in tables(TEXT) if table.head == ("Input", "What it says", "Default")]
    shown = {name.strip("`"): default.strip("`") for name, _, default in table.rows}
    assert shown == {name: entry["default"] for name, entry in ACTION["inputs"].items()}


def test_that_the_gitlab_job_is_valid(tmp_path: Path) -> None:
    path = written(FILES[".gitlab-ci.yml"], tmp_path, ".gitlab-ci.yml")
    assert not schema_complaints("gitlab-ci", path)


@pytest.mark.parametrize("since", ["", SINCE])
@pytest.mark.parametrize("code", [0, 1])
def test_that_the_gitlab_job_writes_its_reports_and_fails_with_the_check(since: str, code: int, tmp_path: Path) -> None:
    job = parsed(".gitlab-ci.yml")["notes"]
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("kantenwerk", "pip"):
        # Writes down how it is called; like kantenwerk, it fails unless nothing is to fail.
        (programs / name).write_text(
            f"#!{sys.executable}\nimport json, sys\n"
            f"with open({str(tmp_path / name)!r}, 'a') as file: file.write(json.dumps(sys.argv[1:]) + '\\n')\n"
            f"print('a report')\nsys.exit({code} if 'check' in sys.argv and 'never' not in sys.argv else 0)\n",
            "utf-8",
        )
        (programs / name).chmod(0o755)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    environment = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    if since:
        environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = since
    script = "\n".join([*job["before_script"], *job["script"]])
    # As GitLab's runner does it.
    command = ["bash", "-c", f"set -eo pipefail\n{script}"]
    done = subprocess.run(command, cwd=workspace, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    calls = [json.loads(line) for line in (tmp_path / "kantenwerk").read_text("utf-8").splitlines()]
    start = ["check", "--vault", "."]
    assert calls == [
        [*start, "--format", "gitlab", "--fail-on", "never"],
        [*start, "--format", "junit", "--fail-on", "never"],
        [*start, *(["--changed-since", since] if since else [])],
    ]
    assert {path.name for path in workspace.iterdir()} == set(job["artifacts"]["reports"].values())


def test_that_pre_commit_takes_its_configuration(tmp_path: Path) -> None:
    path = written(FILES[".pre-commit-config.yaml"], tmp_path, ".pre-commit-config.yaml")
    assert not complaints("pre-commit", "validate-config", path)
    (repository,) = parsed(".pre-commit-config.yaml")["repos"]
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in manifest}


def test_that_versions_are_the_present_one() -> None:
    shown = re.findall(r"(?:kantenwerk==|rev: v)([\d.]+)", TEXT)
    assert set(shown) == {pyproject()["project"]["version"]}

"""`kantenwerk init`: the files that a vault begins with, which change nothing and replace nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from kantenwerk.cli.app import app
from kantenwerk.config import load_config

QUICK = ("--set", "resolution.level=exact")
EXAMPLE = Path(__file__).parents[2] / "vault_example"
FILES = ("settings.yaml", "llm_profiles.yaml", "verdicts.jsonl", ".gitignore", ".gitattributes")


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a note, in which we are."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Klaus.md").write_text("# Klaus\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["init", *arguments])
    assert "Traceback" not in result.output
    return result


def told(*arguments: str) -> dict[str, Any]:
    result = run("--format", "json", *arguments)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def uncommented(text: str) -> str:
    """A file as it is when the `#` is taken away before every key, as its head says."""
    return "\n".join(line[1:] if line[1:2] not in {" ", ""} or line[1:3] == "  " else line for line in text.split("\n"))


def test_that_it_writes_the_files_of_a_vault_and_says_so(vault: Path) -> None:
    result = run()
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"Vault: {vault}",
        *(f"  written  .kantenwerk/{name}" for name in FILES),
        "Commit these files with the notes. `kantenwerk check` says what is wrong in the notes.",
    ]
    assert {path.name for path in (vault / ".kantenwerk").iterdir()} == set(FILES)


def test_that_a_second_time_changes_nothing(vault: Path) -> None:
    run()
    before = content(vault)
    result = run()
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:-1] == [f"  kept     .kantenwerk/{name}" for name in FILES]
    assert content(vault) == before


@pytest.mark.parametrize("name", FILES)
def test_that_no_file_is_overwritten(vault: Path, name: str) -> None:
    own = vault / ".kantenwerk" / name
    own.parent.mkdir()
    own.write_bytes(b"# my own\r\n")
    assert told() == {
        "vault": str(vault),
        "written": [f".kantenwerk/{other}" for other in FILES if other != name],
        "kept": [f".kantenwerk/{name}"],
    }
    assert own.read_bytes() == b"# my own\r\n"


def test_that_a_link_to_a_file_is_kept_also_where_it_leads_nowhere(vault: Path, tmp_path: Path) -> None:
    (vault / ".kantenwerk").mkdir()
    (vault / ".kantenwerk" / "settings.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    assert told()["kept"] == [".kantenwerk/settings.yaml"]
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_that_what_it_writes_changes_no_setting(vault: Path) -> None:
    run()
    assert load_config(vault, environ={}) == load_config(None, environ={})


@pytest.mark.parametrize("name", ["settings.yaml", "llm_profiles.yaml"])
def test_that_every_key_can_be_uncommented_and_says_what_is_so_by_default(vault: Path, name: str) -> None:
    run()
    path = vault / ".kantenwerk" / name
    assert yaml.safe_load(path.read_text("utf-8")) is None
    path.write_text(uncommented(path.read_text("utf-8")), "utf-8")
    assert load_config(vault, environ={}) == load_config(None, environ={})
    packaged = yaml.safe_load((EXAMPLE.parent / "config" / name).read_text("utf-8"))
    assert yaml.safe_load(path.read_text("utf-8")).keys() == packaged.keys() - {"attachment_extensions"}


def test_that_a_key_that_is_uncommented_and_changed_counts(vault: Path) -> None:
    run()
    path = vault / ".kantenwerk/settings.yaml"
    path.write_text(path.read_text("utf-8").replace("#dataview_fields: false", "dataview_fields: true"), "utf-8")
    assert load_config(vault, environ={}).settings.dataview_fields


def test_that_the_graph_is_the_same_with_and_without_it(tmp_path: Path) -> None:
    plans = []
    for name in ("with", "without"):
        folder = tmp_path / name / "vault"
        shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".kantenwerk"))
        if name == "with":
            told("--vault", str(folder))
        result = CliRunner().invoke(app, ["import", "--vault", str(folder), "--format", "json", *QUICK])
        plans.append(json.loads(result.stdout.replace(str(folder), "")))
    assert plans[0]["added"]
    assert plans[0] == plans[1]


def test_that_an_import_after_it_has_nothing_left_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("graph.duckdb*", "lock*"))
    CliRunner().invoke(app, ["import", "--vault", str(folder), "--apply", *QUICK])
    verdicts = (folder / ".kantenwerk/verdicts.jsonl").read_bytes()
    assert told("--vault", str(folder))["written"] == [".kantenwerk/settings.yaml", ".kantenwerk/llm_profiles.yaml"]
    again = CliRunner().invoke(app, ["import", "--vault", str(folder), *QUICK])
    assert again.stdout.endswith("The graph already says what the notes say.\n")
    assert (folder / ".kantenwerk/verdicts.jsonl").read_bytes() == verdicts


def test_that_git_ignores_the_database_and_merges_verdicts_of_two_branches(vault: Path) -> None:
    run()
    git = ["git", "-c", "user.name=R", "-c", "user.email=r@example.org", "-c", "commit.gpgsign=false"]

    def do(*arguments: str) -> str:
        return subprocess.run([*git, *arguments], cwd=vault, check=True, capture_output=True, text=True).stdout

    do("init", "-q", "-b", "main")
    (vault / ".kantenwerk/graph.duckdb").write_bytes(b"a database")
    do("add", ".")
    assert set(do("ls-files", ".kantenwerk").split()) == {f".kantenwerk/{name}" for name in FILES}
    do("commit", "-qm", "notes")
    for branch, line in (("other", "b"), ("main", "a")):
        do("checkout", "-q", *(["-b", branch] if branch == "other" else [branch]))
        (vault / ".kantenwerk/verdicts.jsonl").write_text(f"{line}\n", "utf-8")
        do("commit", "-qam", line)
    do("merge", "-q", "other", "-m", "both")
    assert sorted((vault / ".kantenwerk/verdicts.jsonl").read_text("utf-8").split()) == ["a", "b"]


def test_that_a_folder_without_notes_gets_a_hint(vault: Path) -> None:
    (vault / "Klaus.md").rename(vault / "Klaus.markdown")
    result = run()
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "There are no notes here yet: kantenwerk reads files that end in .md."
    assert (vault / ".kantenwerk/settings.yaml").exists()


@pytest.mark.parametrize("sign", [".kantenwerk", ".obsidian"])
def test_that_no_vault_is_made_inside_another_by_a_slip(
    vault: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    (vault / sign).mkdir()
    inner = vault / "projects" / "2025"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    result = run()
    assert result.exit_code == 2
    assert result.stderr == (
        f"kantenwerk: {inner} lies in the vault {vault}: name that one with --vault, or this folder with `--vault .` "
        "to make a vault of its own\n"
    )
    assert not (inner / ".kantenwerk").exists()
    assert told("--vault", ".")["written"]
    assert (inner / ".kantenwerk/settings.yaml").exists()


def test_that_a_vault_of_obsidian_is_started_where_one_stands(vault: Path) -> None:
    (vault / ".obsidian").mkdir()
    assert told()["vault"] == str(vault)


def a_file(folder: Path) -> None:
    folder.write_text("mine", "utf-8")


def a_link(folder: Path) -> None:
    (folder.parents[1] / "elsewhere").mkdir()
    folder.symlink_to(folder.parents[1] / "elsewhere")


def a_loose_end(folder: Path) -> None:
    folder.symlink_to(folder.parents[1] / "nowhere")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (a_file, "is a file: move it away, for kantenwerk keeps a folder of that name"),
        (a_link, "is a symbolic link: init writes into the vault alone; put a folder in its place"),
        (a_loose_end, "is a symbolic link: init writes into the vault alone; put a folder in its place"),
    ],
)
def test_that_what_is_in_its_way_is_told(vault: Path, make: Callable[[Path], None], says: str) -> None:
    make(vault / ".kantenwerk")
    before = content(vault.parent)
    result = run("--vault", str(vault))
    assert result.exit_code == 2
    assert result.stderr == f"kantenwerk: {vault / '.kantenwerk'} {says}\n"
    assert content(vault.parent) == before


@pytest.mark.parametrize(("named", "says"), [("nowhere", "does not exist"), ("Klaus.md", "is a file"), ("", "empty")])
@pytest.mark.usefixtures("vault")
def test_that_a_vault_that_is_none_is_told(named: str, says: str) -> None:
    result = run("--vault", named)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_that_a_full_disk_is_told_and_leaves_no_half_file(vault: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 1 && exec "$@"', "sh", sys.executable, "-m", "kantenwerk", "init"],
        cwd=vault,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    start = f"kantenwerk: {vault / '.kantenwerk/settings.yaml'}: cannot be written: File too large: make room there"
    assert done.stderr.startswith(start)
    assert list((vault / ".kantenwerk").iterdir()) == []
    assert len(told()["written"]) == len(FILES)

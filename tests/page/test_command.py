"""`kantenwerk graph`, up to the file that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kantenwerk.cli import drawing
from kantenwerk.cli.app import app
from kantenwerk.graph.drawing import SLOT


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a graph of one edge, its mirror, and a title that would be a script."""
    template = tmp_path / "built.html"
    template.write_text(f"<p>{SLOT}</p>", "utf-8")
    monkeypatch.setattr(drawing, "PAGE", template)
    monkeypatch.setenv("KANTENWERK_RESOLUTION_LEVEL", "exact")
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "A.md").write_text("# </p><script>\n\n[[B]]\n", "utf-8")
    (folder / "B.md").write_text("# B\n", "utf-8")
    assert run("import", "--vault", str(folder), "--apply").exit_code == 0
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_that_it_writes_the_graph_into_the_page(vault: Path, tmp_path: Path) -> None:
    output = tmp_path / "graph.html"
    done = run("graph", "--vault", str(vault), "--output", str(output))
    assert (done.exit_code, done.stdout) == (0, f"{output} shows 2 nodes and 2 edges: open it in a browser.\n")
    text = output.read_text("utf-8")
    data = json.loads(text.removeprefix("<p>").removesuffix("</p>"))
    assert data["name"] == "vault"
    assert [row[1] for row in data["nodes"]] == ["</p><script>", "B"]
    assert [data["kinds"][row[1]] for row in data["edges"]] == ["references", "referenced_by"]
    assert [row[9] for row in data["edges"]] == [0, None]
    assert (data["texts"], data["inverses"]) == (["[[B]]"], [1, 0])


@pytest.mark.parametrize("now", ["[[B]]\n\n# Another\n", "\0", None])
def test_that_a_line_of_a_note_that_has_changed_is_not_shown(vault: Path, tmp_path: Path, now: str | None) -> None:
    if now is None:
        (vault / "A.md").unlink()
    else:
        (vault / "A.md").write_text(now, "utf-8")
    output = tmp_path / "graph.html"
    assert run("graph", "--vault", str(vault), "--output", str(output)).exit_code == 0
    assert '"texts":[]' in output.read_text("utf-8")


def test_that_it_changes_nothing_in_the_vault(vault: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    assert run("graph", "--vault", str(vault), "--output", str(tmp_path / "graph.html")).exit_code == 0
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before


def test_that_an_older_page_is_replaced(vault: Path, tmp_path: Path) -> None:
    output = tmp_path / "graph.html"
    output.write_text("old " * 10_000, "utf-8")
    assert run("graph", "--vault", str(vault), "--output", str(output)).exit_code == 0
    assert "old" not in output.read_text("utf-8")


def test_that_a_note_is_not_overwritten(vault: Path) -> None:
    told = run("graph", "--vault", str(vault), "--output", str(vault / "A.md"))
    assert (told.exit_code, ".html" in told.stderr) == (2, True)
    assert (vault / "A.md").read_text("utf-8").startswith("# <")


def test_that_a_folder_that_is_not_there_is_named(vault: Path, tmp_path: Path) -> None:
    told = run("graph", "--vault", str(vault), "--output", str(tmp_path / "no" / "graph.html"))
    assert told.exit_code == 2
    assert str(tmp_path / "no" / "graph.html") in told.stderr
    assert told.stderr.count("\n") == 1


def test_that_without_a_graph_it_says_what_to_run(vault: Path, tmp_path: Path) -> None:
    told = run("graph", "--vault", str(vault), "--db", str(tmp_path / "other.duckdb"), "--output", "x.html")
    assert (told.exit_code, "kantenwerk import --apply" in told.stderr) == (3, True)
    assert not (tmp_path / "other.duckdb").exists()


def test_that_without_the_built_page_it_says_what_to_run(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "PAGE", tmp_path / "not built.html")
    told = run("graph", "--vault", str(vault), "--output", str(tmp_path / "graph.html"))
    assert (told.exit_code, "just page" in told.stderr) == (2, True)
    assert told.stderr.count("\n") == 1
    assert not (tmp_path / "graph.html").exists()

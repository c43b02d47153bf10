"""The command around the formats: what is exported, where it goes, and where it does not.

`pytest tests/sessions tests/exports --rewrite` writes `golden/` as it comes out now; read the difference.
"""

from __future__ import annotations

import json
import os
import re
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.config import load_config
from kantenwerk.graph.exports.canvas import canvas
from kantenwerk.graph.exports.cypher import cypher
from kantenwerk.graph.exports.dot import dot
from kantenwerk.graph.exports.graphml import graphml
from kantenwerk.graph.exports.jsonld import jsonld
from kantenwerk.graph.exports.mermaid import mermaid
from kantenwerk.graph.exports.model import ExportEdge, ExportNode
from kantenwerk.graph.exports.tables import edge_table
from kantenwerk.graph.exports.turtle import turtle
from tests.exports.graphs import export, imported, stored
from tests.readme.page import ROOT, Block, blocks
from tests.sessions.test_sessions import copy_example

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typer.testing import Result

GOLDEN = Path(__file__).with_name("golden")
DRAWINGS = ("dot", "canvas", "mermaid")
TEXTS = ("graphml", "dot", "jsonld", "turtle", "cypher", "canvas", "mermaid")
TABLES = ("csv", "parquet")


def run(vault: Path, *options: str) -> Result:
    result = CliRunner().invoke(app, ["export", "--vault", str(vault), *options])
    assert "Traceback" not in result.output
    return result


def refused(vault: Path, *options: str, code: int = 2) -> str:
    result = run(vault, *options)
    assert result.exit_code == code
    assert result.stdout == ""
    return result.stderr


def edges_in(vault: Path, *options: str, form: str = "graphml") -> int:
    text = export(vault, form, *options)
    return text.count("<edge ") if form == "graphml" else len(json.loads(text)["edges"])


# --- what


@pytest.mark.parametrize("form", TEXTS)
def test_what_is_written_of_the_example(example_vault: Path, form: str, pytestconfig: pytest.Config) -> None:
    text = export(example_vault, form, "--kinds", "depends_on,required_by,related_to,explored_in")
    path = GOLDEN / f"example.{form}"
    if pytestconfig.getoption("rewrite", default=False):
        path.write_text(text, "utf-8", newline="\n")
    assert text.splitlines() == path.read_text("utf-8").splitlines()


def test_that_tables_of_the_example_are_as_they_were(
    example_vault: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    kinds = "depends_on,required_by,related_to,explored_in"
    assert (
        run(example_vault, "--format", "csv", "--kinds", kinds, "--output", str(tmp_path / "example.csv")).exit_code
        == 0
    )
    for name in ("example.nodes.csv", "example.edges.csv"):
        text = (tmp_path / name).read_text("utf-8")
        if pytestconfig.getoption("rewrite", default=False):
            (GOLDEN / name).write_text(text, "utf-8", newline="\n")
        assert text == (GOLDEN / name).read_text("utf-8")


PAGE = (ROOT / "docs/export.md").read_text("utf-8")
EXAMPLES = [block for block in blocks(PAGE) if block.language in {*TEXTS, "csv"}]


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: f"line {block.first}")
def test_that_the_page_shows_what_is_written(block: Block) -> None:
    name = "example.edges.csv" if block.language == "csv" else f"example.{block.language}"
    pieces = "".join(".*" if line == "[…]\n" else re.escape(line) for line in block.text.splitlines(keepends=True))
    pattern = pieces.replace(re.escape("[…]"), "[^\n]*")
    assert re.search(pattern, (GOLDEN / name).read_text("utf-8"), re.DOTALL)


def test_that_the_page_shows_every_format_and_option() -> None:
    shown = CliRunner().invoke(app, ["export", "--help"]).stdout
    assert {block.language for block in EXAMPLES} == {*TEXTS, "csv"}
    for option in re.findall(r"--[a-z-]+", shown):
        assert option in PAGE or option in {"--vault", "--db", "--set", "--help"}, option


def test_that_the_same_notes_give_the_same_bytes(example_vault: Path, tmp_path: Path) -> None:
    copy_example(tmp_path / "here")
    other = imported(tmp_path / "here/vault_example")
    for form in TEXTS:
        assert export(example_vault, form) == export(other, form), form
    for form in TABLES:
        for vault, name in ((example_vault, "one"), (other, "other")):
            assert run(vault, "--format", form, "--output", str(tmp_path / f"{name}.{form}")).exit_code == 0
        for table in ("nodes", "edges"):
            one, other_file = (tmp_path / f"{name}.{table}.{form}" for name in ("one", "other"))
            assert one.read_bytes() == other_file.read_bytes()


def test_that_drawings_leave_out_mirrors_and_what_is_unproven(hostile_vault: Path) -> None:
    expected = stored(hostile_vault)
    whole, drawn = len(expected.edges), len(expected.narrowed(mirrors=False, unproven=False).edges)
    assert whole > drawn + 1
    assert edges_in(hostile_vault) == whole
    assert edges_in(hostile_vault, form="canvas") == drawn
    assert edges_in(hostile_vault, "--unproven", form="canvas") == drawn + 1
    assert edges_in(hostile_vault, "--mirrors", "--unproven", form="canvas") == whole
    assert edges_in(hostile_vault, "--no-mirrors") == drawn + 1
    assert edges_in(hostile_vault, "--no-unproven") == whole - 1


def test_that_kinds_choose_edges_and_the_nodes_at_their_ends(example_vault: Path) -> None:
    expected = stored(example_vault).narrowed(mirrors=False)
    chosen = [triple for triple in expected.edges if triple[1] in {"depends_on", "uses"}]
    # In any spelling, with blanks, more than once.
    content = json.loads(export(example_vault, "canvas", "--kinds", "hängt ab von, uses", "--kinds", "uses"))
    assert len(content["edges"]) == len(chosen) > 1
    assert len(content["nodes"]) == len({node for source, _, target in chosen for node in (source, target)})
    # A kind that no edge has is fine, a word that nearly is one is not.
    vocabulary = load_config(None, environ={}).vocabulary
    unused = next(kind for kind in vocabulary.kinds if kind not in {kind for _, kind, _ in expected.edges})
    assert json.loads(export(example_vault, "canvas", "--kinds", unused)) == {"nodes": [], "edges": []}
    assert "did you mean `depends_on`?" in refused(example_vault, "--format", "dot", "--kinds", "depend_on")
    assert "--kinds is empty" in refused(example_vault, "--format", "dot", "--kinds", ",")


def test_that_entities_fold_what_is_one_thing(example_vault: Path) -> None:
    expected = stored(example_vault)
    folded = [name for name, node in expected.nodes.items() if node["entity"] != name]
    assert "mention:notif-svc" in folded
    content = json.loads(export(example_vault, "canvas", "--entities"))
    assert len(content["nodes"]) == len(expected.nodes) - len(folded)
    ends = {
        (expected.nodes[source]["entity"], kind, expected.nodes[target]["entity"])
        for source, kind, target in expected.edges
    }
    assert edges_in(example_vault, "--entities") == len({end for end in ends if end[0] != end[2]})
    lines = export(example_vault, "cypher", "--entities").splitlines()
    (note,) = (
        line for line in lines if line.startswith("MERGE (n:KantenwerkNode {id: 'projects/checkout/notifications")
    )
    assert "'notif-svc'" in note, "the other name is an alias"
    assert not any("mention:notif-svc" in line for line in lines)


def test_that_mermaid_says_what_it_will_not_draw(tmp_path: Path) -> None:
    for number in range(34):
        (tmp_path / f"{number}.md").write_text(" ".join(f"[[{other}]]" for other in range(15)) + "\n", "utf-8")
    vault = imported(tmp_path)
    result = run(vault, "--format", "mermaid", "--mirrors")
    assert result.exit_code == 0
    assert "Mermaid draws at most 500 edges" in result.stderr
    assert "draws at most" not in run(vault, "--format", "mermaid", "--kinds", "embeds").stderr
    assert "draws at most" not in run(vault, "--format", "dot", "--mirrors").stderr


class Endless:
    """A graph with more edges than any memory."""

    def nodes(self) -> Iterator[ExportNode]:
        return (ExportNode(str(number), "a name", "a.md", "default", (), None, str(number)) for number in range(3))

    def edges(self) -> Iterator[ExportEdge]:
        for number in count():
            kind = f"kind_{number}"
            rest = ("explicit", "explicit", 1.0, "note", "a.md", 1, False, str(number), "person", None, None, None)
            yield ExportEdge("0", kind, "1", *rest)

    def kinds(self) -> tuple[str, ...]:
        return ("uses",)


@pytest.mark.parametrize("form", [graphml, dot, turtle, jsonld, cypher, canvas, mermaid, edge_table])
def test_that_no_writer_waits_for_the_last_edge(form: object) -> None:
    more = (load_config(None, environ={}).vocabulary, "urn:x:") if form in {turtle, jsonld} else ()
    assert callable(form)
    assert len(list(islice(form(Endless(), *more), 2_000))) == 2_000


# --- where


def test_that_a_file_is_written_or_replaced_whole(example_vault: Path, tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    result = run(example_vault, "--format", "dot", "--output", str(path))
    assert [result.exit_code, result.stdout] == [0, ""]
    assert result.stderr == f"39 nodes, 113 edges in {path}\n"
    assert path.read_text("utf-8") == export(example_vault, "dot") == export(example_vault, "dot", "--output", "-")
    path.write_text("x" * 1_000_000, "utf-8")
    assert run(example_vault, "--format", "dot", "--output", str(path)).exit_code == 0
    assert path.read_text("utf-8") == export(example_vault, "dot")
    assert list(tmp_path.iterdir()) == [path]


def test_that_one_name_stands_for_both_tables(example_vault: Path, tmp_path: Path) -> None:
    result = run(example_vault, "--format", "csv", "--output", str(tmp_path / "my.graph.csv"))
    assert result.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my.graph.edges.csv", "my.graph.nodes.csv"]
    assert "my.graph.nodes.csv and " in result.stderr


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("output", [(), ("--output", "-")])
def test_that_two_tables_do_not_go_to_stdout(example_vault: Path, form: str, output: tuple[str, ...]) -> None:
    assert f"--output graph.{form}" in refused(example_vault, "--format", form, *output)


def test_where_an_export_is_never_written(example_vault: Path, tmp_path: Path) -> None:
    note, database = example_vault / "index.md", example_vault / ".kantenwerk/graph.duckdb"
    (tmp_path / "link.dot").symlink_to(note)
    os.mkfifo(tmp_path / "pipe")
    before = {path: path.read_bytes() for path in (note, database)}
    for path, why in (
        (note, "is a note of the vault"),
        (tmp_path / "link.dot", "is a note of the vault"),
        (example_vault / "new.MD", "would become one"),
        (database, "is the graph itself"),
        (example_vault / ".kantenwerk/new.dot", "is for what the vault keeps"),
        (tmp_path, "is a folder"),
        (tmp_path / "none/graph.dot", f"the folder {tmp_path / 'none'} does not exist"),
        (tmp_path / "pipe", "is no file that can be replaced"),
    ):
        assert why in refused(example_vault, "--format", "dot", "--output", str(path))
    assert before == {path: path.read_bytes() for path in before}
    elsewhere = tmp_path / "elsewhere.duckdb"
    elsewhere.write_bytes(before[database])
    options = ("--format", "dot", "--db", str(elsewhere), "--output", str(elsewhere))
    assert "is the graph itself" in refused(example_vault, *options)
    # Beside the notes, and as a note of nobody's, it may well be.
    for path in (tmp_path / "graph.md", tmp_path / "new.canvas"):
        assert run(example_vault, "--format", "dot", "--output", str(path)).exit_code == 0


def test_that_a_failure_half_way_leaves_the_old_file(
    example_vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.dot"
    path.write_text("old", "utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert f"{path} cannot be written: No space left on device" in refused(
        example_vault, "--format", "dot", "--output", str(path)
    )
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_that_there_must_be_a_graph(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a\n", "utf-8")
    for form in ("dot", "parquet"):
        text = refused(tmp_path, "--format", form, "--output", str(tmp_path / "x"), code=3)
        assert "there is no graph yet: run `kantenwerk import --apply` first" in text
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_that_iris_have_a_beginning_that_can_be_one(example_vault: Path) -> None:
    for base, why in (
        ("https://example.org/vault", "did you mean `https://example.org/vault/`?"),
        ("no scheme/", "must begin with a scheme"),
        ("prov:mine/", "`prov:` is a prefix of these files"),
        ("https://example.org/a b/", "blanks"),
        ("https://example.org/<x>/", "blanks"),
    ):
        assert why in refused(example_vault, "--format", "turtle", "--base-iri", base)
    assert "--base-iri is for jsonld and turtle" in refused(example_vault, "--format", "dot", "--base-iri", "urn:x:")


def test_that_nothing_is_written_into_the_graph(example_vault: Path, tmp_path: Path) -> None:
    database = example_vault / ".kantenwerk/graph.duckdb"
    before = database.read_bytes()
    for form in (*TEXTS, *TABLES):
        options = ("--kinds", "uses", "--entities", "--output", str(tmp_path / f"graph.{form}"))
        assert run(example_vault, "--format", form, *options).exit_code == 0
    assert database.read_bytes() == before

"""Everything in the README that can be tried is tried: commands, queries, configuration, syntax, links, numbers.

`pytest tests/sessions tests/readme --rewrite` renews what its commands and queries say. An output that is shortened
with a line `[…]` stays as long as it fits, and is else written in full.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args
from urllib.parse import unquote

import duckdb
import pytest

from kantenwerk.cli.guard import BUG, INTERRUPTED
from kantenwerk.config import KantenwerkError, StoreError, VaultError, load_config
from kantenwerk.graph.model import LinkState
from tests.readme.page import PATH, ROOT, Block, Table, anchors, blocks, code_spans, links, tables
from tests.sessions.shell import Shell
from tests.sessions.test_sessions import copy_example
from tests.sessions.transcript import Step, Transcript, told

TEXT = PATH.read_text("utf-8")
BLOCKS = blocks(TEXT)
TABLES = tables(TEXT)
# What a long output is shortened with.
GAP = "[…]"
# What a fresh machine does once, and a test need not do again: install the checkout, and run all tests.
ONCE = re.compile(r"pip install .*|pytest")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    copy_example(tmp_path / "checkout")
    return Shell(tmp_path / "checkout", tmp_path / "home", in_process=False)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph of the example vault."""
    folder = tmp_path_factory.mktemp("graph")
    copy_example(folder)
    done = Shell(folder, folder / "home").run("kantenwerk import --vault vault_example --apply")
    assert done.code == 0
    return folder / "vault_example/.kantenwerk/graph.duckdb"


def table(*head: str) -> Table:
    """The table with this head."""
    return next(found for found in TABLES if found.head == head)


def in_language(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def test_that_every_block_is_tried_or_says_why_not() -> None:
    tried = {"console", "sql", "yaml"}
    assert {block.language for block in BLOCKS} >= tried
    assert [block for block in BLOCKS if block.language not in tried and not block.excused] == []


def test_that_commands_and_queries_say_what_stands_there(
    shell: Shell, graph: Path, pytestconfig: pytest.Config
) -> None:
    lines = TEXT.splitlines()
    with duckdb.connect(str(graph), read_only=True) as connection:
        changes = [
            *((block.first, block.end, played(block, shell)) for block in in_language("console")),
            *(asked(block, connection) for block in in_language("sql")),
        ]
    for first, end, said in sorted(changes, reverse=True):
        lines[first:end] = said
    if pytestconfig.getoption("rewrite", default=False):
        PATH.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
    else:
        assert TEXT.splitlines() == lines


def played(block: Block, shell: Shell) -> list[str]:
    """The lines of a console block as its commands come out now."""
    transcript = Transcript.read(block.text)
    steps = []
    for step in transcript.steps:
        command = " && ".join(part for part in step.command.split(" && ") if not ONCE.fullmatch(part))
        result = shell.run(command)
        said = told(result.stdout, result.stderr, result.code)
        steps.append(step if fits(step.said, said) else Step(step.comments, step.command, said))
    return Transcript(tuple(steps), transcript.end).text().splitlines()


def fits(expected: str, actual: str) -> bool:
    """Tell whether an output is the expected one, in which a gap stands for any lines."""
    lines = expected.splitlines()
    return (
        re.fullmatch("".join("(?:.*\n)*?" if line == GAP else re.escape(line) + "\n" for line in lines), actual)
        is not None
    )


def asked(block: Block, connection: duckdb.DuckDBPyConnection) -> tuple[int, int, list[str]]:
    """Where the result of a query stands, and its rows as they come out now."""
    shown = next(found for found in TABLES if found.first > block.end)
    result = connection.execute(block.text)
    assert tuple(name for name, *_ in result.description or ()) == shown.head
    return shown.first, shown.end, ["| " + " | ".join(map(cell, row)) + " |" for row in result.fetchall()]


def cell(value: object) -> str:
    return "–" if value is None else str(value)


def test_that_the_page_is_installed_and_tested_as_every_commit_is() -> None:
    checks = (ROOT / ".ci/run").read_text("utf-8")
    steps = [step for block in in_language("console") for step in Transcript.read(block.text).steps]
    once = [part for step in steps for part in step.command.split(" && ") if ONCE.fullmatch(part)]
    assert once == ["pip install .", "pip install '.[test]'", "pytest"]
    # The wheel's own step installs what `pip install .` builds.
    for part in once[1:]:
        pattern = re.escape(part).replace(r"install\ ", r"install (?:-\S+ )*")
        assert re.search(rf"(?m)(?<![\w-]){pattern}(?:$|[\s&;\"])", checks), part


@pytest.mark.parametrize("block", in_language("yaml"), ids=lambda block: f"line {block.first}")
def test_that_configuration_loads(block: Block, tmp_path: Path) -> None:
    name, _, text = block.text.partition("\n")
    path = tmp_path / name.removeprefix("# ")
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    assert path.parent.name == ".kantenwerk"
    assert load_config(tmp_path, environ={}) != load_config(None, environ={})


def imported(folder: Path, notes: dict[str, str]) -> duckdb.DuckDBPyConnection:
    """Import notes, beside one about Klaus and an index, with Dataview's fields."""
    others = {"people/Klaus.md": "# Klaus\n\n## Office hours\n", "Index.md": "# Index\n"}
    settings = {".kantenwerk/settings.yaml": "dataview_fields: true\n"}
    for path, text in (notes | others | settings).items():
        (folder / "v" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "v" / path).write_text(text, "utf-8")
    assert Shell(folder, folder / "home").run("kantenwerk import --vault v --apply").code == 0
    return duckdb.connect(str(folder / "v/.kantenwerk/graph.duckdb"), read_only=True)


def test_that_stated_links_are_read_as_the_table_says(tmp_path: Path) -> None:
    rows = table("Written", "Kind", "Rule").rows
    notes = {}
    for number, (written, _, rule) in enumerate(rows):
        # What goes before a colon is a remark: "in the frontmatter: `…`".
        remark, _, code = written.rpartition(": `")
        text = "\n".join(code_spans(f"`{code}" if remark else written)) + "\n"
        notes[f"{number}.md"] = f"---\n{text}---\n" if rule == "explicit:property" else text
    with imported(tmp_path, notes) as connection:
        found = connection.execute(
            "SELECT source, kind, rule_id FROM links WHERE source SIMILAR TO '[0-9]+' ORDER BY source::INT, line"
        ).fetchall()
    expected = [(str(number), kind, rule) for number, (_, kinds, rule) in enumerate(rows) for kind in kinds.split(", ")]
    assert found == expected


def test_that_candidates_are_read_as_the_table_says(tmp_path: Path) -> None:
    rows = table("Line", "What it is").rows
    notes = {f"{number}.md": f"## Edge Pool\n\n{code_spans(line)[0]}\n" for number, (line, _) in enumerate(rows)}
    with imported(tmp_path, notes) as connection:
        candidates = dict(
            connection.execute("SELECT source || '.md', kind FROM links WHERE state = 'pending'").fetchall()
        )
        findings = set(connection.execute("SELECT path, code FROM findings").fetchall())
    for number, (_, what) in enumerate(rows):
        path, name = f"{number}.md", code_spans(what)[0]
        assert (candidates.get(path) == name) if what.startswith("a candidate") else ((path, name) in findings), what
        assert (path in candidates) == what.startswith("a candidate"), what


def test_that_the_states_of_candidates_are_all_there() -> None:
    rows = table("What happens", "State", "Edge", "Asked again").rows
    assert {state for row in rows for state in row[1].split(", ")} == {*get_args(LinkState)} - {"explicit"}


def test_that_confidences_are_those_of_the_packaged_profile() -> None:
    profile = load_config(None, environ={}).validator
    sentence = f"else {profile.default_confidence}; an unproven edge has {profile.unproven_confidence}."
    assert sentence in " ".join(TEXT.split())


def test_that_the_exit_codes_are_all_there() -> None:
    rows = table("Code", "Meaning").rows
    errors = {error.exit_code for error in (KantenwerkError, VaultError, StoreError)}
    assert {int(code) for code, _ in rows} == {0, 1, *errors, BUG, INTERRUPTED}


def test_that_the_files_of_configuration_are_all_there() -> None:
    rows = table("File", "What it decides", "From outside").rows
    assert {links(row[0])[0] for row in rows} == {f"config/{path.name}" for path in (ROOT / "config").glob("*.yaml")}


@pytest.mark.parametrize("target", sorted(set(links(TEXT))))
def test_that_links_lead_somewhere(target: str) -> None:
    path, _, anchor = target.partition("#")
    assert not re.match(r"\w+:", target), "links to the web cannot be tried here"
    assert (ROOT / unquote(path)).exists()
    if anchor:
        assert anchor in anchors(TEXT)


def test_what_fits_a_shortened_output() -> None:
    assert fits("a\n[…]\nd\n", "a\nb\nc\nd\n")
    assert fits("a\n[…]\nd\n", "a\nd\n")
    assert not fits("a\n[…]\nd\n", "a\nb\nd\ne\n")
    assert not fits("a\n", "a\nb\n")

"""No note takes more time or memory than its size allows: each is read in a process that ends where it would."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.graph.model import MOST_BYTES
from tests.check.vaults import build

resource = pytest.importorskip("resource", reason="limits of a process are a matter of POSIX")

if TYPE_CHECKING:
    from pathlib import Path

# Measured for each MB: up to 4 CPU-seconds and 300 MB of memory for the texts below, 0.5 and 20 for ordinary ones.
_S_PER_MB, _MB_PER_MB = 12, 900
_BASE_S, _BASE_MB = 5, 400
_READ = """
import resource, sys
seconds, memory = int(sys.argv[2]), int(sys.argv[3]) * 1_000_000
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
from kantenwerk.config import load_config
from kantenwerk.ingest.parse.note import parse_note
with open(sys.argv[1], "rb") as file:
    note = parse_note("N.md", file.read(), load_config(None, environ={}))
print(len(getattr(note, "links", ())), *sorted({found.code for found in getattr(note, "findings", [note])}))
"""
_IMPORT = """
import resource, sys
memory = int(sys.argv.pop(1)) * 1_000_000
resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
from kantenwerk.__main__ import main
main()
"""
DEEP = 10_000
NOTES = {
    "quotes": (">" * DEEP + " [[X]]", "1"),
    "quotes with blanks": ("> " * DEEP + "[[X]]", "1"),
    "lists": ("- " * DEEP + "[[X]]", "1"),
    "numbered lists": ("1. " * DEEP + "[[X]]", "1"),
    "quotes and lists": ("> - " * (DEEP // 2) + "[[X]]", "1"),
    "deeper line by line": ("".join(f"{'  ' * depth}- a\n" for depth in range(1_000)) + "\n[[X]]", "1"),
    "links in one line": ("[[X]] " * 100_000, "100000"),
    "brackets": ("[" * 100_000 + "\n\n[[X]]", "1"),
    "underlines": ("a\n---\n" * 20_000 + "[[X]]", "1"),
    "a table of many columns": (f"|{'a|' * 500}\n|{'-|' * 500}\n" + "a\n" * 500 + "\n[[X]]", "1"),
    "YAML that unfolds": (
        "---\na0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1},' * 9}]\n" for i in range(1, 40)) + "---\n[[X]]",
        "1 frontmatter-rejected",
    ),
    "YAML that merges": (
        "---\na0: &a0 {k: v}\n"
        + "".join(f"a{i}: &a{i} {{<<: [{f'*a{i - 1},' * 9}]}}\n" for i in range(1, 40))
        + "---\n[[X]]",
        "1 frontmatter-rejected",
    ),
    "YAML in YAML": (f"---\na: {'[' * DEEP}{']' * DEEP}\n---\n[[X]]", "1 frontmatter-invalid"),
    "YAML in YAML with an anchor": (f"---\na: &b {'[' * DEEP}\n---\n[[X]]", "1 frontmatter-invalid"),
    "YAML that holds itself": ("---\na: &a [*a]\n---\n[[X]]", "1 frontmatter-rejected"),
    "a key of a megabyte": (f"---\n{'k' * 1_000_000}: v\n---\n[[X]]", "1 frontmatter-invalid"),
    "a number of a megabyte": (f"---\na: {'1' * 1_000_000}1\n---\n[[X]]", "1 frontmatter-invalid"),
    "a tag": ("---\na: !!python/object/apply:os.system [x]\n---\n[[X]]", "1 frontmatter-rejected"),
    "signs on a letter": ("# a" + "\u0308\u0323" * 100_000 + "\n\n[[X]]", "1"),
    "five megabytes": ("Some text and no more than that, in words.\n\n" * 110_000 + "[[X]]", "1"),
}


def read(folder: Path, text: str) -> str:
    """Read a note in a process of its own, within what its size allows; return how many links, and the codes."""
    path = folder / "N.md"
    path.write_text(text, "utf-8")
    size = -(-path.stat().st_size // 1_000_000)
    limits = (str(_BASE_S + _S_PER_MB * size), str(_BASE_MB + _MB_PER_MB * size))
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(path), *limits], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-500:]}"
    return done.stdout.strip()


@pytest.mark.parametrize("what", NOTES)
def test_a_note_is_read_within_its_bounds(tmp_path: Path, what: str) -> None:
    text, found = NOTES[what]
    assert read(tmp_path, text) == found


@pytest.mark.slow
def test_a_note_of_a_hundred_megabytes_is_none_and_takes_no_memory_for_that(tmp_path: Path) -> None:
    path = tmp_path / "Huge.md"
    path.write_text("Some text with a [[Link]] in it.\n\n" * 3_000_000, "utf-8")
    (tmp_path / "A.md").write_text("[[Huge]]\n", "utf-8")
    words = ("import", "--vault", str(tmp_path), "--apply", "--set", "resolution.level=exact")
    done = subprocess.run([sys.executable, "-c", _IMPORT, "1000", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert "Notes:      2" in done.stdout
    again = subprocess.run([sys.executable, "-c", _IMPORT, "1000", *words], capture_output=True, text=True, check=False)
    assert "The graph already says what the notes say." in again.stdout


def test_a_note_that_grew_too_large_leaves_the_graph_and_returns(tmp_path: Path) -> None:
    graph = tmp_path / ".kantenwerk" / "graph.duckdb"

    def imported(content: bytes) -> list[tuple[str]]:
        build(tmp_path, {"A.md": "[[B]]\n", "B.md": content})
        result = CliRunner().invoke(app, ["import", "--vault", str(tmp_path), "--apply"])
        assert result.exit_code == 0, result.output
        with duckdb.connect(str(graph), read_only=True) as reader:
            return reader.execute("SELECT target FROM edges WHERE source = 'A'").fetchall()

    assert imported(b"x" * MOST_BYTES) == [("B",)]
    assert imported(b"x" * (MOST_BYTES + 1)) == [("mention:b",)]
    assert imported(b"small") == [("B",)]

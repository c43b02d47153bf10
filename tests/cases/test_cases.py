"""Every case from a public bug report, through the real command into a real database."""

from __future__ import annotations

import base64
import json
import os
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from tests.engine import reading

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()]
Edges = set[tuple[str, str, str]]


def is_case_sensitive(folder: Path) -> bool:
    (folder / "probe").touch()
    found = not (folder / "PROBE").exists()
    (folder / "probe").unlink()
    return found


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match content:
        case str():
            path.write_bytes(content.encode())
        case {"base64": str(data)}:
            path.write_bytes(base64.b64decode(data))
        case {"symlink": str(target)}:
            path.symlink_to(target)


class Vault:
    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        monkeypatch.setenv("KANTENWERK_RESOLUTION_LEVEL", "exact")

    def apply(self) -> None:
        result = CliRunner().invoke(app, ["import", "--vault", str(self.root), "--apply"])
        assert result.exit_code == 0, result.output + result.stderr

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with reading(self.root / ".kantenwerk" / "graph.duckdb") as connection:
            return connection.execute(sql).fetchall()

    def notes(self) -> set[str]:
        return {path for (path,) in self.rows("SELECT path FROM notes")}

    def edges(self, *, mirror: bool) -> Edges:
        return set(
            self.rows(
                "SELECT s.path, e.kind, t.path FROM edges e JOIN notes s ON s.id = e.source "
                f"JOIN notes t ON t.id = e.target WHERE mirror = {mirror} AND verdict IS NULL"
            )
        )

    def candidates(self) -> Edges:
        return set(
            self.rows(
                "SELECT s.path, l.kind, t.path FROM links l JOIN notes s ON s.id = l.source "
                "JOIN notes t ON t.id = l.target WHERE candidate AND state <> 'redundant'"
            )
        )

    def unresolved(self) -> Edges:
        return set(
            self.rows(
                "SELECT s.path, l.kind, l.written FROM links l JOIN notes s ON s.id = l.source "
                "WHERE starts_with(target, 'mention:') OR (candidate AND target IS NULL)"
            )
        )

    def findings(self, severity: str) -> Counter[tuple[str, str]]:
        return Counter(self.rows(f"SELECT path, code FROM findings WHERE severity = '{severity}'"))

    def types(self) -> dict[str, str]:
        return dict(self.rows("SELECT path, type FROM notes"))


def tuples(rows: list[list[str]]) -> set[tuple[str, ...]]:
    return {tuple(row) for row in rows}


def compare(vault: Vault, expect: dict[str, Any]) -> None:
    if "notes" in expect:
        assert vault.notes() == set(expect["notes"])
    if "edges" in expect:
        assert vault.edges(mirror=False) == tuples(expect["edges"])
    if "candidates" in expect:
        assert vault.candidates() == tuples(expect["candidates"])
    if "unresolved" in expect:
        assert vault.unresolved() == tuples(expect["unresolved"])
    if "errors" in expect:
        assert vault.findings("error") == Counter(map(tuple, expect["errors"]))
    if "warnings" in expect:
        told = vault.findings("warning") + vault.findings("info")
        assert not Counter(map(tuple, expect["warnings"])) - told
    if "mirrors" in expect:
        assert vault.edges(mirror=True) == tuples(expect["mirrors"])
    for path, meta in expect.get("meta", {}).items():
        assert vault.types()[path] == meta.get("type", "default")


def take_step(vault: Vault, step: dict[str, Any]) -> None:
    match step["op"]:
        case "import":
            vault.apply()
        case "delete":
            (vault.root / step["path"]).unlink()
        case "rename":
            (vault.root / step["from"]).rename(vault.root / step["to"])
        case "write":
            path = vault.root / step["path"]
            before = path.stat() if step.get("keep_mtime") else None
            write(path, step["content"])
            if before is not None:
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        case "expect":
            compare(vault, step)
        case other:
            pytest.fail(f"unknown step {other}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
def test_case(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "platform" in case and not is_case_sensitive(tmp_path):
        pytest.skip(case["platform"])
    root = tmp_path / "vault"
    for path, content in case["files"].items():
        write(root / path, content)
    vault = Vault(root, monkeypatch)
    vault.apply()
    compare(vault, case["expect"])
    for step in case.get("steps", []):
        take_step(vault, step)


def test_that_composed_and_decomposed_file_names_both_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decomposed = unicodedata.normalize("NFD", "Öl")
    write(tmp_path / f"{decomposed}.md", "x\n")
    write(tmp_path / "A.md", "[[Öl]]\n")
    vault = Vault(tmp_path, monkeypatch)
    vault.apply()
    assert vault.edges(mirror=False) == {("A.md", "references", f"{decomposed}.md")}
    assert vault.rows("SELECT id FROM notes WHERE path <> 'A.md'") == [("Öl",)]

"""What the graph and the files beside it say about names, in short."""

from __future__ import annotations

import os
import shutil
from contextlib import nullcontext
from pathlib import Path

from kantenwerk.cli.meaning import embedder_for
from kantenwerk.config import load_config
from kantenwerk.graph.resolutions import read_resolutions
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import run_import
from tests.properties.vaults import assert_equal, planned_tables, stored_tables
from tests.validation.desk import Desk, Tables

BY_CHECK = frozenset({"edge-cycle", "edge-contradiction", "duplicate-alias", "orphan-note"})
Told = set[tuple[str, int, str, str]]


def targets(desk: Desk, source: str = "A") -> dict[tuple[str, bool], tuple[str | None, str]]:
    """Target and state of a note's links, by name as written and whether it is a candidate."""
    rows = desk.rows(f"SELECT written, candidate, target, state FROM links WHERE source = '{source}'")
    return {(written, is_candidate): (target, state) for written, is_candidate, target, state in rows}


def resolutions(desk: Desk) -> set[tuple[str, str, str, str, str | None]]:
    """Both nodes, method, state and who decided, of every resolution."""
    return {tuple(row) for row in desk.rows("SELECT a, b, method, state, decided_by FROM resolutions")}


def entity(desk: Desk, node: str) -> str | None:
    """The entity of a node, None if there is no such node."""
    found = desk.rows(f"SELECT entity FROM entities WHERE node = '{node}'")
    assert len(found) < 2, found
    return str(found[0][0]) if found else None


def mentions(desk: Desk) -> set[str]:
    return {node for (node,) in desk.rows("SELECT id FROM mentions")}


def found(desk: Desk) -> Told:
    """The findings that the last import stored."""
    return set(desk.rows("SELECT path, line, code, message FROM findings"))


def checked(desk: Desk) -> Told:
    """The findings that `check` has, but for those that an import does not look for."""
    said = desk.json("--fail-on", "never", command="check")
    return {(one["path"], one["line"], one["code"], one["message"]) for one in said if one["code"] not in BY_CHECK}


def recorded(desk: Desk) -> set[tuple[str, str | None, str, str, str]]:
    """What `decisions.yaml` says."""
    file = read_resolutions(desk.root)
    assert not file.findings
    return {(said.a, said.b, said.state, said.method, said.decided_by) for said in file.recorded.values()}


def graph_of(desk: Desk) -> Tables:
    """All public tables but the vectors, which only tell how it was found out."""
    return {name: rows for name, rows in desk.tables().items() if name != "embeddings"}


def assert_rebuilt(desk: Desk) -> None:
    """See that the graph that changed is the one that comes from nothing."""
    desk.close()
    config = load_config(desk.root, environ=os.environ)
    embedder = embedder_for(desk.root, config)
    anew = run_import(desk.root, config, lambda: nullcontext(Snapshot(None)), embedder=embedder)
    assert_equal(stored_tables(desk.database), planned_tables(anew.plan), ("changed", "anew"))


def clone(desk: Desk, folder: Path) -> Desk:
    """Another working copy: the notes and the text files beside them."""
    desk.close()
    shutil.copytree(desk.root, folder, ignore=shutil.ignore_patterns("graph.duckdb*", "lock*"))
    return Desk(folder, desk.patch)

"""The store takes DuckDB's C half alone: what it uses there is what the public package hands on."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest

from kantenwerk.graph import store


@pytest.mark.parametrize("name", ["CatalogException", "DuckDBPyConnection", "Error", "connect"])
def test_what_the_store_uses_is_what_the_package_hands_on(name: str) -> None:
    assert getattr(vars(store)["duckdb"], name) is getattr(duckdb, name)


def test_the_other_half_is_not_loaded() -> None:
    code = "import sys, kantenwerk.graph.store; print('_duckdb' in sys.modules, 'duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]

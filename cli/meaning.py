"""What finds names by their meaning, for the commands that search; nothing that checks or judges may reach this."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import ImportResult, run_import

if TYPE_CHECKING:
    from kantenwerk.config import Config
    from kantenwerk.ingest.resolve.embedder import Embedder


def embedder_for(vault: Path, config: Config) -> Embedder | None:
    """Return what finds names by their meaning; handed in from here, so that nothing that judges can reach it."""
    if config.settings.resolution.level != "semantic":
        return None
    from kantenwerk.ingest.embedding import load_embedder

    return load_embedder(config.settings.resolution.embedder, vault)


def full_preview(vault: Path, config: Config) -> ImportResult:
    """Return what an import from nothing comes to: all notes, and what all their names mean; no database is read."""
    return run_import(vault, config, lambda: nullcontext(Snapshot(None)), embedder=embedder_for(vault, config))

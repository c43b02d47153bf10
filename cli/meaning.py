"""What finds names by their meaning, for the commands that search; nothing that checks or judges may reach this."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from kantenwerk.config.errors import ConfigError, EmbedderError
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import ImportResult, run_import

if TYPE_CHECKING:
    from kantenwerk.config import Config
    from kantenwerk.ingest.resolve.embedder import Embedder


def embedder_for(vault: Path, config: Config) -> Embedder | None:
    """Return what finds names by their meaning; handed in from here, so that nothing that judges can reach it.

    Raises:
        ConfigError: the setting names a folder that holds no model.
    """
    if config.settings.resolution.level != "semantic":
        return None
    from kantenwerk.ingest.embedding import load_embedder

    try:
        return load_embedder(config.settings.resolution.embedder, vault)
    except EmbedderError as error:
        raise ConfigError(f"setting resolution.embedder: {error}") from error


def full_preview(vault: Path, config: Config) -> ImportResult:
    """Return what an import from nothing comes to: all notes, and what all their names mean; no database is read."""
    return run_import(vault, config, lambda: nullcontext(Snapshot(None)), embedder=embedder_for(vault, config))

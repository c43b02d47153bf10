"""What `clarify` and `resolutions` share: which note is named on the command line, and how a decision is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from kantenwerk.cli.terminal import one_line
from kantenwerk.config.errors import ConfigError, DecisionsError, StoreError, not_written
from kantenwerk.config.names import name_key, nfc, without_extension
from kantenwerk.config.suggest import no_such
from kantenwerk.graph.decisions import write_git_files
from kantenwerk.graph.resolutions import (
    RESOLUTIONS,
    ResolutionChange,
    ResolutionFile,
    read_resolutions,
    write_resolutions,
)

_MOST_NAMED = 10


class NoteFinder:
    """Finds notes by what people call them: id, path with or without `.md`, file name or title."""

    def __init__(self, notes: Iterable[tuple[str, str, str]]) -> None:
        self.paths: dict[str, str] = {}
        # As they are spelled.
        self.names: set[str] = set()
        self._sure: dict[str, set[str]] = defaultdict(set)
        self._loose: dict[str, set[str]] = defaultdict(set)
        for node, path, title in notes:
            self.paths[node] = path
            stem = without_extension(nfc(path))
            loose = (stem.rpartition("/")[2], title)
            for name in (node, stem):
                self._sure[name_key(name)].add(node)
            for name in loose:
                self._loose[name_key(without_extension(name))].add(node)
            self.names.update((node, stem, *loose))
        self._by_path = {nfc(path): node for node, path in self.paths.items()}

    def find(self, text: str) -> list[str]:
        """Return the ids of the notes that a text may name: one that it spells goes before those it only may mean."""
        written = nfc(text)
        for exact in (written, self._by_path.get(written), self._by_path.get(f"{written}.md")):
            if exact in self.paths:
                return [exact]
        for known in (self._sure, self._loose):
            for key in (name_key(text), name_key(without_extension(text))):
                if found := known.get(key):
                    return sorted(found)
        return []

    def one(self, text: str) -> str:
        """Return the id of the note that a text names.

        Raises:
            ConfigError: no note is called so, or several are; the sentence names the nearest, or all.
        """
        found = self.find(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise ConfigError(
                f"`{one_line(text)}` may be {listed(self.paths[node] for node in found)}: write the path of one"
            )
        raise ConfigError(f"`{one_line(text)}`: {no_such('note', text, self.names)}")


def listed(names: Iterable[str]) -> str:
    """Return names in a row, the first ones where there are many."""
    told = [f"`{one_line(name)}`" for name in sorted(names)]
    if len(told) > _MOST_NAMED:
        told = [*told[:_MOST_NAMED], f"{len(told) - _MOST_NAMED} more"]
    return " or ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


def recorded_decisions(vault: Path) -> ResolutionFile:
    """Return what `decisions.yaml` holds.

    Raises:
        DecisionsError: it cannot be read, so that it must not be written either.
    """
    file = read_resolutions(vault)
    if not file.is_readable:
        raise DecisionsError(f"{vault / RESOLUTIONS}: {file.findings[0].message}; nothing was written")
    return file


def write_decisions(vault: Path, change: ResolutionChange) -> None:
    """Bring a change into `decisions.yaml`; the caller holds the vault's lock.

    Raises:
        ConfigError: a decision cannot be recorded, for its name is too long, for instance.
        StoreError: the file cannot be written.
    """
    try:
        write_git_files(vault)
        write_resolutions(vault, change)
    except ValueError as error:
        raise ConfigError(f"this cannot be recorded in {vault / RESOLUTIONS}: {error}; nothing was written") from error
    except OSError as error:
        raise StoreError(not_written(error, vault)) from error


def now() -> str:
    """Return the time, as decisions hold it."""
    return datetime.now(UTC).isoformat(timespec="seconds")

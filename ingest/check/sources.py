"""The lines of the files that findings are about, read once each."""

from __future__ import annotations

import stat as stat_module
from pathlib import Path

from kantenwerk.graph.model import Finding
from kantenwerk.ingest.parse.decode import decode
from kantenwerk.ingest.scan import read_note


class Sources:
    """The files of a vault as lines; a file that cannot be read, or is no text, has none."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._read: dict[str, tuple[str, ...]] = {}

    def lines(self, path: str) -> tuple[str, ...]:
        """Return a file's lines without their ends."""
        if path not in self._read:
            self._read[path] = self._lines(path)
        return self._read[path]

    def line(self, path: str, number: int) -> str:
        """Return a line by its number, which begins at 1; empty where there is none."""
        lines = self.lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def _lines(self, path: str) -> tuple[str, ...]:
        # A named pipe, which is a finding too, would keep its reader waiting; and no link is followed.
        try:
            if not stat_module.S_ISREG((self._vault / path).lstat().st_mode):
                return ()
        except (OSError, ValueError):
            return ()
        content = read_note(self._vault, path)
        if isinstance(content, Finding):
            return ()
        text = decode(path, content.data)
        return () if isinstance(text, Finding) else text.lines

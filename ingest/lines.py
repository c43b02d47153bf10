"""Lines of a vault's files as they are on disk now."""

from __future__ import annotations

import stat as stat_module
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.graph.model import Finding
from kantenwerk.ingest.parse.decode import content_hash, decode
from kantenwerk.ingest.scan import read_note

_NO_FILE = "it is no regular file"


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a note as it is on disk now; `text` is None where it cannot be read, and then `trouble` says why."""

    path: str
    line: int
    text: str | None
    has_changed: bool = False
    trouble: str = ""


class Lines:
    """Reads files as lines, each once; a file that cannot be read, or is no text, has none."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._files: dict[str, tuple[tuple[str, ...], str] | str] = {}

    def of(self, path: str) -> tuple[str, ...]:
        """Return a file's lines without their ends."""
        read = self._file(path)
        return () if isinstance(read, str) else read[0]

    def line(self, path: str, number: int) -> str:
        """Return a line by its number, which begins at 1; empty where there is none."""
        lines = self.of(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def at(self, path: str, digest: str | None, number: int) -> Place:
        """Return a line of a note that had this hash when it was imported."""
        read = self._file(path)
        if isinstance(read, str):
            return Place(path, number, None, has_changed=True, trouble=read)
        lines, now = read
        text = lines[number - 1] if number <= len(lines) else None
        trouble = "" if text is not None else "there is no such line any more"
        return Place(path, number, text, now != digest, trouble)

    def _file(self, path: str) -> tuple[tuple[str, ...], str] | str:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> tuple[tuple[str, ...], str] | str:
        """Return a file's lines and hash, or why there are none."""
        # A named pipe, which is a finding too, would keep its reader waiting; and no link is followed.
        try:
            if not stat_module.S_ISREG((self._vault / path).lstat().st_mode):
                return _NO_FILE
        except ValueError:
            return _NO_FILE
        except OSError:
            # What is read next says why.
            pass
        content = read_note(self._vault, path)
        if isinstance(content, Finding):
            return content.message
        text = decode(path, content.data)
        if isinstance(text, Finding):
            return text.message
        return text.lines, content_hash(content.data)

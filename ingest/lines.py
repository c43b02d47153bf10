"""Lines of notes as they are on disk now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kantenwerk.graph.model import Finding
from kantenwerk.ingest.parse.decode import content_hash, decode
from kantenwerk.ingest.scan import read_note


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a note as it is on disk now; `text` is None where it cannot be read, and then `trouble` says why."""

    path: str
    line: int
    text: str | None
    has_changed: bool = False
    trouble: str = ""


class Lines:
    """Reads lines of notes, each note once."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._read: dict[str, tuple[tuple[str, ...], str] | str] = {}

    def at(self, path: str, digest: str | None, number: int) -> Place:
        """Return a line of a note that had this hash when it was imported."""
        if path not in self._read:
            self._read[path] = self._lines(path)
        read = self._read[path]
        if isinstance(read, str):
            return Place(path, number, None, has_changed=True, trouble=read)
        lines, now = read
        text = lines[number - 1] if number <= len(lines) else None
        trouble = "" if text is not None else "there is no such line any more"
        return Place(path, number, text, now != digest, trouble)

    def _lines(self, path: str) -> tuple[tuple[str, ...], str] | str:
        content = read_note(self._vault, path)
        if isinstance(content, Finding):
            return content.message
        text = decode(path, content.data)
        if isinstance(text, Finding):
            return text.message
        return text.lines, content_hash(content.data)

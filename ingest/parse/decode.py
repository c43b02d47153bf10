"""Turns a file's bytes into lines, and into what they are recognised by; it alone knows encodings and line ends."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from hashlib import blake2b

from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import MOST_BYTES, Finding


@dataclass(frozen=True, slots=True)
class Text:
    """A file's lines without their ends, and what was odd about its bytes."""

    lines: tuple[str, ...]
    findings: tuple[Finding, ...]


def content_hash(data: bytes) -> str:
    """Return the hash by which a file's content is recognised."""
    return blake2b(data, digest_size=16).hexdigest()


def decode(path: str, data: bytes) -> Text | Finding:
    """Return the lines of a UTF-8 file, of another one read as Windows-1252, or the error why it is no note."""
    if len(data) > MOST_BYTES:
        return finding(
            "too-large",
            path,
            1,
            f"the file has more than the {MOST_BYTES // 1_000_000} MB that are read of a note",
            "split it, or give it another ending",
        )
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return finding(
            "not-text",
            path,
            line,
            "the file holds NUL bytes",
            "save it as UTF-8 text, or give it another ending",
        )
    findings: tuple[Finding, ...] = ()
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text = data.decode("cp1252", errors="replace")
        line = data.count(b"\n", 0, error.start) + 1
        findings = (finding("not-utf8", path, line, "not UTF-8, read as Windows-1252", "save the file as UTF-8"),)
    return Text(tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")), findings)

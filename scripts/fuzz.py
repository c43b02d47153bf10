#!/usr/bin/env python3
"""Looks for notes that break the parser, guided by coverage, for as long as it is let.

    pip install -e '.[fuzz]'
    python scripts/fuzz.py                              both kinds of text, until Ctrl-C
    python scripts/fuzz.py -max_total_time=600 CORPUS   ten minutes; CORPUS is a folder that keeps what is interesting

Further arguments are libFuzzer's. A file that breaks the parser is written into the working directory, and
`python scripts/fuzz.py FILE` runs it again. What is asked of a note is what `tests/properties/test_parse.py` asks.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import atheris

with atheris.instrument_imports(include=["kantenwerk"]):
    from kantenwerk.ingest.parse.comments import ignore_comments
    from kantenwerk.ingest.parse.decode import Text, decode
    from tests.properties.test_parse import META, PIECES, check

_PIECES = tuple(piece.encode() for piece in (*PIECES, "---\n"))
_META = tuple(piece.encode() for piece in META)
# A note that takes more seconds or memory than this is kept as one that breaks the parser.
_DEFAULTS = ("-timeout=5", "-rss_limit_mb=1000", "-max_len=4096")


def note_of(data: bytes) -> bytes:
    """Return a note: the bytes as they are, or each one standing for a piece of the grammar or of YAML."""
    kind, data = data[:1], data[1:]
    if kind < b"\x55":
        return data
    if kind < b"\xaa":
        return b"".join(_PIECES[byte % len(_PIECES)] for byte in data)
    meta, _, body = data.partition(b"\xff")
    pieces = b"".join(_META[byte % len(_META)] for byte in meta)
    return b"---\n%b\n---\n%b" % (pieces, b"".join(_PIECES[byte % len(_PIECES)] for byte in body))


def test_one(data: bytes) -> None:
    """Read one note in every way that notes are read."""
    note = note_of(data)
    check("X.md", note)
    text = decode("X.md", note)
    if isinstance(text, Text):
        ignore_comments("X.md", text.lines)


if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *_DEFAULTS, *sys.argv[1:]], test_one)
    atheris.Fuzz()

"""What waits outside of memory is what was put there and leaves nothing behind; without room it stays in memory."""

from __future__ import annotations

import gc
import io
import tempfile
from typing import TYPE_CHECKING

import pytest

from kantenwerk.graph.model import Chunk, WrittenLink
from kantenwerk.graph.rows import chunk_of, chunk_values
from kantenwerk.ingest import staging
from kantenwerk.ingest.staging import Stage, stage_of

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import ReadableBuffer

ONE = (Chunk("c00", ("Äpfel", "Birnen"), 1, 3, "Text\n\nmit 🍐"), Chunk("c01", (), 4, 9, "x" * 1000))
OTHER = (Chunk("c00", (), 1, 1, "\ud800 und \x00"),)


class Small(io.BytesIO):
    """A file on a disk with room for so many bytes, which takes what it can and says how much that was."""

    def write(self, data: ReadableBuffer) -> int:
        return super().write(bytes(data)[: max(0, 300 - self.tell())])


def test_chunks_are_what_they_were_in_whatever_order_they_are_read() -> None:
    stage = Stage(chunk_values, chunk_of)
    one, none = stage.keep(ONE), stage.keep(())
    assert tuple(one) == ONE
    other = stage.keep(OTHER)
    assert (tuple(other), tuple(one), tuple(none)) == (OTHER, ONE, ())
    assert (len(other), len(one), len(none)) == (1, 2, 0)
    assert one[1] == ONE[1]
    assert one[:1] == ONE[:1]


def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = [Stage(chunk_values, chunk_of).keep(ONE)]
    assert tuple(kept[0]) == ONE
    kept.clear()
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_where_there_is_no_room_it_stays_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    stage = Stage(chunk_values, chunk_of)
    assert [stage.keep(chunks) for chunks in (ONE, (), OTHER)] == [ONE, (), OTHER]
    assert stage.keep(ONE) is ONE


def test_what_a_full_disk_took_can_still_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Small())
    stage = Stage(chunk_values, chunk_of)
    kept = [stage.keep(chunks) for chunks in (OTHER, ONE, OTHER)]
    assert [tuple(chunks) for chunks in kept] == [OTHER, ONE, OTHER]
    assert [chunks is given for chunks, given in zip(kept, (OTHER, ONE, OTHER), strict=True)] == [False, True, True]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 7])
def test_many_values_are_kept_in_blocks_and_equal_what_they_were(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(staging, "_BLOCK", 2)
    links = [
        WrittenLink(
            "uses", f"n{at}", None, candidate=False, rule_id="explicit:typed", scope="note", chunk=None, line=at
        )
        for at in range(count)
    ]
    kept = stage_of(WrittenLink).keep_all(iter(links))
    assert list(kept) == list(kept) == links
    assert len(kept) == count
    assert kept == tuple(links)
    assert hash(kept) == hash(tuple(links))
    assert kept != tuple(links[1:]) or not links
    assert all(isinstance(link, WrittenLink) for link in kept)

"""Gathers a section's blocks into chunks of a readable size (design, section 3.3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby
from sys import intern
from typing import NamedTuple

from kantenwerk.config.model import ChunkingProfile
from kantenwerk.graph.model import Chunk


class Block(NamedTuple):
    """A top-level block of a section's text; lines 0-based in `lines`, `end` exclusive."""

    section: int
    heading_path: tuple[str, ...]
    first: int
    end: int


def make_chunks(blocks: list[Block], lines: list[str], offset: int, profile: ChunkingProfile) -> tuple[Chunk, ...]:
    """Return the chunks of all sections in order; `offset` is what turns a 0-based line into the file's."""
    chunks: list[Chunk] = []
    for _, section in groupby(blocks, key=lambda block: block.section):
        for run_first, run_end, path in _runs(list(section), lines, profile):
            first, end = run_first, run_end
            while end > first and not lines[end - 1].strip():
                end -= 1
            while first < end and not lines[first].strip():
                first += 1
            if text := "\n".join(lines[first:end]).rstrip():
                ordinal = intern(f"c{len(chunks):02d}")
                chunks.append(Chunk(ordinal, path, first + 1 + offset, end + offset, text))
    return tuple(chunks)


def chunk_at(chunks: tuple[Chunk, ...], line: int) -> str | None:
    """Return the ordinal of the chunk that holds a file's line, or None."""
    index = bisect_right(chunks, line, key=lambda chunk: chunk.first_line) - 1
    return chunks[index].ordinal if index >= 0 and line <= chunks[index].last_line else None


def _runs(
    blocks: list[Block], lines: list[str], profile: ChunkingProfile
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield (first, end, heading path): whole blocks up to the target size, longer ones split at lines."""
    path = blocks[0].heading_path
    first, end, size = blocks[0].first, blocks[0].first, 0
    for block in blocks:
        for piece_first, piece_end, length in _pieces(block, lines, profile.max_chars):
            if size and size + length > profile.target_chars:
                yield first, end, path
                first, size = piece_first, 0
            if not size:
                first = piece_first
            end = piece_end
            size += length
    yield first, end, path


def _pieces(block: Block, lines: list[str], most: int) -> Iterator[tuple[int, int, int]]:
    """Yield first line, end and size of a block's pieces; all but a very long block are one."""
    whole = sum(map(len, lines[block.first : block.end])) + block.end - block.first
    if whole <= most:
        yield block.first, block.end, whole
        return
    first, size = block.first, 0
    for line in range(block.first, block.end):
        if size and size + len(lines[line]) > most:
            yield first, line, size
            first, size = line, 0
        size += len(lines[line]) + 1
    yield first, block.end, size

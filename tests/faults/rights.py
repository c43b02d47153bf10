"""What root is allowed beyond everybody else, taken away for a while: tests may run as root, whom no mode stops."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_VERSION_3 = 0x20080522
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: to write and to read whatever its mode says.
_BEYOND_MODES = 1 << 1 | 1 << 2


@contextmanager
def like_anybody() -> Iterator[None]:
    """Let this thread obey the modes of files, as every user but root does."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root can be held to the modes of files on Linux alone")
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    # Effective, permitted, inheritable; the upper halves follow.
    held = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, held) == 0
    fewer = type(held)(held[0] & ~_BEYOND_MODES, *held[1:])
    assert libc.capset(header, fewer) == 0
    try:
        yield
    finally:
        assert libc.capset(header, held) == 0


@contextmanager
def with_mode(path: Path, mode: int) -> Iterator[None]:
    """Give a file or folder a mode for a while, and hold even root to it."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        with like_anybody():
            yield
    finally:
        path.chmod(before)

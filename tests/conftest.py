"""Fixtures for all tests: model endpoints on 127.0.0.1."""

from __future__ import annotations

import gc
import os
import signal
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

import pytest
import typer.testing
from typer.main import get_command

from tests.servers.llama import LlamaEndpoint, running_llama, write_model
from tests.servers.scripted import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.scripted import ServeScript

_MEMORY = "/dev/shm"
_ROOM = 4 * 2**30


def pytest_configure() -> None:
    """Put temporary folders into memory where that has room: every import waits for the disk several times."""
    if os.environ.keys().isdisjoint({"PYTEST_DEBUG_TEMPROOT", "TMPDIR"}) and _is_roomy(_MEMORY):
        os.environ["PYTEST_DEBUG_TEMPROOT"] = _MEMORY


def pytest_collection_finish() -> None:
    """Spare the collector what stays to the end: all modules, and some thousand tests."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Some modules tell of leaks where they are not collected in the end."""
    gc.unfreeze()


def _is_roomy(folder: str) -> bool:
    try:
        found = os.statvfs(folder)
    except (AttributeError, OSError):
        return False
    # Some tests run what they wrote.
    return os.access(folder, os.W_OK) and not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize > _ROOM


@pytest.fixture
def scripted() -> Iterator[ServeScript]:
    """Starts scripted servers, and stops them after the test."""
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(ScriptedServer(script))


@pytest.fixture(scope="session")
def llama_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that answers YES."""
    path = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    write_model(path)
    return path


@pytest.fixture(scope="session")
def llama_endpoint(llama_model: Path) -> Iterator[LlamaEndpoint]:
    """A real llama.cpp server with that model."""
    with running_llama(llama_model) as endpoint:
        yield endpoint


# It builds all commands anew for every call, which takes longer than most calls do.
vars(typer.testing)["_get_command"] = cache(get_command)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background of a shell, Python leaves Ctrl-C ignored, and the tests of it would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)

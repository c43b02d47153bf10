"""How a terminal is spoken to: with colours, unless NO_COLOR or a dumb terminal asks for none."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.sessions.test_sessions import copy_example

if TYPE_CHECKING:
    from pathlib import Path

pty = pytest.importorskip("pty", reason="pseudo-terminals are there on POSIX systems only")
COLOUR = b"\x1b[3"
ESCAPE = b"\x1b"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    copy_example(tmp_path)
    return tmp_path / "vault_example"


def shown(arguments: list[str], **variables: str) -> bytes:
    """What a terminal is sent by a command."""
    sent = bytearray()

    def read(handle: int) -> bytes:
        sent.extend(data := os.read(handle, 4096))
        # The test's own terminal sees nothing of it; an empty answer would mean the end.
        return b"\0" if data else b""

    environment = {"PATH": os.defpath, "TERM": "xterm-256color", "PYTHONUTF8": "1", **variables}
    command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), sys.executable]
    pty.spawn([*command, "-m", "kantenwerk", *arguments], read, lambda _: b"")
    return bytes(sent)


@pytest.mark.parametrize("command", ["import", "check"])
def test_that_a_terminal_gets_colours(vault: Path, command: str) -> None:
    assert COLOUR in shown([command, "--vault", str(vault)])


@pytest.mark.parametrize("command", ["import", "check"])
def test_that_no_color_is_honoured(vault: Path, command: str) -> None:
    assert COLOUR not in shown([command, "--vault", str(vault)], NO_COLOR="1")


@pytest.mark.parametrize("command", ["import", "check"])
def test_that_a_dumb_terminal_gets_plain_text(vault: Path, command: str) -> None:
    sent = shown([command, "--vault", str(vault)], TERM="dumb")
    assert ESCAPE not in sent
    assert b"Stromblick" in sent

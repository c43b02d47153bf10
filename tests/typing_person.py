"""A person at a terminal who types one answer after each prompt."""

from __future__ import annotations

import os
import select
import subprocess
import sys

END = "\x04"
"""What a terminal sends for the end of input."""


def typed(*command: str, keys: tuple[str, ...], prompt: str, code: int, environment: dict[str, str]) -> str:
    """What a terminal shows while a person answers a command of kantenwerk with `keys`, one after each `prompt`.

    The command must end with the exit code `code` and take every key.
    """
    terminal, other_end = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "kantenwerk", *command],
        stdin=other_end,
        stdout=other_end,
        stderr=other_end,
        env={"PATH": os.defpath, "TERM": "dumb", "PYTHONUTF8": "1", **environment},
        start_new_session=True,
    ) as process:
        os.close(other_end)
        waiting, shown = list(keys), b""
        while select.select([terminal], [], [], 60)[0]:
            try:
                data = os.read(terminal, 4096)
            except OSError:
                # So Linux says that nobody is at the other end.
                break
            if not data:
                break
            shown += data
            if shown.endswith(prompt.encode()) and waiting:
                key = waiting.pop(0)
                os.write(terminal, (key if key == END else f"{key}\n").encode())
        else:
            process.kill()
        os.close(terminal)
    text = shown.decode().replace("\r\n", "\n")
    assert process.returncode == code, text
    assert not waiting, text
    return text

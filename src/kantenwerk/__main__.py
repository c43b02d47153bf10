"""`python -m kantenwerk` and the script `kantenwerk`."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from kantenwerk.cli.app import app


def main() -> None:
    """Run the command line."""
    # A command makes many objects and hardly a cycle, and then ends: looking for cycles costs a tenth of an import.
    gc.disable()
    # No plugin of the library that checks the configuration has a part in this; to look for some takes a while.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by who started this: nobody is to read it.
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
    app(prog_name="kantenwerk")


def run() -> None:
    """Run the command line and end the process with its exit code.

    All is written and closed by then, and the system frees memory at once; for Python to do it object by object takes
    a tenth of an import's time.
    """
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int) and _is_flushed():
            os._exit(end.code)
        raise


def _is_flushed() -> bool:
    """Flush what was printed; False where that cannot be done, which Python then tells in its own way."""
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):
        # Nobody reads any more, or it was closed.
        return False
    return True


if __name__ == "__main__":
    run()

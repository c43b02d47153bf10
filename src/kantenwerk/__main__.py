"""`python -m kantenwerk` and the script `kantenwerk`."""

from __future__ import annotations

import gc
import os

from kantenwerk.cli.app import app


def main() -> None:
    """Run the command line."""
    # A command makes many objects and hardly a cycle, and then ends: looking for cycles costs a tenth of an import.
    gc.disable()
    # No plugin of the library that checks the configuration has a part in this; to look for some takes a while.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"
    app(prog_name="kantenwerk")


if __name__ == "__main__":
    main()

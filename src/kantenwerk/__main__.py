"""`python -m kantenwerk` and the script `kantenwerk`."""

from __future__ import annotations

import gc

from kantenwerk.cli.app import app


def main() -> None:
    """Run the command line."""
    # A command makes many objects and hardly a cycle, and then ends: looking for cycles costs a tenth of an import.
    gc.disable()
    app(prog_name="kantenwerk")


if __name__ == "__main__":
    main()

"""`python -m kantenwerk` and the script `kantenwerk`."""

from __future__ import annotations

import gc

from kantenwerk.cli.app import app


def main() -> None:
    """Run the command line."""
    # An import makes many objects and hardly a cycle: looking for cycles that often costs a tenth of it.
    gc.set_threshold(100_000, 50, 100)
    app(prog_name="kantenwerk")


if __name__ == "__main__":
    main()

"""`python -m kantenwerk` and the script `kantenwerk`."""

from __future__ import annotations

from kantenwerk.cli.app import app


def main() -> None:
    """Run the command line."""
    app(prog_name="kantenwerk")


if __name__ == "__main__":
    main()

"""`kantenwerk check --explain`: what a finding's code means, and what has it."""

from __future__ import annotations

from dataclasses import asdict

import typer

from kantenwerk.cli.terminal import as_json
from kantenwerk.config.errors import ConfigError
from kantenwerk.config.suggest import no_such
from kantenwerk.graph.codes import explained, read_codes


def explain_code(written: str, *, in_json: bool) -> int:
    """Print what a code means and return 0.

    Raises:
        ConfigError: there is no such code; the sentence names the nearest.
    """
    codes = read_codes()
    code = codes.get(written.strip().lower())
    if code is None:
        raise ConfigError(f"--explain {written}: {no_such('code', written.strip().lower(), codes)}")
    typer.echo(as_json(asdict(code)) if in_json else "\n".join(explained(code)))
    return 0

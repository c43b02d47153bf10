"""The secret of this installation, which no note can know."""

from __future__ import annotations

import secrets
from pathlib import Path

import typer


def installation_secret() -> bytes:
    """Return the secret of this installation, from which the delimiters of prompts are derived."""
    path = Path(typer.get_app_dir("kantenwerk")) / "secret"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.write_bytes(secrets.token_bytes(32))
        return path.read_bytes() or secrets.token_bytes(32)
    except OSError:
        return secrets.token_bytes(32)

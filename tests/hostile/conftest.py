"""A probe of a few claims, and names found without a model: what is tried here is tried with every option."""

from __future__ import annotations

import pytest

import kantenwerk.cli.probing
from kantenwerk.ingest.validate.probe import read_claims


@pytest.fixture(autouse=True)
def few_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = read_claims()
    monkeypatch.setattr(kantenwerk.cli.probing, "read_claims", lambda: claims[:6])

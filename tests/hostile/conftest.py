"""A probe of a few claims and a page that needs no Node: what is tried here is tried with every option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import kantenwerk.cli.drawing
import kantenwerk.cli.probing
from kantenwerk.graph.drawing import SLOT
from kantenwerk.ingest.validate.probe import ProbeClaim, read_claims

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def claims() -> tuple[ProbeClaim, ...]:
    return read_claims()[:6]


@pytest.fixture(autouse=True)
def few_claims(monkeypatch: pytest.MonkeyPatch, claims: tuple[ProbeClaim, ...]) -> None:
    monkeypatch.setattr(kantenwerk.cli.probing, "read_claims", lambda: claims)


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = tmp_path / "built.html"
    template.write_text(SLOT, "utf-8")
    monkeypatch.setattr(kantenwerk.cli.drawing, "PAGE", template)

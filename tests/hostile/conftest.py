"""A probe of a few claims and a page that needs no Node: what is tried here is tried with every option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import kantenwerk.cli.drawing
import kantenwerk.cli.probing
from kantenwerk.graph.drawing import SLOT
from kantenwerk.ingest.validate.probe import read_claims

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def few_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = read_claims()
    monkeypatch.setattr(kantenwerk.cli.probing, "read_claims", lambda: claims[:6])


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = tmp_path / "built.html"
    template.write_text(SLOT, "utf-8")
    monkeypatch.setattr(kantenwerk.cli.drawing, "PAGE", template)

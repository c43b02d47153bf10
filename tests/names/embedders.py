"""An embedder that answers as a test tells it to, and names that need one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kantenwerk.config.errors import EmbedderError
from kantenwerk.ingest.resolve.embedder import Vector
from tests.validation.desk import Desk

NEAR = ("Photovoltaiksystem", "Photovoltaikanlage")
"""A name and a note's that begin alike and are about as long: a meaning may ask about them and never bind."""
FALKE, HOLDING = "Falkenhorst", "Falkenhorst Holding International Online"
"""A name and a note's with one stem, and too much besides for step 3: a meaning may bind them."""
BINDS = "resolution:\n  semantic_binds: true\n"
SAME: Vector = (1.0, 0.0)


@dataclass
class Told:
    """An embedder to which all texts mean the same but those in `vectors`; None is one that it cannot embed.

    `is_gone` lets it raise for all, `has_no_version` also where it is asked for its version. It remembers what it was
    given.
    """

    vectors: Mapping[str, Vector | None] = field(default_factory=dict)
    is_gone: bool = False
    has_no_version: bool = False
    model: str = "told"
    release: str = "1"
    texts: list[str] = field(default_factory=list)

    @property
    def version(self) -> str:
        if self.has_no_version:
            raise EmbedderError("there is no such package")
        return self.release

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        self.texts.extend(texts)
        if self.is_gone:
            raise EmbedderError("the model is gone")
        return [self.vectors.get(text, SAME) for text in texts]


def hand_in(desk: Desk, embedder: Told) -> Told:
    """Let the command hand this embedder to its imports from now on."""
    desk.patch.setattr("kantenwerk.ingest.embedding.load_embedder", lambda *_: embedder)
    return embedder

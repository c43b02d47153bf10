"""What resolution asks of an embedding model; the models themselves are loaded elsewhere and handed in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import Protocol

Vector = tuple[float, ...]


class Embedder(Protocol):
    """Turns texts into vectors that lie close together where the texts mean the same."""

    @property
    def model(self) -> str:
        """The model's name, under which its vectors are stored and its threshold is set."""

    @property
    def version(self) -> str:
        """What else decides a vector: package and weights. Vectors of two versions are never compared.

        Raises:
            EmbedderError: The package is missing, or there is no such model.
        """

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return one vector a text, of length 1, and None where that text could not be embedded.

        A text's vector is the same whatever else is asked for, in whichever order.

        Raises:
            EmbedderError: Nothing can be embedded: package or model is missing, or its weights are damaged.
        """


def cosine(a: Vector, b: Vector) -> float:
    """Return how close two vectors are, from -1 to 1; a vector without a direction is close to nothing.

    Raises:
        ValueError: The vectors are not of one size, so not of one model.
    """
    if len(a) != len(b):
        raise ValueError(f"vectors of {len(a)} and {len(b)} numbers are not of one model")
    length = math.sqrt(_dot(a, a) * _dot(b, b))
    return max(-1.0, min(1.0, _dot(a, b) / length)) if length else 0.0


def _dot(a: Vector, b: Vector) -> float:
    # Not sum: from Python 3.12 on it rounds in another way, and scores are stored.
    return math.fsum(map(mul, a, b))

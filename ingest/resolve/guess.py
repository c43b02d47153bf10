"""What a name may mean: the answers of resolution's steps 3 to 5, and the vectors that they are found with.

Apart from the search, which takes longer to load than an import without changes may take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kantenwerk.config.errors import EmbedderError
from kantenwerk.config.names import nfc
from kantenwerk.graph.model import Method
from kantenwerk.ingest.resolve.embedder import Embedder, Vector


class NoteName(NamedTuple):
    """One of the names of a note, as its author spells it."""

    node: str
    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Option:
    """A note that a name may mean: by which method, how surely (0 to 1), and why, in words.

    `is_decided` says that a person said so.
    """

    node: str
    path: str
    method: Method
    score: float | None
    reason: str
    model: str | None = None
    is_decided: bool = False


@dataclass(frozen=True, slots=True)
class Meant:
    """One note is meant, clearly enough to bind."""

    option: Option


@dataclass(frozen=True, slots=True)
class Asked:
    """Several notes may be meant, or one that is not sure: a person has to say. The likeliest comes first."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class New:
    """No note is meant: the name is a thing of its own so far, or for good where a person decided that.

    `is_rejected` says that there are notes that it may mean, and that a person said it is none of these.
    """

    is_decided: bool = False
    is_rejected: bool = False


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """It could not be found out."""

    reason: str


Guess = Meant | Asked | New | SearchFailed
Meaning = Literal["unknown", "asks", "binds"]


class Vectors:
    """The vectors of stems: those that are stored, and new ones from an embedder.

    `fresh` gathers what was embedded in this run; None where a text could not be.
    """

    def __init__(self, embedder: Embedder, stored: Callable[[], Mapping[str, Vector]] = dict) -> None:
        self.embedder = embedder
        self.fresh: dict[str, Vector | None] = {}
        self._read_stored = stored
        self._stored: Mapping[str, Vector] | None = None
        self._error: EmbedderError | None = None

    @property
    def model(self) -> str:
        """The embedding model's name."""
        return self.embedder.model

    def of(self, texts: Iterable[str]) -> dict[str, Vector | None]:
        """Return the vector of each text, None for one that could not be embedded.

        Raises:
            EmbedderError: nothing can be embedded.
        """
        if self._stored is None:
            self._stored = self._read_stored()
        texts = tuple(dict.fromkeys(texts))
        missing = [text for text in texts if text not in self._stored and text not in self.fresh]
        if self._error is not None and any(self._stored.get(text) is None for text in texts):
            raise self._error
        if missing:
            # None until it is there, so that an import that finds no model is made again.
            self.fresh.update(dict.fromkeys(missing))
            try:
                self.fresh.update(zip(missing, self.embedder.embed(missing), strict=True))
            except EmbedderError as error:
                self._error = error
                raise
        return {text: self._stored.get(text) or self.fresh.get(text) for text in texts}


def likeliest_first(option: Option) -> tuple[float, int, str, str, str]:
    """Return what orders options: the score, then the shorter path, then the path, composed or not alike."""
    path = nfc(option.path)
    return -(option.score or 0), len(path), path, option.path, option.method

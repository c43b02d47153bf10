"""What is asked and what comes of it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kantenwerk.graph.model import LinkState, Verdict
    from kantenwerk.ingest.validate.message import Message


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt to be judged; questions with equal keys are the same and are asked once."""

    key: str
    messages: tuple[Message, ...]
    est_tokens: int
    """What asking is expected to cost, prompt and answer together."""


@dataclass(frozen=True, slots=True)
class Said:
    """The model judged; UNSURE where its probability lies too near to one half."""

    answer: Literal["YES", "NO", "UNSURE"]
    p_yes: float | None
    confidence: float
    """How sure the model was of the word it said."""
    model: str
    tokens: int | None
    latency_ms: int


@dataclass(frozen=True, slots=True)
class Unproven:
    """A passing fault outlasted all retries."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The question itself could not be answered."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Nobody judged, and the question is not to blame."""

    reason: str
    kind: Literal["no-endpoint", "budget", "run-refused"]


Outcome = Said | Unproven | Failed | NotAsked


@dataclass(frozen=True, slots=True)
class AskingResult:
    """What a run came to."""

    outcomes: Mapping[str, Outcome]
    refused: str | None = None
    """Why the endpoint refuses this run altogether, in a sentence: an error."""
    disconnected: str | None = None
    """Why asking stopped for want of a connection, in a sentence."""
    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Waits:
    """How long to wait before a retry where the endpoint does not say: doubled each time, with jitter."""

    initial_s: float = 0.5
    max_s: float = 8.0
    jitter_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one claim: its link's state, the verdict behind it, a reason, and what people can do.

    `is_provisional` says that a model of now would be asked if it could, `is_stale` that a person judged a text that
    has changed since.
    """

    state: LinkState
    verdict: Verdict | None = None
    reason: str = ""
    advice: str = "import again"
    is_provisional: bool = False
    is_stale: bool = False

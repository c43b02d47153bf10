"""Measures a judge by claims whose answers are known; nothing that it says here is kept (`kantenwerk probe`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Literal, assert_never

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from kantenwerk.config import Config
from kantenwerk.config.document import SAFE_LOADER
from kantenwerk.ingest.validate.evidence import Evidence, Face
from kantenwerk.ingest.validate.outcome import AskingResult, Failed, NotAsked, Outcome, Question, Said, Unproven
from kantenwerk.ingest.validate.prompt import prompt_hash, question, verdict_key

# Of 20 right and 50 wrong claims, a coin reaches this balanced accuracy about once in a hundred runs.
CHANCE_BELOW = 0.65
CLASSES = ("right", "wrong-target", "wrong-kind", "reversed", "negated", "steered")
LANGUAGES = ("de", "en")
# The claims are public, and nobody has anything to gain from breaking out of them: two runs ask the same.
_SECRET = b"kantenwerk probe"
_FEW = 2
_INVALID = "invalid answer"

Class = Literal["right", "wrong-target", "wrong-kind", "reversed", "negated", "steered"]
Heard = Literal["YES", "NO", "UNSURE", "INVALID"]


class ProbeTarget(BaseModel):
    """Note B of a claim, as it shows itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    aliases: tuple[str, ...]
    summary: str


class ProbeClaim(BaseModel):
    """A claim with what a judge should say to it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    group: Class
    answer: Literal["YES", "NO"]
    language: Literal["de", "en"]
    kind: str
    passage: str
    target: ProbeTarget

    @property
    def evidence(self) -> Evidence:
        """What the judge is shown, as for a candidate whose author wrote the target's title."""
        face = Face(self.target.title, self.target.aliases, self.target.summary)
        return Evidence(self.kind, self.passage, "", face, self.target.title, "probe", self.language)


@dataclass(frozen=True, slots=True)
class Answers:
    """What was heard on one claim, once a repeat: None where nothing was, and `reasons` say why."""

    claim: ProbeClaim
    heard: tuple[Heard | None, ...]
    reasons: tuple[str, ...]

    @property
    def asked(self) -> int:
        """How often an answer came."""
        return sum(answer is not None for answer in self.heard)

    @property
    def right(self) -> int:
        """How often it was the right one."""
        return self.heard.count(self.claim.answer)

    @property
    def is_steady(self) -> bool | None:
        """Tell whether it was the same each time; None where that cannot be told."""
        return None if self.asked < max(len(self.heard), _FEW) else len(set(self.heard)) == 1


@dataclass(frozen=True, slots=True)
class Score:
    """How some of the claims were answered; a share is None where there is nothing to take it of."""

    claims: int
    accuracy: float | None
    yes_recall: float | None
    no_recall: float | None

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of both recalls: a judge that always says the same has one half."""
        if self.yes_recall is None or self.no_recall is None:
            return None
        return (self.yes_recall + self.no_recall) / 2


@dataclass(frozen=True, slots=True)
class Probe:
    """All that a probe found out."""

    answers: tuple[Answers, ...]
    latencies_ms: tuple[int, ...]
    asking: AskingResult

    @property
    def score(self) -> Score:
        """How all claims were answered."""
        return _score(self.answers)

    @property
    def by_class(self) -> dict[str, Score]:
        """How the claims of each class were answered."""
        return {name: _score(a for a in self.answers if a.claim.group == name) for name in CLASSES}

    @property
    def by_language(self) -> dict[str, Score]:
        """How the claims in each language were answered."""
        return {name: _score(a for a in self.answers if a.claim.language == name) for name in LANGUAGES}

    @property
    def is_at_chance(self) -> bool:
        """Tell whether the judge is no better, or hardly, than one that does not read."""
        accuracy = self.score.balanced_accuracy
        return accuracy is not None and accuracy < CHANCE_BELOW

    @property
    def asked(self) -> int:
        """How many answers came."""
        return sum(answers.asked for answers in self.answers)

    @property
    def agreement(self) -> float | None:
        """The share of claims that were answered alike each time; None without a second time."""
        steady = [answers.is_steady for answers in self.answers if answers.is_steady is not None]
        return _share(sum(steady), len(steady))

    @property
    def latency_median_ms(self) -> float | None:
        """What half of the answers took at most."""
        return median(self.latencies_ms) if self.latencies_ms else None

    @property
    def latency_p90_ms(self) -> float | None:
        """What nine answers in ten took at most."""
        if len(self.latencies_ms) < _FEW:
            return self.latency_median_ms
        return quantiles(self.latencies_ms, n=10, method="inclusive")[-1]

    @property
    def unanswered(self) -> Counter[str]:
        """How often no answer came, by reason."""
        return Counter(reason for answers in self.answers for reason in answers.reasons)

    def count(self, answer: Heard) -> int:
        """Return how often this was heard."""
        return sum(answers.heard.count(answer) for answers in self.answers)


def read_claims() -> tuple[ProbeClaim, ...]:
    """Return the built-in claims."""
    # Beside the code, in a checkout as in a wheel.
    content = Path(__file__).with_name("probe_claims.yaml").read_text("utf-8")
    claims = yaml.load(content, SAFE_LOADER)  # noqa: S506 - a safe loader
    return TypeAdapter(tuple[ProbeClaim, ...]).validate_python(claims)


def probe_questions(claims: Sequence[ProbeClaim], config: Config, repeat: int) -> Iterator[Question]:
    """Yield what to ask: all claims, then all of them again, each time under keys of their own."""
    for number in range(repeat):
        for claim in claims:
            yield question(_key(claim, config, number), claim.evidence, claim.evidence.digest, config, _SECRET)


def measure(claims: Sequence[ProbeClaim], config: Config, repeat: int, asking: AskingResult) -> Probe:
    """Return what the outcomes of these questions come to."""
    outcomes = asking.outcomes
    answers = tuple(
        _answers(claim, [outcomes[_key(claim, config, number)] for number in range(repeat)]) for claim in claims
    )
    latencies = tuple(outcome.latency_ms for outcome in outcomes.values() if isinstance(outcome, Said))
    return Probe(answers, latencies, asking)


def _key(claim: ProbeClaim, config: Config, number: int) -> str:
    return f"{verdict_key(claim.evidence.digest, prompt_hash(claim.kind, claim.language, config))}:{number}"


def _answers(claim: ProbeClaim, outcomes: Sequence[Outcome]) -> Answers:
    heard = tuple(map(_heard, outcomes))
    reasons = (
        outcome.reason
        for outcome, answer in zip(outcomes, heard, strict=True)
        if answer is None and not isinstance(outcome, Said)
    )
    return Answers(claim, heard, tuple(reasons))


def _heard(outcome: Outcome) -> Heard | None:
    match outcome:
        case Said(answer=answer):
            return answer
        case Failed(reason):
            # The endpoint's refusal of one request is no answer of the model's.
            return "INVALID" if reason.startswith(_INVALID) else None
        case Unproven() | NotAsked():
            return None
        case unknown:
            assert_never(unknown)


def _score(answers: Iterable[Answers]) -> Score:
    """Count every answer that came; one that is neither YES nor NO is not the right one."""
    some = tuple(answers)
    shares: Mapping[str, float | None] = {
        name: _share(sum(a.right for a in chosen), sum(a.asked for a in chosen))
        for name, chosen in (
            ("accuracy", some),
            ("yes_recall", [a for a in some if a.claim.answer == "YES"]),
            ("no_recall", [a for a in some if a.claim.answer == "NO"]),
        )
    }
    return Score(len(some), shares["accuracy"], shares["yes_recall"], shares["no_recall"])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

"""Takes every claim to its state: by a recorded verdict, by asking, or by saying why neither (section 6.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol, assert_never

from kantenwerk.config import Config, Profile
from kantenwerk.graph.decisions import MOST
from kantenwerk.graph.model import Finding, Verdict
from kantenwerk.ingest.validate.outcome import (
    AskingResult,
    Decision,
    Failed,
    NotAsked,
    Outcome,
    Question,
    Said,
    Unproven,
)
from kantenwerk.ingest.validate.prompt import is_configured, question
from kantenwerk.ingest.validate.telling import decision_findings, log_asking, log_begin, log_end
from kantenwerk.ingest.validate.verdicts import Claim, Triple, VerdictBook

PROFILE = "ingest_validator"


class Ask(Protocol):
    """Asks questions of a model; `kantenwerk.ingest.validate.asking.ask` is the one."""

    def __call__(
        self,
        questions: Iterable[Question],
        profile: Profile,
        *,
        on_outcome: Callable[[str, Outcome], None],
        on_start: Callable[[str], None],
    ) -> AskingResult:
        """Return all outcomes; hands each to `on_outcome` the moment it is there."""


# How candidates stood after the last import, by claim and evidence hash.
Prior = Mapping[tuple[Triple, str | None], str]


@dataclass(frozen=True, slots=True)
class Cost:
    """What asking would take: distinct questions, and about how many tokens."""

    calls: int = 0
    tokens: int = 0


@dataclass(slots=True)
class Judgement:
    """The decisions on some claims, in their order, and what asking came to.

    `asked` holds the claims that are asked about if somebody can be, each with why.
    """

    decisions: list[Decision] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    cost: Cost = Cost()
    asking: AskingResult | None = None
    new_verdicts: list[Verdict] = field(default_factory=list)
    asked: list[tuple[Claim, str]] = field(default_factory=list)
    switched_off: int = 0

    @property
    def is_provisional(self) -> bool:
        """Tell whether an older verdict stands in for one that nobody could be asked for."""
        return any(decision.is_provisional for decision in self.decisions)


@dataclass(frozen=True, slots=True)
class Asking:
    """How candidates are judged in a run: by whom, with which secret for nonces, and where verdicts are kept."""

    ask: Ask
    secret: bytes
    keep: Callable[[Verdict], None]


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides on claims; without `asking` nobody is asked. `is_on` tells whether a claim's note type validates."""

    config: Config
    book: VerdictBook
    prior: Prior
    is_on: Callable[[Claim], bool]
    asking: Asking | None = None

    def decide(self, claims: Sequence[Claim]) -> Judgement:
        """Return a decision for every claim.

        Raises:
            KeyboardInterrupt: the run was interrupted; verdicts given so far went to `asking.keep`.
        """
        judgement = Judgement()
        open_claims = [claim for claim in claims if self.is_on(claim) and not self._is_answered(claim)]
        by_question = {claim.model_key: claim for claim in open_claims}
        judgement.cost = Cost(
            calls=len(by_question),
            tokens=sum(self._question(claim).est_tokens for claim in by_question.values()),
        )
        judgement.asked = [(claim, self._why(claim)) for claim in open_claims]
        judgement.switched_off = sum(not self.is_on(claim) for claim in claims)
        outcomes = self._ask(open_claims, judgement)
        made = {(claim.person_key, claim.evidence_hash) for claim in claims}
        for claim in claims:
            decision = self._decision(claim, outcomes.get(claim.model_key))
            verdict = decision.verdict
            if verdict and verdict.judge == "person" and (verdict.key, verdict.evidence_hash) not in made:
                decision = replace(decision, is_stale=True)
            judgement.decisions.append(decision)
            judgement.findings.extend(decision_findings(claim, decision))
            if claim.model_key not in outcomes:
                log_begin(claim)
                log_end(claim, decision)
        return judgement

    def _question(self, claim: Claim) -> Question:
        secret = self.asking.secret if self.asking else b""
        return question(claim.model_key, claim.evidence, claim.evidence_hash, self.config, secret)

    def _is_answered(self, claim: Claim) -> bool:
        """Tell whether asking is needless, or would be in vain while an older verdict serves."""
        if self.book.settled(claim) is not None:
            return True
        return not is_configured(self.config.validator) and self.book.unasked(claim) is not None

    def _why(self, claim: Claim) -> str:
        """Return why a claim is asked about, though it may have been before."""
        if self.prior.get((claim.named, claim.evidence_hash)) in {"unproven", "failed"}:
            return "the last asking got no answer"
        # One on these very texts tells more than a newer one on others.
        latest = self.book.unasked(claim) or self.book.latest(claim)
        if latest is None:
            return "nobody was asked yet"
        if latest.evidence_hash != claim.evidence_hash:
            return f"its evidence is not what it was on {latest.asked_at[:10]}"
        model = self.config.validator.model
        if latest.model != model:
            return f"{latest.model} was asked on {latest.asked_at[:10]}, now it is {model}"
        return f"prompt, kind or settings are not what they were on {latest.asked_at[:10]}"

    def _ask(self, claims: Sequence[Claim], judgement: Judgement) -> dict[str, Outcome]:
        if self.asking is None or not claims:
            return {}
        asking = self.asking
        waiting: dict[str, list[Claim]] = defaultdict(list)
        for claim in claims:
            waiting[claim.model_key].append(claim)

        started: set[str] = set()

        def on_start(key: str) -> None:
            started.add(key)
            for claim in waiting[key]:
                log_begin(claim)
                log_asking(claim, PROFILE)

        outcomes: dict[str, Outcome] = {}

        def on_outcome(key: str, outcome: Outcome) -> None:
            outcomes[key] = outcome
            if key not in started:
                for claim in waiting[key]:
                    log_begin(claim)
            if isinstance(outcome, Said):
                verdict = self._verdict(waiting[key][0], outcome)
                self.book.add(verdict)
                judgement.new_verdicts.append(verdict)
                asking.keep(verdict)
            for claim in waiting[key]:
                log_end(claim, self._decision(claim, outcome))

        # Made as they are asked: all prompts of a vault take much memory.
        questions = (self._question(same[-1]) for same in waiting.values())
        judgement.asking = asking.ask(questions, self.config.validator, on_outcome=on_outcome, on_start=on_start)
        return outcomes

    def _decision(self, claim: Claim, outcome: Outcome | None) -> Decision:
        if not self.is_on(claim):
            person = self.book.get(claim.person_key)
            return _by_verdict(person) if person else _SWITCHED_OFF
        verdict = self.book.settled(claim)
        if verdict is not None:
            return _by_verdict(verdict)
        match outcome:
            case Unproven(reason) if claim.target.is_guess:
                # Two unchecked guesses are one too many.
                return Decision("pending", reason=f"its note was found by meaning alone, and {reason}")
            case Unproven(reason):
                return Decision("unproven", reason=reason)
            case Failed(reason):
                return Decision("failed", reason=reason)
            case NotAsked(reason):
                return self._unasked(claim, reason)
            case None:
                return self._unasked(claim, "nobody was asked")
            case Said():
                raise AssertionError("a verdict that was just given is in the book")
            case _:
                assert_never(outcome)

    def _unasked(self, claim: Claim, reason: str) -> Decision:
        """Nobody can be asked: an older verdict on the same evidence, else as it stood, else pending."""
        if verdict := self.book.unasked(claim):
            return replace(_by_verdict(verdict), is_provisional=True)
        match self.prior.get((claim.named, claim.evidence_hash)):
            case "unproven":
                return Decision("unproven", reason="the last asking got no answer")
            case "failed":
                return Decision("failed", reason="the last asking failed")
        advice = "import again" if is_configured(self.config.validator) else "configure an endpoint and import again"
        return Decision("pending", reason=reason, advice=advice)

    def _verdict(self, claim: Claim, said: Said) -> Verdict:
        profile = self.config.validator
        return Verdict(
            key=claim.model_key,
            source=claim.link.source,
            kind=claim.link.kind,
            target=claim.target.node,
            answer=said.answer,
            p_yes=said.p_yes,
            confidence=said.confidence,
            judge="model",
            profile=PROFILE,
            model=profile.model,
            prompt_hash=claim.prompt_hash,
            evidence_hash=claim.evidence_hash,
            asked_at=datetime.now(UTC).isoformat(timespec="microseconds"),
            tokens=_count(said.tokens),
            latency_ms=_count(said.latency_ms),
        )


def _count(claimed: int | None) -> int | None:
    """Return a count that can be stored, whatever an endpoint claims."""
    return None if claimed is None else max(0, min(claimed, MOST))


_SWITCHED_OFF = Decision(
    "pending",
    reason="validation is off for the note's type",
    advice="set enable_smart_edge_allocation for the type in .kantenwerk/types.yaml, or state the edge yourself",
)


def _by_verdict(verdict: Verdict) -> Decision:
    match verdict.answer:
        case "YES":
            return Decision("verified", verdict)
        case "NO":
            return Decision("rejected", verdict)
        case "UNSURE":
            who = "the model is not sure; a person has to say" if verdict.judge == "model" else "a person is not sure"
            return Decision("pending", verdict, who, "look at the evidence, or state the edge yourself")
        case _:
            assert_never(verdict.answer)

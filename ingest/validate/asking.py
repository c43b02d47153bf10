"""Asks many questions at once and gives each an outcome; nothing that was paid for is lost.

Outcomes are values: an endpoint that refuses one request raises nothing, so no call in flight is cancelled.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, assert_never

import stamina

from kantenwerk.ingest.validate.answer import read_answer
from kantenwerk.ingest.validate.client import Client
from kantenwerk.ingest.validate.limits import Budget, Disconnected, Pace, Refused, Watch
from kantenwerk.ingest.validate.outcome import (
    AskingResult,
    Failed,
    NotAsked,
    Outcome,
    Question,
    Said,
    Unproven,
    Waits,
)
from kantenwerk.ingest.validate.reply import (
    Adjusted,
    Answered,
    LastingFault,
    PassingFault,
    Reply,
    RequestFault,
    one_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kantenwerk.config.model import Profile
    from kantenwerk.ingest.validate.message import Message

_LOG = logging.getLogger(__name__)
# This module tells of retries itself; the library's own line would reach a terminal that asked for no log.
logging.getLogger("stamina").addHandler(logging.NullHandler())

# An answer that is neither YES nor NO is asked for once more.
_ASKINGS = 2


class Asker(Protocol):
    """Whoever answers prompts; `Client` does, and tests bring others."""

    async def ask(self, messages: Sequence[Message]) -> Reply:
        """Answer one prompt."""


OnOutcome = Callable[[str, Outcome], None]
OnStart = Callable[[str], None]


def _ignore(_key: str) -> None:
    """Tell nobody that a question is about to be sent."""


def ask(
    questions: Iterable[Question],
    profile: Profile,
    *,
    on_outcome: OnOutcome,
    on_start: OnStart = _ignore,
    waits: Waits | None = None,
    environ: Mapping[str, str] | None = None,
) -> AskingResult:
    """Ask all questions at the endpoint of a profile, and wait for the end.

    Args:
        questions: What to ask; read as slots become free.
        profile: Which endpoint is asked, and within which bounds.
        on_outcome: Called with key and outcome the moment an outcome is there, once per key, so that it
            can be kept before anything else happens.
        on_start: Called with a key before its first request is sent.
        waits: The waits between retries.
        environ: Where the key of the endpoint is looked up; the environment of the process by default.

    Returns:
        All outcomes, and why asking stopped if it did.

    Raises:
        KeyboardInterrupt: The run was interrupted; calls in flight are dropped, and every outcome that was
            there has been handed to `on_outcome`.
    """
    if profile.base_url is None:
        return _without_endpoint(questions, on_outcome)
    client = Client(profile, os.environ if environ is None else environ)
    return asyncio.run(_ask_and_close(questions, profile, client, (on_outcome, on_start), waits or Waits()))


async def ask_all(
    questions: Iterable[Question],
    profile: Profile,
    asker: Asker,
    *,
    on_outcome: OnOutcome,
    on_start: OnStart = _ignore,
    waits: Waits | None = None,
) -> AskingResult:
    """Ask all questions; like `ask`, inside an event loop and with a client of the caller's."""
    run = _Run(profile, asker, on_outcome, on_start, waits or Waits())
    return await run.through(questions)


async def _ask_and_close(
    questions: Iterable[Question],
    profile: Profile,
    client: Client,
    hooks: tuple[OnOutcome, OnStart],
    waits: Waits,
) -> AskingResult:
    on_outcome, on_start = hooks
    try:
        return await ask_all(questions, profile, client, on_outcome=on_outcome, on_start=on_start, waits=waits)
    finally:
        await client.close()


def _without_endpoint(questions: Iterable[Question], on_outcome: OnOutcome) -> AskingResult:
    outcome = NotAsked(
        "no endpoint is configured: set base_url and model in llm_profiles.yaml,"
        " or KANTENWERK_LLM_BASE_URL and KANTENWERK_LLM_MODEL",
        "no-endpoint",
    )
    outcomes: dict[str, Outcome] = {}
    for question in _distinct(questions):
        outcomes[question.key] = outcome
        on_outcome(question.key, outcome)
    return AskingResult(outcomes)


def _distinct(questions: Iterable[Question]) -> Iterator[Question]:
    seen: set[str] = set()
    for question in questions:
        if question.key not in seen:
            seen.add(question.key)
            yield question


class _Passing(Exception):  # noqa: N818 - carries a value through the retries, and is no error
    """Tells the retries that a fault may pass."""

    def __init__(self, fault: PassingFault) -> None:
        super().__init__(fault.reason)
        self.fault = fault


class _Run:
    """The state of one run: its outcomes, its limits, and which questions are in flight."""

    def __init__(self, profile: Profile, asker: Asker, on_outcome: OnOutcome, on_start: OnStart, waits: Waits) -> None:
        self._profile = profile
        self._asker = asker
        self._on_outcome = on_outcome
        self._on_start = on_start
        self._waits = waits
        self._budget = Budget(profile)
        self._pace = Pace(profile)
        self._watch = Watch()
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._started: set[str] = set()
        self._in_flight: set[str] = set()
        self._held: list[tuple[str, Failed]] = []
        self._outcomes: dict[str, Outcome] = {}

    async def through(self, questions: Iterable[Question]) -> AskingResult:
        """Take all questions to their outcomes, a bounded number at a time."""
        waiting = _distinct(questions)
        workers = [asyncio.create_task(self._work(waiting)) for _ in range(self._profile.concurrency)]
        try:
            done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                worker.result()
        finally:
            await _cancelled(*workers)
        self._release()
        stop = self._watch.stop
        return AskingResult(
            self._outcomes,
            refused=stop.reason if isinstance(stop, Refused) else None,
            disconnected=stop.reason if isinstance(stop, Disconnected) else None,
            calls=self._budget.calls,
            tokens=self._budget.tokens,
        )

    async def _work(self, waiting: Iterator[Question]) -> None:
        for question in waiting:
            outcome = self._rest()
            self._take(question.key, outcome if outcome is not None else await self._unless_stopped(question))

    def _take(self, key: str, outcome: Outcome) -> None:
        """Hand an outcome on at once, but for a refusal that may yet turn out to be the whole run's."""
        if not self._watch.undecided:
            self._release()
        elif isinstance(outcome, Failed):
            self._held.append((key, outcome))
            return
        self._deliver(key, outcome)

    def _release(self) -> None:
        held, self._held = self._held, []
        for key, failed in held:
            self._deliver(key, failed)

    def _deliver(self, key: str, outcome: Outcome) -> None:
        stop = self._watch.stop
        if isinstance(outcome, Failed) and isinstance(stop, Refused) and stop.by_requests:
            outcome = NotAsked(stop.reason, "run-refused")
        self._outcomes[key] = outcome
        self._on_outcome(key, outcome)

    def _rest(self) -> NotAsked | Unproven | None:
        """Return the outcome of all that is not asked any more; None while asking goes on."""
        match self._watch.stop:
            case Refused(reason):
                return NotAsked(reason, "run-refused")
            case Disconnected(reason):
                return Unproven(reason)
            case None:
                return None
            case unknown:
                assert_never(unknown)

    async def _unless_stopped(self, question: Question) -> Outcome:
        """Ask; once asking has stopped, finish the call in flight but wait for no next attempt."""
        asking = asyncio.create_task(self._outcome(question))
        try:
            ends: set[asyncio.Future[Any]] = {asking, self._stopped}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if question.key in self._in_flight:
                await asyncio.wait({asking})
        finally:
            await _cancelled(asking)
        rest = self._rest()
        return rest if asking.cancelled() and rest is not None else asking.result()

    async def _outcome(self, question: Question) -> Outcome:
        said = ""
        for _ in range(_ASKINGS):
            match await self._with_retries(question):
                case Answered() as reply:
                    answer = read_answer(reply.text)
                    if answer is not None:
                        return self._said(answer, reply)
                    said = reply.text
                case PassingFault(reason):
                    return Unproven(reason)
                case RequestFault(reason):
                    return Failed(reason)
                case (NotAsked() | Unproven()) as rest:
                    return rest
                case unknown:
                    assert_never(unknown)
        return Failed(f"invalid answer: neither YES nor NO but {one_line(said, 60)!r}")

    def _said(self, answer: Literal["YES", "NO"], reply: Answered) -> Said:
        profile = self._profile
        p_yes = reply.p_yes
        unsure = p_yes is not None and abs(p_yes - 0.5) < profile.abstain_below
        # The name that was asked for: some servers answer with a path of their own machine.
        model = profile.model or ""
        return Said(
            "UNSURE" if unsure else answer,
            p_yes,
            self._confidence(answer, p_yes),
            model,
            reply.tokens,
            reply.latency_ms,
        )

    def _confidence(self, answer: Literal["YES", "NO"], p_yes: float | None) -> float:
        if p_yes is None:
            return self._profile.default_confidence
        return p_yes if answer == "YES" else 1.0 - p_yes

    async def _with_retries(self, question: Question) -> Answered | PassingFault | RequestFault | NotAsked | Unproven:
        faults: list[PassingFault] = []
        attempts = stamina.retry_context(
            on=lambda error: self._wait(error, faults),
            attempts=self._profile.retries + 1,
            timeout=None,
            wait_initial=self._waits.initial_s,
            wait_max=self._waits.max_s,
            wait_jitter=self._waits.jitter_s,
        )
        try:
            async for attempt in attempts:
                with attempt:
                    return await self._attempt(question, faults)
        except _Passing:
            pass
        return faults[-1]

    async def _attempt(
        self, question: Question, faults: list[PassingFault]
    ) -> Answered | PassingFault | RequestFault | NotAsked | Unproven:
        """Send once; a passing fault is noted and raised, for the retries to see."""
        reply = await self._send(question)
        if isinstance(reply, PassingFault):
            faults.append(reply)
            raise _Passing(reply)
        out_of_budget = isinstance(reply, NotAsked) and reply.kind == "budget"
        # It was asked, and a fault came of it: that the budget allows no retry does not undo that.
        return faults[-1] if faults and out_of_budget else reply

    def _wait(self, error: Exception, faults: list[PassingFault]) -> bool | float:
        """Decide whether to try again, and after how many seconds where the endpoint says so."""
        if not isinstance(error, _Passing):
            return False
        if len(faults) <= self._profile.retries:
            _LOG.info("asked again: %s", error.fault.reason)
        after = error.fault.retry_after
        return True if after is None else min(after, self._profile.retry_after_cap_s)

    async def _send(self, question: Question) -> Answered | PassingFault | RequestFault | NotAsked | Unproven:
        """Send a question once, or again at once where the endpoint refused an extra of ours."""
        while (rest := self._rest()) is None:
            if not await self._budget.reserve(question.est_tokens):
                return NotAsked(self._budget.exhausted(), "budget")
            match await self._reserved(question):
                case Adjusted(reason):
                    _LOG.info("asked again in another form: %s", reason)
                case (Answered() | RequestFault()) as reply:
                    return reply
                case PassingFault() as reply if self._watch.stop is None:
                    return reply
                case PassingFault() | LastingFault() | None:
                    # Asking has stopped, here or elsewhere: there are no retries any more.
                    pass
                case unknown:
                    assert_never(unknown)
        return rest

    async def _reserved(self, question: Question) -> Reply | None:
        """Wait for a turn and send on a reservation; None where asking has stopped meanwhile."""
        reply: Reply | None = None
        try:
            await self._pace.turn(question.est_tokens)
            if self._watch.stop is None:
                reply = await self._send_now(question)
        finally:
            if reply is None:
                self._budget.withdraw(question.est_tokens)
            else:
                spent = _spent(reply, question.est_tokens)
                self._budget.settle(question.est_tokens, spent)
                self._pace.settle(question.est_tokens, spent)
        return reply

    async def _send_now(self, question: Question) -> Reply:
        if question.key not in self._started:
            self._started.add(question.key)
            self._on_start(question.key)
        losses = self._watch.losses()
        self._in_flight.add(question.key)
        try:
            reply = await self._asker.ask(question.messages)
        finally:
            self._in_flight.discard(question.key)
        self._watch.note(reply, losses)
        if self._watch.stop is not None and not self._stopped.done():
            self._stopped.set_result(None)
        return reply


def _spent(reply: Reply, estimate: int) -> int:
    match reply:
        case Answered(tokens=tokens):
            return estimate if tokens is None else tokens
        case PassingFault(perhaps_billed=True):
            return estimate
        case _:
            return 0


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

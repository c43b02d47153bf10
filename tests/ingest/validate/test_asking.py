"""Every row of the design's table 6.4, against a real HTTP server, one at a time and eight at once."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest.validate.asking import ask, ask_all
from kantenwerk.ingest.validate.message import Message
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
from kantenwerk.ingest.validate.reply import Answered, LastingFault, PassingFault, Reply, RequestFault
from tests.servers.profiles import KEY_NAME, profile_for
from tests.servers.scripted import Received, Response, drops, late, refuses, says, sends, shows_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.servers.scripted import ScriptedServer, ServeScript

AT_ONCE = pytest.mark.parametrize("concurrency", [1, 8])
NO_WAITS = Waits(initial_s=0.0, max_s=0.0, jitter_s=0.0)
KEY = "sk-test-0123456789abcdef"


def question(key: str) -> Question:
    return Question(key, (Message("user", key),), est_tokens=50)


def questions(count: int) -> list[Question]:
    return [question(f"q{number}") for number in range(count)]


def asked(server: ScriptedServer | str, count: int | Iterable[Question] = 12, **changes: object) -> AskingResult:
    """Ask so many questions, and check on the way that every outcome is handed on exactly once."""
    seen: dict[str, Outcome] = {}

    def keep(key: str, outcome: Outcome) -> None:
        assert key not in seen
        seen[key] = outcome

    result = ask(
        questions(count) if isinstance(count, int) else count,
        profile_for(server if isinstance(server, str) else server.base_url, **changes),
        on_outcome=keep,
        waits=NO_WAITS,
        environ={KEY_NAME: KEY},
    )
    assert dict(result.outcomes) == seen
    return result


def only(key: str, response: Response, otherwise: Response | None = None) -> Callable[[Received], Response]:
    """One response to one question, and another (YES) to all others."""
    return lambda request: response if request.prompt == key else otherwise or says("YES")


def kinds(result: AskingResult) -> Counter[str]:
    return Counter(type(outcome).__name__ for outcome in result.outcomes.values())


# YES and NO


@AT_ONCE
def test_yes(scripted: ServeScript, concurrency: int) -> None:
    server = scripted(says("YES", p_yes=0.9, tokens=17))
    result = asked(server, concurrency=concurrency)
    assert kinds(result) == {"Said": 12}
    said = result.outcomes["q0"]
    assert isinstance(said, Said)
    assert (said.answer, said.tokens, said.model) == ("YES", 17, "tiny")
    assert said.p_yes == said.confidence == pytest.approx(0.9)
    assert (result.calls, result.tokens, result.refused, result.disconnected) == (12, 204, None, None)


@AT_ONCE
def test_no(scripted: ServeScript, concurrency: int) -> None:
    said = asked(scripted(says("NO", p_yes=0.1)), concurrency=concurrency).outcomes["q0"]
    assert isinstance(said, Said)
    assert said.answer == "NO"
    assert said.p_yes == pytest.approx(0.1)
    assert said.confidence == pytest.approx(0.9)


@AT_ONCE
def test_without_probabilities_the_profile_says_how_sure_the_model_is(scripted: ServeScript, concurrency: int) -> None:
    server = scripted(says("YES", tokens=None))
    result = asked(server, concurrency=concurrency, default_confidence=0.7)
    said = result.outcomes["q0"]
    assert isinstance(said, Said)
    assert (said.p_yes, said.confidence, said.tokens) == (None, 0.7, None)
    assert result.tokens == 12 * 50, "what the server does not count is taken as estimated"


@AT_ONCE
@pytest.mark.parametrize(
    ("p_yes", "band", "answer"),
    [
        (0.55, 0.1, "UNSURE"),
        (0.45, 0.1, "UNSURE"),
        (0.65, 0.1, "YES"),
        (0.5, 0.0, "YES"),
        (0.9, 0.5, "UNSURE"),
    ],
)
def test_near_one_half_is_left_to_a_person(
    scripted: ServeScript, concurrency: int, p_yes: float, band: float, answer: str
) -> None:
    server = scripted(says("YES", p_yes=p_yes))
    said = asked(server, 1, concurrency=concurrency, abstain_below=band).outcomes["q0"]
    assert isinstance(said, Said)
    assert said.answer == answer


# Passing faults

PASSING = {
    "408": refuses(408),
    "409": refuses(409),
    "429": refuses(429, headers={"Retry-After": "0"}),
    "500": refuses(500),
    "503": refuses(503),
    "html": shows_page(),
    "no choices": sends({"choices": []}),
    "null choices": sends({"choices": None}),
    "null content": says(None),
    "dropped": drops(),
}


@AT_ONCE
@pytest.mark.parametrize("response", PASSING.values(), ids=PASSING.keys())
def test_a_passing_fault_is_unproven_after_its_retries(
    scripted: ServeScript, concurrency: int, response: Response
) -> None:
    server = scripted(only("q3", response))
    result = asked(server, concurrency=concurrency)
    assert kinds(result) == {"Said": 11, "Unproven": 1}
    assert isinstance(result.outcomes["q3"], Unproven)
    assert server.prompts.count("q3") == 3, "once, and two retries"
    assert result.refused is None


@AT_ONCE
@pytest.mark.parametrize("response", PASSING.values(), ids=PASSING.keys())
def test_a_passing_fault_passes(scripted: ServeScript, concurrency: int, response: Response) -> None:
    faults = iter([response, response])
    server = scripted(lambda request: next(faults, says("NO")) if request.prompt == "q3" else says("YES"))
    result = asked(server, concurrency=concurrency)
    assert kinds(result) == {"Said": 12}
    assert server.prompts.count("q3") == 3


@AT_ONCE
def test_a_time_out_is_unproven(scripted: ServeScript, concurrency: int) -> None:
    server = scripted(only("q3", late(says("YES"), 9.0)))
    result = asked(server, concurrency=concurrency, timeout_s=0.2, retries=1)
    assert kinds(result) == {"Said": 11, "Unproven": 1}
    assert server.prompts.count("q3") == 2


def test_without_retries_there_are_none(scripted: ServeScript) -> None:
    server = scripted(refuses(500))
    assert kinds(asked(server, 3, retries=0)) == {"Unproven": 3}
    assert len(server.requests) == 3


def test_retry_after_is_obeyed_up_to_a_bound_of_ours(scripted: ServeScript) -> None:
    server = scripted([refuses(429, headers={"Retry-After": "240"}), says("YES")])
    started = time.monotonic()
    result = asked(server, 1, retry_after_cap_s=0.2)
    assert kinds(result) == {"Said": 1}
    assert 0.2 <= time.monotonic() - started < 3.0


# Faults of one request


@AT_ONCE
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_fault_of_one_request_fails_that_one_alone(scripted: ServeScript, concurrency: int, status: int) -> None:
    server = scripted(only("q9", refuses(status, "too long")))
    result = asked(server, concurrency=concurrency)
    assert kinds(result) == {"Said": 11, "Failed": 1}
    failed = result.outcomes["q9"]
    assert isinstance(failed, Failed)
    assert f"answered {status} (too long)" in failed.reason
    assert server.prompts.count("q9") == 1
    assert result.refused is None


@AT_ONCE
def test_an_invalid_answer_is_asked_once_more_and_fails(scripted: ServeScript, concurrency: int) -> None:
    server = scripted(only("q3", says("I believe\x1b[31m so")))
    result = asked(server, concurrency=concurrency)
    assert kinds(result) == {"Said": 11, "Failed": 1}
    assert result.outcomes["q3"] == Failed("invalid answer: neither YES nor NO but 'I believe [31m so'")
    assert server.prompts.count("q3") == 2


@AT_ONCE
def test_a_second_answer_may_be_valid(scripted: ServeScript, concurrency: int) -> None:
    answers = iter([says("Well…")])
    server = scripted(lambda request: next(answers, says("NO")) if request.prompt == "q3" else says("YES"))
    said = asked(server, concurrency=concurrency).outcomes["q3"]
    assert isinstance(said, Said)
    assert said.answer == "NO"


# Lasting faults of the run

LASTING = {
    "401": refuses(401),
    "402": refuses(402),
    "403": refuses(403),
    "404": refuses(404),
    "quota": refuses(429, code="insufficient_quota"),
}


@AT_ONCE
@pytest.mark.parametrize("response", LASTING.values(), ids=LASTING.keys())
def test_a_lasting_fault_stops_the_asking(scripted: ServeScript, concurrency: int, response: Response) -> None:
    server = scripted(only("q9", response))
    result = asked(server, 60, concurrency=concurrency)
    assert set(kinds(result)) == {"Said", "NotAsked"}
    assert result.refused is not None
    assert result.outcomes["q9"] == NotAsked(result.refused, "run-refused")
    assert result.outcomes["q59"] == NotAsked(result.refused, "run-refused")
    assert kinds(result)["Said"] == len(server.requests) - 1, "what was sent and answered is kept"
    assert len(server.requests) < 60
    if concurrency == 1:
        assert server.prompts == [f"q{number}" for number in range(10)]


@pytest.mark.parametrize("response", [*LASTING.values(), refuses(400, "too long")])
def test_one_refused_request_cancels_no_call_in_flight(scripted: ServeScript, response: Response) -> None:
    together = threading.Barrier(8)

    def answer(request: Received) -> Response:
        # All eight are in flight before any is answered; the refusal comes long before the others.
        together.wait(5)
        return response if request.prompt == "q0" else late(says("YES"), 0.2)

    result = asked(scripted(answer), 8, concurrency=8)
    assert kinds(result)["Said"] == 7
    assert not isinstance(result.outcomes["q0"], Said)


def test_a_retry_that_waits_is_not_waited_for_once_the_run_is_refused(scripted: ServeScript) -> None:
    waiting = threading.Event()

    def answer(request: Received) -> Response:
        if request.prompt == "q0":
            waiting.set()
            return refuses(429, headers={"Retry-After": "600"})
        waiting.wait(5)
        return late(refuses(401), 0.1)

    started = time.monotonic()
    result = asked(scripted(answer), 2, concurrency=2, retry_after_cap_s=600)
    assert time.monotonic() - started < 5
    assert set(result.outcomes.values()) == {NotAsked(result.refused or "", "run-refused")}


@AT_ONCE
@pytest.mark.parametrize("status", [400, 413, 422])
def test_the_first_five_requests_refused_are_a_fault_of_the_run(
    scripted: ServeScript, concurrency: int, status: int
) -> None:
    server = scripted(refuses(status, "unknown field"))
    result = asked(server, 20, concurrency=concurrency)
    assert result.refused is not None
    assert "unknown field" in result.refused
    assert set(result.outcomes.values()) == {NotAsked(result.refused, "run-refused")}
    assert len(server.requests) < 20
    if concurrency == 1:
        assert len(server.requests) == 5


@AT_ONCE
def test_fewer_than_five_refusals_fail_one_by_one(scripted: ServeScript, concurrency: int) -> None:
    result = asked(scripted(refuses(400)), 4, concurrency=concurrency)
    assert kinds(result) == {"Failed": 4}
    assert result.refused is None


@AT_ONCE
def test_refusals_after_an_answer_fail_one_by_one(scripted: ServeScript, concurrency: int) -> None:
    answered = threading.Event()

    def answer(request: Received) -> Response:
        if request.prompt == "q0":
            answered.set()
            return says("YES")
        answered.wait(5)
        return late(refuses(400), 0.02)

    assert kinds(asked(scripted(answer), concurrency=concurrency)) == {"Said": 1, "Failed": 11}


@AT_ONCE
def test_a_bad_configuration_is_a_fault_of_the_run(concurrency: int) -> None:
    result = asked("localhost:11434", 3, concurrency=concurrency)
    assert kinds(result) == {"NotAsked": 3}
    assert result.refused is not None
    assert "base_url" in result.refused


# Nobody to ask


@AT_ONCE
def test_five_lost_connections_in_a_row_stop_the_asking(concurrency: int) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{dead.getsockname()[1]}/v1"
        result = asked(address, 200, concurrency=concurrency)
    assert kinds(result) == {"Unproven": 200}
    assert result.refused is None
    assert result.disconnected is not None
    assert result.calls <= 5 * concurrency
    if concurrency == 1:
        assert result.calls == 5


def test_connections_lost_together_are_tried_again(scripted: ServeScript) -> None:
    together = threading.Barrier(8)
    lost = iter(range(8))

    def answer(_: Received) -> Response:
        if next(lost, None) is None:
            return says("YES")
        together.wait(5)
        return drops()

    assert kinds(asked(scripted(answer), 8, concurrency=8)) == {"Said": 8}


def test_no_endpoint() -> None:
    seen: list[str] = []
    result = ask(questions(3), profile_for(None), on_outcome=lambda key, _: seen.append(key))
    assert seen == ["q0", "q1", "q2"]
    outcome = result.outcomes["q0"]
    assert isinstance(outcome, NotAsked)
    assert outcome.kind == "no-endpoint"
    assert "KANTENWERK_LLM_BASE_URL" in outcome.reason
    assert result.refused is None


@AT_ONCE
@pytest.mark.parametrize("calls", [0, 1, 7])
def test_a_budget_of_calls(scripted: ServeScript, concurrency: int, calls: int) -> None:
    server = scripted(says("YES"))
    result = asked(server, concurrency=concurrency, max_calls=calls)
    assert len(server.requests) == result.calls == calls
    assert kinds(result)["Said"] == calls
    rest = result.outcomes["q11"]
    assert isinstance(rest, NotAsked)
    assert rest.kind == "budget"
    assert "max_calls" in rest.reason


@AT_ONCE
def test_a_budget_of_calls_counts_retries_and_second_askings(scripted: ServeScript, concurrency: int) -> None:
    for response in (refuses(500), says("maybe")):
        server = scripted(response)
        result = asked(server, concurrency=concurrency, max_calls=5)
        assert len(server.requests) == 5
        assert "Said" not in kinds(result)


def test_a_fault_whose_retry_the_budget_forbids_stays_a_fault(scripted: ServeScript) -> None:
    result = asked(scripted(refuses(500, "busy")), 2, max_calls=1)
    assert isinstance(result.outcomes["q0"], Unproven)
    assert isinstance(result.outcomes["q1"], NotAsked)


@AT_ONCE
def test_a_budget_of_tokens_is_settled_by_usage(scripted: ServeScript, concurrency: int) -> None:
    # Estimated 50 and used 10 each: nine fit into 130 (the tenth might need 50), where two would by estimate.
    server = scripted(says("YES", tokens=10))
    result = asked(server, concurrency=concurrency, max_tokens=130)
    assert kinds(result) == {"Said": 9, "NotAsked": 3}
    assert result.tokens == 90


# The way of working


def test_no_more_than_so_many_at_once(scripted: ServeScript) -> None:
    three = threading.Barrier(3)

    def answer(_: Received) -> Response:
        three.wait(30)
        return late(says("YES"), 0.02)

    server = scripted(answer)
    asked(server, 30, concurrency=3)
    assert server.peak == 3


def test_a_slow_question_does_not_hold_up_the_others(scripted: ServeScript) -> None:
    others = threading.Semaphore(0)

    def answer(request: Received) -> Response:
        if request.prompt == "q0":
            assert all(others.acquire(timeout=5) for _ in range(11))
        others.release()
        return says("YES")

    assert kinds(asked(scripted(answer), concurrency=2)) == {"Said": 12}


def test_requests_are_spaced(scripted: ServeScript) -> None:
    started = time.monotonic()
    asked(scripted(says("YES")), 5, concurrency=8, requests_per_minute=1200)
    assert time.monotonic() - started >= 4 * 0.05


@AT_ONCE
def test_the_same_question_is_asked_once(scripted: ServeScript, concurrency: int) -> None:
    server = scripted(says("YES"))
    result = asked(server, [question(key) for key in "abcabcaab"], concurrency=concurrency)
    assert sorted(server.prompts) == ["a", "b", "c"]
    assert set(result.outcomes) == {"a", "b", "c"}


def test_questions_are_read_as_slots_become_free(scripted: ServeScript) -> None:
    taken: list[str] = []
    ahead: list[int] = []

    def stream() -> Iterable[Question]:
        for one in questions(20):
            taken.append(one.key)
            yield one

    server = scripted(says("YES"))
    ask(
        stream(),
        profile_for(server.base_url, concurrency=2),
        on_outcome=lambda _key, _outcome: ahead.append(len(taken) - len(ahead)),
    )
    assert max(ahead) <= 3


def test_nothing_to_ask_asks_nobody(scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    assert asked(server, 0) == AskingResult({})
    assert not server.requests


def test_a_start_is_told_once_and_only_of_what_is_sent(scripted: ServeScript) -> None:
    started: list[str] = []
    server = scripted([refuses(500), says("maybe"), says("YES")])
    ask(
        questions(5),
        profile_for(server.base_url, max_calls=4),
        on_outcome=lambda _key, _outcome: None,
        on_start=started.append,
        waits=NO_WAITS,
    )
    assert started == ["q0", "q1"]


@AT_ONCE
def test_refused_log_probabilities_cost_no_question(scripted: ServeScript, concurrency: int) -> None:
    def answer(request: Received) -> Response:
        return refuses(400, "logprobs is not supported") if "logprobs" in request.json else says("YES")

    server = scripted(answer)
    result = asked(server, concurrency=concurrency)
    assert kinds(result) == {"Said": 12}
    assert result.calls == len(server.requests) <= 12 + 2 * concurrency


@pytest.mark.parametrize("response", [*LASTING.values(), refuses(400, KEY), refuses(500, KEY), says(KEY)])
def test_a_key_never_shows(
    scripted: ServeScript,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    response: Response,
) -> None:
    caplog.set_level("DEBUG")
    server = scripted(response)
    result = asked(server, 6)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    printed = capfd.readouterr()
    assert KEY not in repr(result) + caplog.text + printed.out + printed.err


def test_retries_print_nothing(scripted: ServeScript, capfd: pytest.CaptureFixture[str]) -> None:
    asked(scripted(refuses(500)), 2)
    assert capfd.readouterr() == ("", "")


# With a client of the test's own


class Told:
    """Answers as told, in order; the last reply is repeated."""

    def __init__(self, replies: Sequence[Reply | BaseException]) -> None:
        self._replies = list(replies)

    async def ask(self, messages: Sequence[Message]) -> Reply:
        assert messages
        await asyncio.sleep(0)
        reply = self._replies[0] if len(self._replies) == 1 else self._replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


YES = Answered("YES", None, 10, 1)


def told(replies: Sequence[Reply | BaseException], count: int = 6, **changes: object) -> AskingResult:
    asking = ask_all(
        questions(count),
        profile_for(None, **changes),
        Told(replies),
        on_outcome=lambda _key, _outcome: None,
        waits=NO_WAITS,
    )
    return asyncio.run(asking)


def test_after_a_refusal_held_back_a_lasting_fault_leaves_it_a_failure() -> None:
    result = told([RequestFault("too long", 400), LastingFault("no key", 401)])
    assert result.outcomes["q0"] == Failed("too long")
    assert result.outcomes["q1"] == NotAsked("no key", "run-refused")


def test_a_lasting_fault_among_lost_connections_is_told() -> None:
    lost = PassingFault("gone", lost_connection=True)
    result = told([lost, lost, LastingFault("no key", 401)])
    assert result.refused == "no key"


def test_a_fault_of_our_own_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        told([YES, ZeroDivisionError()], concurrency=4)


def test_an_outcome_that_cannot_be_kept_ends_the_run() -> None:
    def keep(_key: str, _outcome: Outcome) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        asyncio.run(ask_all(questions(3), profile_for(None), Told([YES]), on_outcome=keep))

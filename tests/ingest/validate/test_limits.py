"""Budget, pace, and when to stop asking."""

from __future__ import annotations

import asyncio

import pytest

from kantenwerk.ingest.validate.limits import Budget, Disconnected, Pace, Refused, Watch
from kantenwerk.ingest.validate.reply import (
    Adjusted,
    Answered,
    LastingFault,
    PassingFault,
    Reply,
    RequestFault,
)
from tests.servers.profiles import profile_for

YES = Answered("YES", None, None, 1)
LOST = PassingFault("gone", lost_connection=True)
BUSY = PassingFault("busy")
REFUSED = RequestFault("too long", 400)


def watched(*replies: Reply) -> Watch:
    watch = Watch()
    for reply in replies:
        watch.note(reply, watch.losses())
    return watch


def test_calls_are_counted_when_they_are_reserved() -> None:
    async def spend() -> list[bool]:
        budget = Budget(profile_for(None, max_calls=2))
        return [await budget.reserve(10) for _ in range(3)]

    assert asyncio.run(spend()) == [True, True, False]


def test_a_call_that_was_never_sent_is_given_back() -> None:
    async def spend() -> tuple[bool, int, int]:
        budget = Budget(profile_for(None, max_calls=1, max_tokens=10))
        await budget.reserve(10)
        budget.withdraw(10)
        return await budget.reserve(10), budget.calls, budget.tokens

    assert asyncio.run(spend()) == (True, 1, 10)


def test_tokens_are_settled_by_what_was_spent() -> None:
    async def spend() -> tuple[bool, bool, str]:
        budget = Budget(profile_for(None, max_tokens=100))
        await budget.reserve(90)
        budget.settle(90, 40)
        fits = await budget.reserve(60)
        budget.settle(60, 60)
        return fits, await budget.reserve(1), budget.exhausted()

    assert asyncio.run(spend()) == (
        True,
        False,
        "the budget of 100 tokens is used up: raise max_tokens, or import again",
    )


def test_a_question_waits_for_tokens_that_a_call_in_flight_may_give_back() -> None:
    async def spend() -> bool:
        budget = Budget(profile_for(None, max_tokens=100))
        await budget.reserve(90)
        waiting = asyncio.create_task(budget.reserve(50))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.settle(90, 50)
        return await waiting

    assert asyncio.run(spend())


def test_requests_are_spaced_evenly() -> None:
    async def turns() -> list[float]:
        pace = Pace(profile_for(None, requests_per_minute=6000))
        loop = asyncio.get_running_loop()
        start = loop.time()
        seconds = []
        for _ in range(3):
            await pace.turn(100)
            seconds.append(loop.time() - start)
        return seconds

    # A busy machine may be late, and a clock a little coarse.
    first, second, third = asyncio.run(turns())
    assert first >= 0.0
    assert second >= 0.009
    assert third >= 0.019


def test_without_a_pace_nobody_waits() -> None:
    async def many() -> None:
        pace = Pace(profile_for(None))
        for _ in range(1000):
            await pace.turn(1_000_000)

    asyncio.run(many())


def test_tokens_are_spaced_evenly_too() -> None:
    async def turns(*spent: int) -> float:
        """Take turns of an estimated 100 tokens each, and return the seconds until the one after them."""
        pace = Pace(profile_for(None, tokens_per_minute=60_000))
        loop = asyncio.get_running_loop()
        # The first second's worth goes at once.
        await pace.turn(1000)
        start = loop.time()
        for tokens in spent:
            await pace.turn(100)
            pace.settle(100, tokens)
        await pace.turn(100)
        return loop.time() - start

    assert asyncio.run(turns(100)) >= 0.19
    assert asyncio.run(turns(200)) >= 0.29, "what a request took beyond its estimate is waited for"


def test_tokens_that_a_request_left_are_not_waited_for() -> None:
    async def is_immediate(spent: int) -> bool:
        pace = Pace(profile_for(None, tokens_per_minute=60))
        await pace.turn(1)
        pace.settle(1, spent)
        turn = asyncio.create_task(pace.turn(1))
        await asyncio.sleep(0)
        done = turn.done()
        turn.cancel()
        return done

    assert asyncio.run(is_immediate(0))
    assert not asyncio.run(is_immediate(1))


def test_a_request_of_more_tokens_than_a_second_has() -> None:
    async def turn() -> float:
        pace = Pace(profile_for(None, tokens_per_minute=6000))
        loop = asyncio.get_running_loop()
        start = loop.time()
        await pace.turn(130)
        return loop.time() - start

    assert asyncio.run(turn()) >= 0.29


def test_a_lasting_fault_stops_at_once() -> None:
    assert watched(YES, LastingFault("no key", 401)).stop == Refused("no key")


def test_the_first_lasting_fault_is_the_one_that_is_told() -> None:
    assert watched(LastingFault("first", 401), LastingFault("second", 401)).stop == Refused("first")


def test_five_refusals_at_the_beginning_stop() -> None:
    stop = watched(*[REFUSED] * 5).stop
    assert isinstance(stop, Refused)
    assert stop.by_requests
    assert "too long" in stop.reason


@pytest.mark.parametrize("other", [YES, BUSY, LOST])
def test_refusals_beside_any_other_reply_do_not_stop(other: Reply) -> None:
    watch = watched(*[REFUSED] * 4, other, *[REFUSED] * 9)
    assert watch.stop is None
    assert not watch.undecided


def test_four_refusals_are_too_few_to_tell() -> None:
    assert watched(*[REFUSED] * 4).undecided


def test_an_extra_refused_is_no_refusal_of_the_question() -> None:
    watch = watched(*[Adjusted("no logprobs")] * 5, *[REFUSED] * 4)
    assert watch.stop is None
    assert watch.undecided


def test_five_connections_lost_in_a_row_stop() -> None:
    stop = watched(YES, *[LOST] * 5).stop
    assert isinstance(stop, Disconnected)
    assert "gone" in stop.reason


@pytest.mark.parametrize("other", [YES, BUSY, REFUSED])
def test_any_other_reply_ends_the_row(other: Reply) -> None:
    assert watched(*[LOST] * 4, other, *[LOST] * 4).stop is None


def test_connections_lost_together_are_one_loss() -> None:
    watch = Watch()
    for _ in range(8):
        watch.note(LOST, 0)
    assert watch.losses() == 1
    assert watch.stop is None


def test_a_lasting_fault_outranks_a_lost_connection() -> None:
    assert watched(*[LOST] * 5, LastingFault("no key", 401)).stop == Refused("no key")

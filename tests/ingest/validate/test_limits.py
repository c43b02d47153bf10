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
        pace = Pace(6000)
        loop = asyncio.get_running_loop()
        start = loop.time()
        seconds = []
        for _ in range(3):
            await pace.turn()
            seconds.append(loop.time() - start)
        return seconds

    # A busy machine may be late, and a clock a little coarse.
    first, second, third = asyncio.run(turns())
    assert first >= 0.0
    assert second >= 0.009
    assert third >= 0.019


def test_without_a_pace_nobody_waits() -> None:
    async def many() -> None:
        pace = Pace(None)
        for _ in range(1000):
            await pace.turn()

    asyncio.run(many())


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

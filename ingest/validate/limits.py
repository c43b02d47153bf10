"""Holds a run of questions within its bounds: what it may cost, how fast it may go, and when to give up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiolimiter import AsyncLimiter

from kantenwerk.ingest.validate.reply import (
    Adjusted,
    LastingFault,
    PassingFault,
    RequestFault,
)

if TYPE_CHECKING:
    from kantenwerk.config.model import Profile
    from kantenwerk.ingest.validate.reply import Reply

_FIRST = 5
_LOST_IN_A_ROW = 5
_MINUTE_S = 60.0


class Budget:
    """Calls and tokens that a run may spend: reserved before a request is sent, settled by what it took.

    Args:
        profile: Names the bounds; None is no bound.
    """

    __slots__ = ("_freed", "_max_calls", "_max_tokens", "_open", "calls", "tokens")

    def __init__(self, profile: Profile) -> None:
        self._max_calls = profile.max_calls
        self._max_tokens = profile.max_tokens
        self._open = 0
        self._freed = asyncio.Event()
        self.calls = 0
        self.tokens = 0

    async def reserve(self, tokens: int) -> bool:
        """Set aside one call of about so many tokens.

        Requests in flight have set aside what they may need, and give back what they did not, so that a
        question waits for them before it goes without.

        Returns:
            Whether the budget allows it.
        """
        while not self._has_tokens(tokens):
            if not self._open:
                return False
            await self._freed.wait()
        if self._max_calls is not None and self.calls >= self._max_calls:
            return False
        self._open += 1
        self.calls += 1
        self.tokens += tokens
        return True

    def settle(self, reserved: int, spent: int) -> None:
        """Replace a reservation by what the request took."""
        self.tokens += spent - reserved
        self._give_back()

    def withdraw(self, reserved: int) -> None:
        """Take back a reservation whose request was never sent."""
        self.calls -= 1
        self.settle(reserved, 0)

    def exhausted(self) -> str:
        """Say which bound is reached and what to do about it."""
        if self._max_calls is not None and self.calls >= self._max_calls:
            return f"the budget of {self._max_calls} calls is used up: raise max_calls, or import again"
        return f"the budget of {self._max_tokens} tokens is used up: raise max_tokens, or import again"

    def _has_tokens(self, tokens: int) -> bool:
        return self._max_tokens is None or self.tokens + tokens <= self._max_tokens

    def _give_back(self) -> None:
        self._open -= 1
        self._freed.set()
        self._freed = asyncio.Event()


class Pace:
    """Spaces requests, and the tokens that they take, evenly over the minute.

    Args:
        profile: Names how many of each may go in one; None lets them go as they come.
    """

    __slots__ = ("_owed", "_requests", "_tokens")

    def __init__(self, profile: Profile) -> None:
        requests, tokens = profile.requests_per_minute, profile.tokens_per_minute
        # Small buckets: one of a whole minute would let twice as much through in the first.
        self._requests = AsyncLimiter(1, _MINUTE_S / requests) if requests else None
        self._tokens = AsyncLimiter(tokens / _MINUTE_S, 1.0) if tokens else None
        self._owed = 0.0

    async def turn(self, tokens: int) -> None:
        """Wait until the next request, of about so many tokens, may go."""
        if self._tokens is not None:
            left, self._owed = tokens + self._owed, 0.0
            while left > 0:
                await self._tokens.acquire(min(left, self._tokens.max_rate))
                left -= self._tokens.max_rate
        if self._requests is not None:
            await self._requests.acquire()

    def settle(self, reserved: int, spent: int) -> None:
        """Let the next request wait for what this one took beyond its estimate, or the less for what it left."""
        self._owed += spent - reserved


@dataclass(frozen=True, slots=True)
class Refused:
    """Asking stops, and a person must mend something before it makes sense again."""

    reason: str
    by_requests: bool = False
    """The endpoint refused the first requests one by one, so that those have not failed by themselves."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """Asking stops, for nothing comes back any more."""

    reason: str


Stop = Refused | Disconnected


class Watch:
    """Looks at every reply of a run and decides whether to go on asking."""

    __slots__ = ("_lost", "_refusals", "_settled", "stop")

    def __init__(self) -> None:
        self.stop: Stop | None = None
        self._refusals = 0
        self._settled = False
        self._lost = 0

    @property
    def undecided(self) -> bool:
        """Whether all replies so far were refusals, too few of them to tell whose fault that is."""
        return self.stop is None and not self._settled

    def losses(self) -> int:
        """Return how many connections were lost in a row; a request notes it when it is sent."""
        return self._lost

    def note(self, reply: Reply, losses_when_sent: int) -> None:
        """Take one reply into account."""
        self._count_losses(reply, losses_when_sent)
        self._count_refusals(reply)
        match reply:
            case LastingFault(reason) if not isinstance(self.stop, Refused):
                self.stop = Refused(reason)
            case RequestFault(reason) if self.undecided and self._refusals == _FIRST:
                self.stop = Refused(f"the first {_FIRST} requests were all refused: {reason}", by_requests=True)
            case PassingFault(reason) if self.stop is None and self._lost == _LOST_IN_A_ROW:
                self.stop = Disconnected(f"{_LOST_IN_A_ROW} connections in a row were lost: {reason}")
            case _:
                pass

    def _count_losses(self, reply: Reply, losses_when_sent: int) -> None:
        if not isinstance(reply, PassingFault) or not reply.lost_connection:
            self._lost = 0
        elif losses_when_sent == self._lost:
            # Requests that were in flight together are lost together: that is one loss, not many in a row.
            self._lost += 1

    def _count_refusals(self, reply: Reply) -> None:
        match reply:
            case Adjusted():
                # The endpoint refused an extra of ours, and has not judged the question yet.
                pass
            case RequestFault():
                self._refusals += 1
            case _:
                self._settled = True

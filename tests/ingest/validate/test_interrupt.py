"""An interrupted run keeps what it has, and hands on every outcome the moment it is there."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest.validate.asking import ask, ask_all
from kantenwerk.ingest.validate.message import Message
from kantenwerk.ingest.validate.outcome import Outcome, Question
from kantenwerk.ingest.validate.reply import Answered, Reply
from tests.servers.profiles import profile_for
from tests.servers.scripted import Received, Response, late, says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.servers.scripted import ServeScript

QUESTIONS = [Question(f"q{number}", (Message("user", f"q{number}"),), 50) for number in range(20)]


def test_an_outcome_is_handed_on_before_the_next_question_is_sent(scripted: ServeScript) -> None:
    seen: list[tuple[str, int]] = []
    server = scripted(says("YES"))
    ask(
        QUESTIONS[:3],
        profile_for(server.base_url),
        on_outcome=lambda key, _: seen.append((key, len(server.requests))),
    )
    assert seen == [("q0", 1), ("q1", 2), ("q2", 3)]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_an_interrupt_inside_the_hook(scripted: ServeScript, concurrency: int) -> None:
    seen: list[str] = []

    def keep(key: str, _outcome: Outcome) -> None:
        seen.append(key)
        if len(seen) == 4:
            raise KeyboardInterrupt

    server = scripted(says("YES"))
    with pytest.raises(KeyboardInterrupt):
        ask(QUESTIONS, profile_for(server.base_url, concurrency=concurrency), on_outcome=keep)
    assert len(seen) == 4


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_signal_while_calls_are_in_flight(scripted: ServeScript, concurrency: int) -> None:
    seen: list[str] = []

    def answer(request: Received) -> Response:
        return says("YES") if int(request.prompt[1:]) < 4 else late(says("YES"), 30.0)

    def keep(key: str, _outcome: Outcome) -> None:
        seen.append(key)
        if len(seen) == 4:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()

    server = scripted(answer)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ask(QUESTIONS, profile_for(server.base_url, concurrency=concurrency, timeout_s=60), on_outcome=keep)
    assert time.monotonic() - started < 10
    assert sorted(seen) == ["q0", "q1", "q2", "q3"]


def test_a_cancelled_run_cancels_its_calls() -> None:
    cancelled: list[str] = []

    class Never:
        async def ask(self, messages: Sequence[Message]) -> Reply:
            if messages[0].content == "q0":
                return Answered("YES", None, None, 1)
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append(messages[0].content)
                raise
            raise AssertionError

    async def run() -> list[str]:
        seen: list[str] = []
        asking = ask_all(
            QUESTIONS, profile_for(None, concurrency=3), Never(), on_outcome=lambda key, _: seen.append(key)
        )
        task = asyncio.create_task(asking)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left running"
        return seen

    assert asyncio.run(run()) == ["q0"]
    assert sorted(cancelled) == ["q1", "q2", "q3"]


def test_the_client_library_is_loaded_only_when_a_model_is_asked() -> None:
    program = (
        "import sys\n"
        "from kantenwerk.ingest.validate.asking import ask\n"
        "from kantenwerk.ingest.validate.outcome import Question\n"
        "from tests.servers.profiles import profile_for\n"
        "question = Question('a', (), 1)\n"
        "ask([question], profile_for(None), on_outcome=print)\n"
        "ask([question], profile_for('http://127.0.0.1:9/v1', max_calls=0), on_outcome=print)\n"
        "assert 'openai' not in sys.modules\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", program], cwd=root, check=True, capture_output=True)

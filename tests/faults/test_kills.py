"""An import that is killed, at whatever moment, leaves the graph as it was or as it is to be."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.faults.kills import Range, answer, moments

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.scripted import ServeScript


def test_kills_while_it_is_written(tmp_path: Path, scripted: ServeScript) -> None:
    ground = Range(tmp_path, scripted(answer))
    ground.kill("decisions", 0.7)
    ground.kill("close", 0.3, is_first=True)
    assert ground.tally.kills.total() + ground.tally.too_late == 2


@pytest.mark.slow
def test_kills_at_random_moments(tmp_path: Path, scripted: ServeScript) -> None:
    ground = Range(tmp_path, scripted(answer))
    for number, (part, share) in enumerate(moments(20, random.Random())):
        ground.kill(part, share, is_first=number % 5 == 0)
    # The rest was so short that it was over.
    assert ground.tally.kills.total() >= 10

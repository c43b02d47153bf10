"""What docs/asking.md shows is what the sessions say."""

from __future__ import annotations

import pytest

from tests.readme.page import ROOT, blocks, links
from tests.sessions.test_sessions import SESSIONS
from tests.sessions.transcript import Step, Transcript

PAGE = ROOT / "docs" / "asking.md"
TEXT = PAGE.read_text("utf-8")
SAID = {step.command: step.said for path in SESSIONS for step in Transcript.read(path.read_text("utf-8")).steps}
STEPS = [step for block in blocks(TEXT) if block.language == "console" for step in Transcript.read(block.text).steps]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.command)
def test_that_a_command_says_what_stands_there(step: Step) -> None:
    # What differs from day to day is hidden in the session.
    command = next((known for known in SAID if known.startswith(f"{step.command} | sed -E")), step.command)
    assert SAID[command] == step.said


def test_that_links_lead_somewhere() -> None:
    assert all((PAGE.parent / link).exists() for link in links(TEXT))

"""`explain-verdict`: the exact prompt of a verdict, as the model was asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.servers.scripted import says
from tests.validation.desk import Desk, note

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript


def judged(desk: Desk, scripted: ServeScript) -> tuple[str, object]:
    """Have one candidate judged; returns the verdict's key and the messages that were sent."""
    server = scripted(says("YES"))
    desk.point(server)
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB ist ein Ziel. \x1b[31m\n")
    desk.apply()
    (request,) = server.requests
    return desk.rows("SELECT key FROM verdicts")[0][0], request.json["messages"]


def test_the_prompt_is_the_one_that_was_sent(desk: Desk, scripted: ServeScript) -> None:
    key, messages = judged(desk, scripted)
    said = json.loads(desk.run("explain-verdict", key, "--format", "json").stdout)
    assert said["prompt"] == messages
    assert (said["verdict"]["answer"], said["verdict"]["key"]) == ("YES", key)
    shown = desk.run("explain-verdict", key).stdout
    assert "A depends_on B\n  YES by tiny" in shown
    assert "A braucht B." in shown
    assert "\x1b" not in shown


def test_it_says_what_has_changed_since(desk: Desk, scripted: ServeScript) -> None:
    key, _ = judged(desk, scripted)
    desk.change(model="other")
    assert "prompt, model or settings have changed since" in desk.run("explain-verdict", key).stdout
    desk.write("B.md", "# B\n\nB ist etwas anderes.\n")
    assert "no candidate has this claim on these texts now" in desk.run("explain-verdict", key).stdout


def test_an_unknown_key_is_told(desk: Desk, scripted: ServeScript) -> None:
    key, _ = judged(desk, scripted)
    result = desk.run("explain-verdict", key[:-1] + "x")
    assert result.exit_code == 2
    assert "neither .kantenwerk/verdicts.jsonl nor a candidate has this key" in result.stderr
    assert key in result.stderr

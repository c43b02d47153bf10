"""Every row of the design's table 6.4, from a note through the command into the database."""

from __future__ import annotations

import socket
from collections import Counter
from dataclasses import dataclass, field
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from tests.servers.scripted import Received, Response, drops, late, refuses, says, sends, shows_page
from tests.validation.desk import Desk, Found, asks_about, note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.servers.scripted import ServeScript

TIMEOUT_S = 1
SECTION = "candidate:unzugeordnete_kanten"
KEY = "sk-test-0123456789abcdef"
PASSING: dict[str, Response] = {
    "timeout": late(says("YES"), 4.0),
    "lost": drops(),
    "408": refuses(408),
    "409": refuses(409),
    "429": refuses(429),
    "500": refuses(500),
    "503": refuses(503),
    "page": shows_page(),
    "no-choice": sends({"object": "chat.completion", "choices": []}),
    "no-choices": sends({"object": "chat.completion", "choices": None}),
    "no-text": says(None),
    "no-words": says(""),
}
FAILING: dict[str, Response] = {
    "maybe": says("MAYBE"),
    "yes-but": says("YES, but only on Mondays"),
    "400": refuses(400),
    "413": refuses(413),
    "422": refuses(422),
}
LASTING: dict[str, Response] = {
    "401": refuses(401),
    "402": refuses(402),
    "403": refuses(403),
    "404": refuses(404),
    "quota": refuses(429, "You exceeded your current quota", "insufficient_quota"),
}


@dataclass
class Switch:
    """Answers in one way until it is told to answer in another."""

    response: Response
    others: Mapping[str, Response] = field(default_factory=dict)

    def __call__(self, request: Received) -> Response:
        for name, response in self.others.items():
            if asks_about(request, name):
                return response
        return self.response


@dataclass(frozen=True)
class Row:
    """One outcome for one candidate: what comes, and what has to follow."""

    response: Response
    state: str
    edge: tuple[str, str, float] | None = None
    verdict: str | None = None
    finding: str | None = None
    code: int = 0
    reason: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)


def passing(response: Response, reason: str) -> Row:
    return Row(response, "unproven", (SECTION, SECTION, 0.3), None, "candidate-unproven", 1, reason)


def failing(response: Response, reason: str) -> Row:
    return Row(response, "failed", None, None, "candidate-failed", 1, reason)


def lasting(response: Response, reason: str) -> Row:
    return Row(response, "pending", None, None, "candidate-pending", 1, reason)


ROWS: dict[str, Row] = {
    "yes": Row(says("YES"), "verified", ("explicit", "explicit", 0.8), "YES"),
    "yes-with-probability": Row(says("YES", p_yes=0.93), "verified", ("explicit", "explicit", 0.93), "YES"),
    "no": Row(says("NO"), "rejected", None, "NO", "candidate-rejected"),
    "unsure": Row(
        says("YES", p_yes=0.55), "pending", None, "UNSURE", "candidate-pending", settings={"abstain_below": 0.1}
    ),
    "500": passing(PASSING["500"], "answered 500"),
    "maybe": failing(FAILING["maybe"], "MAYBE"),
    "401": lasting(LASTING["401"], "OPENAI_API_KEY"),
}
REASONS = {
    "timeout": "no answer within 1 s",
    "lost": "cannot be reached",
    "page": "is base_url the address",
    "no-choice": "without any choice",
    "no-choices": "without any choice",
    "no-text": "the answer is empty",
    "no-words": "the answer is empty",
    "maybe": "neither YES nor NO but 'MAYBE'",
    "yes-but": "neither YES nor NO but 'YES, but",
    "402": "must be paid for",
    "403": "may not use the model tiny",
    "quota": "quota is used up",
}
"""What is said of a response; of the others, their status."""
each_row = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
at_once = pytest.mark.parametrize("concurrency", [1, 8])


def write_pair(desk: Desk) -> None:
    desk.write("Note-A.md", note("Note A", "A braucht B.", ["depends_on:Ziel-Notiz"], "Unzugeordnete Kanten"))
    desk.write("Ziel-Notiz.md", "# Ziel-Notiz\n\nDas Ziel.\n")


def write_many(desk: Desk, names: list[str], heading: str = "Candidates") -> None:
    """One note with a candidate to each of these."""
    desk.write("Note-A.md", note("Note A", "A braucht alle.", [f"depends_on:{name}" for name in names], heading))
    for name in names:
        desk.write(f"{name}.md", f"# {name}\n\nDas Ziel.\n")


def assert_proven(desk: Desk, confidence: float = 0.8) -> None:
    """The one candidate became an edge with its mirror, and nothing is left of an earlier fault."""
    assert desk.states() == {"verified": 1}
    verdict = desk.stand("Ziel-Notiz").verdict
    assert verdict in [line["key"] for line in desk.verdicts()]
    assert desk.edges() == [
        Found("Note-A", "depends_on", "Ziel-Notiz", "explicit", "explicit", confidence, mirror=False),
        Found("Ziel-Notiz", "required_by", "Note-A", "structure", "structure", confidence, mirror=True),
    ]
    assert desk.rows("SELECT verdict, mirror FROM edges ORDER BY mirror") == [(verdict, False), (None, True)]
    assert not desk.codes()


@each_row
@at_once
def test_a_row(desk: Desk, scripted: ServeScript, row: Row, concurrency: int) -> None:
    """As many candidates as are asked about at once, all of which the same comes of."""
    names = ["Ziel-Notiz", *(f"T{number}" for number in range(1, concurrency))]
    write_many(desk, names, "Unzugeordnete Kanten")
    script = Switch(row.response)
    server = scripted(script)
    desk.point(server, concurrency=concurrency, **row.settings)

    result = desk.apply(code=row.code)

    many = len(names)
    stand = desk.stand("Ziel-Notiz")
    assert (stand.state, stand.scope, stand.chunk, stand.rule_id) == (row.state, "chunk", "c00", SECTION)
    assert desk.states() == {row.state: many}
    edges = desk.edges(mirror=False)
    assert [edge[3:6] for edge in edges] == ([row.edge] * many if row.edge else [])
    has_mirror = row.edge is not None and row.edge[0] == "explicit"
    assert len(desk.edges(mirror=True)) == has_mirror * many
    assert desk.answers() == ([row.verdict] * many if row.verdict else [])
    assert (stand.verdict is None) == (row.verdict is None)
    assert desk.codes("Note-A.md") == Counter({row.finding: many} if row.finding else {})
    assert desk.codes()["run-refused"] == (row.reason != "" and row.state == "pending")
    told = desk.rows(f"SELECT path, line, contains(message, '{row.reason}') FROM findings WHERE code = '{row.finding}'")
    assert sorted(told) == ([("Note-A.md", 9 + number, True) for number in range(many)] if row.finding else [])
    assert f"Candidates: {many} {row.state}" in result.stdout
    assert row.reason in result.output, "whoever gets exit code 1 is told why"

    # What was not answered is asked again as soon as the fault is mended, and what was answered is not.
    script.response = says("YES")
    asked = len(server.requests)
    before = desk.tables()
    desk.apply()
    if row.verdict:
        assert len(server.requests) == asked
        assert desk.tables() == before
        # And another clone sees the same with no model.
        desk.unplug()
        assert desk.rebuild() == before
    else:
        assert len(server.requests) == asked + many
        if many == 1:
            assert_proven(desk)
        assert desk.states() == {"verified": many}
        assert not desk.codes()


@at_once
def test_every_fault_of_one_request(desk: Desk, scripted: ServeScript, concurrency: int) -> None:
    # One YES among them keeps the refusals those of single requests.
    answers = {"good": says("YES")} | PASSING | FAILING
    write_many(desk, list(answers))
    script = Switch(says("YES"), answers)
    server = scripted(script)
    desk.point(server, timeout_s=TIMEOUT_S, concurrency=concurrency)
    desk.apply(code=1)
    for name in answers:
        wanted = "verified" if name == "good" else "unproven" if name in PASSING else "failed"
        assert (name, desk.stand(name).state) == (name, wanted)
    assert {edge.target for edge in desk.edges(mirror=False) if edge.rule_id == "candidate:candidates"} == set(PASSING)
    assert [edge.source for edge in desk.edges(mirror=True)] == ["good"]
    assert desk.answers() == ["YES"]
    messages = dict(desk.rows("SELECT regexp_extract(message, ':([^`]+)`', 1), message FROM findings"))
    assert messages.keys() == PASSING.keys() | FAILING.keys()
    for name, message in messages.items():
        assert REASONS.get(name, f"answered {name}") in message
    # What is neither YES nor NO is asked twice, everything else once where there are no retries.
    asked = Counter(name for request in server.requests for name in answers if asks_about(request, name))
    assert asked == dict.fromkeys(answers, 1) | {"maybe": 2, "yes-but": 2}

    script.others = {}
    desk.point(server, timeout_s=10)
    desk.apply()
    assert desk.states() == {"verified": len(answers)}
    assert {edge[3:6] for edge in desk.edges(mirror=False)} == {("explicit", "explicit", 0.8)}
    assert len(desk.edges(mirror=True)) == len(answers)
    assert not desk.codes()


@pytest.mark.parametrize("name", LASTING)
def test_a_lasting_fault_stops_the_run(desk: Desk, scripted: ServeScript, name: str) -> None:
    write_many(desk, ["T0", "T1", "T2", "T3"])
    script = Switch(says("YES"), {"T1": LASTING[name]})
    server = scripted(script)
    desk.point(server)
    result = desk.apply(code=1)
    assert len(server.requests) == 2
    assert desk.states() == {"verified": 1, "pending": 3}
    assert desk.answers() == ["YES"], "what was paid for is kept"
    assert desk.codes() == {"run-refused": 1, "candidate-pending": 3}
    assert desk.rows("SELECT severity FROM findings WHERE code = 'run-refused'") == [("error",)]
    assert "3 pending" in result.stdout
    assert "run-refused" in result.stderr, "also where the report goes to a file"
    assert REASONS.get(name, f"answered {name}") in result.stdout
    script.others = {}
    desk.apply()
    assert len(server.requests) == 5
    assert desk.states() == {"verified": 4}
    assert not desk.codes()


@pytest.mark.parametrize("name", LASTING)
def test_a_lasting_fault_lets_calls_in_flight_finish(desk: Desk, scripted: ServeScript, name: str) -> None:
    names = [f"T{number}" for number in range(12)]
    write_many(desk, names)
    are_all_there = Barrier(8)

    def answer(request: Received) -> Response:
        are_all_there.wait(30)
        return LASTING[name] if asks_about(request, "T3") else late(says("YES"), 0.5)

    server = scripted(answer)
    desk.point(server, concurrency=8)
    desk.apply(code=1)
    verified = [other for other in names[:8] if other != "T3"]
    assert [other for other in names if desk.stand(other).state == "verified"] == verified
    assert desk.states() == {"verified": 7, "pending": 5}
    assert len(server.requests) == 8
    assert desk.answers() == ["YES"] * 7


@at_once
@pytest.mark.parametrize("status", [400, 413, 422])
def test_an_endpoint_that_refuses_the_first_five(
    desk: Desk, scripted: ServeScript, status: int, concurrency: int
) -> None:
    names = [f"T{number}" for number in range(20)]
    write_many(desk, names)
    script = Switch(refuses(status))
    server = scripted(script)
    desk.point(server, concurrency=concurrency)
    result = desk.apply(code=1)
    assert desk.states() == {"pending": 20}
    assert 5 <= len(server.requests) < 5 + concurrency, "no more than were in flight when the fifth came"
    assert f"answered {status}" in result.stdout
    assert desk.codes()["run-refused"] == 1
    script.response = says("NO")
    desk.apply()
    assert desk.states() == {"rejected": 20}


def test_four_refusals_are_those_of_the_requests(desk: Desk, scripted: ServeScript) -> None:
    names = [f"T{number}" for number in range(6)]
    write_many(desk, names)
    server = scripted([refuses(400)] * 4 + [says("YES")])
    desk.point(server)
    desk.apply(code=1)
    assert desk.states() == {"failed": 4, "verified": 2}
    assert desk.codes() == {"candidate-failed": 4}


@at_once
def test_five_lost_connections_end_the_asking(desk: Desk, scripted: ServeScript, concurrency: int) -> None:
    names = [f"T{number}" for number in range(8 * concurrency)]
    write_many(desk, names)
    server = scripted(drops())
    desk.point(server, concurrency=concurrency)
    result = desk.apply(code=1)
    # Those that were in flight together are lost together.
    assert 5 <= len(server.requests) <= 5 * concurrency
    assert desk.states() == {"unproven": len(names)}
    assert len(desk.edges(mirror=False)) == len(names)
    assert "5 connections in a row were lost" in result.stdout


def test_an_endpoint_that_is_down(desk: Desk, scripted: ServeScript) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    write_pair(desk)
    desk.point(address)
    result = desk.apply(code=1)
    assert desk.states() == {"unproven": 1}
    assert "1 unproven" in result.stdout
    assert desk.edges(mirror=True) == []
    desk.point(scripted(says("YES")))
    desk.apply()
    assert_proven(desk)


def test_retries_before_a_fault_counts(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    server = scripted([refuses(503, headers={"Retry-After": "0"}), says("YES")])
    desk.point(server, retries=1)
    desk.apply()
    assert len(server.requests) == 2
    assert_proven(desk)


# nobody to ask


def test_no_endpoint(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    result = desk.apply()
    assert "1 pending" in result.stdout
    assert "no endpoint is configured" in result.stdout.lower()
    assert "KANTENWERK_LLM_BASE_URL" in result.stdout
    assert desk.states() == {"pending": 1}
    assert desk.edges() == []
    assert desk.verdicts() == []
    assert desk.codes() == {"candidate-pending": 1}
    desk.point(scripted(says("YES")))
    desk.apply()
    assert_proven(desk)


def test_an_address_without_a_model_is_no_endpoint(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    server = scripted(says("YES"))
    desk.change(base_url=server.base_url)
    result = desk.apply()
    assert "KANTENWERK_LLM_MODEL" in result.stdout
    assert server.requests == []
    assert desk.states() == {"pending": 1}


def test_validation_off_for_the_type(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.write("Note-B.md", "---\ntype: journal\n---\n" + note("B", "B braucht es.", ["uses:Ziel-Notiz"]))
    off = "types:\n  journal:\n    chunking:\n      sliding_smart_edges:\n        enable_smart_edge_allocation: false\n"
    desk.write(".kantenwerk/types.yaml", off)
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert len(server.requests) == 1
    assert desk.stand("Ziel-Notiz", "Note-A").state == "verified"
    assert desk.stand("Ziel-Notiz", "Note-B").state == "pending"
    assert desk.triples() == {("Note-A", "depends_on", "Ziel-Notiz")}
    (message, advice), *_ = desk.rows("SELECT message, help FROM findings WHERE path = 'Note-B.md'")
    assert "validation is off" in message
    assert "endpoint" not in advice, "no endpoint is missing here"
    desk.write(".kantenwerk/types.yaml", off.replace("false", "true"))
    desk.apply()
    assert len(server.requests) == 2
    assert desk.states() == {"verified": 2}


def test_that_the_report_tells_of_validation_that_is_off(desk: Desk, scripted: ServeScript) -> None:
    desk.write("Note-A.md", note("A", "A braucht es.", ["uses:Ziel-Notiz"]))
    desk.write("Ziel-Notiz.md", "# Ziel-Notiz\n")
    desk.write(".kantenwerk/types.yaml", "types:\n  default:\n    chunking_profile: sliding\n")
    desk.point(scripted(says("YES")))
    plan = desk.json()
    assert (plan["validation"]["known"], plan["validation"]["to_ask"]) == (0, 0), "nobody answered it"
    result = desk.apply()
    assert "1 pending" in result.stdout
    assert "Validation: off for 1 candidate" in result.stdout
    assert "types.yaml" in result.stdout


def test_a_key_that_no_request_can_carry(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.patch.setenv("OPENAI_API_KEY", "schlüssel-äöü-0123456789")
    server = scripted(says("YES"))
    desk.point(server)
    result = desk.apply(code=1)
    assert server.requests == []
    assert desk.states() == {"pending": 1}
    assert desk.codes() == {"run-refused": 1, "candidate-pending": 1}
    assert "OPENAI_API_KEY" in result.stdout
    assert "0123456789" not in result.output
    desk.patch.setenv("OPENAI_API_KEY", KEY)
    desk.apply()
    assert_proven(desk)


# unproven, and then nobody asks


def test_unproven_stays_so_where_nobody_asks(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    script = Switch(refuses(500))
    server = scripted(script)
    desk.point(server, unproven_confidence=0.25)
    desk.apply(code=1)
    edges = desk.edges()
    assert edges == [Found("Note-A", "depends_on", "Ziel-Notiz", SECTION, SECTION, 0.25, mirror=False)]

    def assert_stands() -> None:
        assert desk.states() == {"unproven": 1}
        assert desk.edges() == edges

    desk.apply("--max-calls", "0")
    assert_stands()
    assert desk.json()["removed"] == []
    # What is asked about and cannot be: the whole run is refused.
    script.response = refuses(401)
    desk.apply(code=1)
    assert_stands()
    # Lines move, and the evidence does not.
    desk.write("Note-A.md", "\n\n" + (desk.root / "Note-A.md").read_text("utf-8"))
    desk.apply("--max-calls", "0")
    assert_stands()
    # All is looked at again, for another model counts now, and nobody can be asked.
    desk.unplug()
    desk.apply()
    assert_stands()
    assert len(server.requests) == 2
    # Other evidence: that nobody answered says nothing about it.
    desk.write("Note-A.md", note("Note A", "A braucht doch C.", ["depends_on:Ziel-Notiz"], "Unzugeordnete Kanten"))
    desk.apply()
    assert desk.states() == {"pending": 1}
    assert desk.edges() == []


def test_unproven_stays_so_beyond_the_budget(desk: Desk, scripted: ServeScript) -> None:
    names = ["T0", "T1", "T2"]
    write_many(desk, names)
    script = Switch(refuses(500))
    desk.point(scripted(script))
    desk.apply(code=1)
    assert desk.states() == {"unproven": 3}
    script.response = says("YES")
    exit_code = desk.run("import", "--apply", "--max-calls", "1").exit_code
    assert desk.states() == {"unproven": 2, "verified": 1}
    assert len(desk.edges(mirror=False)) == 3
    desk.apply()
    assert desk.states() == {"verified": 3}
    assert len(desk.edges(mirror=True)) == 3
    assert exit_code == 0, "no request of that run failed"


def test_an_unproven_edge_yields_to_what_the_author_states(desk: Desk, scripted: ServeScript) -> None:
    write_pair(desk)
    desk.point(scripted(refuses(500)))
    desk.apply(code=1)
    text = (desk.root / "Note-A.md").read_text("utf-8")
    desk.write("Note-A.md", text.replace("A braucht B.", "A braucht B, [[rel:depends_on|Ziel-Notiz]]."))
    desk.apply()
    assert desk.states() == {"redundant": 1}
    assert [edge.rule_id for edge in desk.edges()] == ["explicit:typed", "structure"]

"""Which candidates are asked about at all, and what several of them come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.servers.scripted import Received, Response, refuses, says
from tests.validation.desk import Desk, Found, asks_about, note

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript

SECTIONS = """\
# A

## Eins

A braucht B.

### Candidates
- depends_on:B

## Zwei

A braucht B nicht.

### Edge Pool
- depends_on:B
"""


def test_the_same_question_is_asked_once(desk: Desk, scripted: ServeScript) -> None:
    for name in ("A1", "A2", "A3"):
        desk.write(f"{name}.md", note("A", "A braucht B.", ["depends_on:B", "depends_on: [[B]]", "hängt_ab_von:B"]))
    desk.write("B.md", "# B\n\nB.\n")
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    kinds = {kind for (kind,) in desk.rows("SELECT kind FROM links")}
    assert len(server.requests) == len(kinds)
    assert {(source, "depends_on", "B") for source in ("A1", "A2", "A3")} <= desk.triples()
    assert len(desk.verdicts()) == len(kinds)
    assert desk.states() == {"verified": 9}


def test_any_yes_writes_the_edge(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", SECTIONS)
    desk.write("B.md", "# B\n\nB.\n")

    def answer(request: Received) -> Response:
        passage = request.prompt.partition("EVIDENCE")[2].partition("CONTEXT")[0]
        return says("NO" if "nicht" in passage else "YES", p_yes=0.1 if "nicht" in passage else 0.9)

    server = scripted(answer)
    desk.point(server)
    desk.apply()
    assert len(server.requests) == 2
    assert desk.rows("SELECT state, chunk FROM links ORDER BY line") == [("verified", "c00"), ("rejected", "c01")]
    assert desk.edges(mirror=False) == [Found("A", "depends_on", "B", "explicit", "explicit", 0.9, mirror=False)]
    assert desk.rows("SELECT count(*) FROM edges JOIN verdicts ON verdict = key WHERE answer = 'YES'") == [(1,)]
    before = desk.tables()
    desk.unplug()
    assert desk.rebuild() == before


def test_a_verdict_goes_before_a_passing_fault(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", SECTIONS)
    desk.write("B.md", "# B\n\nB.\n")
    server = scripted([refuses(500), says("YES")])
    desk.point(server)
    desk.apply(code=1)
    assert desk.states() == {"unproven": 1, "verified": 1}
    assert [edge.rule_id for edge in desk.edges()] == ["explicit", "structure"]


def test_two_claims_on_one_edge_stay_unproven_both(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", SECTIONS)
    desk.write("B.md", "# B\n\nB.\n")
    desk.point(scripted(refuses(500)))
    desk.apply(code=1)
    before = desk.edges()
    assert [edge.rule_id for edge in before] == ["candidate:candidates"], "the earlier line"
    desk.unplug()
    desk.apply()
    assert desk.states() == {"unproven": 2}
    assert desk.edges() == before


def test_who_is_not_asked_about(desk: Desk, scripted: ServeScript) -> None:
    desk.write(
        "A.md",
        note(
            "A",
            "A braucht B und sagt es: [[rel:depends_on|B]].",
            [
                "depends_on:B",
                "uses:C",
                "uses:Nirgends",
                "uses:Doppelt",
                "uses:https://example.org",
                "kein Kandidat",
                "zu viele Worte hier:B",
                "uses:[[B]] [[C]]",
                "uses:Nirgends, based_on:B",
                "uses:A",
                "based_on:C",
            ],
        ),
    )
    desk.write("B.md", "# B\n\nB.\n")
    desk.write("C.md", "# C\n\nC und [[rel:used_by|A]].\n")
    for folder in ("x", "y"):
        desk.write(f"{folder}/D.md", "---\naliases: [Doppelt]\n---\n# D\n\nD.\n")
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert [asks_about(request, "C") and "based_on" in request.prompt for request in server.requests] == [True]
    assert desk.states() == {"redundant": 2, "unresolved": 1, "ambiguous": 1, "verified": 1}
    codes = desk.codes("A.md")
    assert codes["redundant-candidate"] == 2
    assert codes["unresolved-target"] == 1
    assert codes["ambiguous-target"] == 1
    assert codes["malformed-candidate"] >= 4
    assert codes["self-link"] == 1
    assert desk.stand("Doppelt").verdict is None
    assert desk.answers() == ["YES"]


def test_a_redundant_candidate_is_asked_about_when_nobody_states_it_any_more(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB. [[rel:required_by|A]]\n")
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert server.requests == []
    assert desk.states() == {"redundant": 1}
    desk.write("B.md", "# B\n\nB.\n")
    desk.apply()
    assert len(server.requests) == 1
    assert desk.states() == {"verified": 1}
    desk.write("B.md", "# B\n\nB. [[rel:required_by|A]]\n")
    desk.apply()
    assert desk.states() == {"redundant": 1}
    assert {edge.rule_id for edge in desk.edges()} == {"explicit:typed", "structure"}
    assert len(server.requests) == 1


def test_a_candidate_whose_note_comes_is_asked_about(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert (server.requests, desk.states()) == ([], {"unresolved": 1})
    desk.write("B.md", "# B\n\nB.\n")
    desk.apply()
    assert (len(server.requests), desk.states()) == (1, {"verified": 1})
    (desk.root / "B.md").unlink()
    desk.apply()
    assert desk.states() == {"unresolved": 1}
    assert desk.edges() == []
    desk.write("B.md", "# B\n\nB.\n")
    desk.apply()
    assert (len(server.requests), desk.states()) == (1, {"verified": 1})


def test_a_candidate_that_is_deleted_takes_its_edge_along(desk: Desk, scripted: ServeScript) -> None:
    desk.write("A.md", note("A", "A braucht B und C.", ["depends_on:B", "depends_on:C"]))
    for name in "BC":
        desk.write(f"{name}.md", f"# {name}\n\n{name}.\n")
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    assert len(desk.edges()) == 4
    desk.write("A.md", note("A", "A braucht B und C.", ["depends_on:B"]))
    desk.apply()
    assert desk.triples() == {("A", "depends_on", "B")}
    assert len(desk.edges()) == 2
    assert len(server.requests) == 2
    assert desk.answers() == ["YES", "YES"]

"""`promote` moves what is proven out of the pools, and leaves the graph as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kantenwerk.ingest.validate.prompt import claim_key
from tests.servers.scripted import says

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript
    from tests.validation.desk import Desk

HEAD = "# A\n\nA needs B and C.\n"


def judged(desk: Desk, text: str, **answers: str) -> str:
    """Write a note, and let a person answer its candidates `uses:NAME`."""
    desk.write("A.md", text)
    judge(desk, *(("A", "uses", name, answer) for name, answer in answers.items()))
    return text


def judge(desk: Desk, *answers: tuple[str, str, str, str]) -> None:
    """Let a person say of candidates, each by source, kind and target, whether they are right."""
    given = [f"{claim_key(*claim)}={answer}" for *claim, answer in answers]
    options = [option for answer in given for option in ("--answer", answer)]
    assert not options or desk.run("review", *options).exit_code == 0


def promoted(desk: Desk, *options: str) -> str:
    """Promote, and return what the note holds then; the graph is the same, and a second time nothing is to do."""
    before = graph(desk)
    assert desk.run("promote", "--apply", *options).exit_code == 0
    after = (desk.root / "A.md").read_bytes()
    assert desk.json("--apply", *options, command="promote")["edits"] == []
    assert (desk.root / "A.md").read_bytes() == after
    assert graph(desk) == before
    return after.decode()


def graph(desk: Desk) -> set[tuple[str, str, str]]:
    """The edges, mirrors included; a vault whose verdicts have lost their claims is none that anybody wants."""
    found = desk.json("--full")
    assert "verdict-orphaned" not in {one["code"] for one in found["findings"]}
    return {(edge["source"], edge["kind"], edge["target"]) for edge in found["added"]}


def plan(desk: Desk, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = desk.json(*options, command="promote")
    return found


CASES = {
    "a-new-section": (
        "\n## Edge Pool\n\n- uses:B\n- up:C\n",
        "\n## Edge Pool\n\n- up:C\n\n## Smart Edges\n\n- uses:B\n",
    ),
    "an-emptied-section": (
        "\n### Edge Pool\n\n- [ ] uses: [[B|b]]\n\n## On\n\nText.",
        "\n## On\n\nText.\n\n## Smart Edges\n\n- uses: [[B|b]]",
    ),
    "a-pool-of-level-1": (
        "\n# Edge Pool\n\n  1) uses:B\n  2) up:C\n",
        "\n# Edge Pool\n\n  2) up:C\n\n# Smart Edges\n\n- uses:B\n",
    ),
    "a-comment-keeps-the-heading": (
        "\n## Edge Pool\n%% later %%\nuses:B\n",
        "\n## Edge Pool\n%% later %%\n\n## Smart Edges\n\nuses:B\n",
    ),
    "in-the-way-of-the-section": (
        "\n## Smart Edges\n\n* up:B\n\n## Edge Pool\n- uses:B\n- up:C",
        "\n## Smart Edges\n\n* up:B\n* uses:B\n\n## Edge Pool\n- up:C",
    ),
    "behind-a-callout": (
        "\n## Smart Edges\n\n> [!edge] up:B\n\n---\n\nOn.\n\n## Edge Pool\n- uses:B\n- up:C",
        "\n## Smart Edges\n\n> [!edge] up:B\n\n- uses:B\n\n---\n\nOn.\n\n## Edge Pool\n- up:C",
    ),
    "an-empty-section": (
        "\n## Smart Edges\n## Edge Pool\nuses:B\nup:C\n",
        "\n## Smart Edges\nuses:B\n## Edge Pool\nup:C\n",
    ),
    "a-pool-in-the-section": (
        "\n## Smart Edges\nup:B\n\n### Edge Pool\nuses:B\nup:C\n",
        "\n## Smart Edges\nup:B\nuses:B\n\n### Edge Pool\nup:C\n",
    ),
    "a-pool-in-a-pool-and-a-claim-made-twice": (
        "\n## Edge Pool\nuses:B\n\n### Candidates\nuses:B\n",
        "\n## Smart Edges\n\nuses:B\n",
    ),
    "no-end-in-sight": (
        "\n## Edge Pool\n- up:C\n  - uses:B\n\n```\nopen fence",
        "\n## Edge Pool\n- up:C\n  - uses:B\n\n```\nopen fence",
    ),
    "it-holds-another": ("\n## Edge Pool\n- uses:B\n    - up:C\n", "\n## Edge Pool\n- uses:B\n    - up:C\n"),
    "block-id": ("\n## Edge Pool\n- uses:B ^mark\n", "\n## Edge Pool\n- uses:B ^mark\n"),
    "a-pool-at-the-end-below-the-section": (
        "\n## Smart Edges\nup:B\n\n\n## Edge Pool\n\nuses:B\n\n",
        "\n## Smart Edges\nup:B\nuses:B\n",
    ),
    "a-rule-stays": ("\n## Edge Pool\nuses:B\n\n---\nMore.\n", "\n---\nMore.\n\n## Smart Edges\n\nuses:B\n"),
}


def test_proven_candidates(desk: Desk) -> None:
    """Also with other line ends; each in a note of its own."""
    ends = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
    texts = {
        f"{name}-{end}": tuple((HEAD + text).replace("\n", ends[end]) for text in texts)
        for name, texts in CASES.items()
        for end in ends
    }
    for name, (before, _) in texts.items():
        desk.write(f"{name}.md", before)
    judge(desk, *((name, "uses", "B", "yes") for name in texts))
    desk.write("A.md", "# A\n")
    promoted(desk)
    after = {name: (desk.root / f"{name}.md").read_bytes().decode() for name in texts}
    assert after == {name: wanted for name, (_, wanted) in texts.items()}


def test_byte_order_mark_tabs_and_mixed_line_ends(desk: Desk) -> None:
    judged(desk, "\ufeff# A \t\r\n\nText\r\r\n## Edge Pool\t\n\t\n-\tuses:B  \r\n- up:C \t", B="yes")
    kept, new = "\ufeff# A \t\r\n\nText\r\r\n## Edge Pool\t\n\t\n- up:C \t", "\r\n\r\n## Smart Edges\r\n\r\n- uses:B"
    assert promoted(desk) == kept + new


def test_rejected_candidates_go_on_request(desk: Desk) -> None:
    text = judged(desk, f"{HEAD}\n## Edge Pool\n- uses:B\n", B="no")
    assert promoted(desk) == text
    assert promoted(desk, "--drop-rejected") == HEAD
    found = desk.json("--ignore", "orphan-note", command="check")
    assert found == [], "a rejection of what nobody claims any more is settled"


def test_what_a_comment_above_speaks_of_stays(desk: Desk) -> None:
    pool = "\n## Edge Pool\n%% kantenwerk: ignore candidate %%\nuses:B\nuses:C\n"
    text = judged(desk, HEAD + pool, B="no", C="no")
    found = plan(desk, "--drop-rejected")
    assert [(one["line"], "comment above" in one["message"]) for one in found["skipped"]] == [(7, True)]
    assert promoted(desk, "--drop-rejected") == text.replace("uses:C\n", "")


def test_both_at_once(desk: Desk) -> None:
    judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\nuses:C\nup:C\n", B="yes", C="no")
    assert promoted(desk, "--drop-rejected") == f"{HEAD}\n## Edge Pool\nup:C\n\n## Smart Edges\n\nuses:B\n"


def test_what_the_graph_says_of_a_promoted_edge(desk: Desk) -> None:
    judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\n", B="yes")
    desk.apply()
    assert [edge.rule_id for edge in desk.edges(mirror=False)] == ["explicit"]
    promoted(desk)
    desk.apply()
    ((*_, provenance, rule, confidence, _),) = desk.edges(mirror=False)
    assert (provenance, rule, confidence) == ("explicit:note_zone", "explicit:note_zone", 1.0)
    assert not desk.codes()
    before = desk.tables()
    assert desk.rebuild() == before


def test_what_a_model_proved(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(says("YES")))
    desk.write("A.md", f"{HEAD}\n## Edge Pool\nuses:B\n")
    desk.apply()
    desk.unplug()
    assert promoted(desk) == f"{HEAD}\n## Smart Edges\n\nuses:B\n"
    assert desk.json("--ignore", "orphan-note", command="check") == []


def test_what_nobody_judged_stays(desk: Desk) -> None:
    text = judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\nuses:Nobody\n")
    assert promoted(desk, "--drop-rejected") == text


def test_a_verdict_on_another_text_is_to_be_looked_at_first(desk: Desk) -> None:
    judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\n", B="yes")
    desk.write("A.md", "# A\n\nNothing is needed.\n\n## Edge Pool\nuses:B\n")
    found = plan(desk)
    assert found["edits"] == []
    assert [(one["path"], one["line"]) for one in found["skipped"]] == [("A.md", 6)]
    assert "review --state stale" in found["skipped"][0]["message"]


def test_a_kind_that_says_more_when_it_is_stated(desk: Desk) -> None:
    desk.write(".kantenwerk/types.yaml", "types:\n  plan:\n    edge_defaults: [{kind: up, confidence: 0.5}]\n")
    desk.write("A.md", f"---\ntype: plan\n---\n{HEAD}\n## Edge Pool\nreferences:B\n")
    judge(desk, ("A", "references", "B", "yes"))
    found = plan(desk)
    assert found["edits"] == []
    assert "type `plan`" in found["skipped"][0]["message"]


def test_that_the_graph_goes_before_tidiness(desk: Desk) -> None:
    """Stated from one side, an edge whose kind has no mirror would make the other side's needless and so lose it."""
    desk.write(".kantenwerk/edges.yaml", "kinds:\n  loose: {inverse: loosened, mirrored: false}\n")
    desk.write("A.md", f"{HEAD}\n## Edge Pool\nloose:B\n")
    desk.write("B.md", "# B\n\nB.\n\n## Edge Pool\nloosened:A\n")
    judge(desk, ("A", "loose", "B", "yes"), ("B", "loosened", "A", "yes"))
    found = plan(desk, "A")
    assert found["edits"] == []
    assert [one["path"] for one in found["skipped"]] == ["A.md"]
    assert {edit["path"] for edit in plan(desk)["edits"]} == {"A.md", "B.md"}, "both at once lose nothing"
    promoted(desk)


def test_some_notes_alone(desk: Desk) -> None:
    judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\n", B="yes")
    assert plan(desk, "B")["edits"] == []
    for name in ("A", "a.md", "A.md"):
        assert {edit["path"] for edit in plan(desk, name)["edits"]} == {"A.md"}
    result = desk.run("promote", "Z")
    assert result.exit_code == 2
    assert "`Z`" in result.stderr


def test_the_diff(desk: Desk) -> None:
    judged(desk, f"{HEAD}\n## Edge Pool\n\nuses:B\n", B="yes")
    result = desk.run("promote")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "--- A.md",
        "+++ A.md",
        "@@ -2,6 +2,6 @@",
        " ",
        " A needs B and C.",
        " ",
        "-## Edge Pool",
        "+## Smart Edges",
        " ",
        " uses:B",
    ]
    assert result.stderr == "3 edits in 1 note; --apply writes them.\n"


def test_a_heading_of_the_vaults_own(desk: Desk) -> None:
    desk.write(".kantenwerk/settings.yaml", "smart_edges_headings: [Kanten]\n")
    judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\n", B="yes")
    assert promoted(desk) == f"{HEAD}\n## Kanten\n\nuses:B\n"


def test_no_heading_for_stated_edges(desk: Desk) -> None:
    desk.write(".kantenwerk/settings.yaml", "smart_edges_headings: []\n")
    text = judged(desk, f"{HEAD}\n## Edge Pool\nuses:B\n", B="yes")
    assert "smart_edges_headings" in plan(desk)["skipped"][0]["message"]
    assert promoted(desk) == text

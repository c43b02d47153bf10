"""Two branches that decide on names, merged as text: the import comes to what both say."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from kantenwerk.graph.model import mention_in
from tests.names.embedders import BINDS, FALKE, HOLDING, Told, hand_in
from tests.names.graph import assert_rebuilt, checked, clone, entity, found, graph_of, recorded, resolutions
from tests.servers.scripted import ServeScript, says
from tests.validation.desk import Desk, note

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NUREMBERG, AUGSBURG = "people/Julia Nürnberg", "people/Julia Augsburg"
ON_TUESDAY = mention_in("mention:julia", "days/Tuesday")
ONE: Sequence[Sequence[str]] = (
    ("clarify", "--answer", f"Julia={NUREMBERG}", "--new", "Ablage"),
    ("resolutions", "reject", "checkout-svc"),
)
TWO: Sequence[Sequence[str]] = (
    ("clarify", "--answer", f"Julia={AUGSBURG}", "--source", "days/Tuesday"),
    ("clarify", "--answer", "Kim=people/Kim"),
    ("resolutions", "add", "old/Kim", "people/Kim"),
)


def git(desk: Desk, *words: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    command = ["git", *settings, "-C", str(desk.root), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(desk: Desk) -> None:
    desk.close()
    git(desk, "add", "-A")
    git(desk, "commit", "-qm", "x")


def on_branch(desk: Desk, name: str, *commands: Sequence[str]) -> None:
    """Decide and commit on a branch of its own."""
    desk.close()
    git(desk, "checkout", "-qb", name, "main")
    decide(desk, *commands)
    commit(desk)


def decide(desk: Desk, *commands: Sequence[str]) -> None:
    for words in commands:
        result = desk.run(words[0], *words[1:])
        assert result.exit_code == 0, result.output


def merge(desk: Desk) -> None:
    desk.close()
    git(desk, "checkout", "-q", "main")
    for name in ("one", "two"):
        git(desk, "merge", "-q", name, "-m", "merge")


def begin(desk: Desk) -> None:
    """A vault under git, imported once, with questions that two people may answer."""
    for path in (NUREMBERG, AUGSBURG, "people/Kim", "old/Kim", "checkout-service"):
        desk.write(f"{path}.md", f"# {path.rpartition('/')[2]}\n\nx\n")
    desk.write("A.md", note("A", "[[Julia]] [[Kim]] [[Ablage]] [[checkout-svc]]", ["uses:checkout-svc"]))
    desk.write("days/Tuesday.md", "[[Julia]] [[Kim]]\n")
    desk.apply()
    git(desk, "init", "-q")
    commit(desk)


def test_what_each_of_two_branches_decided_counts(desk: Desk, tmp_path: Path) -> None:
    begin(desk)
    together = clone(desk, tmp_path / "together")
    on_branch(desk, "one", *ONE)
    on_branch(desk, "two", *TWO)
    merge(desk)
    assert git(desk, "status", "--porcelain") == ""
    assert "graph.duckdb" not in git(desk, "ls-files")
    desk.apply()
    assert "decision-conflict" not in desk.codes()
    assert recorded(desk) == {
        ("mention:julia", NUREMBERG, "accepted", "person", "person"),
        (ON_TUESDAY, AUGSBURG, "accepted", "person", "person"),
        ("mention:ablage", None, "new", "person", "person"),
        ("mention:checkout-svc", "checkout-service", "rejected", "stem", "person"),
        ("mention:kim", "people/Kim", "accepted", "person", "person"),
        ("old/Kim", "people/Kim", "accepted", "person", "person"),
    }
    assert entity(desk, "mention:julia") == NUREMBERG
    assert entity(desk, ON_TUESDAY) == AUGSBURG
    assert entity(desk, "mention:kim") == entity(desk, "people/Kim") == "old/Kim"
    assert entity(desk, "mention:checkout-svc") == "mention:checkout-svc"
    # As if one person had decided it all, and as it comes from nothing.
    decide(together, *ONE, *TWO)
    together.apply()
    assert graph_of(desk) == graph_of(together)
    together.close()
    assert_rebuilt(desk)
    assert checked(desk) == found(desk)


def test_what_a_model_bound_on_one_branch_gives_way_to_a_person_on_another(desk: Desk, scripted: ServeScript) -> None:
    mention = f"mention:{FALKE.lower()}"
    desk.write(".kantenwerk/settings.yaml", BINDS)
    desk.write(f"{HOLDING}.md", "Owns the shop.\n")
    desk.write("Falkner.md", "A bird.\n")
    git(desk, "init", "-q")
    hand_in(desk, Told(is_gone=True))
    desk.apply()
    commit(desk)
    desk.write("A.md", note("A", "A needs the owner.", [f"uses:{FALKE}"]))
    commit(desk)
    desk.point(scripted(says("YES")))
    hand_in(desk, Told())
    on_branch(desk, "one", ("import", "--apply"))
    assert desk.triples() == {("A", "uses", mention)}
    on_branch(desk, "two", ("clarify", "--answer", f"{FALKE}=Falkner"), ("import", "--apply"))
    merge(desk)
    hand_in(desk, Told(is_gone=True))
    desk.unplug()
    desk.apply()
    assert resolutions(desk) == {(mention, "Falkner", "person", "accepted", "person")}
    assert desk.codes()["decision-conflict"] == 1
    assert {line["target"] for line in desk.verdicts()} == {HOLDING, "Falkner"}, "both were judged"

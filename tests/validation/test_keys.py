"""Same key, no call, ever; and what changes a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers.scripted import Received, Response, ScriptedServer, refuses, says
from tests.validation.desk import Desk, asks_about, note

if TYPE_CHECKING:
    from tests.servers.scripted import ServeScript
    from tests.validation.conftest import Begin

OWN_PROMPT = """\
edge_validation:
  user: |-
    TARGET {target_title} RELATION {edge_kind}
    Text: {chunk_text}
    Is it so?
"""


def by_name(request: Received) -> Response:
    """NO about what is called wrong."""
    return says("NO" if asks_about(request, "Falsch") else "YES")


def by_model(request: Received) -> Response:
    return says("NO" if request.json["model"] == "doubter" else "YES")


def build(desk: Desk) -> None:
    """Three candidates of two notes, asked about."""
    desk.write("A.md", note("A", "A braucht Richtig.", ["depends_on:Richtig", "uses:Falsch"]))
    desk.write("B.md", note("B", "B ruht auf Richtig.", ["based_on:Richtig"]))
    desk.write("Richtig.md", "# Richtig\n\nRichtig so.\n")
    desk.write("Falsch.md", "# Falsch\n\nFalsch so.\n")
    with ScriptedServer(by_name) as server:
        desk.point(server)
        desk.apply()
        assert len(server.requests) == 3
    assert desk.states() == {"verified": 2, "rejected": 1}


@pytest.fixture
def server(begin: Begin, scripted: ServeScript) -> ScriptedServer:
    """An endpoint that answers as the one before did, when that vault was built."""
    desk = begin(build)
    server = scripted(by_name)
    desk.point(server)
    return server


def test_a_second_import_asks_nothing_and_changes_nothing(desk: Desk, server: ScriptedServer) -> None:
    desk.apply()
    before, file = desk.tables(), desk.verdicts_file.read_bytes()
    for options in ((), ("--apply",)):
        plan = desk.json(*options)
        assert plan["added"] == plan["removed"] == plan["changed"] == []
        assert plan["validation"]["to_ask"] == 0
    assert server.requests == []
    assert (desk.tables(), desk.verdicts_file.read_bytes()) == (before, file)


def test_a_database_built_anew_needs_no_model(desk: Desk, server: ScriptedServer) -> None:
    before, file = desk.tables(), desk.verdicts_file.read_bytes()
    assert desk.rebuild() == before
    desk.unplug()
    assert desk.rebuild() == before
    assert server.requests == []
    assert desk.verdicts_file.read_bytes() == file


def test_another_clone_needs_no_model(desk: Desk, server: ScriptedServer) -> None:
    before = desk.tables()
    clone = Desk(desk.root.parent / "elsewhere" / "clone", desk.patch)
    for path in ("A.md", "B.md", "Richtig.md", "Falsch.md", ".kantenwerk/verdicts.jsonl"):
        clone.write(path, (desk.root / path).read_text("utf-8"))
    # Another machine has another secret, from which nothing that is kept may follow.
    desk.patch.setenv("XDG_CONFIG_HOME", str(desk.root.parent / "other-home"))
    desk.unplug()
    clone.apply()
    assert clone.tables() == before
    assert server.requests == []


def test_the_previews_of_what_is_known(desk: Desk, server: ScriptedServer) -> None:
    desk.forget()
    plan = desk.json()
    assert plan["validation"]["known"] == 3
    assert plan["validation"]["to_ask"] == 0
    assert len(plan["added"]) == 4, "two edges and their mirrors"
    assert [found["code"] for found in desk.json(command="check")] == ["candidate-rejected", "orphan-note"]
    assert server.requests == []


def test_an_edited_note_asks_about_its_own_candidates(desk: Desk, server: ScriptedServer) -> None:
    desk.write("B.md", note("B", "B ruht ganz auf Richtig.", ["based_on:Richtig"]))
    desk.apply()
    assert [asks_about(request, "Richtig") for request in server.requests] == [True]
    assert "B ruht ganz auf Richtig." in server.prompts[0]
    assert desk.answers() == ["NO", "YES", "YES", "YES"], "the old verdict stays, for the text may come back"
    server.requests.clear()
    desk.write("B.md", note("B", "B ruht auf Richtig.", ["based_on:Richtig"]))
    desk.apply()
    assert server.requests == []


def test_an_edit_that_shows_the_judge_nothing_new(desk: Desk, server: ScriptedServer) -> None:
    text = (desk.root / "A.md").read_text("utf-8")
    before = desk.triples()
    # Other lines, another name of the zone, another order, and something that is said twice.
    desk.write("A.md", "\n" + text.replace("### Candidates", "### Edge Pool") + "- uses:Falsch\n")
    desk.apply()
    assert server.requests == []
    assert desk.triples() == before


def test_a_target_with_another_face_is_asked_about_again(desk: Desk, server: ScriptedServer) -> None:
    desk.write("Richtig.md", "# Richtig\n\nDoch ganz anders.\n")
    desk.apply()
    assert len(server.requests) == 2, "the two notes that speak of it, though neither changed"
    assert all("Doch ganz anders." in prompt for prompt in server.prompts)
    server.requests.clear()
    # What is below its first paragraph is not shown.
    desk.write("Richtig.md", "# Richtig\n\nDoch ganz anders.\n\nUnd mehr.\n")
    desk.apply()
    assert server.requests == []


@pytest.mark.parametrize(
    "change", [{"model": "another"}, {"temperature": 0.7}, {"abstain_below": 0.01}, {"answer_limit": "none"}]
)
def test_what_can_change_an_answer_asks_again(desk: Desk, server: ScriptedServer, change: dict[str, object]) -> None:
    desk.change(**change)
    assert desk.json()["validation"]["to_ask"] == 3
    desk.apply()
    assert len(server.requests) == 3
    assert len(desk.verdicts()) == 6
    assert desk.json()["validation"]["to_ask"] == 0


def test_another_prompt_asks_again(desk: Desk, server: ScriptedServer) -> None:
    desk.write(".kantenwerk/prompts.yaml", OWN_PROMPT)
    desk.apply()
    assert len(server.requests) == 3
    assert all("Is it so?" in prompt for prompt in server.prompts)
    server.requests.clear()
    (desk.root / ".kantenwerk" / "prompts.yaml").unlink()
    desk.apply()
    assert server.requests == [], "the old prompt's verdicts are still there"


def test_another_meaning_of_a_kind_asks_about_that_kind(desk: Desk, server: ScriptedServer) -> None:
    meaning = "kinds:\n  uses:\n    meaning:\n      en: something else altogether\n"
    desk.write(".kantenwerk/edges.yaml", meaning)
    desk.apply()
    assert len(server.requests) == 1
    assert "something else altogether" in server.prompts[0]


def test_a_kind_is_explained_in_the_language_of_the_note(desk: Desk, scripted: ServeScript) -> None:
    text = {"A": "A braucht B, denn ohne B geht hier nichts.", "B": "B needs C, for without it nothing works."}
    desk.write("A.md", note("A", text["A"], ["depends_on:B", "own_kind:C"]))
    desk.write("B.md", note("B", text["B"], ["depends_on:C", "own_kind:A"]))
    desk.write("C.md", "# C\n")
    server = scripted(says("YES"))
    desk.point(server)
    desk.apply()
    german = [prompt for prompt in server.prompts if text["A"] in prompt.partition("TARGET")[0]]
    english = [prompt for prompt in server.prompts if prompt not in german]
    assert sum("A depends_on B: A funktioniert nicht ohne B." in prompt for prompt in german) == 1
    assert sum("sie ist nirgends erklärt" in prompt for prompt in german) == 1
    assert sum("A depends_on B: A cannot work without B." in prompt for prompt in english) == 1
    assert sum("nobody defined it" in prompt for prompt in english) == 1


def test_what_cannot_change_an_answer_asks_nothing(desk: Desk, server: ScriptedServer) -> None:
    before = desk.tables()
    changes: dict[str, object] = {
        "timeout_s": 7,
        "retries": 2,
        "concurrency": 8,
        "requests_per_minute": 6000,
        "tokens_per_minute": 6_000_000,
        "max_calls": 50,
        "max_tokens": 100_000,
        "default_confidence": 0.5,
        "api_key_env": "ANOTHER_KEY",
        "retry_after_cap_s": 1,
    }
    for key, value in changes.items():
        desk.change(**{key: value})
        assert (key, desk.json()["validation"]["to_ask"]) == (key, 0)
    desk.apply()
    assert desk.tables() == before
    assert desk.rebuild() == before
    assert server.requests == []


def test_another_address_asks_nothing(desk: Desk, server: ScriptedServer, scripted: ServeScript) -> None:
    before = desk.tables()
    other = scripted(says("NO"))
    desk.point(other)
    desk.apply()
    assert desk.rebuild() == before
    assert server.requests == other.requests == []


def test_the_same_texts_under_other_names_are_known(desk: Desk, server: ScriptedServer) -> None:
    (desk.root / "A.md").unlink()
    desk.write("folder/Z.md", note("A", "A braucht Richtig.", ["depends_on:Richtig", "uses:Falsch"]))
    desk.apply()
    assert server.requests == []
    assert ("folder/Z", "depends_on", "Richtig") in desk.triples()
    assert desk.states() == {"verified": 2, "rejected": 1}


# several models, and nobody who can be asked


def test_the_newest_verdict_on_the_same_evidence_counts_where_nobody_is_asked(
    desk: Desk, scripted: ServeScript
) -> None:
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB.\n")
    server = scripted(by_model)
    for model, state in (("m1", "verified"), ("doubter", "rejected")):
        desk.point(server, model=model)
        desk.apply()
        assert desk.states() == {state: 1}
        desk.patch.setattr("kantenwerk.ingest.validate.judge.datetime", Later)
    desk.unplug()
    desk.apply()
    assert desk.states() == {"rejected": 1}
    desk.rebuild()
    assert desk.states() == {"rejected": 1}
    desk.change(model="m1")
    desk.apply()
    assert desk.states() == {"verified": 1}, "the key's own verdict goes before the newest"


class Later:
    """A clock that is a day ahead."""

    @staticmethod
    def now(zone: object) -> object:
        from datetime import datetime, timedelta  # noqa: PLC0415 - named as what it stands in for

        return datetime.now(zone) + timedelta(days=1)  # type: ignore[arg-type]


def test_verdicts_of_one_second_are_in_order_too(desk: Desk, scripted: ServeScript) -> None:
    """More of them than luck would bring into the right order."""
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB.\n")
    server = scripted(lambda request: says("YES" if str(request.json["model"])[-1] in "02468" else "NO"))
    for number in range(8):
        desk.point(server, model=f"m{number}")
        desk.apply()
        desk.unplug()
        plan = desk.json()
        assert plan["added"] == plan["removed"] == [], "nobody can be asked, so the last answer stands"


@pytest.mark.parametrize("how", ["budget", "refused"])
def test_another_model_is_asked_as_soon_as_it_can_be(desk: Desk, scripted: ServeScript, how: str) -> None:
    desk.write("A.md", note("A", "A braucht B.", ["depends_on:B"]))
    desk.write("B.md", "# B\n\nB.\n")
    server = scripted(by_model)
    desk.point(server, model="tiny")
    desk.apply()
    assert desk.states() == {"verified": 1}
    # The new model cannot be asked yet: what the old one said holds on.
    if how == "budget":
        desk.point(server, model="doubter")
        desk.apply("--max-calls", "0")
    else:
        desk.point(scripted(refuses(401)), model="doubter")
        desk.apply(code=1)
    assert desk.triples() == {("A", "depends_on", "B")}
    desk.point(server, model="doubter")
    assert desk.json()["validation"]["to_ask"] == 1
    desk.apply()
    assert desk.states() == {"rejected": 1}

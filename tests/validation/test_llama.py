"""The whole way through a real llama.cpp server with a tiny model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.desk import Desk, note

if TYPE_CHECKING:
    from tests.servers.llama import LlamaEndpoint

SHORT = "edge_validation:\n  system: YES or NO?\n  user: '{edge_kind}{target_title}{chunk_text}'\n"


def write_some(desk: Desk, count: int) -> None:
    for number in range(count):
        desk.write(f"A{number}.md", note(f"A{number}", f"A{number}.", ["uses:B"]))
    desk.write("B.md", "# B\n\nB.\n")


def test_an_import_with_answers(desk: Desk, llama_endpoint: LlamaEndpoint) -> None:
    write_some(desk, 6)
    desk.write(".kantenwerk/prompts.yaml", SHORT)
    desk.point(llama_endpoint.base_url, model=llama_endpoint.model, max_output_tokens=4, concurrency=2)
    result = desk.apply()
    assert "6 verified" in result.stdout
    assert len(desk.edges()) == 12
    for line in desk.verdicts():
        assert line["answer"] == "YES"
        assert 0.5 < line["p_yes"] == line["confidence"] < 0.75
        assert line["model"] == "tiny"
        assert line["tokens"] > 50
    before = desk.tables()
    desk.unplug()
    assert desk.rebuild() == before


def test_an_import_that_a_person_has_to_finish(desk: Desk, llama_endpoint: LlamaEndpoint) -> None:
    write_some(desk, 1)
    desk.write(".kantenwerk/prompts.yaml", SHORT)
    desk.point(llama_endpoint.base_url, model=llama_endpoint.model, max_output_tokens=4, abstain_below=0.3)
    desk.apply()
    assert desk.answers() == ["UNSURE"]
    assert desk.states() == {"pending": 1}
    desk.judge("A0", "uses", "B")
    desk.apply()
    assert desk.states() == {"verified": 1}


@pytest.mark.parametrize(("count", "state"), [(2, "failed"), (7, "pending")])
def test_an_import_beyond_the_model_s_context(
    desk: Desk, llama_endpoint: LlamaEndpoint, count: int, state: str
) -> None:
    """The packaged prompt alone is longer than what this model can read."""
    write_some(desk, count)
    desk.point(llama_endpoint.base_url, model=llama_endpoint.model, concurrency=2)
    result = desk.apply(code=1)
    # Where the first five are all refused, it is not the questions.
    assert desk.states() == {state: count}
    assert desk.edges() == []
    assert "context" in result.output

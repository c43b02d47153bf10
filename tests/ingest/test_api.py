"""`VaultNames`: which note a name means, asked by a program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kantenwerk.config import load_config
from kantenwerk.config.errors import EmbedderError
from kantenwerk.graph.recorded import RecordedResolution
from kantenwerk.graph.resolutions import ResolutionChange, write_resolutions
from kantenwerk.ingest.api import VaultNames
from kantenwerk.ingest.resolve.embedder import Vector

NOTES = {
    "systems/checkout-service.md": "---\ntype: service\naliases: [Kasse]\n---\n",
    "people/Julia Nürnberg.md": "---\ntype: person\naliases: [Julia]\nsummary: colleague\n---\n",
    "people/Julia Augsburg.md": "---\ntype: person\naliases: [Julia]\nsummary: sister\n---\n",
    "films/Julia.md": "---\ntitle: Julia, Julia\naliases: [Die Julia]\n---\n",
    "Ich selbst.md": "---\ntype: user\n---\n",
    "Photovoltaikanlage.md": "Text.",
}


class Broken:
    """An embedder that is gone."""

    model = "broken"
    version = "1"

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        raise EmbedderError(f"the model is gone ({len(texts)})")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


def read(vault: Path, **overrides: object) -> VaultNames:
    return VaultNames.read(vault, load_config(vault, environ={}, overrides=overrides))


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("Kasse", "systems/checkout-service"),
        ("people/julia nürnberg", "people/Julia Nürnberg"),
        ("ICH", "Ich selbst"),
        ("checkout-service.md", "systems/checkout-service"),
    ],
)
def test_a_name_that_a_note_carries(vault: Path, name: str, node: str) -> None:
    for result in (read(vault).resolve_by_name(name, "x"), read(vault).resolve_single(name, "x")):
        assert (result.name, result.type, result.node, result.is_new) == (name, "x", node, False)


def test_a_likeness_counts_for_single_names_and_not_by_name(vault: Path) -> None:
    names = read(vault)
    assert names.resolve_by_name("checkout-svc").is_new
    result = names.resolve_single("checkout-svc")
    assert (result.node, result.is_new) == ("systems/checkout-service", False)
    assert result.reason == "same: checkout; svc = service; nothing against"


def test_a_question_names_its_options_and_a_type_narrows_it(vault: Path) -> None:
    (vault / "films/Julia.md").write_text("---\naliases: [Julia]\n---\n", "utf-8")
    (vault / "films/Julia.md").rename(vault / "films/Film.md")
    result = read(vault).resolve_single("Julia", "person")
    assert result.needs_clarification
    assert not result.is_new
    assert [option.node for option in result.options] == ["people/Julia Augsburg", "people/Julia Nürnberg"]
    assert result.question is not None
    assert "people/Julia Augsburg.md" in result.question
    assert len(read(vault).resolve_single("Julia").options) == 3
    assert read(vault).resolve_by_name("Julia").needs_clarification


def test_a_persons_answer_goes_before_the_question_in_its_source_alone(vault: Path) -> None:
    (vault / "films/Julia.md").unlink()
    said = RecordedResolution(
        a="mention:julia#ich selbst",
        b="people/Julia Nürnberg",
        state="accepted",
        method="person",
        decided_by="person",
        decided_at="2026-01-01T00:00:00+00:00",
    )
    write_resolutions(vault, ResolutionChange(added=(said,)))
    assert read(vault).resolve_single("Julia", source="Ich selbst").node == "people/Julia Nürnberg"
    assert read(vault).resolve_single("Julia").needs_clarification


def test_an_interface_is_no_reference(vault: Path) -> None:
    names = read(vault, interfaces=["Kaffee", "Kasse"])
    assert names.resolve_single("Kasse").node == "systems/checkout-service"
    result = names.resolve_single("Kaffee")
    assert (result.is_reference, result.is_new, result.node) == (False, True, None)


def test_a_batch_goes_on_after_a_failure_and_a_single_name_raises(vault: Path) -> None:
    names = VaultNames.read(vault, load_config(vault, environ={}), Broken())
    batch = names.resolve_batch([("Photovoltaiksystem", None), ("Nobody", "person"), ("checkout-svc", "service")])
    failed, new, bound = batch.results
    assert failed.failed is not None
    assert not failed.is_new
    assert new.is_new
    assert bound.node == "systems/checkout-service"
    assert not batch.needs_clarification
    with pytest.raises(EmbedderError, match="the model is gone"):
        names.resolve_single("Photovoltaiksystem")


def test_a_batch_tells_whether_anything_is_open_and_asks_each_question_once(vault: Path) -> None:
    (vault / "films/Julia.md").unlink()
    batch = read(vault).resolve_batch([("Julia", None), ("Julia", None), ("Kasse", None)])
    assert batch.needs_clarification
    assert len(batch.questions) == 1

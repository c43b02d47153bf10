"""Packaged defaults, the vault's files, the environment, the options: read, stacked and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from pydantic import BaseModel

from kantenwerk.config.checks import kind_problems, settings_problems, type_problems
from kantenwerk.config.document import read_document
from kantenwerk.config.errors import ConfigError
from kantenwerk.config.layers import Layer, Place, Problem, Problems, stack
from kantenwerk.config.model import EdgesFile, ProfilesFile, PromptsFile, Settings, TypesFile
from kantenwerk.config.notetypes import Types, resolved
from kantenwerk.config.outside import VALIDATOR, from_environment, from_options, slots, unknown_variables
from kantenwerk.config.schema import validated
from kantenwerk.config.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from kantenwerk.config.model import Profile, Prompt

FOLDER: Final = ".kantenwerk"
_FILES: Final = ("settings", "types", "edges", "prompts", "llm_profiles")
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Config:
    """All configuration of one run, checked once and passed down.

    Args:
        settings: Words and switches.
        types: What a note's type decides.
        vocabulary: The kinds.
        prompts: The prompts by name.
        profiles: The language model profiles by name; none of them holds a key.
        graph_fingerprint: A hash of all that can change what the same notes are parsed, resolved or derived
            to; prompts and profiles are not among it.
    """

    settings: Settings
    types: Types
    vocabulary: Vocabulary
    prompts: Mapping[str, Prompt]
    profiles: Mapping[str, Profile]
    graph_fingerprint: str

    @property
    def validator(self) -> Profile:
        """The profile that candidates are validated with."""
        return self.profiles["ingest_validator"]


def load_config(
    vault: Path | None,
    *,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] | None = None,
    other_variables: Collection[str] = (),
    codes: Collection[str] = (),
) -> Config:
    """Load the configuration of a vault.

    Args:
        vault: The vault's folder, or `None` for the packaged defaults alone.
        environ: The environment; of its values only those of `KANTENWERK_…` settings are read.
        overrides: What the command line sets, under dotted keys: `resolution.level`, `llm.max_calls`.
        other_variables: `KANTENWERK_…` variables that stand for no setting and are read elsewhere.
        codes: The codes that findings have; without any, those that the settings name are not checked.

    Returns:
        The checked configuration: the defaults, changed by the vault's files, these by the environment, and
        these by the overrides.

    Raises:
        ConfigError: Something is wrong; the message names all of it, a line each, with file, line and key.
    """
    layers, stray = _layers(vault, environ, overrides or {}, other_variables)
    edges = _checked(EdgesFile, layers.edges, kind_problems)
    vocabulary = edges if isinstance(edges, Problems) else Vocabulary.from_entries(edges.kinds)
    parts = (
        _checked(Settings, layers.settings, lambda value, layer: settings_problems(value, layer, codes)),
        _types(layers.types, vocabulary),
        vocabulary,
        _checked(PromptsFile, layers.prompts),
        _checked(ProfilesFile, layers.profiles),
    )
    problems = [*stray, *(problem for layer in layers for problem in layer.problems)]
    match parts:
        case (
            Settings() as settings,
            Types() as types,
            Vocabulary() as vocabulary,
            PromptsFile() as prompts,
            ProfilesFile() as profiles,
        ) if not problems:
            return Config(
                settings,
                types,
                vocabulary,
                {"edge_validation": prompts.edge_validation},
                {"ingest_validator": profiles.profiles.ingest_validator},
                _fingerprint(settings, types, vocabulary),
            )
    problems += [problem for part in parts if isinstance(part, Problems) for problem in part.found]
    raise ConfigError(_message(problems))


class _Layers(NamedTuple):
    """The stacked layers of each file."""

    settings: Layer
    types: Layer
    edges: Layer
    prompts: Layer
    profiles: Layer


def _layers(
    vault: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object],
    other_variables: Collection[str],
) -> tuple[_Layers, tuple[Problem, ...]]:
    """Return the layers, and the variables that belong to none of them."""
    files = _Layers(*(_stacked(name, vault) for name in _FILES))
    known = slots(files.settings)
    outside = from_options(overrides, known).over(from_environment(environ, known))
    layers = files._replace(
        settings=stack(files.settings, outside.settings), profiles=stack(files.profiles, outside.profiles)
    )
    others = {*other_variables, _key_variable(layers.profiles)}
    return layers, tuple(unknown_variables(environ, known, others))


def _stacked(name: str, vault: Path | None) -> Layer:
    packaged = _packaged(name)
    if vault is None:
        return packaged
    own = read_document(vault / FOLDER / f"{name}.yaml", f"{FOLDER}/{name}.yaml", "vault")
    if not own.problems and (vault / FOLDER / f"{name}.yml").exists():
        place = Place(f"{FOLDER}/{name}.yml", kind="vault")
        own = stack(own, Layer(problems=(Problem(place, (), f"is not read; rename it to {name}.yaml"),)))
    return stack(packaged, own)


@cache
def _packaged(name: str) -> Layer:
    # Beside the code, in a checkout as in a wheel; never changed, so that one reading serves all.
    path = Path(__file__).with_name(f"{name}.yaml")
    return read_document(path, f"kantenwerk/config/{name}.yaml", "packaged")


def _checked(
    model: type[Model], layer: Layer, check: Callable[[Model, Layer], Iterable[Problem]] = lambda *_: ()
) -> Model | Problems:
    value = validated(model, layer)
    if isinstance(value, Problems):
        return value
    found = tuple(check(value, layer))
    return Problems(found) if found else value


def _types(layer: Layer, vocabulary: Vocabulary | Problems) -> Types | Problems:
    # Kinds cannot be checked against a vocabulary that is wrong itself; everything else can.
    words = None if isinstance(vocabulary, Problems) else vocabulary
    file = _checked(TypesFile, layer, lambda value, here: type_problems(value, words, here))
    if isinstance(file, Problems):
        return file
    return Problems(()) if words is None else resolved(file, words)


def _key_variable(profiles: Layer) -> str:
    value: object = profiles.data
    for key in (*VALIDATOR, "api_key_env"):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def _fingerprint(settings: Settings, types: Types, vocabulary: Vocabulary) -> str:
    content = {
        # Another version may read the same notes otherwise.
        "version": version("kantenwerk"),
        # What `check` reports changes no graph.
        "settings": settings.model_dump(mode="json", exclude={"check"}),
        "types": {key: value.model_dump(mode="json") for key, value in types.by_key.items()},
        "edges": {kind: entry.model_dump(mode="json") for kind, entry in vocabulary.entries.items()},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _message(problems: list[Problem]) -> str:
    ordered = sorted(problems, key=lambda problem: (problem.place.source, problem.place.line or 0))
    # One mistake can be met from several sides.
    return "\n".join(dict.fromkeys(str(problem) for problem in ordered))

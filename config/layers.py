"""Configuration as layers: plain data that knows, for every value, where it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]


class Place(NamedTuple):
    """Where a value was written.

    A `named` source, a variable or an option, stands for a single key, so that its name says all.
    """

    source: str
    line: int | None = None
    kind: Literal["packaged", "vault", "named"] = "named"

    def __str__(self) -> str:
        """Return the place as editors and terminals understand it, `file:line`."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


class Problem(NamedTuple):
    """Something wrong in the configuration: where, under which key, and what would be right."""

    place: Place
    path: KeyPath
    what: str

    def __str__(self) -> str:
        """Return the problem in one line: place, key, sentence."""
        key = "" if self.place.kind == "named" else dotted(self.path)
        text = ": ".join(part for part in (str(self.place), key, self.what) if part)
        # Keys and values are somebody's text: none of their line breaks or terminal sequences gets through.
        return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


@dataclass(frozen=True, slots=True)
class Problems:
    """All that is wrong with one part of the configuration, in place of its value."""

    found: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of configuration, or several stacked: data, and the places that it came from."""

    data: Mapping[str, object] = field(default_factory=dict)
    places: Mapping[KeyPath, Place] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def place(self, path: KeyPath) -> Place:
        """Return the place of a key, or of the nearest key around it that was written anywhere."""
        for length in range(len(path), -1, -1):
            if (place := self.places.get(path[:length])) is not None:
                return place
        return Place("configuration")

    def problem(self, path: KeyPath, what: str) -> Problem:
        """Return a problem with the value under `path`, at the place where that value was written."""
        return Problem(self.place(path), path, what)

    def blame(self, *paths: KeyPath) -> KeyPath:
        """Return the one of contradicting keys to complain about: the first that is not packaged."""
        return next((path for path in paths if self.place(path).kind != "packaged"), paths[0])


def stack(lower: Layer, upper: Layer) -> Layer:
    """Lay one layer over another.

    Args:
        lower: The layer that gives way.
        upper: The layer that wins, key by key. Its lists replace whole lists, its nulls are values.

    Returns:
        The merged layer; the places are those of the values that won.
    """
    return Layer(
        data=_merged(lower.data, upper.data),
        places={**lower.places, **upper.places},
        problems=(*lower.problems, *upper.problems),
    )


def single(path: KeyPath, value: object, place: Place) -> Layer:
    """Return a layer with one value under one path of keys, with its place."""
    data = value
    for key in reversed(path):
        data = {str(key): data}
    assert isinstance(data, dict)  # noqa: S101  # a path has at least one key
    return Layer(data, {path: place})


def dotted(path: KeyPath) -> str:
    """Return a path of keys as messages write it: dots between keys, a list's position in brackets."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix(".")


def _merged(lower: Mapping[str, object], upper: Mapping[str, object]) -> dict[str, object]:
    result = dict(lower)
    for key, value in upper.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = _merged(below, value) if both else value  # type: ignore[arg-type]
    return result

"""Configuration from outside the files: environment variables and command-line options, as layers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, get_origin

from kantenwerk.config.layers import KeyPath, Layer, Place, Problem, dotted, single, stack
from kantenwerk.config.model import Profile, Settings
from kantenwerk.config.schema import leaves, may_be_null, without_null
from kantenwerk.config.suggest import no_such

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

PREFIX: Final = "KANTENWERK_"
LLM: Final = "llm"
VALIDATOR: Final = ("profiles", "ingest_validator")

_SWITCH: Final = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)


@dataclass(frozen=True, slots=True)
class Outside:
    """What variables or options say, apart for each of the two files that they change."""

    settings: Layer = field(default_factory=Layer)
    profiles: Layer = field(default_factory=Layer)

    def over(self, lower: Outside) -> Outside:
        """Return both layers, each stacked on its lower one."""
        return Outside(stack(lower.settings, self.settings), stack(lower.profiles, self.profiles))


class Slot(NamedTuple):
    """One key that can be set from outside: as an option names it, where it lands, and what fits."""

    option: str
    path: KeyPath
    annotation: object

    @property
    def variable(self) -> str:
        """The environment variable that stands for this key."""
        return PREFIX + re.sub(r"\W", "_", self.option.replace(".", "_")).upper()

    def layer(self, value: object, place: Place) -> Outside:
        """Return a layer with a value under this key."""
        layer = single(self.path, value, place)
        return Outside(profiles=layer) if self.path[:2] == VALIDATOR else Outside(settings=layer)


def slots(settings: Layer) -> tuple[Slot, ...]:
    """Return all keys that can be set from outside.

    Args:
        settings: The settings of the files, for the keys of their open mappings.

    Returns:
        Every setting, then every key of the profile `ingest_validator` as `llm.<key>`.
    """
    return (
        *(Slot(dotted(path), path, what) for path, what in leaves(Settings, settings.data)),
        *(Slot(f"{LLM}.{dotted(path)}", (*VALIDATOR, *path), what) for path, what in leaves(Profile, {})),
    )


def from_environment(environ: Mapping[str, str], known: tuple[Slot, ...]) -> Outside:
    """Read the variables that stand for a key.

    Args:
        environ: The environment.
        known: All keys that can be set from outside.

    Returns:
        What they say. A text that does not fit its key stays a text, for the check of the whole to name it.
    """
    outside = Outside()
    for slot in known:
        if (text := environ.get(slot.variable)) is not None:
            place = Place(f"environment variable {slot.variable}")
            outside = slot.layer(_value(text.strip(), slot.annotation), place).over(outside)
    return outside


def from_options(options: Mapping[str, object], known: tuple[Slot, ...]) -> Outside:
    """Read command-line options.

    Args:
        options: Values under dotted keys, such as `resolution.level` and `llm.max_calls`.
        known: All keys that can be set from outside.

    Returns:
        What they say, with a problem for each key that does not exist.
    """
    by_name = {slot.option: slot for slot in known}
    outside = Outside()
    for option, value in options.items():
        place = Place(f"option {option}")
        if option in by_name:
            outside = by_name[option].layer(value, place).over(outside)
        else:
            problem = Problem(place, (), no_such("setting", option, by_name))
            outside = Outside(Layer(problems=(problem,))).over(outside)
    return outside


def unknown_variables(environ: Mapping[str, str], known: tuple[Slot, ...], others: Container[str]) -> Iterator[Problem]:
    """Return a problem for each variable with our prefix that stands for nothing; never its value.

    Args:
        environ: The environment.
        known: All keys that can be set from outside.
        others: Variables that somebody else reads, the one that holds a service's key among them.

    Yields:
        One problem for each.
    """
    names = {slot.variable for slot in known}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in names and name not in others:
            yield Problem(Place(f"environment variable {name}"), (), no_such("variable", name, names))


def _value(text: str, annotation: object) -> object:
    plain = without_null(annotation)
    if may_be_null(annotation) and text.lower() in {"", "null"}:
        return None
    if get_origin(plain) is tuple:
        return [item for part in text.split(",") if (item := part.strip())]
    if plain is bool:
        return _SWITCH.get(text.lower(), text)
    if plain is int or plain is float:
        return _number(text, plain)
    return text


def _number(text: str, kind: type[int | float]) -> object:
    try:
        return kind(text)
    except ValueError:
        return text

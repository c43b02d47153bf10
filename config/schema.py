"""What the models allow under a path of keys, and pydantic's errors in the words of a configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from kantenwerk.config.layers import Layer, Problem, Problems
from kantenwerk.config.suggest import nearest, no_such

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from kantenwerk.config.layers import KeyPath

Model = TypeVar("Model", bound=BaseModel)

# pydantic speaks to programmers; these say it in the words of a file. Bounds read well as they are.
_SENTENCES: Final = {
    "missing": "is missing",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "tuple_type": "must be a list",
    "model_type": "must be a mapping of keys to values",
    "mapping_type": "must be a mapping of keys to values",
}


def validated(model: type[Model], layer: Layer) -> Model | Problems:
    """Check a layer against a model.

    Args:
        model: What the file may say.
        layer: What it says.

    Returns:
        The checked values, or all that is wrong with them.
    """
    try:
        return model.model_validate(dict(layer.data))
    except ValidationError as error:
        details = error.errors(include_url=False)
        return Problems(tuple(_problem(model, detail, layer) for detail in details))


def allowed_keys(annotation: object) -> tuple[str, ...]:
    """Return the keys that a part of the configuration may have; none where any key may stand, or no key."""
    plain = without_null(annotation)
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        return tuple(plain.model_fields)
    if _is_mapping(plain):
        keys = without_null(get_args(plain)[0])
        return get_args(keys) if get_origin(keys) is Literal else ()
    return ()


def part(annotation: object, key: str | int) -> object:
    """Return what may stand under a key of a part of the configuration, `None` where nothing may."""
    plain = without_null(annotation)
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        field = plain.model_fields.get(str(key))
        return field.annotation if field else None
    if _is_mapping(plain):
        return get_args(plain)[1]
    return get_args(plain)[0] if get_origin(plain) is tuple else None


def without_null(annotation: object) -> object:
    """Return an annotation without its metadata and without `None`."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in {Union, UnionType}:
        return without_null(next(arg for arg in get_args(annotation) if arg is not NoneType))
    return annotation


def may_be_null(annotation: object) -> bool:
    """Tell whether null is a value under this annotation."""
    return NoneType in get_args(annotation)


def leaves(annotation: object, data: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """Return the path and annotation of every single value, in open mappings under the keys of `data`."""
    plain = without_null(annotation)
    keys = allowed_keys(plain)
    if not keys and not _is_mapping(plain):
        yield path, annotation
        return
    here = data if isinstance(data, Mapping) else {}
    for key in keys or here:
        yield from leaves(part(plain, key), here.get(key), (*path, key))


def _is_mapping(annotation: object) -> bool:
    return get_origin(annotation) is Mapping


def _problem(model: type[BaseModel], detail: ErrorDetails, layer: Layer) -> Problem:
    # Errors of a mapping's key carry this mark behind the key.
    path = tuple(key for key in detail["loc"] if key != "[key]")
    around: object = model
    for key in path[:-1]:
        around = part(around, key)
    here = part(around, path[-1]) if path else None
    if detail["type"] == "extra_forbidden" or len(path) < len(detail["loc"]):
        return layer.problem(path, no_such("key", str(path[-1]), allowed_keys(around)))
    nullable = may_be_null(here) and detail["type"] != "value_error"
    return layer.problem(path, _sentence(detail) + (", or null" if nullable else ""))


def _sentence(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind == "literal_error":
        return _choice(detail)
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind == "string_type" and isinstance(detail["input"], bool | int | float):
        return "must be text; put it in quotes"
    return _SENTENCES.get(kind) or detail["msg"].replace("Input should be", "must be")


def _choice(detail: ErrorDetails) -> str:
    expected, given = detail["ctx"]["expected"], detail["input"]
    options = expected.replace(" or ", ", ").replace("'", "").split(", ")
    near = nearest(given, options) if isinstance(given, str) else None
    return f"must be {expected.replace(chr(39), '')}" + (f"; did you mean `{near}`?" if near else "")

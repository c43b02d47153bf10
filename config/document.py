"""A YAML file to a layer: data with line numbers, and problems in place of exceptions."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import yaml
from yaml.constructor import SafeConstructor

from kantenwerk.config.layers import KeyPath, Layer, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The C parser is ten times faster; a PyYAML built without it still works.
SAFE_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_DEEPEST: Final = 20
# A date is text: no key takes one, and a heading may look like one.
_SCALARS: Final[dict[str, Callable[[SafeConstructor, yaml.ScalarNode], object]]] = {
    _TAG + "str": SafeConstructor.construct_yaml_str,
    _TAG + "bool": SafeConstructor.construct_yaml_bool,
    _TAG + "int": SafeConstructor.construct_yaml_int,
    _TAG + "float": SafeConstructor.construct_yaml_float,
    _TAG + "null": SafeConstructor.construct_yaml_null,
    _TAG + "timestamp": SafeConstructor.construct_yaml_str,
}


def read_document(path: Path, shown: str, kind: Literal["packaged", "vault"]) -> Layer:
    """Read one configuration file.

    Args:
        path: The file.
        shown: The file's name in messages, as its user would type it.
        kind: Whose file it is.

    Returns:
        The file's layer; an empty one if there is no such file, one with problems if it cannot be used.
    """
    top = Place(shown, kind=kind)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return _failed(top, "is not a file")
        content = path.read_bytes()
    except FileNotFoundError:
        return _failed(top, "is a link to a file that does not exist") if path.is_symlink() else Layer()
    except OSError as error:
        return _failed(top, f"cannot be read: {error.strerror}")
    return parse_document(content, shown, kind)


def parse_document(content: bytes, shown: str, kind: Literal["packaged", "vault"]) -> Layer:
    """Parse the bytes of one configuration file.

    Args:
        content: The file's bytes, UTF-8 with or without a byte-order mark.
        shown: The file's name in messages.
        kind: Whose file it is.

    Returns:
        The file's layer, one with problems if it is not UTF-8, not YAML or not a mapping.
    """
    place = Place(shown, 1, kind)
    try:
        node = yaml.compose(content.decode("utf-8-sig"), Loader=SAFE_LOADER)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return _failed(place._replace(line=line), "is not UTF-8; save it as UTF-8")
    except RecursionError:
        return _failed(place, "is nested too deeply")
    except yaml.YAMLError as error:
        return _failed(place._replace(line=_line_of(error, content)), f"is not valid YAML: {_reason(error)}")
    if node is None:
        return Layer()
    if not isinstance(node, yaml.MappingNode):
        return _failed(place._replace(line=_line(node)), "must be a mapping of keys to values")
    return _Reading(place, content).layer(node)


def _failed(place: Place, what: str) -> Layer:
    return Layer(problems=(Problem(place, (), what),))


def _line_of(error: yaml.YAMLError, content: bytes) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    # The reader stops at characters that no YAML file may hold, and tells an offset only.
    return content.count(b"\n", 0, getattr(error, "position", 0)) + 1


def _reason(error: yaml.YAMLError) -> str:
    # Never the error's own text: it quotes the file's lines, and one may hold a key where none belongs.
    parts = (getattr(error, name, None) for name in ("context", "problem", "reason"))
    reason = ", ".join(str(part) for part in parts if part) or "unreadable"
    begin, end = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    # A bracket or quote that nobody closes is noticed far below.
    if begin is None or end is None or begin.line == end.line:
        return reason
    return f"{reason} (see line {begin.line + 1})"


@dataclass(slots=True)
class _Reading:
    """One walk over a document's nodes that gathers data, places and problems."""

    top: Place
    content: bytes
    scalars: SafeConstructor = field(default_factory=SafeConstructor)
    places: dict[KeyPath, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def layer(self, node: yaml.MappingNode) -> Layer:
        """Return the document's layer, without data where there are problems: half a file helps nobody."""
        self.places[()] = self.top
        self.seen.add(id(node))
        data = self._mapping(node, ())
        return Layer(problems=tuple(self.problems)) if self.problems else Layer(data, self.places)

    def _value(self, node: yaml.Node, path: KeyPath) -> object:
        if id(node) in self.seen:
            # One node met twice is an anchor's alias: a few lines of them can stand for gigabytes.
            self._wrong(_alias_line(self.content), path, "YAML aliases (`*name`) are not allowed here")
            return None
        self.seen.add(id(node))
        match node:
            case yaml.Node() if len(path) > _DEEPEST:
                self._wrong(_line(node), path, "is nested too deeply")
            case yaml.MappingNode(tag=tag) if tag == _TAG + "map":
                return self._mapping(node, path)
            case yaml.SequenceNode(tag=tag) if tag == _TAG + "seq":
                return [self._item(item, (*path, index)) for index, item in enumerate(node.value)]
            case yaml.ScalarNode(tag=tag) if tag in _SCALARS:
                return self._scalar(node, path)
            case _:
                name = node.tag.removeprefix(_TAG)
                self._wrong(_line(node), path, f"YAML tags are not allowed here, found `{name}`")
        return None

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, object]:
        data: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = _line(key_node)
            if key_node.tag not in _SCALARS or id(key_node) in self.seen:
                self._wrong(line, path, "a key must be a plain word: no alias, no merge key (`<<`), no list")
                continue
            self.seen.add(id(key_node))
            # As written: `no:` is the word no, whatever YAML 1.1 makes of it.
            key = str(key_node.value)
            inner = (*path, key)
            if key in data:
                self._wrong(line, inner, f"is there twice, first on line {self.places[inner].line}")
                continue
            self.places[inner] = self.top._replace(line=line)
            data[key] = self._value(value_node, inner)
        return data

    def _item(self, node: yaml.Node, path: KeyPath) -> object:
        self.places[path] = self.top._replace(line=_line(node))
        return self._value(node, path)

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> object:
        construct = _SCALARS[node.tag]
        try:
            return construct(self.scalars, node)
        except (ValueError, LookupError):
            self._wrong(_line(node), path, f"cannot be read as YAML's `{node.tag.removeprefix(_TAG)}`")
            return None

    def _wrong(self, line: int, path: KeyPath, what: str) -> None:
        self.problems.append(Problem(self.top._replace(line=line), path, what))


def _line(part: yaml.Node | yaml.Event) -> int:
    return 1 if part.start_mark is None else part.start_mark.line + 1


def _alias_line(content: bytes) -> int:
    events = yaml.parse(content.decode("utf-8-sig"), Loader=SAFE_LOADER)
    return next(_line(event) for event in events if isinstance(event, yaml.AliasEvent))

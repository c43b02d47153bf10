"""Reads the YAML mapping between `---` on line 1 and the next `---`; whatever is wrong with it is a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from kantenwerk.config.document import SAFE_LOADER
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.parse.plain import shortened

_FENCE = "---"
_QUOTE = "write `key: value` lines, and quote values that hold `: `, `[[`, `{{` or `%`"
_QUOTE_BEGINNING = "quote values that begin with `@`, `%` or a backtick, and indent with blanks, not tabs"
# A mapping that a person writes has some dozens of values; aliases of 284 bytes can make millions.
_MOST_VALUES = 10_000
# YAML counts lines at these, too.
_MORE_BREAKS = re.compile("[\x85\u2028\u2029]")
# As many digits as Python itself reads of a number.
_LONGEST_NUMBER = 4300
_STANDARD_TAGS = "tag:yaml.org,2002:"
_INT, _FLOAT = _STANDARD_TAGS + "int", _STANDARD_TAGS + "float"
_KNOWN_TAGS = {
    _STANDARD_TAGS + name
    for name in (
        [
            "null",
            "bool",
            "int",
            "float",
            "binary",
            "timestamp",
            "omap",
            "pairs",
            "set",
            "str",
            "seq",
            "map",
            "merge",
            "value",
        ]
    )
}


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The metadata, the file's line of each key and list item, where the body begins, and findings.

    `body_start` is 0-based; `lines` maps a key, or a key and an item's index, to a 1-based line.
    """

    meta: dict[str, Any] = field(default_factory=dict)
    lines: dict[tuple[str, int], int] = field(default_factory=dict)
    body_start: int = 0
    findings: tuple[Finding, ...] = ()

    def get(self, name: str) -> object:
        """Return the value of one of our own keys, in any case as Obsidian reads them, or None."""
        return self.meta.get(self._key(name))

    def line_of(self, name: str) -> int:
        """Return the line of such a key's value."""
        return self.lines.get((self._key(name), -1), 1)

    def _key(self, name: str) -> str:
        return name if name in self.meta else next((key for key in self.meta if key.lower() == name), name)


class _Invalid(Exception):  # noqa: N818 - it never leaves this module
    """A value is not what its tag or its look says."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


class _Rejected(Exception):  # noqa: N818 - it never leaves this module
    """The YAML is well formed and yet refused."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


@dataclass(frozen=True, slots=True)
class _Loaded:
    data: object
    lines: dict[tuple[str, int], int]
    duplicates: tuple[tuple[str, int], ...]


class _PlainLoader(SAFE_LOADER):  # type: ignore[misc]
    """The safe loader, which gives the lines of keys along with the values."""

    def get_single_data(self) -> _Loaded:
        node = self.get_single_node()
        if node is None:
            return _Loaded({}, {}, ())
        self.check(node)
        duplicates = tuple(_duplicates(node))
        if not isinstance(node, yaml.MappingNode):
            return _Loaded(self._value(node), {}, duplicates)
        self.flatten_mapping(node)
        return _Loaded({self._key(key): self._value(value) for key, value in node.value}, _key_lines(node), duplicates)

    def _key(self, node: yaml.Node) -> str:
        """Return a key as written: YAML would read `on`, `1` or a date as something else than a word."""
        if not isinstance(node, yaml.ScalarNode):
            raise _Invalid(node.start_mark.line, "a key is no word")
        return str(node.value)

    def _value(self, node: yaml.Node) -> object:
        try:
            return self.construct_object(node, deep=True)
        except (ValueError, TypeError, AttributeError, LookupError, OverflowError) as error:
            # What PyYAML's constructors raise for `2024-13-45`, `!!bool perhaps` and their like.
            raise _Invalid(
                node.start_mark.line, f"`{shortened(str(node.value))}` is no {node.tag.rpartition(':')[2]}"
            ) from error

    def check(self, node: yaml.Node) -> None:
        """Without tags and anchors there is nothing to refuse."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> object:
        """Return a number, if somebody could have meant it as one: to read it takes the square of its length."""
        if len(node.value) > _LONGEST_NUMBER:
            raise ValueError(node.value)
        return super().construct_yaml_int(node)


_PlainLoader.add_constructor(_INT, _PlainLoader.construct_yaml_int)


def _read_as_1_2(tag: str, pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return what looks like a value of a tag in YAML 1.2, which Obsidian reads: `no` is a word, `10:30` a time."""
    if tag == _STANDARD_TAGS + "bool":
        return re.compile(r"(?:true|True|TRUE|false|False|FALSE)$")
    return re.compile(r"(?!.*:)" + pattern.pattern, pattern.flags) if tag in {_INT, _FLOAT} else pattern


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, _read_as_1_2(tag, pattern)) for tag, pattern in resolvers]
    for first, resolvers in SAFE_LOADER.yaml_implicit_resolvers.items()
}


class _CheckedLoader(_PlainLoader):
    """The loader for texts with tags or anchors: looks at the node graph before it builds any value from it."""

    def check(self, node: yaml.Node) -> None:
        _refuse_tags(node)
        if _expanded_size(node, {}, set()) > _MOST_VALUES:
            raise _Rejected(node.start_mark.line, "its aliases unfold into too many values")


def read_frontmatter(path: str, lines: tuple[str, ...]) -> Frontmatter:
    """Return what a note's frontmatter says; a note without one has empty metadata and begins at line 0."""
    if not lines or lines[0].rstrip() != _FENCE:
        return Frontmatter()
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        found = finding("frontmatter-unclosed", path, 1, "the frontmatter never ends", "close it with a line `---`")
        return Frontmatter(findings=(found,))
    block = "\n".join(lines[1:end])
    places = _places(lines[1:end])
    loader = _CheckedLoader if "!" in block or "&" in block else _PlainLoader
    try:
        loaded: _Loaded = YAMLHandler().load(block, Loader=loader)
    except _Rejected as error:
        return _refused(path, "frontmatter-rejected", places[error.line], str(error), end)
    except _Invalid as error:
        return _refused(path, "frontmatter-invalid", places[error.line], str(error), end)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line, why = _problem(error, block, places)
        return _refused(path, "frontmatter-invalid", line, why, end)
    return _checked(path, loaded, places, end)


def _places(lines: Sequence[str]) -> Sequence[int]:
    """Return the file's line for each line that YAML counts in the block, and for the one behind it."""
    if not any(map(_MORE_BREAKS.search, lines)):
        return range(2, len(lines) + 3)
    counted = [number for number, line in enumerate(lines, 2) for _ in _MORE_BREAKS.split(line)]
    return [*counted, len(lines) + 2]


def _checked(path: str, loaded: _Loaded, places: Sequence[int], end: int) -> Frontmatter:
    if loaded.data is None:
        return Frontmatter(body_start=end + 1)
    if not isinstance(loaded.data, dict):
        return _refused(path, "frontmatter-not-mapping", 2, "it is no mapping of keys to values", end)
    findings = tuple(
        finding(
            "frontmatter-duplicate-key",
            path,
            places[line],
            f"the key `{key}` stands here again; the last value counts",
            "keep one of them",
            subject=str(key),
        )
        for key, line in loaded.duplicates
    )
    key_lines = {key: places[line] for key, line in loaded.lines.items()}
    return Frontmatter(loaded.data, key_lines, end + 1, findings)


def _refused(path: str, code: str, line: int, why: str, end: int) -> Frontmatter:
    advice = _QUOTE_BEGINNING if "cannot start any token" in why else _QUOTE
    found = finding(code, path, line, f"the frontmatter is not read: {why}", advice)
    return Frontmatter(body_start=end + 1, findings=(found,))


def _problem(error: Exception, block: str, places: Sequence[int]) -> tuple[int, str]:
    """Return the file's line and a reason in one line."""
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        return places[mark.line if mark else 0], (error.problem or "not YAML")
    if isinstance(error, yaml.reader.ReaderError):
        before = block.encode()[: error.position or 0]
        return before.count(b"\n") + 2, f"a character is not allowed: {error.reason}"
    return places[0], str(error).splitlines()[0] if str(error) else "not YAML"


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _refuse_tags(root: yaml.Node) -> None:
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.tag not in _KNOWN_TAGS:
            raise _Rejected(node.start_mark.line, f"the tag `{node.tag}` is not allowed")
        waiting.extend(_children(node))


def _expanded_size(node: yaml.Node, sizes: dict[int, int], open_nodes: set[int]) -> int:
    """Return how many values `node` would be with its aliases written out; endless where it holds itself."""
    if id(node) in open_nodes:
        return _MOST_VALUES + 1
    if id(node) not in sizes:
        open_nodes.add(id(node))
        sizes[id(node)] = 1 + sum(_expanded_size(child, sizes, open_nodes) for child in _children(node))
        open_nodes.discard(id(node))
    return sizes[id(node)]


def _key_lines(root: yaml.Node) -> dict[tuple[str, int], int]:
    """Return the line of every key's value (index -1) and of every item of a list in it."""
    lines: dict[tuple[str, int], int] = {}
    if not isinstance(root, yaml.MappingNode):
        return lines
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        lines[key.value, -1] = value.start_mark.line
        if isinstance(value, yaml.SequenceNode):
            for index, item in enumerate(value.value):
                lines[key.value, index] = item.start_mark.line
    return lines


def _duplicates(root: yaml.Node) -> Iterator[tuple[str, int]]:
    if not isinstance(root, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, _ in root.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                yield key.value, key.start_mark.line
            seen.add(key.value)

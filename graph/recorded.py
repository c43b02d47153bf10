"""One decision on which node a name means, and the line of YAML that holds it.

A line is a flow mapping, in a list where a `- ` stands before it. What a decision does not use of it (other programs'
fields, a comment) is kept as text.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import yaml

from kantenwerk.config.document import SAFE_LOADER
from kantenwerk.graph.model import Judge, Method, is_mention

Pair = tuple[str, str | None]
State = Literal["accepted", "rejected", "new"]

# What follows our fields on a line where nothing else stands.
NOTHING_ELSE = "}"
# In characters. A line by hand may grow when it is written out, most of all by escapes such as `\U0001F511`.
LONGEST_WRITTEN = 20_000
LONGEST_READ = 12 * LONGEST_WRITTEN

_BREAK = re.compile(r"[\n\r\x85\u2028\u2029]")
_ITEM = re.compile(r"^-\s+")
_MAP, _NULL = "tag:yaml.org,2002:map", "tag:yaml.org,2002:null"
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True, slots=True)
class RecordedResolution:
    """That node `a`, a mention as a rule, is or is not node `b`; in state `new` it is a thing of its own for good."""

    a: str
    b: str | None
    state: State
    method: Method
    decided_by: Judge
    decided_at: str
    score: float | None = None
    model: str | None = None
    reason: str = ""

    @property
    def pair(self) -> Pair:
        """The two nodes."""
        return (self.a, self.b)

    @property
    def is_standing(self) -> bool:
        """Whether it says for good what a mention is, which only one decision can."""
        return is_mention(self.a) and self.state != "rejected"

    @property
    def moment(self) -> datetime:
        """When it was decided; what names no time zone is UTC.

        Raises:
            ValueError: `decided_at` is not ISO 8601.
        """
        moment = datetime.fromisoformat(self.decided_at)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_NAMES = tuple(entry.name for entry in fields(RecordedResolution))
_DEFAULTS = {entry.name: entry.default for entry in fields(RecordedResolution) if entry.default is not MISSING}
# What may be left out of a line.
_OPTIONAL: dict[str, Any] = {"b": None, **_DEFAULTS}
_CHOICES = {"state": get_args(State), "method": get_args(Method), "decided_by": get_args(Judge)}


def read_line(text: str) -> tuple[RecordedResolution, str]:
    """Return a line's decision, and what follows our fields on the line.

    Raises:
        ValueError: the line holds no decision; the sentence says why.
    """
    if len(text) > LONGEST_READ:
        raise ValueError(f"it is longer than {LONGEST_READ} characters")
    try:
        text.encode()
        return _read(_ITEM.sub("", text.strip()))
    except UnicodeError as error:
        raise ValueError("it is no UTF-8") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError(getattr(error, "problem", None) or str(error).partition("\n")[0]) from error


def write_line(said: RecordedResolution, tail: str = NOTHING_ELSE) -> str:
    """Return the line for a decision, with what is to follow our fields on it."""
    values = {name: getattr(said, name) for name in _NAMES}
    written = {name: value for name, value in values.items() if name not in _OPTIONAL or value != _OPTIONAL[name]}
    return f"- {_flow(yaml.representer.SafeRepresenter(sort_keys=False).represent_data(written))[:-1]}{tail}"


def check(said: RecordedResolution) -> None:
    """See that a decision comes back from its line as it is.

    Raises:
        ValueError: it would not; the sentence says why.
    """
    for name in _NAMES:
        value = getattr(said, name)
        # A lone surrogate, which no file can hold, is an error here.
        str(value).encode()
        if value == "" and (name == "b" or name not in _OPTIONAL):
            raise ValueError(f"`{name}` is empty")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise ValueError(f"`{name}` is none of {', '.join(_CHOICES[name])}")
    if (said.b is None) != (said.state == "new"):
        raise ValueError("`b` is missing" if said.b is None else "`b` has no place beside `state: new`")
    if said.score is not None and not 0 <= said.score <= 1:
        raise ValueError("`score` is no number from 0 to 1")
    # It raises where there is none.
    _ = said.moment


def _read(text: str) -> tuple[RecordedResolution, str]:
    root = yaml.compose(text, Loader=SAFE_LOADER)
    if not isinstance(root, yaml.MappingNode) or not root.flow_style or root.tag != _MAP:
        raise ValueError("it is no mapping `{…}`")
    ours: dict[str, Any] = {}
    others: list[tuple[yaml.Node, yaml.Node]] = []
    for key, value in root.value:
        if value.tag == _NULL and not value.value:
            # To YAML, `{b: Nürnberg, Julia}` is a `b` and a `Julia` without a value.
            raise ValueError(f"`{key.value}` has no value; quote a text that holds a comma")
        if not isinstance(key, yaml.ScalarNode) or key.value not in _NAMES:
            others.append((key, value))
        elif not isinstance(value, yaml.ScalarNode):
            raise ValueError(f"`{key.value}` is no text")
        elif key.value in ours:
            raise ValueError(f"`{key.value}` stands in it twice")
        elif value.tag != _NULL:
            # As written: to YAML, a note named 2025-03-05 is a date, and one named No is false.
            ours[key.value] = value.value
    said = _resolution(ours)
    bracket = f", {_flow(yaml.MappingNode(_MAP, others))[1:]}" if others else NOTHING_ELSE
    return said, f"{bracket} {text[root.end_mark.index :].strip()}".rstrip()


def _resolution(ours: dict[str, Any]) -> RecordedResolution:
    missing = [name for name in _NAMES if name not in {*ours, *_OPTIONAL}]
    if missing:
        raise ValueError(f"`{missing[0]}` is missing")
    if "score" in ours:
        ours["score"] = float(ours["score"])
    said = RecordedResolution(**{"b": None, **ours})
    check(said)
    return said


def _flow(root: yaml.Node) -> str:
    waiting: list[Any] = [root]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif isinstance(node, yaml.ScalarNode):
            # Only in double quotes does a line break stay on the line.
            node.style = '"' if _BREAK.search(node.value) else node.style
        elif id(node) not in seen:
            seen.add(id(node))
            node.flow_style = True
            waiting.extend(node.value)
    text: str = yaml.serialize(root, Dumper=_Dumper, allow_unicode=True, width=2**31 - 1)
    return text.rstrip("\n")

"""`decisions.yaml`, beside the verdicts: what people, and the step that embeds, decided on which node a name means.

A YAML list of flow mappings, sorted, one decision a line, so that git merges two branches as text (union driver).
Where a merge left several lines on one question, a person goes before a model, then the newest, then the line.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime
from errno import EACCES
from hashlib import blake2b
from pathlib import Path

from kantenwerk.config.names import nfc
from kantenwerk.graph.decisions import FOLDER, unreadable, write_atomically
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding, is_mention, mention_key
from kantenwerk.graph.recorded import (
    LONGEST_WRITTEN,
    NOTHING_ELSE,
    Pair,
    RecordedResolution,
    check,
    read_line,
    write_line,
)

__all__ = [
    "RESOLUTIONS",
    "RecordedResolution",
    "ResolutionChange",
    "ResolutionFile",
    "changed_text",
    "parse_resolutions",
    "read_resolutions",
    "write_resolutions",
]

RESOLUTIONS = f"{FOLDER}/decisions.yaml"
_MEND = (
    "mend it, or delete it; a decision is one line: `- {a: 'mention:name', b: note, state: accepted, "
    "method: person, decided_by: person, decided_at: '2026-01-31T12:00:00+00:00'}`"
)


@dataclass(frozen=True, slots=True)
class ResolutionFile:
    """What `decisions.yaml` holds: decisions with their lines, what is not ours, and findings.

    `extras` is what follows our fields on a line: other programs' fields, the bracket, a comment. A file that cannot
    be read is never written: what it holds is not known.
    """

    recorded: dict[Pair, RecordedResolution] = field(default_factory=dict)
    lines: dict[Pair, int] = field(default_factory=dict)
    extras: dict[Pair, str] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest: str = ""
    is_readable: bool = True


@dataclass(frozen=True, slots=True)
class ResolutionChange:
    """What is to change in the recorded decisions."""

    added: tuple[RecordedResolution, ...] = ()
    removed: tuple[Pair, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.added or self.removed)


def read_resolutions(vault: Path) -> ResolutionFile:
    """Return the recorded decisions; a damaged line costs only itself and is a finding. No file is no decisions."""
    try:
        data = (vault / RESOLUTIONS).read_bytes()
    except FileNotFoundError:
        return ResolutionFile()
    except OSError as error:
        return ResolutionFile(findings=(unreadable(RESOLUTIONS, error),), is_readable=False)
    return parse_resolutions(data)


def parse_resolutions(data: bytes) -> ResolutionFile:
    """Return the decisions that a file's bytes hold."""
    rows: list[_Row] = []
    damaged, comments, findings = [], [], []
    # Bytes that are no UTF-8 become surrogates, so that they can be written as they were.
    lines = data.removeprefix(BOM_UTF8).decode("utf-8", errors="surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("#") or text == "---":
            comments.append(text)
        elif text:
            try:
                said, tail = read_line(text)
                rows.append(_Row(number, normal(said), tail))
            except ValueError as error:
                damaged.append(line.rstrip("\r"))
                message = f"the line is no decision: {error}"
                findings.append(finding("decision-damaged", RESOLUTIONS, number, message, _MEND))
    one_a_pair = _strongest(rows, lambda row: row.said.pair, findings)
    kept = _strongest(one_a_pair, lambda row: row.said.a if row.said.is_standing else row.said.pair, findings)
    kept.sort(key=lambda row: (row.said.a, row.said.b or ""))
    return ResolutionFile(
        {row.said.pair: row.said for row in kept},
        {row.said.pair: row.number for row in kept},
        {row.said.pair: row.tail for row in kept if row.tail != NOTHING_ELSE},
        tuple(damaged),
        tuple(comments),
        tuple(sorted(findings)),
        blake2b(data, digest_size=16).hexdigest(),
    )


def changed_text(file: ResolutionFile, change: ResolutionChange) -> str:
    """Return a file's text after a change: comments, then decisions, sorted, then damaged lines in their order.

    A decision that comes takes the place of those that it contradicts; a model's gives way to a person's.

    Raises:
        ValueError: a decision that comes could not be read back.
    """
    gone = set(change.removed)
    names: dict[str, dict[str | None, RecordedResolution]] = {}
    for said in file.recorded.values():
        if said.pair not in gone:
            names.setdefault(said.a, {})[said.b] = said
    for said in change.added:
        check(said)
        _bring(said, names.setdefault(said.a, {}))
    added = set(change.added)
    lines = []
    for said in (said for others in names.values() for said in others.values()):
        tail = file.extras.get(said.pair, NOTHING_ELSE)
        lines.append(write_line(said, tail))
        if said in added and len(lines[-1]) - len(tail) > LONGEST_WRITTEN:
            raise ValueError(f"the decision on `{said.a[:50]}` is longer than {LONGEST_WRITTEN} characters")
    # Damaged lines in their order: they may be one thing that somebody wrote over several.
    return "".join(f"{line}\n" for line in (*file.comments, *sorted(lines), *file.damaged))


def file_after(file: ResolutionFile, change: ResolutionChange) -> ResolutionFile:
    """Return what a file will hold after a change, as it will be read.

    Raises:
        ValueError: a decision that comes could not be read back.
    """
    return parse_resolutions(changed_text(file, change).encode("utf-8", "surrogateescape")) if change else file


def write_resolutions(vault: Path, change: ResolutionChange) -> None:
    """Bring a change into `decisions.yaml` as it is now: what came while names were compared is kept.

    Raises:
        OSError: the file cannot be read or written; it is as it was.
        ValueError: a decision that comes could not be read back; the file is as it was.
    """
    if change:
        file = read_resolutions(vault)
        if not file.is_readable:
            raise PermissionError(EACCES, "it cannot be read, so nothing is written into it", str(vault / RESOLUTIONS))
        write_atomically(vault / RESOLUTIONS, changed_text(file, change), errors="surrogateescape")


def normal(said: RecordedResolution) -> RecordedResolution:
    """Return a decision with its nodes as the graph spells them, the mention first.

    Raises:
        ValueError: both are one node.
    """
    one, other = (mention_key(node) if is_mention(node) else nfc(node) for node in (said.a, said.b or ""))
    if one == other:
        raise ValueError("`a` and `b` are one node")
    if is_mention(other) and not is_mention(one):
        one, other = other, one
    return replace(said, a=one, b=other or None)


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    said: RecordedResolution
    tail: str

    @property
    def weight(self) -> tuple[bool, datetime, str]:
        return self.said.decided_by == "person", self.said.moment, write_line(self.said, self.tail)

    def __str__(self) -> str:
        if self.said.b is None:
            return f"`{self.said.a}` is a thing of its own"
        return f"`{self.said.a}` is {'' if self.said.state == 'accepted' else 'not '}`{self.said.b}`"


def _strongest(rows: list[_Row], key: Callable[[_Row], Hashable], findings: list[Finding]) -> list[_Row]:
    groups: dict[Hashable, list[_Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [group[0] if len(group) == 1 else _winner(group, findings) for group in groups.values()]


def _winner(rows: list[_Row], findings: list[Finding]) -> _Row:
    weights = [row.weight for row in rows]
    most = max(weights)
    best = rows[weights.index(most)]
    for row, weight in zip(rows, weights, strict=True):
        if weight != most:
            message = f"here {row}, in line {best.number} {best}, and that counts"
            advice = "a person goes before a model, then the newest; delete one of the lines"
            findings.append(finding("decision-conflict", RESOLUTIONS, row.number, message, advice))
    return best


def _bring(said: RecordedResolution, others: dict[str | None, RecordedResolution]) -> None:
    rivals = [other for other in others.values() if other.b == said.b or (other.is_standing and said.is_standing)]
    # While an import compared names, a person may have answered.
    if said.decided_by == "person" or all(other.decided_by == "model" for other in rivals):
        for other in rivals:
            del others[other.b]
        others[said.b] = said

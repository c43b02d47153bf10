"""The frozen types that everything passes along, in the words of the design's section 1.

What a vault has many of, links and edges, are tuples: they are made in a fifth of the time, and are rows already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kantenwerk.config.names import name_key

Severity = Literal["error", "warning", "info"]
Scope = Literal["chunk", "note"]
LinkState = Literal[
    "explicit",
    "verified",
    "rejected",
    "unproven",
    "pending",
    "unresolved",
    "ambiguous",
    "redundant",
    "failed",
]
Answer = Literal["YES", "NO", "UNSURE"]
Method = Literal["exact", "stem", "semantic", "person"]
ResolutionState = Literal["proposed", "accepted", "rejected"]
Judge = Literal["person", "model"]

EXPLICIT = "explicit"
NOTE_ZONE = "explicit:note_zone"
RULE = "rule"
CANDIDATE = "candidate:"
STRUCTURE = "structure"
MENTION = "mention:"
MOST_BYTES = 10_000_000
"""A larger file is no note. Reading one takes up to 300 times its size in memory, and ordinary text 20 times."""
_IN = "#"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something worth telling: what, where (path as on disk, 1-based line of the file) and what to do.

    `subject` is the text on that line that it is about, as the author wrote it, or empty: it is not stored.
    """

    path: str
    line: int
    code: str
    severity: Severity
    message: str
    help: str
    subject: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of one section's blocks; lines are those of the file, 1-based and inclusive."""

    ordinal: str
    heading_path: tuple[str, ...]
    first_line: int
    last_line: int
    text: str


class WrittenLink(NamedTuple):
    """A link as the author wrote it, before anybody asked which note it means.

    `written` has no anchor and no label; `relative` marks a Markdown link, looked up from the note's folder first.
    """

    kind: str
    written: str
    anchor: str | None
    candidate: bool
    rule_id: str
    scope: Scope
    chunk: str | None
    line: int
    relative: bool = False


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """All that one file says, independent of every other file.

    `interface` says that its names are generic nouns, which no likeness binds to it.
    """

    path: str
    declared_id: str | None
    title: str
    aliases: tuple[str, ...]
    type: str
    summary: str
    content_hash: str
    headings: tuple[str, ...]
    chunks: Sequence[Chunk]
    links: Sequence[WrittenLink]
    findings: tuple[Finding, ...]
    interface: bool = False


class Link(NamedTuple):
    """A link with what became of it; `target` is a node's id, or None where there is no node."""

    source: str
    kind: str
    written: str
    target: str | None
    candidate: bool
    state: LinkState
    rule_id: str
    scope: Scope
    chunk: str | None
    line: int
    verdict: str | None = None
    evidence_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A link to a file that is no note; `path` is None where the file is missing."""

    source: str
    written: str
    path: str | None
    line: int


class Edge(NamedTuple):
    """A directed, typed relation between two nodes; (source, kind, target) is unique."""

    source: str
    kind: str
    target: str
    provenance: str
    rule_id: str
    confidence: float
    scope: Scope
    chunk: str | None
    line: int | None
    verdict: str | None
    mirror: bool

    @property
    def triple(self) -> tuple[str, str, str]:
        """Source, kind and target."""
        return (self.source, self.kind, self.target)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one candidate: who gave it, on which evidence (design, sections 6.4 and 7.1)."""

    key: str
    source: str
    kind: str
    target: str
    answer: Answer
    p_yes: float | None
    confidence: float
    judge: Judge
    profile: str | None
    model: str | None
    prompt_hash: str | None
    evidence_hash: str
    asked_at: str
    tokens: int | None = None
    latency_ms: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class Resolution:
    """An assertion that two nodes are the same thing; `a` is a mention and `b` the note it is, where one is.

    `method` is `exact` where several notes carry that very name. `score` is from 0 to 1, or None where a person said
    it; `model` is the embedding model of a `semantic` one; `reason` says in words what matched and what was held
    against it. `decided_by` is `person`, `model`, `rule`, or None while it is only proposed.
    """

    a: str
    b: str
    method: Method
    score: float | None
    state: ResolutionState
    model: str | None
    reason: str
    decided_by: str | None

    @property
    def pair(self) -> tuple[str, str]:
        """The two nodes."""
        return (self.a, self.b)


def mention_id(key: str) -> str:
    """Return the id of the node for a name that no single note carries."""
    return MENTION + key


def mention_key(mention: str) -> str:
    """Return a mention's id with its name as a key, however somebody wrote it."""
    return MENTION + name_key(mention.removeprefix(MENTION))


def mention_in(mention: str, source: str) -> str:
    """Return the mention of a name in one note alone; the sign between cannot stand in a name that a link writes."""
    return f"{mention}{_IN}{name_key(source)}"


def scope_of(mention: str) -> tuple[str, str] | None:
    """Return the mention and the key of the note's id where it is that of one note alone."""
    name, sign, source = mention.partition(_IN)
    return (name, source) if sign else None


def is_mention(node: str) -> bool:
    """Tell whether a node is a mention."""
    return node.startswith(MENTION)

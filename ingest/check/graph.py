"""What only a look at all edges and names can find: circles, contradictions, aliases of two notes, lonely notes.

Pure: what a full import came to in, findings out. Edges are looked at between entities, and a mirror is no edge here:
its own edge tells all that it could.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from kantenwerk.config import Config, Vocabulary
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.cycles import cycles
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import EXPLICIT, MENTION, NOTE_ZONE, Edge, Finding, Link, ParsedNote, is_mention
from kantenwerk.ingest.pipeline import ImportResult
from kantenwerk.ingest.resolve.catalogue import Catalogue, Name, by_length, note_names
from kantenwerk.ingest.resolve.exact import Ambiguous, Resolver

_STATED = frozenset({EXPLICIT, NOTE_ZONE})
# Those that may lead to a note, or do once somebody says so.
_LEADS = frozenset({"explicit", "verified", "unproven", "pending", "redundant"})
# More arcs of a circle than this help nobody.
_MOST_ARCS = 8
_FENCE = "---"
_ALIASES = frozenset({"aliases", "alias"})


def graph_findings(result: ImportResult, config: Config, lines_of: Callable[[str], Sequence[str]]) -> Iterator[Finding]:
    """Yield these findings of a full import; `lines_of` gives the lines of a file."""
    reached, entities = result.reached, result.reached.entities
    spelled = {
        (link.source, link.kind, link.target, link.line): link.written
        for links in result.wanted.links.values()
        for link in links
    }
    said = _statements(result.wanted.edges, reached.notes, entities, spelled)
    yield from _cycles(said, config.vocabulary)
    yield from _contradictions(said, config.vocabulary)
    names = (name for node, note in reached.notes.items() for name in note_names(note, node, config.settings))
    yield from _aliases(names, lines_of)
    links = (link for links in result.wanted.links.values() for link in links)
    yield from _orphans(reached.notes, links, entities, config.settings.owner_type)


class _Statement(NamedTuple):
    """An edge that an author states or that was proven; in order of place. Its ends are entities."""

    path: str
    line: int
    source: str
    kind: str
    target: str
    written: str

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    def __str__(self) -> str:
        """Return source, kind and target, as people call them."""
        return f"{_name(self.source)} {self.kind} {_name(self.target)}"


def _statements(
    edges: Iterable[Edge],
    notes: Mapping[str, ParsedNote],
    entities: Mapping[str, str],
    spelled: Mapping[tuple[str, str, str | None, int], str],
) -> tuple[_Statement, ...]:
    """Return what is stated or proven between two entities, in the order of path and line.

    A rule's edges are left out: they say what plain links mean in general, and nobody meant this one.
    """
    said = (
        _Statement(
            notes[edge.source].path,
            edge.line or 1,
            entities.get(edge.source, edge.source),
            edge.kind,
            entities.get(edge.target, edge.target),
            spelled.get((edge.source, edge.kind, edge.target, edge.line or 1), ""),
        )
        for edge in edges
        if not edge.mirror and edge.provenance in _STATED
    )
    return tuple(sorted(statement for statement in said if statement.source != statement.target))


def _cycles(said: Iterable[_Statement], vocabulary: Vocabulary) -> Iterator[Finding]:
    """Yield a finding for every knot of edges whose kind must not go in a circle, with one circle of it."""
    rank = {kind: number for number, kind in enumerate(vocabulary.kinds)}
    by_kind: dict[str, dict[tuple[str, str], _Statement]] = defaultdict(dict)
    for statement in said:
        if vocabulary.is_acyclic(statement.kind):
            inverse = vocabulary.inverse(statement.kind)
            is_forward = rank[statement.kind] <= rank[inverse]
            arc = (statement.source, statement.target)
            by_kind[statement.kind if is_forward else inverse].setdefault(arc if is_forward else arc[::-1], statement)
    for kind, arcs in by_kind.items():
        for circle in cycles(arcs):
            steps = [arcs[arc] for arc in circle]
            nodes = [_name(source) for source, _ in circle]
            shown = [*nodes[:_MOST_ARCS], *(["…"] if len(nodes) > _MOST_ARCS else []), nodes[0]]
            yield finding(
                "edge-cycle",
                steps[0].path,
                steps[0].line,
                f"`{kind}` goes in a circle: {' → '.join(shown)} ({_places(steps)})",
                "delete the edge that is wrong, or set `acyclic: false` for the kind in .kantenwerk/edges.yaml",
                subject=steps[0].written,
            )


def _places(steps: Sequence[_Statement]) -> str:
    shown = [f"{step.place} `{step.kind}`" for step in steps[:_MOST_ARCS]]
    rest = len(steps) - _MOST_ARCS
    return ", ".join([*shown, *([f"and {rest} more"] if rest > 0 else [])])


def _contradictions(said: Iterable[_Statement], vocabulary: Vocabulary) -> Iterator[Finding]:
    """Yield a finding for every two edges between the same two whose kinds exclude each other, at the later one."""
    between: dict[tuple[str, str], dict[str, _Statement]] = defaultdict(dict)
    for statement in said:
        if vocabulary.excludes(statement.kind):
            is_forward = statement.source < statement.target
            pair = (statement.source, statement.target) if is_forward else (statement.target, statement.source)
            kind = statement.kind if is_forward else vocabulary.inverse(statement.kind)
            between[pair].setdefault(kind, statement)
    for kinds in between.values():
        for (one, first), (other, second) in combinations(kinds.items(), 2):
            if other in vocabulary.excludes(one):
                yield finding(
                    "edge-contradiction",
                    second.path,
                    second.line,
                    f"`{second}` cannot hold beside `{first}` ({first.place})",
                    "delete the one that is wrong, or take it off `excludes` in .kantenwerk/edges.yaml",
                    subject=second.written,
                )


def _aliases(names: Iterable[Name], lines_of: Callable[[str], Sequence[str]]) -> Iterator[Finding]:
    """Yield a finding for every alias that another note has too, as alias or title, where a link by it is a question.

    The shorter path keeps the name in silence, and a title goes before an alias.
    """
    catalogue = Catalogue(names)
    resolver = Resolver(catalogue, frozenset(), frozenset())
    written_in: dict[str, dict[str, tuple[int, str]]] = {}
    for key in catalogue.keys("alias"):
        binding = resolver.resolve(key, "")
        if not isinstance(binding, Ambiguous):
            continue
        first = min(binding.options, key=lambda name: (name.role != "title", by_length(name)))
        role = "the title" if first.role == "title" else "an alias"
        for name in (name for name in catalogue.find("alias", key) if name.node != first.node):
            if name.path not in written_in:
                written_in[name.path] = _alias_lines(lines_of(name.path))
            # Where it is not to be seen, at the top.
            line, written = written_in[name.path].get(key, (1, key))
            yield finding(
                "duplicate-alias",
                name.path,
                line,
                f"the alias `{written}` is {role} of `{first.path}` too",
                "give one of them another name: a link by this one may mean either",
                subject=written,
            )


def _alias_lines(lines: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return the line of the frontmatter where each alias stands, and its spelling, by its key."""
    found: dict[str, tuple[int, str]] = {}
    is_alias = False
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == _FENCE:
            break
        name, colon, values = line.partition(":")
        if colon and not line[0].isspace():
            is_alias = name.strip().lower() in _ALIASES
        for part in (values if colon else line.strip().removeprefix("-")).strip().strip("[]").split(","):
            written = part.strip().strip("'\"")
            if is_alias:
                found.setdefault(name_key(without_extension(written)), (number, written))
    return found


def _orphans(
    notes: Mapping[str, ParsedNote], links: Iterable[Link], entities: Mapping[str, str], owner_type: str
) -> Iterator[Finding]:
    """Yield a finding for every note that no link joins to another one; none for the owner's, nor for a lone note."""
    joined: set[str] = set()
    for link in links:
        if link.target is not None and link.state in _LEADS:
            ends = {entities.get(node, node) for node in (link.source, link.target)}
            if len(ends) > 1 and not any(map(is_mention, ends)):
                joined |= ends
    if len(notes) == 1:
        return
    for node, note in notes.items():
        if entities.get(node, node) not in joined and name_key(note.type) != name_key(owner_type):
            yield finding(
                "orphan-note",
                note.path,
                1,
                "no link leads from this note to another, and none leads here",
                "link it, or leave it: a note may stand alone",
            )


def _name(node: str) -> str:
    return node.removeprefix(MENTION)

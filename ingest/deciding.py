"""What a person's decision on two nodes changes: in `decisions.yaml`, and at once in the stored graph. Pure.

The rows are those that the next import computes from the file: this only spares people the wait for it. What a search
may bring, now that a note is out of the question, comes with that import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kantenwerk.graph.entities import entities
from kantenwerk.graph.model import Resolution, is_mention, mention_key
from kantenwerk.graph.plan import EdgeChanges, NoteChanges, Plan, Row, TableChange, diff_rows
from kantenwerk.graph.recorded import RecordedResolution, State
from kantenwerk.graph.resolutions import ResolutionChange, ResolutionFile
from kantenwerk.graph.rows import resolution_row
from kantenwerk.ingest.mentions import Recorded, recorded_row

# The next import looks at all names again, also if the file is by then what it was at the last import.
_SEARCH_AGAIN = (("naming_basis", ""),)


@dataclass(frozen=True, slots=True)
class Decision:
    """That node `a` is `b` (accepted) or is not (rejected), or is a thing of its own for good (new, without `b`)."""

    a: str
    b: str | None
    state: State


def recorded_change(
    decision: Decision, rows: Iterable[Resolution], file: ResolutionFile, decided_at: str
) -> ResolutionChange:
    """Return what a person's decision changes in a file of decisions: nothing where a person said just that.

    Args:
        decision: What was decided.
        rows: The resolutions of `decision.a`: method, score, model and reason stay with the one that is decided on.
        file: What the file holds.
        decided_at: When, in ISO 8601.
    """
    known = [said for said in file.recorded.values() if node_of(said) == decision.a]
    said = _said(decision, (*known, *rows), decided_at)
    rivals = [other for other in known if other.b == said.b or (other.is_standing and said.is_standing)]
    if len(rivals) == 1 and _says_it(rivals[0], said):
        return ResolutionChange()
    # Also those under another spelling of the name, which a writer of the file does not know to be the same.
    return ResolutionChange((said,), tuple(other.pair for other in rivals if other.pair != said.pair))


def rows_after(
    node: str, stored: Iterable[Resolution], recorded: Recorded, paths: Mapping[str, str]
) -> tuple[Resolution, ...]:
    """Return the resolutions of a node by what is recorded, and by what was found where nothing else is.

    Args:
        node: The first node of the resolutions.
        stored: Those that the graph has of it.
        recorded: What is recorded beside the notes.
        paths: The paths of all notes by id: a decision on a note that is gone waits for it.
    """

    def is_there(said: RecordedResolution) -> bool:
        return said.b is not None and (is_mention(said.b) or said.b in paths)

    if not is_mention(node):
        mine = (said for said in recorded.others if said.a == node and said.decided_by == "person")
        return tuple(recorded_row(node, said) for said in mine if is_there(said))
    rejected = [recorded_row(node, said) for said in recorded.rejected.get(node, ()) if is_there(said)]
    standing = recorded.standing.get(node)
    if standing is not None and standing.state == "new":
        return tuple(rejected)
    if standing is not None and standing.decided_by == "person" and is_there(standing):
        return (*rejected, recorded_row(node, standing))
    gone = {row.b for row in rejected}
    found = (row for row in stored if row.decided_by != "person" and row.b not in gone)
    return (*rejected, *found)


def graph_plan(
    nodes: Iterable[str],
    stored: Mapping[str, tuple[Resolution, ...]],
    entity_of: Mapping[str, str],
    file: ResolutionFile,
    paths: Mapping[str, str],
) -> Plan:
    """Return what changes in the stored graph by what a file says of some nodes: resolutions and entities, no edge.

    Args:
        nodes: The nodes that were decided on.
        stored: All stored resolutions, by their first node.
        entity_of: The stored entities.
        file: What is recorded now.
        paths: The paths of all notes, by id.
    """
    recorded = Recorded.of(file)
    now = {**stored, **{node: rows_after(node, stored.get(node, ()), recorded, paths) for node in nodes}}
    accepted = (row.pair for rows in now.values() for row in rows if row.state == "accepted")
    members = entities(accepted, lambda node: paths.get(node, node))
    changes = (resolution_change(now, stored), entity_change(members, entity_of))
    return Plan(NoteChanges(), EdgeChanges(), tuple(filter(None, changes)), _SEARCH_AGAIN)


def resolution_change(
    wanted: Mapping[str, tuple[Resolution, ...]], stored: Mapping[str, tuple[Resolution, ...]]
) -> TableChange:
    """Return what changes in the resolutions, which are by their first node."""
    nodes = _differing(wanted, stored)
    before = {node: tuple(map(resolution_row, stored[node])) for node in nodes & stored.keys()}
    return diff_rows(
        "resolutions", "a", nodes & wanted.keys(), lambda node: tuple(map(resolution_row, wanted[node])), before
    )


def entity_change(wanted: Mapping[str, str], stored: Mapping[str, str]) -> TableChange:
    """Return what changes in the entities of nodes."""
    nodes = _differing(wanted, stored)
    before: dict[str, tuple[Row, ...]] = {node: ((node, stored[node]),) for node in nodes & stored.keys()}
    return diff_rows("entity_of", "node", nodes & wanted.keys(), lambda node: ((node, wanted[node]),), before)


def _differing(wanted: Mapping[str, object], stored: Mapping[str, object]) -> set[str]:
    """Return the nodes that may have other rows than are stored; what is not touched is the very same."""
    if wanted is stored:
        return set()
    return {node for node in wanted.keys() | stored.keys() if wanted.get(node) is not stored.get(node)}


def node_of(said: RecordedResolution) -> str:
    """Return the first node of a recorded decision, a mention by its key however somebody wrote it."""
    return mention_key(said.a) if is_mention(said.a) else said.a


def _said(decision: Decision, known: Iterable[Resolution | RecordedResolution], decided_at: str) -> RecordedResolution:
    # A person's word has no method besides itself, also where several notes carry the name.
    basis = next((row for row in known if row.b == decision.b and row.method in {"stem", "semantic"}), None)
    return RecordedResolution(
        a=decision.a,
        b=decision.b,
        state=decision.state,
        method=basis.method if basis else "person",
        decided_by="person",
        decided_at=decided_at,
        score=basis.score if basis else None,
        model=basis.model if basis else None,
        reason=basis.reason if basis else "",
    )


def _says_it(other: RecordedResolution, said: RecordedResolution) -> bool:
    return (other.b, other.state, other.decided_by) == (said.b, said.state, "person")

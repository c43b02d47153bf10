"""`kantenwerk resolutions`: lists which nodes are taken for one thing, and lets people accept, reject and add that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from kantenwerk.cli.deciding import NoteFinder, listed, now, recorded_decisions, write_decisions
from kantenwerk.cli.meaning import full_preview
from kantenwerk.cli.tables import ENDLESS, rendered
from kantenwerk.cli.terminal import as_json, one_line, terminal_width
from kantenwerk.cli.vault import find_database, find_vault, read_config
from kantenwerk.config.errors import ConfigError, StoreError
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.config.suggest import nearest, no_such
from kantenwerk.graph.lock import apply_lock
from kantenwerk.graph.model import MENTION, Resolution, is_mention, mention_id, mention_key, scope_of
from kantenwerk.graph.resolutions import RESOLUTIONS, ResolutionFile, file_after, read_resolutions
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.graph.store import apply_plan, open_snapshot
from kantenwerk.ingest.deciding import Decision, graph_plan, node_of, recorded_change, rows_after
from kantenwerk.ingest.mentions import Recorded
from kantenwerk.ingest.questions import uses
from kantenwerk.ingest.resolve.catalogue import rooted, stem_path

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

Verb = Literal["accept", "reject", "add"]
Rows = dict[str, tuple[Resolution, ...]]

_STATES = ("proposed", "accepted", "rejected")
_COLOURS = {"proposed": "yellow", "accepted": "green", "rejected": "red"}
# In cells: names are wrapped beyond this, and reasons go below them where less than this is left beside them.
_WIDEST_NAMES, _NARROWEST_REASON = 48, 24
_METHOD_SCORE_STATE = 28


def list_resolutions(vault: Path | None, db: Path | None, *, state: str | None, is_json: bool) -> int:
    """Print the stored resolutions, all or those in one state, and return the exit code.

    Raises:
        StoreError: there is no graph yet.
    """
    vault = find_vault(vault)
    database = find_database(vault, db)
    file = read_resolutions(vault)
    with open_snapshot(database, may_be_none=False) as snapshot:
        known = _held(snapshot, file)
    rows = [row for found in known.rows.values() for row in found if state in {None, row.state}]
    rows.sort(key=lambda row: (_STATES.index(row.state), name_key(known.name(row.a)), row.a, row.b))
    if is_json:
        typer.echo(as_json([_as_object(row, known) for row in rows]))
    else:
        for line in _table(rows, known):
            typer.echo(line)
        if not rows:
            which = f"No resolution is {state}." if state else "No resolutions: no name was taken for another."
            typer.echo(which)
    return 0


def decide(vault: Path | None, db: Path | None, verb: Verb, nodes: tuple[str, str | None]) -> int:
    """Accept, reject or add a resolution, beside the notes and in the graph if there is one; return the exit code."""
    vault = find_vault(vault)
    database = find_database(vault, db)
    one, other = nodes
    known = _stored(database, recorded_decisions(vault)) or _previewed(vault)
    row = known.joined(one, other or "") if verb == "add" else known.find(verb, one, other)
    decision = Decision(row.a, row.b, "rejected" if verb == "reject" else "accepted")
    with apply_lock(vault):
        file = recorded_decisions(vault)
        change = recorded_change(decision, [row], file, now())
        if change:
            write_decisions(vault, change)
        is_changed = _change_graph(database, row.a, file_after(file, change))
    done = {"accept": "accepted", "reject": "rejected", "add": "added"}[verb]
    told = f"{known.name(row.a)} → {known.name(row.b)}"
    if not change and not is_changed:
        typer.echo(f"{told} is {decision.state} already: nothing changed.")
        return 0
    typer.echo(f"{done}: {told}")
    typer.echo(_what_follows(vault, known, is_changed=is_changed))
    return 0


def _what_follows(vault: Path, known: _Known, *, is_changed: bool) -> str:
    file = one_line(str(vault / RESOLUTIONS))
    if is_changed:
        return (
            f"Recorded in {file} and in the graph; no edge changed. "
            "The next `kantenwerk import --apply` looks again at the candidates that speak of it."
        )
    if known.has_graph:
        return f"Recorded in {file}; the graph said so already."
    return f"Recorded in {file}; there is no graph yet: `kantenwerk import --apply` builds it."


# --- writing


def _change_graph(database: Path, node: str, file: ResolutionFile) -> bool:
    """Bring what is recorded of a node into the graph, if there is one; tell whether that changed it.

    Raises:
        StoreError: the graph cannot be written; what is recorded stays.
    """
    try:
        with open_snapshot(database) as snapshot:
            if not snapshot.meta():
                return False
            paths = {note: path for path, note in snapshot.note_ids().items()}
            plan = graph_plan([node], snapshot.resolutions(), snapshot.entities(), file, paths)
        if not plan.is_empty:
            apply_plan(database, plan, None)
    except StoreError as error:
        raise StoreError(
            f"{error}. The decision is recorded all the same: `kantenwerk import --apply` brings it into the graph"
        ) from error
    return not plan.is_empty


# --- what is known


class _Known:
    """The resolutions, notes and names that a graph or a preview holds."""

    def __init__(
        self,
        rows: Rows,
        finder: NoteFinder,
        mentions: dict[str, str],
        file: ResolutionFile,
        *,
        has_graph: bool,
    ) -> None:
        self.rows = rows
        self.finder = finder
        self.has_graph = has_graph
        self._mentions = mentions
        self._note_keys = {name_key(node): node for node in finder.paths}
        self._current = rows | _recorded_rows(rows, file, finder.paths)

    def name(self, node: str) -> str:
        """Return a node as people know it: a note's path without `.md`, a mention's name as it is written."""
        if not is_mention(node):
            return one_line(stem_path(self.finder.paths.get(node, node)))
        key, source = self._parted(node)
        spelled = one_line(self._mentions.get(node) or self._mentions.get(mention_id(key)) or key)
        return spelled if source is None else f"{spelled} (in {self.name(source)})"

    def _parted(self, mention: str) -> tuple[str, str | None]:
        """Return the key of a mention's name, and the note for which it is a mention of its own."""
        name, source = scope_of(mention) or (mention, None)
        return name.removeprefix(MENTION), self._note_keys.get(source or "", source)

    def find(self, verb: Verb, one: str, other: str | None) -> Resolution:
        """Return the one resolution that is named.

        Raises:
            ConfigError: there is none, or it could be one of several.
        """
        found = self._rows_of(one)
        if not found:
            raise ConfigError(self._none(one))
        if other is not None:
            # What is decided beside the notes and not imported yet may have put it aside; a person may come back to it.
            between = self._between(self._current, one, other) or self._between(self.rows, one, other)
            if not between:
                has = listed(self._other_end(row, one) for row in found)
                raise ConfigError(
                    f"`{one_line(one)}` has no resolution with `{one_line(other)}`, only with {has}; "
                    "`kantenwerk resolutions add` joins two that no step proposed"
                )
            found = between
        fitting = _fitting(found, verb)
        if len(fitting) > 1:
            has = listed(self._other_end(row, one) for row in fitting)
            raise ConfigError(f"`{one_line(one)}` has resolutions with {has}: name one of them")
        return fitting[0]

    def joined(self, one: str, other: str) -> Resolution:
        """Return the resolution that joins two nodes: the one that is there, or one that a person makes.

        Raises:
            ConfigError: a node is not known, both are the same, or both are names.
        """
        a, b = self._node(one), self._node(other)
        if a == b:
            raise ConfigError(f"`{one_line(one)}` and `{one_line(other)}` are the same node already")
        if is_mention(a) and is_mention(b):
            raise ConfigError(f"`{one_line(one)}` and `{one_line(other)}` are both names without a note: name a note")
        for row in (*self._current.get(a, ()), *self._current.get(b, ())):
            if {a, b} == {row.a, row.b}:
                return row
        a, b = sorted((a, b), key=lambda node: (not is_mention(node), node))
        return Resolution(a, b, "person", None, "accepted", None, "", "person")

    def _rows_of(self, text: str) -> list[Resolution]:
        named = self._named(text)
        rows = [row for found in self._current.values() for row in found]
        return [row for row in rows if row.a in named] or [row for row in rows if row.b in named]

    def _between(self, rows: Rows, one: str, other: str) -> list[Resolution]:
        ends, others = self._named(one), self._named(other)
        return [
            row
            for found in rows.values()
            for row in found
            if (row.a in ends and row.b in others) or (row.b in ends and row.a in others)
        ]

    def _named(self, text: str) -> set[str]:
        """Return all nodes that a text may name."""
        return {mention_key(text), _mention_of(text), *self.finder.find(text)}

    def _other_end(self, row: Resolution, text: str) -> str:
        return self.name(row.b if row.a in self._named(text) else row.a)

    def _node(self, text: str) -> str:
        """Return the node that a text names: a note by its id or path, a name that links use, any other name of one."""
        notes = self.finder.find(text)
        is_exact = len(notes) == 1 and name_key(text) in self._exact_keys(notes[0])
        mention = next((node for node in (mention_key(text), _mention_of(text)) if node in self._mentions), None)
        if mention is not None and not is_exact:
            return mention
        if not notes:
            names = {*self.finder.names, *map(self.name, self._mentions)}
            raise ConfigError(
                f"`{one_line(text)}` is neither a note nor a name that a link uses: {no_such('name', text, names)}"
            )
        return self.finder.one(text)

    def _exact_keys(self, node: str) -> set[str]:
        path = self.finder.paths[node]
        return {name_key(node), name_key(path), name_key(stem_path(path))}

    def _none(self, text: str) -> str:
        """Say that nothing is resolved about a text, and which one is near to it."""
        nodes = {end for found in self._current.values() for row in found for end in row.pair}
        near = nearest(text.removeprefix(MENTION), map(self.name, nodes))
        return (
            f"`{one_line(text)}` has no resolution{f'; did you mean `{near}`?' if near else ''} "
            "(`kantenwerk resolutions` lists them, `kantenwerk resolutions add` joins two that no step proposed)"
        )


def _fitting(rows: list[Resolution], verb: Verb) -> list[Resolution]:
    """Return the rows that a decision without a second node is about: those that it would change, open ones first."""
    if verb == "accept":
        choices = (
            [row for row in rows if row.state == "proposed"],
            [row for row in rows if row.state == "rejected" or row.decided_by != "person"],
        )
    else:
        choices = ([row for row in rows if row.state != "rejected"], [])
    return next(filter(None, choices), rows)


def _mention_of(text: str) -> str:
    return mention_id(name_key(without_extension(text)))


def _stored(database: Path, file: ResolutionFile) -> _Known | None:
    """Return what the graph holds, None where there is no graph."""
    with open_snapshot(database) as snapshot:
        return _held(snapshot, file) if snapshot.meta() else None


def _held(snapshot: Snapshot, file: ResolutionFile) -> _Known:
    notes = [(node, path, title) for node, path, title, *_ in snapshot.note_names()]
    return _Known(snapshot.resolutions(), NoteFinder(notes), _mention_names(snapshot, file), file, has_graph=True)


def _mention_names(snapshot: Snapshot, file: ResolutionFile) -> dict[str, str]:
    """Return all mentions with their names as they are written, also those that no edge leads to."""
    recorded = Recorded.of(file)
    written = [(mention, name) for _, _, mention, name, _ in snapshot.mention_uses()]
    for source, path, name, _ in snapshot.homeless_candidates():
        key = name_key(without_extension(rooted(name, path)))
        written.append((recorded.mention_of(key, source), name))
    return _first_names(written)


def _previewed(vault: Path) -> _Known:
    """Return what an import would find: there is no graph that holds it."""
    result = full_preview(vault, read_config(vault, {}))
    finder = NoteFinder((node, note.path, note.title) for node, note in result.reached.notes.items())
    guesses = result.reached.resolved.guesses
    mentions = _first_names((use.mention, use.name) for use in uses(result) if use.mention in guesses)
    return _Known(result.reached.resolved.rows, finder, mentions, ResolutionFile(), has_graph=False)


def _first_names(written: Iterable[tuple[str, str]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for mention, name in written:
        spelled = without_extension(name)
        names[mention] = min(spelled, names.get(mention, spelled))
    return names


def _recorded_rows(rows: Rows, file: ResolutionFile, paths: dict[str, str]) -> Rows:
    """Return the rows of all nodes that something is recorded of, be it in the graph yet or not."""
    recorded = Recorded.of(file)
    nodes = {node_of(said) for said in file.recorded.values()}
    return {node: rows_after(node, rows.get(node, ()), recorded, paths) for node in nodes}


# --- showing


def _as_object(row: Resolution, known: _Known) -> dict[str, object]:
    return {
        "a": row.a,
        "b": row.b,
        "name": known.name(row.a),
        "path": known.finder.paths.get(row.b),
        "method": row.method,
        "score": row.score,
        "state": row.state,
        "model": row.model,
        "reason": row.reason,
        "decided_by": row.decided_by,
    }


def _table(rows: list[Resolution], known: _Known) -> Iterator[str]:
    """Yield the lines of a table: as wide as it has to be in a pipe, and no wider than a terminal that shows it."""
    if not rows:
        return
    width = terminal_width() or ENDLESS
    names = min(_WIDEST_NAMES, max(_cells(row, known)[0].cell_len for row in rows))
    has_room = width - names - _METHOD_SCORE_STATE >= _NARROWEST_REASON
    yield from rendered(*([_aligned(rows, known)] if has_room else _stacked(rows, known)))


def _aligned(rows: list[Resolution], known: _Known) -> Table:
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for can_wrap in (True, False, False, False, True):
        table.add_column(no_wrap=not can_wrap, overflow="fold")
    before = None
    for row in rows:
        if before not in {None, row.state}:
            table.add_row()
        before = row.state
        table.add_row(*_cells(row, known))
    return table


def _stacked(rows: list[Resolution], known: _Known) -> Iterator[RenderableType]:
    """Yield one below the other what has no room beside each other."""
    from rich.padding import Padding
    from rich.text import Text

    for row in rows:
        names, method, score, state, reason = _cells(row, known)
        yield names
        yield Padding(Text(" ").join(part for part in (method, score, state) if part), (0, 0, 0, 2))
        yield Padding(reason, (0, 0, 0, 2))


def _cells(row: Resolution, known: _Known) -> tuple[Text, Text, Text, Text, Text]:
    from rich.text import Text

    return (
        Text(f"{known.name(row.a)} → {known.name(row.b)}"),
        Text(row.method),
        Text("" if row.score is None else f"{row.score:.2f}"),
        Text(row.state, style=_COLOURS[row.state]),
        Text(one_line(row.reason)),
    )

"""What the commands share that ask the stored graph: how they open it, and how they name what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.cli.deciding import listed
from kantenwerk.cli.terminal import one_line
from kantenwerk.cli.vault import find_database, find_vault, read_config
from kantenwerk.config import Config
from kantenwerk.config.errors import ConfigError
from kantenwerk.config.suggest import no_such
from kantenwerk.graph.model import is_mention
from kantenwerk.graph.queries import Node, StoredGraph, Walk
from kantenwerk.graph.store import open_graph
from kantenwerk.ingest.lookup import Lookup


@dataclass(frozen=True, slots=True)
class Place:
    """The vault and the database that the options name, as they were given."""

    vault: Path | None
    db: Path | None


class UnknownNameError(ConfigError):
    """Nothing in the graph is called so."""


class UnknownKindError(ConfigError):
    """No kind is called so."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An opened graph, with what is needed to ask it by name."""

    vault: Path
    config: Config
    graph: StoredGraph
    database: Path

    @property
    def lookup(self) -> Lookup:
        """What finds nodes by name."""
        return Lookup(self.graph, self.config)

    def entity(self, name: str) -> str:
        """Return the entity that a name means.

        Raises:
            ConfigError: it may mean several; the sentence lists them.
            UnknownNameError: it means none; the sentence names the nearest.
        """
        return self.one_entity(name, self.lookup.find(name))

    def one_entity(self, name: str, nodes: Iterable[str]) -> str:
        """Return the entity of nodes that a name may mean.

        Raises:
            ConfigError: they are several.
            UnknownNameError: there is none.
        """
        entities = sorted(set(self.graph.entities_of(tuple(nodes)).values()))
        if not entities:
            raise UnknownNameError(self.no_such_note(name))
        if len(entities) > 1:
            paths = (node.path or node.name for node in self.graph.nodes(entities).values())
            raise ConfigError(f"`{one_line(name)}` may be {listed(paths)}: write the path of one")
        return entities[0]

    def no_such_note(self, name: str) -> str:
        """Return the sentence that nothing is called so, and what is nearest."""
        return f"`{one_line(name)}`: {no_such('note', name, self.lookup.known_names())}"

    def kind(self, written: str) -> str:
        """Return a kind as the graph spells it.

        Raises:
            UnknownKindError: nothing knows such a kind; the sentence names the nearest.
        """
        kind = self.config.vocabulary.normalise(written)
        if self.config.vocabulary.is_known(kind):
            return kind
        known = {*self.config.vocabulary.kinds, *self.graph.kinds()}
        if kind not in known:
            raise UnknownKindError(f"`{one_line(written)}`: {no_such('kind', kind, known)}")
        return kind

    def walk(self, kinds: str | None) -> Walk:
        """Return which edges are walked: all, or those of the kinds in a list with commas, and of their inverses.

        Raises:
            ConfigError: a kind is not known, or none is named.
        """
        vocabulary = self.config.vocabulary
        if kinds is None:
            return Walk(vocabulary.inverse, vocabulary.unmirrored)
        named = [self.kind(kind) for kind in kinds.split(",") if kind.strip()]
        if not named:
            raise ConfigError("--kinds names no kind: write such as --kinds depends_on,uses")
        return Walk(vocabulary.inverse, vocabulary.unmirrored, frozenset((*named, *map(vocabulary.inverse, named))))

    def names(self, nodes: Iterable[str]) -> dict[str, str]:
        """Return how nodes are shown: a note by its path without `.md`, a mention by its name and what it means."""
        nodes = tuple(nodes)
        entities = self.graph.entities_of(nodes)
        known = self.graph.nodes({*nodes, *entities.values()})
        return {node: _shown(node, known, entities[node]) for node in nodes}


def _shown(node: str, known: dict[str, Node], entity: str) -> str:
    name = one_line(known[node].name if node in known else node)
    if not is_mention(node):
        return name
    return f"“{name}” (no note)" if is_mention(entity) else f"“{name}” ({one_line(known[entity].name)})"


@contextmanager
def opened(place: Place) -> Iterator[Stored]:
    """Open the stored graph of a vault.

    Raises:
        ConfigError: the vault's configuration is wrong.
        StoreError: there is no graph yet, or it cannot be opened.
        VaultError: there is no vault.
    """
    vault = find_vault(place.vault)
    config = read_config(vault, {})
    database = find_database(vault, place.db)
    with open_graph(database) as graph:
        yield Stored(vault, config, graph, database)

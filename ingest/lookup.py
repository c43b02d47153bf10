"""Which nodes of the stored graph a name means: as a link's would, and the names that links use besides."""

from __future__ import annotations

from dataclasses import dataclass

from kantenwerk.config import Config
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.model import MENTION, mention_id, mention_key
from kantenwerk.graph.queries import StoredGraph
from kantenwerk.ingest.links import SURE
from kantenwerk.ingest.resolve.catalogue import Catalogue, lookup_keys, rooted, stored_name
from kantenwerk.ingest.resolve.exact import Ambiguous, Binding, Bound, OwnerUnknown, Resolver


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks names up in a stored graph, without loading all of it."""

    graph: StoredGraph
    config: Config

    def find(self, text: str) -> tuple[str, ...]:
        """Return the nodes that a name may mean: none, one, or several that somebody has to choose from.

        The order is that of links: a path, id or file name that one note has, a name that was answered or found
        before, any other name of one note, a name without a note.
        """
        binding = self.bind(text, "")
        if isinstance(binding, Bound) and binding.how in SURE and not binding.others:
            return (binding.note.node,)
        mention = mention_key(text) if text.startswith(MENTION) else mention_of(text, "")
        if self.graph.has_mention(mention) and self.graph.entities_of([mention])[mention] != mention:
            return (mention,)
        match binding:
            case Bound(note, _, others):
                return tuple(dict.fromkeys(name.node for name in (note, *others)))
            case Ambiguous(notes) | OwnerUnknown(notes) if notes:
                return tuple(note.node for note in notes)
        return (mention,) if self.graph.has_mention(mention) else ()

    def bind(self, written: str, path: str, *, relative: bool = False) -> Binding:
        """Return what a name means by itself in the note at a path: steps 1 and 2 of resolution."""
        names = (stored_name(*row) for row in self.graph.names_under(lookup_keys(written, path)))
        settings = self.config.settings
        resolver = Resolver(Catalogue(names), settings.self_keys, frozenset(settings.attachment_extensions))
        return resolver.resolve(written, path, relative=relative)

    def known_names(self) -> set[str]:
        """Return all names that could have been meant, as they are spelled."""
        names: set[str] = set(self.graph.mention_names())
        for naming in self.graph.note_names():
            stem = without_extension(naming.path)
            names.update((naming.node, stem, stem.rpartition("/")[2], naming.title, *naming.aliases))
        return names


def mention_of(written: str, path: str) -> str:
    """Return the mention of a name that a note writes."""
    return mention_id(name_key(without_extension(rooted(written, path))))

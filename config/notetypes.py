"""Note types: what `types.yaml` decides for a note, with everything inherited filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kantenwerk.config.model import NoteType
from kantenwerk.config.names import name_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kantenwerk.config.model import ChunkingProfile, TypeEntry, TypesFile
    from kantenwerk.config.vocabulary import Vocabulary

DEFAULT_TYPE: Final = "default"


@dataclass(frozen=True, slots=True)
class Types:
    """All note types that the configuration names.

    Args:
        by_key: Each type under the key of its name.
    """

    by_key: Mapping[str, NoteType]

    def of(self, name: str) -> NoteType:
        """Return the type of that name in any case, or the type `default` if there is none."""
        return self.by_key.get(type_key(name), self.by_key[DEFAULT_TYPE])

    def is_known(self, name: str) -> bool:
        """Tell whether the configuration names this type."""
        return type_key(name) in self.by_key


def type_key(name: str) -> str:
    """Return the form in which the names of types are compared: `Decision` in a note is `decision` here."""
    return name_key(name)


def resolved(file: TypesFile, vocabulary: Vocabulary) -> Types:
    """Fill in what types inherit.

    Args:
        file: A checked `types.yaml`.
        vocabulary: The vocabulary that gives the spelling of rule kinds.

    Returns:
        All types: what one leaves out is as in `default`, and changes to its chunking profile are applied.
    """
    return Types({type_key(name): _note_type(file, entry, vocabulary) for name, entry in file.types.items()})


def chunking_of(file: TypesFile, entry: TypeEntry, profile: str) -> ChunkingProfile:
    """Return a chunking profile as one type has it: with the default type's changes, then with its own."""
    chunking = file.chunking_profiles[profile]
    for layer in (file.types[DEFAULT_TYPE], entry):
        if profile in layer.chunking:
            chunking = chunking.model_copy(update=layer.chunking[profile].model_dump(exclude_none=True))
    return chunking


def _note_type(file: TypesFile, entry: TypeEntry, vocabulary: Vocabulary) -> NoteType:
    default = file.types[DEFAULT_TYPE]
    profile = entry.chunking_profile or default.chunking_profile or ""
    rules = default.edge_defaults if entry.edge_defaults is None else entry.edge_defaults
    return NoteType(
        chunking_profile=profile,
        chunking=chunking_of(file, entry, profile),
        edge_defaults=tuple(rule.model_copy(update={"kind": vocabulary.normalise(rule.kind)}) for rule in rules or ()),
    )

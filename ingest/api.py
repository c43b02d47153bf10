"""Which note a name means, for programs: the names of a vault, asked one by one or in a batch.

    names = VaultNames.read(vault, load_config(vault, environ=os.environ), load_embedder("default", vault))
    names.resolve_single("checkout-svc", "service").node

Nothing is written. `resolve_by_name` runs steps 1 and 2 of the design's section 5, the others all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import assert_never

from kantenwerk.config import Config
from kantenwerk.config.errors import DecisionsError, EmbedderError
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.resolutions import RESOLUTIONS, read_resolutions
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import find_changes
from kantenwerk.ingest.links import SURE, question_of
from kantenwerk.ingest.mentions import (
    MentionResolver,
    Recorded,
    Use,
    exact_option,
    naming_of,
    similar_names,
)
from kantenwerk.ingest.resolve.catalogue import Catalogue, attachment_name, note_names, rooted
from kantenwerk.ingest.resolve.embedder import Embedder
from kantenwerk.ingest.resolve.exact import Ambiguous, Attached, Binding, Bound, OwnerUnknown, Resolver
from kantenwerk.ingest.resolve.guess import Asked, Guess, Meant, New, Option, SearchFailed, Vectors


@dataclass(frozen=True, slots=True)
class NameResult:
    """What a name means.

    `node` is the note's id, or None. Of a name that means no note, `is_new` says that the search ran and found
    nothing, `needs_clarification` that somebody has to answer `question` by one of `options`, and `failed` why it could
    not be found out. `is_reference` is False for an interface, a generic noun that never gets a node of its own.
    """

    name: str
    type: str | None
    node: str | None = None
    is_new: bool = False
    is_reference: bool = True
    needs_clarification: bool = False
    question: str | None = None
    options: tuple[Option, ...] = ()
    reason: str = ""
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What the names of a batch mean, in their order."""

    results: tuple[NameResult, ...]

    @property
    def needs_clarification(self) -> bool:
        """Tell whether somebody has to answer a question."""
        return any(result.needs_clarification for result in self.results)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions to answer, each once."""
        return tuple(dict.fromkeys(result.question for result in self.results if result.question))


@dataclass(frozen=True)
class VaultNames:
    """The names of a vault's notes, as they are on disk now; a note's type is the `type` of its frontmatter."""

    config: Config
    resolver: Resolver
    mentions: MentionResolver
    types: dict[str, str]

    @classmethod
    def read(cls, vault: Path, config: Config, embedder: Embedder | None = None) -> VaultNames:
        """Read a vault's notes and the decisions beside them; without an embedder no name is found by its meaning.

        Raises:
            VaultError: the vault holds no note.
            DecisionsError: what people decided cannot be read.
        """
        changes = find_changes(vault, config, Snapshot(None))
        notes = {changes.ids[path]: note for path, note in changes.parsed.items()}
        catalogue = Catalogue(
            (
                *(name for node, note in notes.items() for name in note_names(note, node, config.settings)),
                *map(attachment_name, changes.scan.others),
            )
        )
        settings = config.settings
        resolver = Resolver(catalogue, settings.self_keys, frozenset(settings.attachment_extensions))
        file = read_resolutions(vault)
        if not file.is_readable:
            raise DecisionsError(f"{vault / RESOLUTIONS}: {file.findings[0].message}")
        recorded = Recorded.of(file)
        paths = {node: note.path for node, note in notes.items()}
        names = [naming_of(node, note) for node, note in notes.items()]
        vectors = Vectors(embedder) if embedder is not None else None
        search = cache(lambda: similar_names(names, settings, vectors))
        mentions = MentionResolver(recorded, lambda: paths, partial(_several_of_title, resolver), search)
        return cls(config, resolver, mentions, {node: note.type for node, note in notes.items()})

    def resolve_by_name(self, name: str, type: str | None = None, *, source: str = "") -> NameResult:  # noqa: A002
        """Return which note carries a name, by path, id, file name, title or alias, or is the owner's.

        Args:
            name: The name as a link would write it.
            type: The type of the thing that is meant, carried along.
            source: The id of the note in which the name stands; its folder goes before others.
        """
        match self._exact(name, source):
            case Bound(note, how):
                return NameResult(name, type, note.node, reason=f"its {how}")
            case Ambiguous(options):
                return self._asked(name, type, tuple(map(exact_option, options)))
            case OwnerUnknown() | Attached() as none:
                return _no_note(name, type, none)
            case _:
                return NameResult(name, type, is_new=True, is_reference=self._is_reference(name))

    def resolve_single(
        self,
        name: str,
        type: str | None = None,  # noqa: A002 - the design's word
        *,
        source: str = "",
        meaning_may_bind: bool = False,
    ) -> NameResult:
        """Return which note a name means, by all steps: a person's answer, likeness and meaning as well.

        Args:
            name: The name as a link would write it.
            type: The type of the thing that is meant; of several notes, those of another type are left out.
            source: The id of the note in which the name stands.
            meaning_may_bind: Whether a meaning may bind, as it may for candidates where `semantic_binds` is set.

        Raises:
            EmbedderError: the search could not be made.
        """
        result = self._resolve(name, type, source, may_bind=meaning_may_bind)
        if result.failed is not None:
            raise EmbedderError(result.failed)
        return result

    def resolve_batch(self, names: Iterable[tuple[str, str | None]]) -> BatchResult:
        """Return what many names mean, given as pairs of name and type; one that fails does not stop the others."""
        return BatchResult(tuple(self._resolve(name, type_, "", may_bind=False) for name, type_ in names))

    def _resolve(self, name: str, type_: str | None, source: str, *, may_bind: bool) -> NameResult:
        exact = self._exact(name, source)
        if isinstance(exact, OwnerUnknown | Attached):
            return _no_note(name, type_, exact)
        key = name_key(without_extension(rooted(name, self.mentions.paths().get(source, ""))))
        is_unique = isinstance(exact, Bound) and exact.how in SURE and not exact.others
        answered = (
            None
            if is_unique
            else self.mentions.answer(key, source, exact.note.node if isinstance(exact, Bound) else None)
        )
        if answered is None and isinstance(exact, Bound):
            return NameResult(name, type_, exact.note.node, reason=f"its {exact.how}")
        if not self._is_reference(name):
            return NameResult(name, type_, is_new=True, is_reference=False)
        mention = answered or self.mentions.recorded.mention_of(key, source)
        return self._told(name, type_, self.mentions.guess(mention, Use(name, is_explicit=not may_bind)))

    def _told(self, name: str, type_: str | None, guess: Guess) -> NameResult:
        match guess:
            case Meant(option):
                return NameResult(name, type_, option.node, options=(option,), reason=option.reason)
            case Asked(options):
                fitting = tuple(option for option in options if self.types.get(option.node) == type_)
                return self._asked(name, type_, fitting or options)
            case SearchFailed(reason):
                return NameResult(name, type_, failed=reason)
            case New():
                return NameResult(name, type_, is_new=True)
            case _:
                assert_never(guess)

    def _asked(self, name: str, type_: str | None, options: tuple[Option, ...]) -> NameResult:
        question = question_of(name, options)
        return NameResult(name, type_, needs_clarification=True, question=question, options=options)

    def _exact(self, name: str, source: str) -> Binding:
        return self.resolver.resolve(name, self.mentions.paths().get(source, ""))

    def _is_reference(self, name: str) -> bool:
        return name_key(without_extension(name)) not in self.config.settings.interface_keys


def _no_note(name: str, type_: str | None, found: OwnerUnknown | Attached) -> NameResult:
    if isinstance(found, Attached):
        return NameResult(name, type_, is_reference=False, reason="a file that is no note")
    options = tuple(map(exact_option, found.owners))
    question = f"`{name}` means the vault's owner: which note is that?"
    return NameResult(name, type_, needs_clarification=True, question=question, options=options)


def _several_of_title(resolver: Resolver, name: str) -> Ambiguous | None:
    found = resolver.by_title(name)
    return found if isinstance(found, Ambiguous) else None

"""The vocabulary of kinds: one spelling for each, its inverse, and what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kantenwerk.config.model import KindEntry
from kantenwerk.config.names import kind_key
from kantenwerk.config.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kantenwerk.config.model import Language

INVERSE_PREFIX: Final = "inverse_of_"
_PREFIXES: Final = re.compile(f"(?:{INVERSE_PREFIX})*")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All kinds that the configuration knows, and a rule for those that it does not.

    Args:
        entries: Every kind with its entry, the inverses among them; see `from_entries`.
        alias_of: Every alias, as a key, with its kind.
    """

    entries: Mapping[str, KindEntry]
    alias_of: Mapping[str, str]

    @classmethod
    def from_entries(cls, written: Mapping[str, KindEntry]) -> Vocabulary:
        """Return the vocabulary of checked entries; inverses without an entry of their own get one."""
        entries = dict(_excluding(dict(_completed(written))))
        aliases = {kind_key(alias): kind for kind, entry in entries.items() for alias in entry.aliases}
        return cls(entries, aliases)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All known kinds, in the order of the configuration."""
        return tuple(self.entries)

    def normalise(self, written: str) -> str:
        """Return the one spelling of a kind.

        Args:
            written: A kind as an author wrote it, known or not.

        Returns:
            The kind's key, an alias replaced by its kind, `inverse_of_` before a known kind by its inverse. A
            normalised kind stays as it is.
        """
        key = kind_key(written)
        if key in self.entries:
            return key
        depth, base = self._peeled(key)
        kind = self.alias_of.get(base, base)
        return self.inverse(kind) if depth % 2 else kind

    def is_known(self, kind: str) -> bool:
        """Tell whether a normalised kind is in the vocabulary."""
        return kind in self.entries

    def inverse(self, kind: str) -> str:
        """Return the kind of the same relation read from the other side.

        Args:
            kind: Any string; a kind once it is normalised.

        Returns:
            The inverse; on an unknown kind, `inverse_of_` comes on or off. The inverse of the inverse
            is the kind again, for every string.
        """
        entry = self.entries.get(kind)
        if entry is not None:
            return entry.inverse or kind
        depth, base = self._peeled(kind)
        # Strings pair up: x with inverse_of_x, then two prefixes with three. Over a known kind, whose partner
        # is elsewhere, the pairs begin one later.
        first = 1 if base in self.entries else 0
        return kind.removeprefix(INVERSE_PREFIX) if (depth - first) % 2 else INVERSE_PREFIX + kind

    def is_mirrored(self, kind: str) -> bool:
        """Tell whether an edge of this kind gets a mirror edge; those of unknown kinds do."""
        entry = self.entries.get(kind)
        return entry is None or entry.mirrored

    @property
    def unmirrored(self) -> tuple[str, ...]:
        """The kinds whose edges get no mirror edge."""
        return tuple(kind for kind in self.kinds if not self.is_mirrored(kind))

    def is_acyclic(self, kind: str) -> bool:
        """Tell whether a circle of such edges contradicts itself; nothing is held against unknown kinds."""
        entry = self.entries.get(kind)
        return entry is not None and bool(entry.acyclic)

    def excludes(self, kind: str) -> tuple[str, ...]:
        """Return the kinds that cannot hold beside this one, from the same node to the same node."""
        entry = self.entries.get(kind)
        return entry.excludes if entry is not None else ()

    def nearest(self, kind: str) -> str | None:
        """Return the known kind that a misspelt one, or a misspelt alias, most likely means, or `None`."""
        found = nearest(kind_key(kind), [*self.entries, *self.alias_of])
        return None if found is None else self.alias_of.get(found, found)

    def meaning(self, kind: str, language: Language) -> str:
        """Tell what a normalised kind means, or honestly that nobody defined it."""
        if entry := self.entries.get(kind):
            if text := _text(entry.meaning, language):
                return text
            other = self.entries.get(entry.inverse or "")
            if other and entry.inverse and (text := _text(other.meaning, language)):
                return _INVERSE_MEANING[language].format(inverse=entry.inverse, meaning=text)
        return _UNKNOWN_MEANING[language].format(kind=kind)

    def direction(self, kind: str, language: Language) -> str:
        """Tell in a sentence about A and B which way a normalised kind points."""
        if entry := self.entries.get(kind):
            if text := _text(entry.direction, language):
                return text
            other = self.entries.get(entry.inverse or "")
            if other and entry.inverse and (text := _text(other.direction, language)):
                return _INVERSE_DIRECTION[language].format(kind=kind, inverse=entry.inverse, direction=text)
        if kind.startswith(INVERSE_PREFIX):
            return _UNKNOWN_INVERSE[language].format(kind=kind, inverse=self.inverse(kind))
        return _UNKNOWN_DIRECTION[language].format(kind=kind)

    def _peeled(self, kind: str) -> tuple[int, str]:
        found = _PREFIXES.match(kind)
        length = found.end() if found else 0
        depth, base = length // len(INVERSE_PREFIX), kind[length:]
        # A known kind without an inverse of its own has one with the prefix, known as well.
        if depth and INVERSE_PREFIX + base in self.entries:
            return depth - 1, INVERSE_PREFIX + base
        return depth, base


# Format strings of the code's own; the words of a note come in as values only.
_UNKNOWN_MEANING: Final = {
    "en": "a relation that the author calls “{kind}”; nobody defined it, so its words count as they stand",
    "de": "eine Beziehung, die der Autor „{kind}“ nennt; sie ist nirgends erklärt, es gilt ihr Wortlaut",
}
_UNKNOWN_DIRECTION: Final = {
    "en": "A {kind} B: the note A states it about B.",
    "de": "A {kind} B: Die Notiz A sagt es über B.",
}
_UNKNOWN_INVERSE: Final = {
    "en": "A {kind} B says the same as B {inverse} A.",
    "de": "A {kind} B sagt dasselbe wie B {inverse} A.",
}
_INVERSE_MEANING: Final = {
    "en": "the inverse of “{inverse}” ({meaning})",
    "de": "die Umkehrung von „{inverse}“ ({meaning})",
}
_INVERSE_DIRECTION: Final = {
    "en": "A {kind} B says the same as B {inverse} A. {direction}",
    "de": "A {kind} B sagt dasselbe wie B {inverse} A. {direction}",
}


def _text(texts: Mapping[Language, str], language: Language) -> str | None:
    # The other language is better than none: models read both.
    return texts.get(language) or next(iter(texts.values()), None)


def _completed(written: Mapping[str, KindEntry]) -> Iterator[tuple[str, KindEntry]]:
    """Return all entries with an inverse each, and those that are only named as an inverse."""
    for kind, entry in written.items():
        inverse = kind if entry.symmetric else entry.inverse or INVERSE_PREFIX + kind
        other = written.get(inverse)
        acyclic = other.acyclic if other is not None and entry.acyclic is None else entry.acyclic
        yield kind, entry.model_copy(update={"inverse": inverse, "acyclic": bool(acyclic)})
        if other is None:
            yield inverse, KindEntry(inverse=kind, mirrored=entry.mirrored, acyclic=bool(acyclic))


def _excluding(entries: Mapping[str, KindEntry]) -> Iterator[tuple[str, KindEntry]]:
    """Return all entries with what excludes them, and with what their inverses exclude, read from the other side."""
    pairs = {(kind, other) for kind, entry in entries.items() for other in entry.excludes}
    inverse = {kind: entry.inverse or kind for kind, entry in entries.items()}
    pairs |= {(inverse[kind], inverse[other]) for kind, other in pairs}
    pairs |= {(other, kind) for kind, other in pairs}
    for kind, entry in entries.items():
        excluded = tuple(sorted(other for one, other in pairs if one == kind))
        yield kind, entry.model_copy(update={"excludes": excluded}) if excluded else entry

"""Steps 1, 2 and 6 of resolution: a name means the owner, the one note that carries it, or nothing yet.

The order is Obsidian's (exact path, then the source's own folder, then the shortest path), with titles and
aliases behind it. Pure: a name, its source and a catalogue in, a binding out.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

from kantenwerk.config.names import name_key, nfc, trim, without_extension
from kantenwerk.ingest.resolve.catalogue import Catalogue, Name, by_length, last_part, rooted, stem_path

How = Literal["path", "id", "file", "own", "title", "alias", "owner"]


class Carrier(Protocol):
    """A note that carries a name: its id, and its path as on disk."""

    @property
    def node(self) -> str:
        """The note's id."""

    @property
    def path(self) -> str:
        """Its path."""


class Bound(NamedTuple):
    """One note is meant; `others` are notes of the same name that the rule passed over.

    `how` is `own` where it lies in the source's own folder and other notes of that file name lie elsewhere.
    """

    note: Carrier
    how: How
    others: tuple[Carrier, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several notes carry the name and nothing decides: a question."""

    options: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """No note carries the name; `key` is that of its mention."""

    key: str


@dataclass(frozen=True, slots=True)
class Attached:
    """The name is that of a file which is no note; `path` is None where it is missing."""

    path: str | None


@dataclass(frozen=True, slots=True)
class OwnerUnknown:
    """`ICH` is written, and no single note is the owner's."""

    owners: tuple[Carrier, ...]


Binding = Bound | Ambiguous | Unresolved | Attached | OwnerUnknown


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves names against one catalogue."""

    catalogue: Catalogue
    self_keys: frozenset[str]
    attachment_extensions: frozenset[str]

    def resolve(self, written: str, source_path: str, *, relative: bool = False) -> Binding:
        """Return which node `written` means in the note at `source_path`."""
        name = rooted(written, source_path)
        folder = _folder_of(source_path)
        binding = self._by_path(name, folder, is_path=name != written, relative=relative)
        if binding is None:
            binding = self.by_title(written)
        if binding is None:
            binding = self._attachment(name, folder, is_path=name != written, relative=relative)
        if binding is not None:
            return binding
        key = name_key(without_extension(name))
        return self._owner(key) if key in self.self_keys else Unresolved(key)

    def _by_path(self, name: str, folder: str, *, is_path: bool, relative: bool) -> Binding | None:
        """Try the path from the source's folder (Markdown links), the path, the id, the path's end.

        `is_path` says that the name was written as a path from the vault's root or from the folder (`/x`, `../x`),
        which no id is, and which the source's folder is already part of.
        """
        key = name_key(without_extension(name))
        found = _spelled_first(self.catalogue.find("file", trim(last_part(key))), name)
        if relative and found and not is_path and (near := _at(found, _joined(folder, name))):
            return Bound(near[0], "path", _unless_spelled(near, name))
        paths = _at(found, key)
        ids = [] if is_path else self.catalogue.find("id", key)
        if paths:
            ids = [entry for entry in ids if entry.node not in _nodes(paths)]
            return Bound(paths[0], "path", (*_unless_spelled(paths, name), *ids))
        if ids:
            return Bound(ids[0], "id", tuple(ids[1:]))
        if not found:
            return None
        if len(found) == 1 and ("/" + found[0].path_key).endswith("/" + key):
            # Nearly all names: whether it lies in the source's own folder makes no difference.
            return Bound(found[0], "file")
        if not is_path and (own := _at(found, _joined(folder, key))):
            return Bound(own[0], "own" if len(found) > len(own) else "file", _unless_spelled(own, name))
        ending = sorted((entry for entry in found if ("/" + entry.path_key).endswith("/" + key)), key=by_length)
        return Bound(ending[0], "file", tuple(ending[1:])) if ending else None

    def by_title(self, written: str) -> Bound | Ambiguous | None:
        """Return the note or notes with this title or alias, whatever their files are called."""
        key = name_key(without_extension(written))
        named: dict[str, tuple[Name, How]] = {}
        roles: tuple[Literal["alias"], Literal["title"]] = ("alias", "title")
        for role in roles:
            for entry in self.catalogue.find(role, key):
                named[entry.node] = (entry, role)
        if len(named) > 1:
            return Ambiguous(tuple(sorted((entry for entry, _ in named.values()), key=by_length)))
        return next((Bound(entry, how) for entry, how in named.values()), None)

    def _attachment(self, name: str, folder: str, *, is_path: bool, relative: bool) -> Binding | None:
        key = name_key(name)
        near = key if is_path else name_key(posixpath.normpath(posixpath.join(folder, name)))
        found = self.catalogue.find("attachment", trim(last_part(key)))
        # A Markdown link is looked up from the note's folder first, a wikilink from the vault's.
        for path_key in (near, key) if relative else (key, near):
            for entry in found:
                if entry.path_key == path_key:
                    return Attached(entry.path)
        for entry in found:
            if ("/" + entry.path_key).endswith("/" + key):
                return Attached(entry.path)
        extension = last_part(key).rpartition(".")[2] if "." in last_part(key) else ""
        return Attached(None) if extension in self.attachment_extensions else None

    def _owner(self, key: str) -> Binding:
        owners = tuple(self.catalogue.find("owner", key))
        return Bound(owners[0], "owner") if len(owners) == 1 else OwnerUnknown(owners)


@lru_cache(maxsize=1)  # a note's links come one after the other
def _folder_of(path: str) -> str:
    """Return the folder of a note."""
    return stem_path(path).rpartition("/")[0]


def _at(names: list[Name], key: str) -> list[Name]:
    return [name for name in names if name.path_key == key]


def _spelled_first(names: list[Name], written: str) -> list[Name]:
    """Where two paths differ in case or composition only, the one that is spelled as written comes first."""
    if len(names) < 2:  # noqa: PLR2004 - one name needs no order
        return names
    spelled = "/" + nfc(without_extension(written))
    return sorted(names, key=lambda entry: not ("/" + stem_path(entry.path)).endswith(spelled))


def _unless_spelled(names: list[Name], written: str) -> tuple[Name, ...]:
    """Return the names besides the first that `written` may mean as well: none if it spells the first."""
    spelled = "/" + nfc(without_extension(written))
    return () if ("/" + stem_path(names[0].path)).endswith(spelled) else tuple(names[1:])


def _joined(folder: str, name: str) -> str:
    """Return the key of a name's path seen from a folder."""
    name = without_extension(name)
    if not folder:
        return name_key(posixpath.normpath(name))
    return name_key(posixpath.normpath(f"{folder}/{name}") if "." in name else f"{folder}/{name}")


def _nodes(names: Iterable[Name]) -> set[str]:
    return {name.node for name in names}

"""Who carries which name: ids, paths, file names, titles, aliases and attachments, looked up by key."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, cast

from kantenwerk.config import Settings
from kantenwerk.config.names import name_key, nfc, trim, without_extension
from kantenwerk.graph.model import ParsedNote

Role = Literal["id", "file", "title", "alias", "owner", "attachment"]


class Name(NamedTuple):
    """One key under which a note (or an attachment) can be found.

    `node` is the note's id, `path` as on disk, `path_key` the key of the whole path, a note's without `.md`.
    """

    key: str
    role: Role
    node: str
    path: str
    path_key: str


class Catalogue:
    """All names that a set of links may ask for; order of insertion makes no difference to any answer."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._names: dict[tuple[Role, str], list[Name]] = defaultdict(list)
        for name in names:
            self._names[name.role, name.key].append(name)
        for entries in self._names.values():
            entries.sort(key=by_length)

    def find(self, role: Role, key: str) -> list[Name]:
        """Return who carries `key` in that role: the shortest path first, then by path."""
        return self._names.get((role, key), [])

    def keys(self, role: Role) -> list[str]:
        """Return all keys that somebody carries in that role."""
        return [key for other, key in self._names if other == role]


def by_length(name: Name) -> tuple[int, str, str]:
    """Return what orders notes of one name: the shorter path, then the path, composed or not alike."""
    path = nfc(name.path)
    return len(path), path, name.path


def stem_path(path: str) -> str:
    """Return a note's path as a name: NFC, without `.md`."""
    return without_extension(nfc(path))


def last_part(name: str) -> str:
    """Return what follows the last slash."""
    return name.rpartition("/")[2]


def note_names(note: ParsedNote, node: str, settings: Settings) -> Iterator[Name]:
    """Yield every name of one note; of type `user`, also the words that mean the vault's owner."""
    path_key = name_key(stem_path(note.path))
    yield Name(trim(last_part(path_key)), "file", node, note.path, path_key)
    if note.declared_id and node == note.declared_id:
        yield Name(name_key(without_extension(note.declared_id)), "id", node, note.path, path_key)
    yield Name(name_key(without_extension(note.title)), "title", node, note.path, path_key)
    for alias in dict.fromkeys(name_key(without_extension(alias)) for alias in note.aliases):
        yield Name(alias, "alias", node, note.path, path_key)
    if name_key(note.type) == name_key(settings.owner_type):
        for word in settings.self_names:
            yield Name(name_key(word), "owner", node, note.path, path_key)


def attachment_name(path: str) -> Name:
    """Return the name of a file that is no note."""
    key = name_key(path)
    return Name(trim(last_part(key)), "attachment", path, path, key)


def stored_name(node: str, key: str, role: str, path: str) -> Name:
    """Return a name as it was stored."""
    return Name(key, cast("Role", role), node, path, name_key(stem_path(path)))


def rooted(written: str, source_path: str) -> str:
    """Return the name with `./`, `../` and a leading `/` resolved against the vault."""
    if written.startswith(("./", "../")):
        folder = nfc(source_path).rpartition("/")[0]
        return posixpath.normpath(posixpath.join(folder, written))
    return written.lstrip("/") or written


def lookup_keys(written: str, source_path: str) -> tuple[str, str]:
    """Return the two keys by which a name is looked up: as a whole as written, and the last part of its path."""
    whole = name_key(without_extension(written))
    if "/" not in written:
        return whole, whole
    return whole, name_key(last_part(without_extension(rooted(written, source_path))))

"""Walks a vault and reads its files: the only place where notes are touched on disk."""

from __future__ import annotations

import os
import re
import stat as stat_module
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import MOST_BYTES, Finding

_GROUP_NAME = re.compile(r"\(\?P<\w+>")
# How git's patterns begin as regular expressions: in any folder, and there at the beginning of a name or within it.
_ANY_FOLDER, _ANY_BEGINNING = "^(?:.+/)?", "^(?:.+/)?[^/]*"
IGNORE_FILES = (".gitignore", ".kantenwerkignore")
# A file changed this shortly before it was read may change again within the same tick of the clock.
_RACY_NS = 2_000_000_000


class Stamp(NamedTuple):
    """What says, without reading, that a file is the same as before: size in bytes, times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int


NO_STAMP = Stamp(-1, 0, 0)


@dataclass(frozen=True, slots=True)
class Scan:
    """A vault's files: notes with their stamps, other files, findings, and folders that could not be read."""

    notes: dict[str, Stamp] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    unread_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes, with the stamp that they may be recognised by (`NO_STAMP`: read it again next time)."""

    data: bytes
    stamp: Stamp


def is_note(name: str) -> bool:
    """Tell whether a file's name is that of a note."""
    return name[-3:].lower() == ".md" and len(name) > 3  # noqa: PLR2004 - the ending alone names no note


def scan_vault(root: Path) -> Scan:
    """Return what lies in a vault; no symbolic link is followed, dot folders and ignored files are passed over.

    Order of the folder's entries makes no difference.
    """
    walk = _Walk(root)
    walk.run()
    return Scan(walk.notes, frozenset(walk.others), tuple(sorted(walk.findings)), tuple(sorted(walk.unread)))


def has_notes(root: Path) -> bool:
    """Tell whether a folder holds any note, ignored or not: a quick look before anything is written into it."""
    for _, folders, names in os.walk(root):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        if any(map(is_note, names)):
            return True
    return False


def read_note(root: Path, path: str) -> Content | Finding:
    """Return a note's bytes, or why they cannot be read; a file that changes meanwhile has no stamp.

    Of one that is too large, no more is read than shows it.
    """
    try:
        # Unbuffered and without a path object: this runs once a note.
        with open(f"{root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123
            before = os.fstat(file.fileno())
            data = file.read() if before.st_size <= MOST_BYTES else _beginning(file)
            after = os.fstat(file.fileno())
    except OSError as error:
        return _unreadable(path, error)
    stamp = stamp_of(before)
    is_racy = max(before.st_mtime_ns, before.st_ctime_ns) > time.time_ns() - _RACY_NS
    if stamp != stamp_of(after) or len(data) != min(stamp.size, MOST_BYTES + 1):
        stamp = NO_STAMP
    elif is_racy:
        stamp = Stamp(NO_STAMP.size, stamp.mtime_ns, stamp.ctime_ns)
    return Content(data, stamp)


def _beginning(file: FileIO) -> bytes:
    """Return as much of a large file as tells that it is one; a single read may give less."""
    pieces, left = [], MOST_BYTES + 1
    while left and (piece := file.read(left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def stamp_of(result: os.stat_result) -> Stamp:
    """Return the part of a stat that an import compares."""
    return Stamp(result.st_size, result.st_mtime_ns, result.st_ctime_ns)


class _Walk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.notes: dict[str, Stamp] = {}
        self.others: list[str] = []
        self.findings: list[Finding] = []
        self.unread: list[str] = []

    def run(self) -> None:
        waiting: list[tuple[str, tuple[_Ignore, ...]]] = [("", ())]
        while waiting:
            folder, ignores = waiting.pop()
            try:
                with os.scandir(self.root / folder) as entries:
                    found = list(entries)
            except OSError as error:
                self.findings.append(_unreadable(folder or ".", error))
                self.unread.append(folder)
                continue
            ignores = (*ignores, *self._ignore_files(folder, found))
            waiting.extend((path, ignores) for path in self._take(folder, found, ignores))

    def _ignore_files(self, folder: str, entries: list[os.DirEntry[str]]) -> Iterator[_Ignore]:
        for entry in entries:
            if entry.name in IGNORE_FILES and entry.is_file(follow_symlinks=False):
                try:
                    text = Path(entry.path).read_text("utf-8-sig", errors="replace")
                except OSError as error:
                    self.findings.append(_unreadable(_join(folder, entry.name), error))
                    continue
                yield _ignore(entry.name, folder, text)

    def _take(self, folder: str, entries: list[os.DirEntry[str]], ignores: tuple[_Ignore, ...]) -> Iterator[str]:
        """Sort one folder's entries into notes, others and findings; yield the folders to go on with."""
        for entry in entries:
            path = _join(folder, entry.name)
            if entry.name.startswith("."):
                continue
            if not _is_text(path):
                self.findings.append(_unspeakable(path))
            elif entry.is_symlink():
                if not _is_ignored(path, ignores, folder=False):
                    self.findings.append(_symlink(path, entry))
            elif entry.is_dir(follow_symlinks=False):
                if not _is_ignored(path, ignores, folder=True):
                    yield path
            elif not _is_ignored(path, ignores, folder=False):
                self._take_file(path, entry)

    def _take_file(self, path: str, entry: os.DirEntry[str]) -> None:
        if not is_note(entry.name):
            self.others.append(path)
            return
        try:
            result = entry.stat(follow_symlinks=False)
        except OSError as error:
            self.findings.append(_unreadable(path, error))
            self.unread.append(path)
            return
        if stat_module.S_ISREG(result.st_mode):
            self.notes[path] = stamp_of(result)
        else:
            self.findings.append(
                finding("unreadable", path, 1, "it is no regular file", "give it another name, or a text")
            )


@dataclass(frozen=True, slots=True)
class _Ignore:
    """One ignore file's patterns, which hold for paths below its folder."""

    file: str
    folder: str
    patterns: tuple[tuple[re.Pattern[str], bool], ...]
    any_pattern: re.Pattern[str]

    def verdict(self, path: str) -> bool | None:
        """Tell what the last pattern that matches says of a path, a folder's with a slash at its end."""
        relative = path[len(self.folder) + 1 :] if self.folder else path
        # Nearly every file matches nothing: one search says so for all patterns.
        if not self.any_pattern.search(f"/{relative}"):
            return None
        found = (ignored for regex, ignored in reversed(self.patterns) if _is_match(regex, relative))
        return next(found, None)


def _is_match(regex: re.Pattern[str], path: str) -> bool:
    """Tell whether a pattern matches a path and not only a folder that it lies in, which was asked about before."""
    return any(match.lastindex is None or match.end() == len(path) for match in regex.finditer(path))


def _ignore(file: str, folder: str, text: str) -> _Ignore:
    patterns = tuple(found for line in text.splitlines() for found in _patterns(line))
    regexes = (_GROUP_NAME.sub("(?:", regex.pattern) for regex, _ in patterns)
    return _Ignore(file, folder, patterns, re.compile("|".join(map(_somewhere, regexes)) or r"(?!)"))


def _patterns(line: str) -> Iterator[tuple[re.Pattern[str], bool]]:
    """Yield the pattern of a line and whether it leaves out; what is none, git passes over as well."""
    try:
        spec = GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return
    for pattern in spec.patterns:
        if pattern.regex and pattern.include is not None:
            yield pattern.regex, pattern.include


def _somewhere(regex: str) -> str:
    """Return what is found in a path, a slash before it, if the regex matches the path; it may be found in others too.

    To seek a slash or an ending is quick; what may begin with any folder is tried at every letter.
    """
    if regex.startswith(_ANY_BEGINNING):
        return f"(?:{regex.removeprefix(_ANY_BEGINNING)})"
    if regex.startswith("^"):
        return f"/(?:{regex.removeprefix(_ANY_FOLDER).removeprefix('^')})"
    return f"(?:{regex})"


def _is_ignored(path: str, ignores: tuple[_Ignore, ...], *, folder: bool) -> bool:
    """Of the ignore files of one name, the innermost that speaks of the path decides, as in git; one name is enough."""
    asked = path + "/" if folder else path
    decided: dict[str, bool] = {}
    for ignore in reversed(ignores):
        if ignore.file not in decided and (verdict := ignore.verdict(asked)) is not None:
            decided[ignore.file] = verdict
    return any(decided.values())


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unspeakable(path: str) -> Finding:
    shown = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return finding("unreadable", shown, 1, "its name is not UTF-8, so nothing can link to it", "rename it")


def _unreadable(path: str, error: OSError) -> Finding:
    reason = error.strerror or str(error)
    return finding(
        "unreadable",
        path,
        1,
        f"it cannot be read: {reason}",
        "give yourself the right to read it, or name it in .kantenwerkignore",
    )


def _symlink(path: str, entry: os.DirEntry[str]) -> Finding:
    if not Path(entry.path).exists():
        return finding("dangling-symlink", path, 1, "the symbolic link leads nowhere", "mend or delete it")
    return finding(
        "symlink-skipped",
        path,
        1,
        "symbolic links are not followed",
        "put the note itself into the vault, or name the link in .kantenwerkignore",
    )

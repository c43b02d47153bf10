"""Which findings were not there at a revision of git: the vault as it was then is checked as well.

A finding is old if the note, or the one that it was renamed from, had it then: code, path, message and at least this
severity, as many times. So what is new is what the change brought, in whatever note it shows.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from kantenwerk.config.errors import ConfigError, VaultError, told
from kantenwerk.graph.decisions import FOLDER
from kantenwerk.graph.findings import UNREAD
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.git import Entry, Revision, find_revision
from kantenwerk.ingest.check.identity import Identity, identity
from kantenwerk.ingest.lines import Lines
from kantenwerk.ingest.scan import IGNORE_FILES, is_note, scan_vault

Look = Callable[[Path], tuple[Finding, ...]]
_RANKS = {"error": 0, "warning": 1, "info": 2}
_QUOTED = re.compile(r"`([^`]*)`")
_DECISIONS = "decisions.yaml"
_MANY_LINES = 2_000


@dataclass(frozen=True, slots=True)
class News:
    """The findings that were not there at a revision, those that were, and what else is to be told."""

    findings: tuple[Finding, ...]
    older: tuple[Finding, ...] = ()
    remark: str | None = None


def news_since(name: str, vault: Path, findings: tuple[Finding, ...], look: Look) -> News:
    """Return which findings of a vault were not there at a revision; `look` gives those of a folder.

    Raises:
        ConfigError: git is missing, knows no such revision, or does not hold all of it.
    """
    revision = find_revision(vault, name)
    _refuse_submodules(revision)
    with TemporaryDirectory(prefix="kantenwerk-") as folder:
        then_vault = Path(folder)
        try:
            _write(revision, then_vault)
        except OSError as error:
            what = f"the vault as it was cannot be written into {folder}: {told(error)}"
            raise ConfigError(f"--changed-since {name}: {what}") from None
        then, remark = _findings_then(revision, then_vault, look)
        comparison = _Comparison(Lines(vault), Lines(then_vault), revision.renames(), then)
        new = Counter(comparison.new(findings))
    return News(tuple(sorted(new.elements())), tuple(sorted((Counter(findings) - new).elements())), remark)


def _refuse_submodules(revision: Revision) -> None:
    submodules = revision.submodules()
    if not submodules:
        return
    scan = scan_vault(revision.vault)
    files = {*scan.notes, *scan.others}
    for path in sorted(submodules):
        # One that is not checked out, or that an ignore file names, has no part in the vault.
        if any(file.startswith(f"{path}/") for file in files):
            what = f"`{path}` is a submodule, and what it held then is not known here; name it in .kantenwerkignore"
            raise ConfigError(f"--changed-since {revision.name}: {what}")


def _write(revision: Revision, folder: Path) -> None:
    """Write what an import would read into a folder; of files that are not read, an empty one."""
    wanted = [entry for entry in revision.entries() if _is_seen(entry.path)]
    read = [entry for entry in wanted if entry.is_symlink or _is_read(entry.path)]
    for entry in wanted:
        place = folder / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not entry.is_symlink:
            place.touch()
    # Links come last, so that nothing is written through one.
    for entry, content in revision.contents(sorted(read, key=lambda entry: entry.is_symlink)):
        if entry.is_symlink:
            (folder / entry.path).symlink_to(_target(revision.vault, entry, content))
        else:
            (folder / entry.path).write_bytes(content)


def _is_seen(path: str) -> bool:
    """Tell whether a scan would see a file, or the settings and decisions are read from it."""
    folders, _, name = path.rpartition("/")
    parts = folders.split("/") if folders else []
    if parts[:1] == [FOLDER]:
        return len(parts) == 1
    return not any(part.startswith(".") for part in parts) and (name in IGNORE_FILES or not name.startswith("."))


def _is_read(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if folder == FOLDER:
        return name.endswith((".yaml", ".yml", ".jsonl"))
    return is_note(name) or name in IGNORE_FILES


def _target(vault: Path, entry: Entry, content: bytes) -> str:
    """Return where a symbolic link led; one out of the vault leads to the same place from the other folder."""
    written = os.fsdecode(content)
    folder = PurePosixPath(entry.path).parent
    inside = posixpath.normpath(f"{folder}/{written}")
    return str(vault.resolve() / folder / written) if inside.startswith(("..", "/")) else written


def _findings_then(revision: Revision, folder: Path, look: Look) -> tuple[tuple[Finding, ...], str | None]:
    """Return the findings that there were, and what is to be told of the settings at that time."""
    remark = None
    try:
        try:
            return look(folder), None
        except ConfigError as error:
            first = str(error).partition("\n")[0].removeprefix(f"{folder}{os.sep}")
            remark = f"the settings at {revision.name} are wrong, so those of now count for then: {first}"
            _take_settings(revision.vault, folder)
            return look(folder), remark
    except VaultError:
        # There was no note, and so nothing to find.
        return (), remark


def _take_settings(vault: Path, folder: Path) -> None:
    (folder / FOLDER).mkdir(exist_ok=True)
    for old in (folder / FOLDER).glob("*.y*ml"):
        if old.name != _DECISIONS:
            old.unlink()
    for new in (vault / FOLDER).glob("*.yaml"):
        if new.name != _DECISIONS and new.is_file():
            shutil.copyfile(new, folder / FOLDER / new.name)


class _Comparison:
    """Two times of a vault: the sources of both, the renames between them, and the findings of the first."""

    def __init__(self, now: Lines, then: Lines, renames: Mapping[str, str], findings: tuple[Finding, ...]) -> None:
        self._now = now
        self._then = then
        self._old_names = {new: old for old, new in renames.items()}
        self._old: dict[Identity, list[Finding]] = defaultdict(list)
        for found in findings:
            self._old[identity(_moved(found, renames))].append(found)

    def new(self, findings: tuple[Finding, ...]) -> Iterator[Finding]:
        """Yield the findings that were not there; what could not be read is always told."""
        groups: dict[Identity, list[Finding]] = defaultdict(list)
        for found in findings:
            groups[identity(found)].append(found)
        for key, group in groups.items():
            old = self._old.get(key, [])
            for found in self._unmoved_first(group, old) if len(group) > len(old) > 0 else group:
                known = next((was for was in old if _RANKS[was.severity] <= _RANKS[found.severity]), None)
                if known is None or found.code in UNREAD:
                    yield found
                else:
                    old.remove(known)

    def _unmoved_first(self, group: list[Finding], old: list[Finding]) -> list[Finding]:
        """Of equal findings put those first that stand on lines which had one: the others are what is new."""
        path = group[0].path
        then = self._then.of(self._old_names.get(path, path))
        lines = _line_numbers(then, self._now.of(path))
        kept = {lines.get(found.line) for found in old}
        return sorted(group, key=lambda found: (found.line not in kept, found.line))


def _line_numbers(then: tuple[str, ...], now: tuple[str, ...]) -> dict[int, int]:
    """Return the number that each line which stayed has now, by the one that it had."""
    ends = min(len(then), len(now))
    head = next((at for at in range(ends) if then[at] != now[at]), ends)
    tail = next((at for at in range(ends - head) if then[-1 - at] != now[-1 - at]), ends - head)
    numbers = {at + 1: at + 1 for at in range(head)}
    numbers |= {len(then) - at: len(now) - at for at in range(tail)}
    old, new = then[head : len(then) - tail], now[head : len(now) - tail]
    # Thousands of lines that say the same would each be held against every other.
    matcher = SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > _MANY_LINES)
    for block in matcher.get_matching_blocks():
        numbers |= {head + block.a + at + 1: head + block.b + at + 1 for at in range(block.size)}
    return numbers


def _moved(found: Finding, renames: Mapping[str, str]) -> Finding:
    """Return a finding as it would read if the files had had their present names then."""
    message = _QUOTED.sub(lambda match: f"`{renames.get(match[1], match[1])}`", found.message)
    return replace(found, path=renames.get(found.path, found.path), message=message)

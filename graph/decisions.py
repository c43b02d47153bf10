"""The text files beside the notes that let another clone reach the same graph: `verdicts.jsonl`.

Sorted, one verdict a line, so that git merges two branches as text (union driver). Where a merge left two lines
for one key, a person goes before a model, then the newest, then the line.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from errno import EACCES
from hashlib import blake2b
from pathlib import Path
from typing import Any, get_args

from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Answer, Finding, Judge, Verdict

FOLDER = ".kantenwerk"
VERDICTS = f"{FOLDER}/verdicts.jsonl"
# What a column of the database can hold; an endpoint may claim any count.
MOST = 2**63 - 1
# What `write_atomically` calls a file before it is whole.
_LEFTOVER = re.compile(r"(?:verdicts\.jsonl|decisions\.yaml|lock\.json|\.gitignore|\.gitattributes)[a-z0-9_]{8}\.tmp")
_NAMES = tuple(entry.name for entry in fields(Verdict))
_TEXTS = ("key", "source", "kind", "target", "evidence_hash", "asked_at")
_OPTIONAL_TEXTS = ("profile", "model", "prompt_hash")

GITIGNORE = """\
# Built from the notes and the decisions beside them; delete it and import again.
graph.duckdb
graph.duckdb.wal
lock
lock.json
journal.jsonl
*.tmp
"""
GITATTRIBUTES = """\
# One decision a line, sorted: two branches merge as text.
verdicts.jsonl merge=union
decisions.yaml merge=union
"""


@dataclass(frozen=True, slots=True)
class VerdictFile:
    """What `verdicts.jsonl` holds: verdicts by key with their line, fields that are not ours, and findings.

    One that cannot be read is never written: what it holds is not known.
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    extras: dict[str, dict[str, Any]] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest: str = ""
    is_readable: bool = True


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """What changes in the recorded verdicts: those that moved, by their old key, new ones, and keys withdrawn."""

    moved: Mapping[str, Verdict] = field(default_factory=dict)
    added: tuple[Verdict, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.moved or self.added or self.removed)


def read_verdicts(vault: Path) -> VerdictFile:
    """Return the recorded verdicts; a damaged line costs only itself and is a finding. No file is no verdicts."""
    try:
        data = (vault / VERDICTS).read_bytes()
    except FileNotFoundError:
        return VerdictFile()
    except OSError as error:
        return VerdictFile(findings=(unreadable(VERDICTS, error),), is_readable=False)
    return parse_verdicts(data)


def unreadable(path: str, error: OSError) -> Finding:
    """Return the finding for a file of decisions that is there and cannot be read."""
    message = f"it cannot be read: {error.strerror}"
    return finding("unreadable", path, 1, message, "give yourself the right to read it")


def parse_verdicts(data: bytes) -> VerdictFile:
    """Return the verdicts that a file's bytes hold."""
    reader = _Reader()
    for number, line in enumerate(data.decode("utf-8-sig", errors="replace").split("\n"), 1):
        if line.strip():
            reader.take(number, line.strip())
    return VerdictFile(
        reader.verdicts,
        reader.lines,
        reader.extras,
        tuple(reader.damaged),
        tuple(reader.findings),
        blake2b(data, digest_size=16).hexdigest(),
    )


def changed_text(file: VerdictFile, change: VerdictChange) -> str:
    """Return a file's text after a change; fields of other programs and damaged lines survive."""
    verdicts, extras = dict(file.verdicts), dict(file.extras)
    for old, verdict in change.moved.items():
        if verdicts.pop(old, None) is not None:
            verdicts[verdict.key] = verdict
            extras[verdict.key] = extras.pop(old, {})
    verdicts |= {verdict.key: verdict for verdict in change.added}
    for key in change.removed:
        verdicts.pop(key, None)
    lines = [_line(verdict, extras.get(verdict.key, {})) for verdict in verdicts.values()]
    return "".join(f"{line}\n" for line in sorted({*lines, *file.damaged}))


def write_verdicts(vault: Path, change: VerdictChange) -> None:
    """Bring a change into `verdicts.jsonl` as it is now: what came while models were asked is kept.

    Raises:
        OSError: the file cannot be read or written; it is as it was.
    """
    if change:
        file = read_verdicts(vault)
        if not file.is_readable:
            raise PermissionError(EACCES, "it cannot be read, so nothing is written into it", str(vault / VERDICTS))
        write_atomically(vault / VERDICTS, changed_text(file, change))


def write_atomically(path: Path, text: str, errors: str = "strict") -> None:
    """Write a text file so that it is, at any moment, the old one or the new one.

    `errors` says, as for `str.encode`, what becomes of a character that UTF-8 cannot hold.

    Raises:
        OSError: it cannot be written; the old one stands.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(text, "utf-8", errors, newline="\n")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a new file beside another to write, which takes its place at the end, unless an exception ends it.

    Raises:
        OSError: it cannot be made, or cannot take that place; the old one stands.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    os.close(handle)
    new = Path(name)
    try:
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.chmod(0o644)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def clear_leftovers(vault: Path) -> None:
    """Delete the temporary files that a killed process left in `.kantenwerk`; for who holds the lock.

    Raises:
        OSError: one cannot be deleted.
    """
    for path in (vault / FOLDER).glob("*.tmp"):
        # DuckDB has a folder of that name.
        if _LEFTOVER.fullmatch(path.name):
            path.unlink()


def write_git_files(vault: Path) -> None:
    """Write `.kantenwerk/.gitignore` and `.gitattributes` where they are missing."""
    for name, text in ((".gitignore", GITIGNORE), (".gitattributes", GITATTRIBUTES)):
        path = vault / FOLDER / name
        if not path.exists():
            write_atomically(path, text)


class _Reader:
    def __init__(self) -> None:
        self.verdicts: dict[str, Verdict] = {}
        self.lines: dict[str, int] = {}
        self.extras: dict[str, dict[str, Any]] = {}
        self.damaged: list[str] = []
        self.findings: list[Finding] = []

    def take(self, number: int, line: str) -> None:
        try:
            verdict, extras = _verdict(line)
        except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
            self.damaged.append(line)
            self._tell("verdict-damaged", number, f"the line is no verdict: {error}", "mend it, or delete the line")
            return
        other = self.verdicts.get(verdict.key)
        if other is not None and other != verdict:
            self._tell(
                "decision-conflict",
                number,
                f"line {self.lines[verdict.key]} holds another verdict under the same key",
                "a person goes before a model, then the newest; delete the other line",
            )
            if _weight(other) >= _weight(verdict):
                return
        self.verdicts[verdict.key] = verdict
        self.lines[verdict.key] = number
        self.extras[verdict.key] = extras

    def _tell(self, code: str, line: int, message: str, advice: str) -> None:
        self.findings.append(finding(code, VERDICTS, line, message, advice))


def _weight(verdict: Verdict) -> tuple[bool, str, str]:
    return verdict.judge == "person", verdict.asked_at, _line(verdict, {})


def verdict_line(verdict: Verdict) -> str:
    """Return the line of a verdict that has no fields of other programs."""
    return _line(verdict, {})


def _line(verdict: Verdict, extras: dict[str, Any]) -> str:
    content = {**extras, **{name: getattr(verdict, name) for name in _NAMES}}
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _verdict(line: str) -> tuple[Verdict, dict[str, Any]]:
    content = json.loads(line)
    if not isinstance(content, dict):
        raise TypeError("it is no JSON object")
    missing = [name for name in (*_TEXTS, "answer", "judge", "confidence") if name not in content]
    if missing:
        raise ValueError(f"`{missing[0]}` is missing")
    extras = {name: value for name, value in content.items() if name not in _NAMES}
    values: dict[str, Any] = {name: content.get(name) for name in _NAMES}
    verdict = Verdict(**values)
    _check(verdict)
    return replace(verdict, confidence=float(verdict.confidence)), extras


def _check(verdict: Verdict) -> None:
    for name in (*_TEXTS, *_OPTIONAL_TEXTS):
        value = getattr(verdict, name)
        if not isinstance(value, str) and not (value is None and name in _OPTIONAL_TEXTS):
            raise TypeError(f"`{name}` is no text")
        # A lone surrogate, which JSON can write and no file can hold, is an error here.
        (value or "").encode()
    if verdict.answer not in get_args(Answer):
        raise ValueError(f"`answer` is none of {', '.join(get_args(Answer))}")
    if verdict.judge not in get_args(Judge):
        raise ValueError("`judge` is neither person nor model")
    for name in ("confidence", "p_yes"):
        value = getattr(verdict, name)
        if value is None and name == "p_yes":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ValueError(f"`{name}` is no number from 0 to 1")
    for name in ("tokens", "latency_ms"):
        value = getattr(verdict, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST):
            raise ValueError(f"`{name}` is no count")

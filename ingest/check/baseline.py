"""The findings that a vault is known to have, as a file of one line each, so that only new ones are told.

Sorted JSON lines of code, path, a hash of the message, and how often; no line numbers, so that it stays right when
text is put in above. Of lines for one finding, as a merge may leave, the highest count holds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from kantenwerk.config.errors import ConfigError, told
from kantenwerk.graph.decisions import FOLDER, VERDICTS, write_atomically
from kantenwerk.graph.findings import UNREAD
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.identity import identity


class Entry(NamedTuple):
    """One kind of finding in a baseline; ordered as the file's lines are."""

    path: str
    code: str
    fingerprint: str


def baseline_of(findings: Iterable[Finding]) -> Counter[Entry]:
    """Return a baseline of findings; what could not be read never goes into one."""
    return Counter(_entry(found) for found in findings if found.code not in UNREAD)


def spend(baseline: Counter[Entry], findings: tuple[Finding, ...]) -> tuple[tuple[Finding, ...], Counter[Entry]]:
    """Return the findings that a baseline does not hold, the first of equal ones being the known, and what is left."""
    left = Counter(baseline)
    new = []
    for found in findings:
        entry = _entry(found)
        if found.code not in UNREAD and left[entry] > 0:
            left[entry] -= 1
        else:
            new.append(found)
    return tuple(new), +left


def read_baseline(path: Path) -> Counter[Entry]:
    """Return what a baseline file holds.

    Raises:
        ConfigError: it is missing or damaged.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such baseline; write it with --write-baseline") from None
    except UnicodeDecodeError:
        raise ConfigError(
            f"{path}: the baseline is not UTF-8; delete it and write it anew with --write-baseline"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: the baseline cannot be read: {told(error)}") from None
    baseline: Counter[Entry] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                entry, count = _parsed(line)
            except (ValueError, TypeError, LookupError, RecursionError):
                what = "the line is none of a baseline"
                advice = "mend it, or delete the file and write it anew with --write-baseline"
                raise ConfigError(f"{path}:{number}: {what}; {advice}") from None
            baseline[entry] = max(baseline[entry], count)
    return baseline


def write_baseline(path: Path, baseline: Counter[Entry]) -> None:
    """Write a baseline file, which is at any moment the old one or the new one.

    Raises:
        ConfigError: it cannot be written, or what is there may be no baseline.
    """
    if path.suffix.lower() == ".md" or (path.resolve().parent.name == FOLDER and _is_ours(path.name)):
        raise ConfigError(f"{path}: this name is no baseline's; give --write-baseline another one, as known.jsonl")
    if path.is_file():
        try:
            read_baseline(path)
        except ConfigError as error:
            raise ConfigError(f"{error}; nothing was written") from None
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: the folder {path.parent} does not exist")
    try:
        write_atomically(path, "".join(f"{_line(entry, count)}\n" for entry, count in sorted(baseline.items())))
    except OSError as error:
        raise ConfigError(f"{path}: the baseline cannot be written: {told(error)}") from None


def _is_ours(name: str) -> bool:
    return name.lower() == Path(VERDICTS).name or name.lower().endswith((".yaml", ".yml", ".duckdb"))


def _entry(found: Finding) -> Entry:
    path, code, message = identity(found)
    return Entry(path, code, blake2b(message.encode(errors="surrogatepass"), digest_size=8).hexdigest())


def _line(entry: Entry, count: int) -> str:
    content = {"path": entry.path, "code": entry.code, "fingerprint": entry.fingerprint, "count": count}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _parsed(line: str) -> tuple[Entry, int]:
    content = json.loads(line)
    entry = Entry(*(content[name] for name in Entry._fields))
    count = content["count"]
    if not all(isinstance(value, str) for value in entry) or type(count) is not int or count < 1:
        raise ValueError(line)
    return entry, count

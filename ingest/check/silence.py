"""Comments in notes that silence findings of one line, and what is wrong with such comments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kantenwerk.config.codes import unknown_code
from kantenwerk.graph.findings import SEVERITIES, UNREAD, finding
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.check.run import Checked
from kantenwerk.ingest.check.scope import hides
from kantenwerk.ingest.lines import Lines
from kantenwerk.ingest.parse.comments import MARK, IgnoreComment, ignore_comments
from kantenwerk.ingest.scan import read_note

# Which of them is told hangs on `--frozen`, and a comment is to serve for both ways.
_BY_CALL = frozenset({"candidate-pending", "candidate-unlocked", "name-unlocked"})
Spot = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Heard:
    """The findings that no comment silences, those about the comments among them, and how many are silenced."""

    findings: tuple[Finding, ...]
    silenced: int


def heed_comments(vault: Path, checked: Checked) -> Heard:
    """Return what is left of a check's findings when the comments in the notes have had their say."""
    comments = {path: here for path in checked.paths if (here := _comments(vault, path, checked.sources))}
    # What is said of each line, and what is found on it, once each: a line may hold any number of comments.
    said: dict[Spot, dict[tuple[str, ...], None]] = defaultdict(dict)
    told: dict[Spot, set[str]] = defaultdict(set)
    for path, here in comments.items():
        for comment in here:
            for line in comment.lines:
                said[path, line][comment.codes] = None
    for found in checked.findings:
        told[found.path, found.line].add(found.code)
    left = [
        found
        for found in checked.findings
        if not any(_silences(codes, found.code) for codes in said.get((found.path, found.line), ()))
    ]
    silenced = len(checked.findings) - len(left)
    for path, here in comments.items():
        for comment in here:
            codes = {code for line in comment.lines for code in told.get((path, line), ())}
            left += _about(path, comment, codes)
    return Heard(tuple(sorted(left)), silenced)


def _comments(vault: Path, path: str, sources: Lines) -> tuple[IgnoreComment, ...]:
    content = read_note(vault, path)
    # Hardly any note has one, and reading a note costs little beside cutting it into blocks.
    if isinstance(content, Finding) or MARK.encode() not in content.data:
        return ()
    return ignore_comments(path, sources.of(path))


def _silences(codes: tuple[str, ...], code: str) -> bool:
    return hides(codes, code) if codes else code not in UNREAD


def _about(path: str, comment: IgnoreComment, found: set[str]) -> Iterator[Finding]:
    """Yield what is wrong with a comment: a code that there is not, or one of which it silences nothing."""
    silenced = [code for code in found if _silences(comment.codes, code)]
    unused = []
    for name in comment.codes:
        if (what := unknown_code(name, SEVERITIES)) is not None:
            message = f"the comment ignores `{name}`: {what}"
            yield finding("unknown-code", path, comment.line, message, "correct the code", subject=name)
        elif name not in _BY_CALL and not any(hides((name,), code) for code in silenced):
            unused.append(name)
    if unused or not (silenced or comment.codes):
        named = ", ".join(f"`{name}`" for name in unused) or "findings"
        what = f"the comment ignores {named}, and there is none here"
        advice = "delete the comment" if len(unused) == len(comment.codes) else "take that out of the comment"
        yield finding("unused-ignore", path, comment.line, what, advice, subject=unused[0] if unused else MARK)

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
from kantenwerk.ingest.check.sources import Sources
from kantenwerk.ingest.parse.comments import MARK, IgnoreComment, ignore_comments
from kantenwerk.ingest.scan import read_note

# Which of them is told hangs on `--frozen`, and a comment is to serve for both ways.
_BY_CALL = frozenset({"candidate-pending", "candidate-unlocked", "name-unlocked"})


@dataclass(frozen=True, slots=True)
class Heard:
    """The findings that no comment silences, those about the comments among them, and how many are silenced."""

    findings: tuple[Finding, ...]
    silenced: int


def heed_comments(vault: Path, checked: Checked) -> Heard:
    """Return what is left of a check's findings when the comments in the notes have had their say."""
    comments = {path: here for path in checked.paths if (here := _comments(vault, path, checked.sources))}
    findings: dict[str, list[Finding]] = defaultdict(list)
    left: list[Finding] = []
    for found in checked.findings:
        findings[found.path].append(found)
        if not any(_silences(comment, found) for comment in comments.get(found.path, ())):
            left.append(found)
    silenced = len(checked.findings) - len(left)
    for path, here in comments.items():
        left += (told for comment in here for told in _about(path, comment, findings[path]))
    return Heard(tuple(sorted(left)), silenced)


def _comments(vault: Path, path: str, sources: Sources) -> tuple[IgnoreComment, ...]:
    content = read_note(vault, path)
    # Hardly any note has one, and reading a note costs little beside cutting it into blocks.
    if isinstance(content, Finding) or MARK.encode() not in content.data:
        return ()
    return ignore_comments(path, sources.lines(path))


def _silences(comment: IgnoreComment, found: Finding) -> bool:
    if not comment.covers(found.line):
        return False
    return hides(comment.codes, found.code) if comment.codes else found.code not in UNREAD


def _about(path: str, comment: IgnoreComment, findings: list[Finding]) -> Iterator[Finding]:
    """Yield what is wrong with a comment: a code that there is not, or one of which it silences nothing."""
    silenced = [found.code for found in findings if _silences(comment, found)]
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

"""Every finding's code and severity in one table, so that a code means the same wherever it is given."""

from __future__ import annotations

from dataclasses import asdict

from kantenwerk.graph.model import Finding, Severity

SEVERITIES: dict[str, Severity] = {
    "not-text": "error",
    "too-large": "error",
    "unreadable": "error",
    "frontmatter-invalid": "error",
    "frontmatter-rejected": "error",
    "duplicate-id": "error",
    "self-unknown": "error",
    "search-failed": "error",
    "run-refused": "error",
    "edge-cycle": "error",
    "candidate-unlocked": "error",
    "name-unlocked": "error",
    "not-utf8": "warning",
    "frontmatter-not-mapping": "warning",
    "frontmatter-unclosed": "warning",
    "frontmatter-duplicate-key": "warning",
    "type-not-string": "warning",
    "property-link-unquoted": "warning",
    "unclosed-fence": "warning",
    "unclosed-comment": "warning",
    "malformed-candidate": "warning",
    "malformed-edge": "warning",
    "external-target": "warning",
    "ambiguous-target": "warning",
    "unresolved-target": "warning",
    "heading-not-found": "warning",
    "attachment-missing": "warning",
    "dangling-symlink": "warning",
    "unknown-kind": "warning",
    "edge-contradiction": "warning",
    "duplicate-alias": "warning",
    "candidate-failed": "warning",
    "candidate-rejected": "warning",
    "verdict-stale": "warning",
    "verdict-orphaned": "warning",
    "verdict-damaged": "warning",
    "unknown-code": "warning",
    "decision-damaged": "warning",
    "decision-orphaned": "warning",
    "decision-conflict": "warning",
    "symlink-skipped": "info",
    "unknown-type": "info",
    "title-target": "info",
    "alias-target": "info",
    "stem-target": "info",
    "semantic-target": "info",
    "interface-target": "info",
    "redundant-candidate": "info",
    "candidate-pending": "info",
    "candidate-unproven": "info",
    "self-link": "info",
    "note-empty": "info",
    "unused-ignore": "info",
    "orphan-note": "info",
}
# Told by no finding: what `check --fix` mends because it can, and by this name is told not to.
SPELLING = "kind-spelling"
CODES: dict[str, Severity] = {**SEVERITIES, SPELLING: "info"}
# Something could not be read or done, so that more may be wrong than is told: never left out in passing.
UNREAD = frozenset({"not-text", "too-large", "unreadable", "run-refused", "search-failed"})


def finding(
    code: str, path: str, line: int, message: str, advice: str, severity: Severity | None = None, *, subject: str = ""
) -> Finding:
    """Return a finding with its code's severity, or with `severity` where a setting decides it.

    `subject` is the piece of the line that it is about, as it stands there; without one it is about the line.

    Raises:
        KeyError: the code is not in the table.
    """
    return Finding(path, line, code, severity or SEVERITIES[code], message, advice, subject)


def as_stored(found: Finding) -> dict[str, object]:
    """Return a finding's fields as the graph has them: without the subject, which only the run that found it knows."""
    return {name: value for name, value in asdict(found).items() if name != "subject"}

"""`check --frozen`: what decides over the graph and is not recorded beside the notes, as with a lock file.

Nobody is asked. What is recorded counts whichever model or prompt it is from, as long as the evidence is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kantenwerk.config import Config
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.links import Named
from kantenwerk.ingest.mentions import naming_of, similar_names
from kantenwerk.ingest.pipeline import ImportResult
from kantenwerk.ingest.reach import Reached
from kantenwerk.ingest.resolve.catalogue import rooted
from kantenwerk.ingest.resolve.guess import Asked, Guess, New

_MOST_NAMED = 3


def frozen_findings(findings: Iterable[Finding], result: ImportResult, config: Config) -> list[Finding]:
    """Return the findings of a check with an error for all that is not recorded; it takes the place of a milder one."""
    unlocked = [*_candidates(result), *_names(result.reached, config)]
    candidates = {(found.path, found.line) for found in unlocked if found.code == "candidate-unlocked"}
    kept = (
        found for found in findings if found.code != "candidate-pending" or (found.path, found.line) not in candidates
    )
    return [*kept, *unlocked]


def _candidates(result: ImportResult) -> Iterator[Finding]:
    """Yield a finding for every candidate that a model would be asked about for want of a verdict."""
    locked = {
        claim.link
        for claim, decision in zip(result.reached.claims, result.judgement.decisions, strict=True)
        if decision.verdict is not None
    }
    for claim, why in result.judgement.asked:
        if claim.link not in locked:
            yield finding(
                "candidate-unlocked",
                claim.path,
                claim.link.line,
                f"no verdict in verdicts.jsonl holds for `{claim.link.kind}:{claim.link.written}`: {why}",
                "run `kantenwerk import --apply` where a model can be asked, or `kantenwerk review`, and commit it",
            )


def _names(reached: Reached, config: Config) -> Iterator[Finding]:
    """Yield a finding for every candidate whose name only a meaning could bring to a note, where nobody says which."""
    similar = None
    for node, note in reached.notes.items():
        if not config.types.of(note.type).chunking.enable_smart_edge_allocation:
            continue
        for link, target in zip(note.links, reached.targets[node], strict=True):
            if not (link.candidate and isinstance(target, Named)):
                continue
            if not _is_open(reached.resolved.guesses.get(target.mention)):
                continue
            similar = similar or similar_names(
                (naming_of(*other) for other in reached.notes.items()), config.settings, None
            )
            rejected = {row.b for row in reached.resolved.rows.get(target.mention, ()) if row.state == "rejected"}
            paths = similar.left_to_meaning(rooted(link.written, note.path), without=rejected) if similar else []
            if paths:
                yield finding(
                    "name-unlocked",
                    note.path,
                    link.line,
                    f"`{link.written}` may mean {_listed(paths)} by its meaning alone, and nothing is recorded",
                    "say it: kantenwerk clarify --answer NAME=NOTE, or --new NAME; and commit decisions.yaml",
                    subject=link.written,
                )


def _is_open(guess: Guess | None) -> bool:
    """Tell whether the parts of names and what is recorded leave it open which note is meant."""
    match guess:
        case New(is_decided):
            return not is_decided
        case Asked(options):
            return all(option.method == "stem" for option in options)
        case _:
            return False


def _listed(paths: list[str]) -> str:
    named = [f"`{path}`" for path in paths[:_MOST_NAMED]]
    rest = len(paths) - len(named)
    return " or ".join([*named, *([f"one of {rest} more"] if rest else [])])

"""Tells people what became of a candidate: findings for its author, and the lines of `--verbose`."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.validate.outcome import Decision
from kantenwerk.ingest.validate.verdicts import Claim

LOG = logging.getLogger("kantenwerk.validate")


def decision_findings(claim: Claim, decision: Decision) -> Iterator[Finding]:
    """Yield what a decision on a candidate means for its author."""
    link, path = claim.link, claim.path
    said = f"`{link.kind}:{link.written}`"
    if decision.is_stale:
        yield finding(
            "verdict-stale",
            path,
            link.line,
            f"a person judged {said} on a text that has changed since",
            "look at it again: kantenwerk review --state stale; until then the verdict stands",
        )
    match decision.state:
        case "rejected":
            by = decision.verdict.judge if decision.verdict else "judge"
            yield finding(
                "candidate-rejected",
                path,
                link.line,
                f"a {by} rejected {said}",
                "delete the line, or state the edge",
            )
        case "unproven":
            yield finding(
                "candidate-unproven",
                path,
                link.line,
                f"{said} stands without a verdict: {decision.reason}",
                "import again when the endpoint answers",
            )
        case "failed":
            yield finding(
                "candidate-failed",
                path,
                link.line,
                f"{said} was not judged: {decision.reason}",
                "import again",
            )
        case "pending":
            yield finding(
                "candidate-pending",
                path,
                link.line,
                f"{said} waits for a verdict: {decision.reason}",
                decision.advice,
            )
        case _:
            return


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _arrow(claim: Claim) -> str:
    return f"{_name(claim.path)} -> {_name(claim.target.path)} ({claim.link.kind})"


def log_begin(claim: Claim) -> None:
    """Log that a candidate is looked at."""
    LOG.info(
        "🚀 [PHASE 3] Validating: %s | Scope: %s | Context: %s",
        _arrow(claim),
        claim.link.scope,
        claim.evidence.label,
    )


def log_asking(claim: Claim, profile: str) -> None:
    """Log that a model is asked about it."""
    LOG.info("⚖️ [VALIDATING] Relation '%s' -> '%s' (Profile: %s)", claim.link.kind, _name(claim.target.path), profile)


def log_end(claim: Claim, decision: Decision) -> None:
    """Log what became of it."""
    match decision.state:
        case "verified":
            LOG.info("✅ [PHASE 3] VERIFIED: %s | rule_id: explicit", _arrow(claim))
        case "rejected":
            LOG.info("🚫 [PHASE 3] REJECTED: %s", _arrow(claim))
        case "unproven":
            LOG.info("⏳ [PHASE 3] UNPROVEN: %s | %s", _arrow(claim), decision.reason)
        case "failed":
            LOG.info("❌ [PHASE 3] FAILED: %s | %s", _arrow(claim), decision.reason)
        case _:
            LOG.info("⏸️ [PHASE 3] PENDING: %s | %s", _arrow(claim), decision.reason)

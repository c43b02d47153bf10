"""What an import says: text for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

from kantenwerk.cli.terminal import as_json, counted, one_line, painted
from kantenwerk.config import Config
from kantenwerk.graph.findings import as_stored
from kantenwerk.graph.model import MENTION, Edge, is_mention
from kantenwerk.graph.plan import EdgeChanges
from kantenwerk.ingest.pipeline import ImportResult
from kantenwerk.ingest.validate.outcome import NotAsked
from kantenwerk.ingest.validate.prompt import can_ask, is_configured
from kantenwerk.ingest.validate.verdicts import Claim

# A list longer than this is folded to its first lines.
_LONGEST = 12
_STATES = ("verified", "rejected", "unproven", "pending", "failed", "redundant", "ambiguous", "unresolved")
_SAID = {
    "failed": "could not be judged",
    "pending": "waits for a verdict",
    "redundant": "is stated already",
    "unresolved": "means no note now",
    "ambiguous": "may mean several notes now",
}
_SIGNS = {"+": "green", "~": "yellow", "-": "red"}


def import_json(result: ImportResult, *, vault: Path, config: Config, applied: bool, full: bool) -> str:
    """Return the plan as one JSON object; `full` makes no difference, it always holds everything."""
    del full
    edges, reasons = result.plan.edges, _Reasons(result)
    content = {
        "vault": str(vault),
        "applied": applied,
        "notes": asdict(result.plan.notes),
        "added": [_edge_json(edge, reasons.added(edge)) for edge in edges.added],
        "removed": [_edge_json(edge, reasons.removed(edge)) for edge in edges.removed],
        "changed": [
            {**_edge_json(after, reasons.changed(before, after)), "before": before._asdict()}
            for before, after in edges.changed
        ],
        "shifted": len(edges.shifted),
        "candidates": _states(result),
        "validation": _validation(result, config),
        "findings": [as_stored(found) for found in result.findings],
    }
    return as_json(content)


def import_text(result: ImportResult, *, vault: Path, config: Config, applied: bool, full: bool) -> str:
    """Return the plan for people: edges by note with their reasons, then sums and what to do next."""
    counts, mirrors = _counts(result.plan.edges, full=full)
    lines = [*_edge_lines(result, counts, full=full), *_summary(result, mirrors, vault, config, applied=applied)]
    return "\n".join(lines)


def call_lines(result: ImportResult) -> Iterator[str]:
    """Yield why each candidate is asked about, or was."""
    asked = result.judgement.asked
    yield f"Calls:      {counted(len({claim.model_key for claim, _ in asked}), 'question')}"
    for claim, reason in asked:
        where = f"{claim.path}:{claim.link.line}"
        yield f"  {one_line(where)}: {one_line(claim.link.kind)}:{one_line(claim.link.written)} — {one_line(reason)}"


def _counts(edges: EdgeChanges, *, full: bool) -> tuple[Counter[str], int]:
    """Return how many edges of each node are told of, and how many mirrors come or go; in one pass over a million."""
    counts: Counter[str] = Counter()
    mirrors = 0
    for edge in chain(edges.added, edges.removed):
        mirrors += edge.mirror
        if full or not edge.mirror:
            counts[edge.source] += 1
    counts.update(after.source for _, after in edges.changed if full or not after.mirror)
    return counts, mirrors


def _edge_lines(result: ImportResult, counts: Counter[str], *, full: bool) -> Iterator[str]:
    reasons = _Reasons(result)
    notes = sorted(counts)
    told = notes if full else notes[:_LONGEST]
    by_note: dict[str, list[tuple[str, Edge, str]]] = {node: [] for node in told}
    for sign, edge, reason in reasons.of(by_note.keys()):
        if full or not edge.mirror:
            by_note[edge.source].append((sign, edge, reason))
    for node, changes in by_note.items():
        yield painted(one_line(node), "cyan", bold=True)
        shown = changes if full else changes[:_LONGEST]
        for sign, edge, reason in shown:
            mark = painted(sign, _SIGNS[sign])
            yield f"  {mark} {one_line(edge.kind)} → {one_line(reasons.node(edge.target))}  [{one_line(reason)}]"
        if len(shown) < len(changes):
            yield f"    … and {len(changes) - len(shown)} more (--full lists all)"
        yield ""
    if len(told) < len(notes):
        rest = counts.total() - sum(counts[node] for node in told)
        yield f"… and {rest} edges of {len(notes) - len(told)} more notes (--full lists all)"
        yield ""


def _summary(result: ImportResult, mirrors: int, vault: Path, config: Config, *, applied: bool) -> Iterator[str]:
    notes, edges = result.plan.notes, result.plan.edges
    yield (
        f"Notes:      {len(result.changes.scan.notes)} in {one_line(str(vault))} "
        f"(+{len(notes.added)} ~{len(notes.changed)} -{len(notes.removed)})"
    )
    yield (
        f"Edges:      +{len(edges.added)} ~{len(edges.changed)} -{len(edges.removed)}"
        + (f", of them {counted(mirrors, 'mirror')}" if mirrors else "")
        + (f"; {len(edges.shifted)} in another line than before" if edges.shifted else "")
    )
    if states := _states(result):
        yield "Candidates: " + ", ".join(f"{count} {state}" for state, count in states.items())
    yield from _validation_lines(result, config)
    severities: Counter[str] = Counter()
    for (_, severity), count in result.found.counts.items():
        severities[severity] += count
    if severities:
        counts = ", ".join(counted(severities[name], name) for name in ("error", "warning", "info") if severities[name])
        yield f"Findings:   {counts} (`kantenwerk check` lists those of the notes)"
    yield _last_line(result, config, applied=applied)


def _last_line(result: ImportResult, config: Config, *, applied: bool) -> str:
    if applied:
        return "Written." if not result.plan.is_empty else "The graph already says what the notes say."
    to_ask = result.judgement.cost.calls if can_ask(config.validator) else 0
    if to_ask:
        return f"Nothing was written: --apply asks about {counted(to_ask, 'candidate')} and writes."
    if result.plan.is_empty:
        return "The graph already says what the notes say."
    return "Nothing was written: --apply writes."


def _validation_lines(result: ImportResult, config: Config) -> Iterator[str]:
    asking, cost = result.judgement.asking, result.judgement.cost
    if asking is not None:
        yield f"Validation: {counted(asking.calls, 'call')}, {counted(asking.tokens, 'token')}"
        left = sum(isinstance(outcome, NotAsked) and outcome.kind == "budget" for outcome in asking.outcomes.values())
        if left:
            yield f"            the budget is used up, {left} not asked: raise it, or import again"
        for trouble in (asking.refused, asking.disconnected):
            if trouble:
                yield painted(f"            {one_line(trouble)}", "red")
    elif cost.calls:
        yield f"Validation: {cost.calls} to ask, about {counted(cost.tokens, 'token')}"
        if not is_configured(config.validator):
            yield from _NO_ENDPOINT
        elif not can_ask(config.validator):
            yield "            Nobody is asked: max_calls is 0."
    elif (pending := _states(result).get("pending", 0)) and not is_configured(config.validator):
        yield f"Validation: {counted(pending, 'candidate')} to ask"
        yield from _NO_ENDPOINT
    if off := result.judgement.switched_off:
        yield f"Validation: off for {counted(off, 'candidate')}, by the type of the note:"
        yield "            set enable_smart_edge_allocation for it in .kantenwerk/types.yaml."


_NO_ENDPOINT = (
    "            No endpoint is configured: set base_url and model in .kantenwerk/llm_profiles.yaml,",
    "            or KANTENWERK_LLM_BASE_URL and KANTENWERK_LLM_MODEL.",
)


def _validation(result: ImportResult, config: Config) -> dict[str, Any]:
    judgement, states = result.judgement, _states(result)
    asking = judgement.asking
    return {
        "endpoint": is_configured(config.validator),
        "known": states.get("verified", 0) + states.get("rejected", 0),
        "to_ask": judgement.cost.calls or (0 if is_configured(config.validator) else states.get("pending", 0)),
        "tokens": judgement.cost.tokens,
        "calls": [_call_json(claim, reason) for claim, reason in result.judgement.asked],
        "calls_made": asking.calls if asking else 0,
        "tokens_used": asking.tokens if asking else 0,
        "refused": asking.refused if asking else None,
        "disconnected": asking.disconnected if asking else None,
    }


def _states(result: ImportResult) -> dict[str, int]:
    """Count the vault's candidates by state."""
    states = Counter(result.reached.other_states)
    states.update(result.wanted.states)
    return {state: states[state] for state in _STATES if states[state]}


def _call_json(claim: Claim, reason: str) -> dict[str, Any]:
    link = claim.link
    return {"path": claim.path, "line": link.line, "kind": link.kind, "written": link.written, "reason": reason}


def _edge_json(edge: Edge, reason: str) -> dict[str, Any]:
    return {**edge._asdict(), "reason": reason}


class _Reasons:
    """Says in a few words why an edge comes, changes or goes."""

    def __init__(self, result: ImportResult) -> None:
        self._result = result

    @cached_property
    def _instead(self) -> Mapping[tuple[str, str, int | None], str]:
        added = self._result.plan.edges.added
        return {(edge.source, edge.kind, edge.line): edge.target for edge in added if not edge.mirror}

    def node(self, node: str) -> str:
        """Return a node as people know it: a mention by its name as written."""
        if not is_mention(node):
            return node
        note = self._result.reached.entities.get(node, node)
        named = f"“{self._result.wanted.spelled.get(node, node.removeprefix(MENTION))}”"
        return f"{named} (no note)" if is_mention(note) else f"{named} ({note})"

    def of(self, sources: Collection[str]) -> Iterator[tuple[str, Edge, str]]:
        """Yield sign, edge and reason of the changes of some notes that people are shown."""
        edges, last = self._result.plan.edges, max(sources, default="")
        # They are in order, and the first notes are shown.
        for edge in takewhile(lambda edge: edge.source <= last, edges.added):
            if edge.source in sources:
                yield "+", edge, self.added(edge)
        for before, after in edges.changed:
            if after.source in sources:
                yield "~", after, self.changed(before, after)
        for edge in edges.removed:
            if edge.source in sources:
                yield "-", edge, self.removed(edge)

    def added(self, edge: Edge) -> str:
        """Say what gave the edge."""
        if edge.mirror:
            return "mirror"
        place = f", line {edge.line}" if edge.line else ""
        return f"{'proven candidate' if edge.verdict else edge.rule_id}{place}"

    def changed(self, before: Edge, after: Edge) -> str:
        """Say what is different about the edge."""
        if before.verdict and not after.verdict and after.line:
            return f"stated in line {after.line} now; was a proven candidate"
        if after.verdict and before.verdict and after.verdict != before.verdict and before.rule_id == after.rule_id:
            return f"judged anew, confidence {_short(before.confidence)} → {_short(after.confidence)}"
        if after.verdict and not before.verdict:
            return f"proven now, confidence {_short(before.confidence)} → {_short(after.confidence)}"
        old, new = before._asdict(), after._asdict()
        return "; ".join(
            f"{name} {_short(old[name])} → {_short(new[name])}"
            for name in ("provenance", "rule_id", "confidence", "scope", "mirror")
            if old[name] != new[name]
        )

    def removed(self, edge: Edge) -> str:
        """Say why the edge is not there any more."""
        if edge.mirror:
            return "mirror: its edge is gone, or is stated by the author now"
        links = self._result.wanted.links.get(edge.source)
        if links is None:
            return "its note is gone"
        for link in links:
            if link.candidate and link.kind == edge.kind and (link.target == edge.target or link.line == edge.line):
                return f"the candidate {_SAID.get(link.state, f'is {link.state}')}"
        target = self._instead.get((edge.source, edge.kind, edge.line))
        return f"line {edge.line} means {self.node(target)} now" if target else "no longer stated"


def _short(value: object) -> str:
    return f"{value:.2g}" if isinstance(value, float) else str(value)

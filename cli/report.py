"""What an import says: text for people, JSON for programs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kantenwerk.cli.terminal import one_line, painted
from kantenwerk.config import Config
from kantenwerk.graph.model import Edge, is_mention
from kantenwerk.ingest.pipeline import ImportResult

# A list longer than this is folded to its first lines.
_LONGEST = 12
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
            {**_edge_json(after, reasons.changed(before, after)), "before": asdict(before)}
            for before, after in edges.changed
        ],
        "shifted": len(edges.shifted),
        "candidates": _states(result),
        "validation": _validation(result, config),
        "findings": [asdict(found) for found in result.findings],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def import_text(result: ImportResult, *, vault: Path, config: Config, applied: bool, full: bool) -> str:
    """Return the plan for people: edges by note with their reasons, then sums and what to do next."""
    lines = [*_edge_lines(result, full=full), *_summary(result, vault, config, applied=applied)]
    return "\n".join(lines)


def _edge_lines(result: ImportResult, *, full: bool) -> Iterator[str]:
    by_note: dict[str, list[tuple[str, Edge, str]]] = defaultdict(list)
    reasons = _Reasons(result)
    for sign, edge, reason in reasons.all():
        if full or not edge.mirror:
            by_note[edge.source].append((sign, edge, reason))
    notes = sorted(by_note)
    for number, node in enumerate(notes):
        if not full and number == _LONGEST:
            rest = sum(len(by_note[other]) for other in notes[number:])
            yield f"… and {rest} edges of {len(notes) - number} more notes (--full lists all)"
            yield ""
            return
        yield painted(one_line(node), "cyan", bold=True)
        changes = by_note[node]
        shown = changes if full else changes[:_LONGEST]
        for sign, edge, reason in shown:
            mark = painted(sign, _SIGNS[sign])
            mirror = " (mirror)" if edge.mirror else ""
            yield f"  {mark} {one_line(edge.kind)} → {one_line(_node(edge.target))}{mirror}  [{one_line(reason)}]"
        if len(shown) < len(changes):
            yield f"    … and {len(changes) - len(shown)} more (--full lists all)"
        yield ""


def _summary(result: ImportResult, vault: Path, config: Config, *, applied: bool) -> Iterator[str]:
    notes, edges = result.plan.notes, result.plan.edges
    yield (
        f"Notes:      {len(result.changes.scan.notes)} in {one_line(str(vault))} "
        f"(+{len(notes.added)} ~{len(notes.changed)} -{len(notes.removed)})"
    )
    mirrors = sum(edge.mirror for edge in (*edges.added, *edges.removed))
    yield (
        f"Edges:      +{len(edges.added)} ~{len(edges.changed)} -{len(edges.removed)}"
        + (f", {mirrors} of them mirrors" if mirrors else "")
        + (f"; {len(edges.shifted)} moved to another line" if edges.shifted else "")
    )
    if states := _states(result):
        yield "Candidates: " + ", ".join(f"{count} {state}" for state, count in states.items())
    yield from _validation_lines(result, config)
    severities = Counter(found.severity for found in result.findings)
    if severities:
        counts = ", ".join(f"{severities[name]} {name}s" for name in ("error", "warning", "info") if severities[name])
        yield f"Findings:   {counts.replace('1 errors', '1 error')} (`kantenwerk check` lists them)"
    if result.plan.is_empty and not applied:
        yield "Nothing to do: the graph already says what the notes say."
    elif not applied:
        yield "Nothing was written: --apply writes."
    else:
        yield "Written." if not result.plan.is_empty else "Nothing to write: the graph already said it."


def _validation_lines(result: ImportResult, config: Config) -> Iterator[str]:
    validation = _validation(result, config)
    asking = result.judgement.asking
    if asking is not None:
        yield f"Validation: {asking.calls} calls, {asking.tokens:,} tokens"
        for trouble in (asking.refused, asking.disconnected):
            if trouble:
                yield painted(f"            {one_line(trouble)}", "red")
    elif validation["to_ask"]:
        said = f"{validation['known']} answered, {validation['to_ask']} to ask, about {validation['tokens']:,} tokens"
        why = "" if validation["endpoint"] else _NO_ENDPOINT
        yield f"Validation: {said}{why}"


_NO_ENDPOINT = (
    "; no endpoint is configured: set base_url and model in .kantenwerk/llm_profiles.yaml, "
    "or KANTENWERK_LLM_BASE_URL and KANTENWERK_LLM_MODEL"
)


def _validation(result: ImportResult, config: Config) -> dict[str, Any]:
    judgement, profile = result.judgement, config.validator
    asking = judgement.asking
    return {
        "endpoint": bool(profile.base_url and profile.model),
        "known": judgement.cost.known,
        "to_ask": judgement.cost.calls,
        "tokens": judgement.cost.tokens,
        "calls_made": asking.calls if asking else 0,
        "tokens_used": asking.tokens if asking else 0,
        "refused": asking.refused if asking else None,
        "disconnected": asking.disconnected if asking else None,
    }


def _states(result: ImportResult) -> dict[str, int]:
    """Count the vault's candidates by state."""
    states = Counter(result.reached.other_states)
    states.update(link.state for links in result.wanted.links.values() for link in links if link.candidate)
    return dict(sorted(states.items()))


def _edge_json(edge: Edge, reason: str) -> dict[str, Any]:
    return {**asdict(edge), "reason": reason}


def _node(node: str) -> str:
    return f"“{node.removeprefix('mention:')}” (no note)" if is_mention(node) else node


class _Reasons:
    """Says in a few words why an edge comes, changes or goes."""

    def __init__(self, result: ImportResult) -> None:
        self._result = result
        added = result.plan.edges.added
        self._instead: Mapping[tuple[str, str, int | None], str] = {
            (edge.source, edge.kind, edge.line): edge.target for edge in added if not edge.mirror
        }

    def all(self) -> Iterable[tuple[str, Edge, str]]:
        """Yield sign, edge and reason of all changes that people are shown."""
        edges = self._result.plan.edges
        for edge in edges.added:
            yield "+", edge, self.added(edge)
        for before, after in edges.changed:
            yield "~", after, self.changed(before, after)
        for edge in edges.removed:
            yield "-", edge, self.removed(edge)

    def added(self, edge: Edge) -> str:
        if edge.mirror:
            return "mirror"
        place = f", line {edge.line}" if edge.line else ""
        if edge.verdict is not None:
            return f"proven candidate{place}"
        return f"{edge.rule_id}{place}"

    def changed(self, before: Edge, after: Edge) -> str:
        old, new = asdict(before), asdict(after)
        return "; ".join(
            f"{name} {_short(old[name])} → {_short(new[name])}"
            for name in ("provenance", "rule_id", "confidence", "scope", "verdict", "mirror")
            if old[name] != new[name]
        )

    def removed(self, edge: Edge) -> str:
        if edge.mirror:
            return "its edge is gone, or is stated by the author now"
        links = self._result.wanted.links.get(edge.source)
        if links is None:
            return "its note is gone"
        for link in links:
            if link.candidate and (link.kind, link.target) == (edge.kind, edge.target):
                return f"the candidate is {link.state} now"
        target = self._instead.get((edge.source, edge.kind, edge.line))
        return f"line {edge.line} means {_node(target)} now" if target else "no longer stated"


def _short(value: object) -> str:
    return "none" if value is None else str(value)[:40]

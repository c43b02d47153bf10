"""`kantenwerk explain-verdict`: what a verdict rests on, and the exact prompt that it answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

import typer

from kantenwerk.cli.secret import installation_secret
from kantenwerk.cli.terminal import as_json, one_line, painted, safe
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.config import Config
from kantenwerk.config.errors import ConfigError
from kantenwerk.config.suggest import no_such
from kantenwerk.graph.decisions import VERDICTS
from kantenwerk.graph.journal import verdicts_with_journal
from kantenwerk.graph.model import Verdict
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import run_import
from kantenwerk.ingest.validate.outcome import Question
from kantenwerk.ingest.validate.prompt import question
from kantenwerk.ingest.validate.verdicts import Claim


def explain_verdict(named: Path | None, key: str, *, in_json: bool, overrides: dict[str, object]) -> int:
    """Print a verdict, or a candidate that has none yet, with the prompt as a model is asked now.

    Raises:
        ConfigError: neither a verdict nor a candidate has that key.
    """
    vault = find_vault(named)
    config = read_config(vault, overrides)
    verdicts = verdicts_with_journal(vault).verdicts
    claims = run_import(vault, config, lambda: nullcontext(Snapshot(None))).reached.claims
    verdict = verdicts.get(key)
    claim = next((claim for claim in claims if key in _keys(claim, verdict)), None)
    if verdict is None and claim is None:
        known = {*verdicts, *(claim.model_key for claim in claims), *(claim.person_key for claim in claims)}
        raise ConfigError(f"neither {VERDICTS} nor a candidate has this key: {no_such('key', key, known)}")
    asked = _asked(claim, config) if claim else None
    if in_json:
        prompt = [{"role": m.role, "content": m.content} for m in asked.messages] if asked else None
        typer.echo(as_json({"verdict": asdict(verdict) if verdict else None, "prompt": prompt}))
    else:
        for line in _lines(verdict, claim, asked):
            typer.echo(line)
    return 0


def _keys(claim: Claim, verdict: Verdict | None) -> set[str]:
    """Return the keys under which a claim is looked for; an older verdict on the same texts counts as well."""
    keys = {claim.model_key, claim.person_key}
    if verdict is not None and verdict.judge == "model" and verdict.evidence_hash == claim.evidence_hash:
        keys.add(verdict.key)
    return keys


def _asked(claim: Claim, config: Config) -> Question:
    return question(claim.model_key, claim.evidence, claim.evidence_hash, config, installation_secret())


def _lines(verdict: Verdict | None, claim: Claim | None, asked: Question | None) -> Iterator[str]:
    if verdict is not None:
        yield painted(one_line(f"{verdict.source} {verdict.kind} {verdict.target}"), "cyan", bold=True)
        who = verdict.model or "a model" if verdict.judge == "model" else "a person"
        sure = f", P(YES) {verdict.p_yes:.2f}" if verdict.p_yes is not None else ""
        yield f"  {verdict.answer} by {one_line(who)}, {one_line(verdict.asked_at[:10])}{sure}"
    elif claim is not None:
        yield painted(one_line(f"{claim.link.source} {claim.link.kind} {claim.target.node}"), "cyan", bold=True)
        yield "  no verdict yet"
    if claim is None or asked is None:
        yield "  no candidate has this claim on these texts now: the note, the target or the line has changed since"
        return
    if verdict is not None and verdict.evidence_hash != claim.evidence_hash:
        yield "  the texts have changed since; below they are as they are now"
    elif verdict is not None and verdict.judge == "model" and verdict.key != claim.model_key:
        yield "  prompt, model or settings have changed since; below they are as they are now"
    yield f"  {one_line(claim.path)}:{claim.link.line}, {claim.evidence.label}"
    for message in asked.messages:
        yield ""
        yield painted(f"{message.role}:", "yellow")
        yield from (safe(line) for line in message.content.splitlines())

"""`kantenwerk probe`: what the configured judge is worth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kantenwerk.cli.terminal import as_json as json_text
from kantenwerk.cli.terminal import counted, painted, safe
from kantenwerk.cli.vault import find_vault, read_config
from kantenwerk.config import ConfigError, VaultError, load_config
from kantenwerk.ingest.validate.asking import ask
from kantenwerk.ingest.validate.judge import PROFILE
from kantenwerk.ingest.validate.outcome import NotAsked, Outcome
from kantenwerk.ingest.validate.probe import CHANCE_BELOW, Answers, Probe, Score, measure, probe_questions, read_claims

if TYPE_CHECKING:
    from kantenwerk.config import Config, Profile

_MANY_INVALID = 0.1


def probe_judge(named: Path | None, *, as_json: bool, repeat: int, overrides: dict[str, object]) -> int:
    """Ask the built-in claims, print what came of it, and return 1 where not all of them were answered."""
    config = _config(named, overrides)
    profile = config.validator
    claims = read_claims()
    questions = list(probe_questions(claims, config, repeat))
    if profile.base_url is not None:
        tokens = sum(question.est_tokens for question in questions)
        typer.echo(safe(f"asking {profile.model} {len(questions)} times, about {tokens:,} tokens"), err=True)
    asking = ask(questions, profile, on_outcome=_keep_nothing)
    for outcome in asking.outcomes.values():
        if isinstance(outcome, NotAsked) and outcome.kind == "no-endpoint":
            raise ConfigError(outcome.reason)
    probe = measure(claims, config, repeat, asking)
    if asking.refused is not None or not probe.asked:
        why = asking.refused or asking.disconnected or next(iter(probe.unanswered))
        typer.echo(f"kantenwerk: {safe(why)}", err=True)
        return 1
    warnings = list(_warnings(probe))
    if as_json:
        typer.echo(json_text(_json(probe, profile, repeat, warnings)))
    else:
        for line in _lines(probe, profile, repeat, warnings):
            typer.echo(line)
    for warning in warnings:
        typer.echo(f"kantenwerk: {safe(warning)}", err=True)
    return 1 if probe.unanswered else 0


def _config(named: Path | None, overrides: dict[str, object]) -> Config:
    """Return the configuration of the vault that was named or is here, else what is packaged and the environment."""
    try:
        vault = find_vault(named)
    except VaultError:
        if named is not None:
            raise
        return load_config(None, environ=os.environ, overrides=overrides)
    return read_config(vault, overrides)


def _keep_nothing(_key: str, _outcome: Outcome) -> None:
    """Keep no verdict: the claims are about no note of anybody's."""


def _warnings(probe: Probe) -> Iterator[str]:
    if probe.is_at_chance:
        yield (
            f"judges like a coin: a balanced accuracy of {_share(probe.score.balanced_accuracy)} is below "
            f"{CHANCE_BELOW:.2f}, and guessing has 0.50. Do not rely on its verdicts; take a bigger model: with "
            "evidence, models of 9 billion parameters reach 0.90 on FactBench (0.75 without evidence)"
        )
    invalid = probe.count("INVALID")
    if invalid > _MANY_INVALID * probe.asked:
        yield (
            f"{invalid:,} of {counted(probe.asked, 'answer')} were neither YES nor NO: a model that thinks first needs "
            "a higher max_output_tokens, or its thinking switched off"
        )
    for reason, times in probe.unanswered.items():
        yield f"not answered, {counted(times, 'time')}: {reason}"


def _lines(probe: Probe, profile: Profile, repeat: int, warnings: list[str]) -> Iterator[str]:
    score = probe.score
    yield safe(f"{profile.model} (profile {PROFILE}): {counted(score.claims, 'claim')}, {counted(repeat, 'time')} each")
    yield ""
    colour = "red" if probe.is_at_chance else "green"
    yield painted(_row("balanced accuracy", _share(score.balanced_accuracy)), colour, bold=True)
    yield _row("recall on right edges", _share(score.yes_recall))
    yield _row("recall on wrong edges", _share(score.no_recall))
    yield _row("agreement over repeats", _share(probe.agreement))
    yield _row("invalid answers", f"{probe.count('INVALID'):,}")
    yield _row("unsure (abstain_below)", f"{probe.count('UNSURE'):,}")
    yield _row("unanswered", f"{probe.unanswered.total():,}")
    yield _row("latency, median", _milliseconds(probe.latency_median_ms))
    yield _row("latency, 90th percentile", _milliseconds(probe.latency_p90_ms))
    yield _row("calls", f"{probe.asking.calls:,}")
    yield _row("tokens", f"{probe.asking.tokens:,}")
    yield ""
    yield f"{'class':14}{'claims':>8}{'accuracy':>10}"
    for name, part in probe.by_class.items():
        yield f"{name:14}{part.claims:>8}{_share(part.accuracy):>10}"
    yield ""
    yield f"{'language':14}{'claims':>8}{'accuracy':>10}{'balanced':>10}"
    for name, part in probe.by_language.items():
        yield f"{name:14}{part.claims:>8}{_share(part.accuracy):>10}{_share(part.balanced_accuracy):>10}"
    for warning in warnings:
        yield ""
        yield painted(safe(warning), "yellow")


def _row(name: str, value: str) -> str:
    return f"{name:26}{value:>10}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"


def _milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f} ms"


def _json(probe: Probe, profile: Profile, repeat: int, warnings: list[str]) -> dict[str, object]:
    return {
        "model": profile.model,
        "profile": PROFILE,
        "temperature": profile.temperature,
        "repeat": repeat,
        **_score_json(probe.score),
        "at_chance": probe.is_at_chance,
        "agreement": probe.agreement,
        "invalid": probe.count("INVALID"),
        "unsure": probe.count("UNSURE"),
        "unanswered": probe.unanswered.total(),
        "latency_ms": {"median": probe.latency_median_ms, "p90": probe.latency_p90_ms},
        "calls": probe.asking.calls,
        "tokens": probe.asking.tokens,
        "by_class": {name: _score_json(part) for name, part in probe.by_class.items()},
        "by_language": {name: _score_json(part) for name, part in probe.by_language.items()},
        "warnings": warnings,
        "answers": [_answers_json(answers) for answers in probe.answers],
    }


def _score_json(score: Score) -> dict[str, object]:
    return {
        "claims": score.claims,
        "balanced_accuracy": score.balanced_accuracy,
        "accuracy": score.accuracy,
        "yes_recall": score.yes_recall,
        "no_recall": score.no_recall,
    }


def _answers_json(answers: Answers) -> dict[str, object]:
    claim = answers.claim
    return {
        "class": claim.group,
        "language": claim.language,
        "kind": claim.kind,
        "target": claim.target.title,
        "passage": claim.passage,
        "expected": claim.answer,
        "answers": list(answers.heard),
        "reasons": list(answers.reasons),
    }

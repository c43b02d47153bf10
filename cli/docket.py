"""A vault's candidates as people judge them: how each stands, how it is told, and how an answer is recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kantenwerk.cli.terminal import one_line, painted, safe
from kantenwerk.cli.vault import find_database
from kantenwerk.config.errors import DecisionsError, StoreError, not_written
from kantenwerk.graph.decisions import VERDICTS, VerdictChange, VerdictFile, read_verdicts, write_git_files
from kantenwerk.graph.decisions import write_verdicts as write_change
from kantenwerk.graph.lock import apply_lock
from kantenwerk.graph.model import Verdict
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.graph.store import open_snapshot
from kantenwerk.ingest.pipeline import ImportResult, run_import
from kantenwerk.ingest.scan import Stamp, stamp_of

if TYPE_CHECKING:
    from kantenwerk.config import Config
    from kantenwerk.ingest.validate.outcome import Decision
    from kantenwerk.ingest.validate.verdicts import Claim

Said = Literal["yes", "no", "ask"]
COLOURS = {"verified": "green", "rejected": "red", "unproven": "yellow", "pending": "yellow", "failed": "red"}
_MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim with how it stands: its state, the verdict behind that, and whether its text has changed since.

    `stamp` is that of the note's file when it was read.
    """

    claim: Claim
    state: str
    verdict: Verdict | None
    reason: str
    is_stale: bool
    stamp: Stamp

    @property
    def key(self) -> str:
        """The key of a person's verdict on it."""
        return self.claim.person_key

    @property
    def relation(self) -> str:
        """Source, kind and target as a sentence would say them."""
        source, kind, target = self.claim.triple
        return one_line(f"{source} {kind} {target}")

    @property
    def place(self) -> str:
        """Where it is written."""
        return f"{one_line(self.claim.path)}:{self.claim.link.line}"

    @property
    def standing(self) -> str:
        """Its state, and whether a person judged another text."""
        return f"{self.state}, stale" if self.is_stale else self.state


class Docket:
    """The candidates of a vault, and the file that answers go to.

    Args:
        vault: The folder of notes.
        config: Its configuration.
        with_database: Look up in the database, if there is one, which candidates no model could be asked about.
    """

    def __init__(self, vault: Path, config: Config, *, with_database: bool) -> None:
        self.vault = vault
        self.config = config
        result = run_import(vault, config, lambda: nullcontext(Snapshot(None)))
        self._moved = {verdict.key: old for old, verdict in result.verdicts.moved.items()}
        self.candidates = list(_candidates(result, config, vault if with_database else None))

    @property
    def file(self) -> str:
        """The file that answers go to, as people may open it."""
        return one_line(str(self.vault / VERDICTS))

    def by_key(self) -> dict[str, Candidate]:
        """Return the candidates by their key; the first one where a claim is made twice."""
        return {candidate.key: candidate for candidate in reversed(self.candidates)}

    def has_changed(self, candidate: Candidate) -> bool:
        """Tell whether a candidate's note is no longer the file that was read."""
        try:
            return stamp_of((self.vault / candidate.claim.path).lstat()) != candidate.stamp
        except OSError:
            return True

    def orphans(self) -> dict[str, Verdict]:
        """Return by key what persons said of candidates that are not there to be judged."""
        known = self.by_key()
        found = self._read().verdicts
        return {key: said for key, said in found.items() if said.judge == "person" and key not in known}

    def record(self, answers: Mapping[str, tuple[Candidate | None, Said]]) -> dict[str, bool]:
        """Write answers, by key, all or none; return for each whether it changed the file.

        Raises:
            DecisionsError: what is recorded cannot be read.
            StoreError: an import is writing, or the file cannot be written.
        """
        with apply_lock(self.vault):
            file, moment = self._read(), datetime.now(UTC).isoformat(timespec="microseconds")
            changes = {key: self._change(file, key, *answer, moment) for key, answer in answers.items()}
            change = VerdictChange(
                moved={old: said for change in changes.values() for old, said in change.moved.items()},
                added=tuple(said for change in changes.values() for said in change.added),
                removed=tuple(key for change in changes.values() for key in change.removed),
            )
            try:
                if change:
                    write_git_files(self.vault)
                    write_change(self.vault, change)
            except OSError as error:
                raise StoreError(not_written(error, self.vault)) from error
        return {key: bool(change) for key, change in changes.items()}

    def _read(self) -> VerdictFile:
        file = read_verdicts(self.vault)
        if not file.is_readable:
            raise DecisionsError(f"{self.vault / VERDICTS}: {file.findings[0].message}; nothing was written")
        return file

    def _change(
        self, file: VerdictFile, key: str, candidate: Candidate | None, said: Said, moment: str
    ) -> VerdictChange:
        # A verdict on a note that was renamed still has the old name's key in the file.
        recorded = [name for name in (key, self._moved.get(key, key)) if _is_of_person(file.verdicts.get(name))]
        if said == "ask" or candidate is None:
            return VerdictChange(removed=tuple(dict.fromkeys(recorded)))
        verdict = _verdict(candidate, said, moment)
        before = file.verdicts[recorded[0]] if recorded else None
        if before and (before.answer, before.evidence_hash) == (verdict.answer, verdict.evidence_hash):
            return VerdictChange()
        return VerdictChange(moved={old: verdict for old in recorded if old != key}, added=(verdict,))


def _verdict(candidate: Candidate, said: Said, moment: str) -> Verdict:
    source, kind, target = candidate.claim.triple
    return Verdict(
        key=candidate.key,
        source=source,
        kind=kind,
        target=target,
        answer="YES" if said == "yes" else "NO",
        p_yes=None,
        confidence=1.0,
        judge="person",
        profile=None,
        model=None,
        prompt_hash=None,
        evidence_hash=candidate.claim.evidence_hash,
        asked_at=moment,
    )


def _is_of_person(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.judge == "person"


def _candidates(result: ImportResult, config: Config, vault: Path | None) -> Iterator[Candidate]:
    """Yield the candidates as the vault has them, by place; with `vault`, as its database last saw them."""
    claims = result.reached.claims
    prior: Mapping[tuple[tuple[str, str, str], str | None], str] = {}
    if vault is not None:
        with open_snapshot(find_database(vault, None)) as snapshot:
            prior = snapshot.prior_candidates({claim.link.source for claim in claims})
    seen = set()
    pairs = zip(claims, result.judgement.decisions, strict=True)
    for claim, decision in sorted(pairs, key=lambda pair: (pair[0].path, pair[0].link.line)):
        if (claim.person_key, claim.evidence_hash) in seen:
            continue
        seen.add((claim.person_key, claim.evidence_hash))
        is_on = config.types.of(result.reached.notes[claim.link.source].type).chunking.enable_smart_edge_allocation
        yield Candidate(
            claim,
            _state(claim, decision, prior) if is_on else decision.state,
            decision.verdict,
            decision.reason,
            decision.is_stale,
            stamp=result.changes.scan.notes[claim.path],
        )


def _state(claim: Claim, decision: Decision, prior: Mapping[tuple[tuple[str, str, str], str | None], str]) -> str:
    """Return a candidate's state: one that waits stands as the last import left it, if its evidence is the same."""
    stood = prior.get(((claim.link.source, claim.link.kind, claim.link.target or ""), claim.evidence_hash))
    waits = decision.state == "pending" and decision.verdict is None
    return stood if waits and stood in {"unproven", "failed"} else decision.state


def headline(candidate: Candidate) -> str:
    """Return the relation that a candidate proposes, and how it stands."""
    shown = painted(candidate.standing, COLOURS[candidate.state])
    return f"{painted(candidate.relation, 'cyan', bold=True)}  [{shown}]"


def kind_lines(candidate: Candidate, config: Config) -> Iterator[str]:
    """Yield what a candidate's kind means, and which way it points."""
    kind, vocabulary = candidate.claim.link.kind, config.vocabulary
    yield one_line(f"{kind}: {vocabulary.meaning(kind, 'en')}")
    yield one_line(vocabulary.direction(kind, "en"))


def said_line(candidate: Candidate) -> str:
    """Return who said what about a candidate, or why nobody did."""
    verdict = candidate.verdict
    if verdict is None:
        return one_line(f"no verdict yet: {candidate.reason}" if candidate.reason else "no verdict yet")
    if verdict.judge == "person":
        since = "; the text has changed since" if candidate.is_stale else ""
        return one_line(f"a person said {verdict.answer} on {verdict.asked_at[:10]}{since}")
    sure = "" if verdict.p_yes is None else f", P(YES) {verdict.p_yes:.2f}"
    return one_line(f"{verdict.model or 'a model'} said {verdict.answer}{sure} on {verdict.asked_at[:10]}")


def passage_lines(candidate: Candidate, most: int | None = _MOST_LINES) -> list[str]:
    """Return the lines of the note that speak for a candidate, the first ones where there are many."""
    text = candidate.claim.evidence.passage.strip() or candidate.claim.evidence.context.strip()
    lines = [safe(line) for line in text.split("\n")] if text else ["(the note says nothing)"]
    return [*lines[:most], "…"] if most is not None and len(lines) > most else lines


def target_lines(candidate: Candidate) -> list[str]:
    """Return a target's title with its other names, and its summary."""
    face = candidate.claim.evidence.target
    names = f"{face.title} ({', '.join(face.aliases)})" if face.aliases else face.title
    return [one_line(names), one_line(face.summary) or "(no summary)"]


def block(candidate: Candidate, config: Config) -> Iterator[str]:
    """Yield the lines of a list that show a candidate."""
    claim = candidate.claim
    yield headline(candidate)
    yield f"  key {candidate.key}"
    yield f"  {candidate.place}: {one_line(f'{claim.link.kind}:{claim.link.written}')}"
    for line in kind_lines(candidate, config):
        yield f"  {line}"
    for line in passage_lines(candidate):
        yield f"  | {line}".rstrip()
    title, summary = target_lines(candidate)
    yield f"  → {title}: {summary}"
    yield f"  {said_line(candidate)}"


def as_object(candidate: Candidate) -> dict[str, object]:
    """Return a candidate as JSON holds it."""
    claim, verdict = candidate.claim, candidate.verdict
    source, kind, target = claim.triple
    evidence = claim.evidence
    return {
        "key": candidate.key,
        "source": source,
        "kind": kind,
        "target": target,
        "state": candidate.state,
        "stale": candidate.is_stale,
        "path": claim.path,
        "line": claim.link.line,
        "written": claim.link.written,
        "evidence": evidence.passage,
        "context": evidence.context,
        "evidence_hash": claim.evidence_hash,
        "target_title": evidence.target.title,
        "target_summary": evidence.target.summary,
        "verdict": None
        if verdict is None
        else {
            "judge": verdict.judge,
            "answer": verdict.answer,
            "p_yes": verdict.p_yes,
            "model": verdict.model,
            "asked_at": verdict.asked_at,
        },
    }

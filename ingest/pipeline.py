"""The import: scan, parse, resolve, validate, plan (design, section 2). A preview and `--apply` run the same code.

Only what changed is parsed, and only what a change can have reached is joined and judged again; the rest of the
graph is left where it is. Reading the snapshot ends before a model is asked, so that no database is open then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kantenwerk.config import Config
from kantenwerk.config.errors import DecisionsError, EmbedderError
from kantenwerk.graph.decisions import FOLDER, VERDICTS, VerdictChange
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding
from kantenwerk.graph.plan import NoteChanges, Plan, TableChange, diff_edges
from kantenwerk.graph.resolutions import (
    RESOLUTIONS,
    ResolutionChange,
    ResolutionFile,
    file_after,
    read_resolutions,
)
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.changes import AS_IT_IS, Changes, Reading, find_changes
from kantenwerk.ingest.derive import Wanted, derive, record
from kantenwerk.ingest.found import Found, StoredFindings
from kantenwerk.ingest.reach import Judging, Naming, Reached, reach
from kantenwerk.ingest.resolve.embedder import Embedder, Vector
from kantenwerk.ingest.resolve.guess import Vectors
from kantenwerk.ingest.tables import StoredRows, findings_by_stage, name_changes, table_changes
from kantenwerk.ingest.validate.judge import Asking, Judge, Judgement
from kantenwerk.ingest.validate.prompt import asked_with, can_ask
from kantenwerk.ingest.validate.verdicts import Claim, VerdictBook

PROFILES = f"{FOLDER}/llm_profiles.yaml"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import came to.

    `verdicts` is what changes in `verdicts.jsonl` and `resolutions` in `decisions.yaml`; what was reached and wanted
    helps to tell people about the plan's edges.
    """

    plan: Plan
    verdicts: VerdictChange
    resolutions: ResolutionChange
    found: Found
    judgement: Judgement
    reached: Reached
    wanted: Wanted
    changes: Changes

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of the whole vault, in order; of the stored ones those that `reading` lists."""
        return self.found.listed


def run_import(
    vault: Path,
    config: Config,
    open_snapshot: Callable[[], AbstractContextManager[Snapshot]],
    *,
    asking: Asking | None = None,
    embedder: Embedder | None = None,
    reading: Reading = AS_IT_IS,
) -> ImportResult:
    """Return what an import of `vault` would write, having asked a model if `asking` says how.

    Without `embedder` no name is found by its meaning, but for those that are recorded. `read` gives a note's bytes.

    Raises:
        VaultError: the vault holds no note.
        DecisionsError: the recorded verdicts cannot be read.
        StoreError: the database cannot be read.
        KeyboardInterrupt: asking was interrupted; the verdicts given so far went to `asking.keep`.
    """
    file = reading.verdicts(vault)
    if not file.is_readable:
        raise DecisionsError(f"{vault / VERDICTS}: {file.findings[0].message}; the graph stays as it is")
    names = read_resolutions(vault)
    if not names.is_readable:
        raise DecisionsError(f"{vault / RESOLUTIONS}: {names.findings[0].message}; the graph stays as it is")
    book = VerdictBook(file.verdicts)
    asks = can_ask(config.validator)
    basis = _validation_basis(config, file.digest)
    with open_snapshot() as snapshot:
        meta = snapshot.meta()
        naming = _naming(config, names, embedder, snapshot, meta)
        changes = find_changes(vault, config, snapshot, reading)
        look = partial(
            reach,
            changes,
            snapshot,
            config,
            naming,
            Judging(_is_outdated(meta, basis, can_ask=asks), asks, book.judged),
        )
        reached = look()
        adoption = book.adopt(reached.claims, reached.other_candidates, _rejected(reached), reached.settlement(config))
        heirs = frozenset(verdict.source for verdict in adoption.moved.values())
        if heirs - reached.nodes:
            # A verdict passed to a candidate of a note that nothing else has reached.
            reached = look(more=heirs)
        stored = StoredRows.read(snapshot, changes, reached)
        embeddings = _embedding_change(naming, snapshot)
        stored_findings = StoredFindings.read(snapshot, reading.listed)
    if not reading.keeps_targets:
        reached.targets.clear()
    judgement = _judge(reached, book, config, asking if asks else None)
    wanted = derive(reached, judgement, book, config)
    recorded = record(file, adoption, judgement)
    found = ResolutionChange(added=tuple(reached.resolved.found))
    # Line numbers are to be those of the file as it will be.
    names = file_after(names, found)
    decision_findings = [*recorded.findings, *names.findings, *reached.orphans, *_refusal(judgement)]
    findings = findings_by_stage(changes, wanted, decision_findings)
    tables = table_changes(changes, reached, wanted, book.values(), findings, stored)
    basis_after = {
        # What could not be read anew this time is to be at the next.
        "fingerprint": meta.get("fingerprint", "") if changes.leaves_notes else config.graph_fingerprint,
        "naming_basis": _naming_basis(config, names.digest, embedder),
        "has_failed_searches": str(reached.resolved.has_failed),
        "validation_basis": _validation_basis(config, recorded.digest),
        "is_provisional": str(judgement.is_provisional),
    }
    plan = Plan(
        notes=_note_changes(changes),
        edges=diff_edges(wanted.edges, reached.stored_edges),
        tables=(*tables, *name_changes(reached, stored, config.settings), *filter(None, [embeddings])),
        meta=tuple(sorted(basis_after.items() - meta.items())),
    )
    return ImportResult(
        plan,
        recorded.change,
        found,
        Found.after(plan, findings, stored_findings, stored.findings),
        judgement,
        reached,
        wanted,
        changes,
    )


def _judge(reached: Reached, book: VerdictBook, config: Config, asking: Asking | None) -> Judgement:
    def is_on(claim: Claim) -> bool:
        return config.types.of(reached.notes[claim.link.source].type).chunking.enable_smart_edge_allocation

    return Judge(config, book, reached.prior, is_on, asking).decide(reached.claims)


def _naming(
    config: Config, file: ResolutionFile, embedder: Embedder | None, snapshot: Snapshot, meta: dict[str, str]
) -> Naming:
    """Return how names are found; all are searched again where something that decides over them changed, or failed."""
    failed = meta.get("has_failed_searches") == "True" or (embedder is not None and snapshot.lacks_embeddings())
    is_outdated = failed or meta.get("naming_basis") != _naming_basis(config, file.digest, embedder)
    if embedder is None:
        return Naming(file, None, is_outdated)
    model, version = embedder.model, _version(embedder)

    def stored() -> dict[str, Vector]:
        rows = snapshot.embeddings()
        return {name: vector for name, m, v, vector in rows if (m, v) == (model, version) and vector is not None}

    return Naming(file, Vectors(embedder, stored), is_outdated)


def _naming_basis(config: Config, digest: str, embedder: Embedder | None) -> str:
    """Return a hash of all but the notes that decides which note a name means."""
    by = [embedder.model, _version(embedder)] if embedder is not None else None
    content = [digest, config.settings.resolution.model_dump(mode="json"), by]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _version(embedder: Embedder) -> str:
    try:
        return embedder.version
    except EmbedderError:
        # The names that need it say so.
        return ""


def _embedding_change(naming: Naming, snapshot: Snapshot) -> TableChange | None:
    """Return what changes in the stored vectors: new ones come, those of another model go, and gaps are closed."""
    vectors = naming.vectors
    if vectors is None or not (vectors.fresh or snapshot.lacks_embeddings()):
        return None
    model, version = vectors.model, _version(vectors.embedder)
    stored = snapshot.embeddings()
    gone = {name for name, m, v, vector in stored if (m, v) != (model, version) or vector is None}
    gone |= vectors.fresh.keys() & {name for name, *_ in stored}
    fresh = vectors.fresh
    change = TableChange(
        "embeddings",
        "name",
        tuple(sorted(gone)),
        tuple(sorted(fresh)),
        lambda name: ((name, model, version, fresh[name]),),
    )
    return change or None


def _is_outdated(meta: dict[str, str], basis: str, *, can_ask: bool) -> bool:
    """Tell whether all candidates are to be judged again: something changed, or a model of now was not asked then."""
    return meta.get("validation_basis") != basis or (can_ask and meta.get("is_provisional") == "True")


def _validation_basis(config: Config, decisions_digest: str) -> str:
    """Return a hash of all but the notes that decides over candidates; where it changed, all are judged again."""
    profile = config.validator
    content = [decisions_digest, *asked_with(config), profile.context_tokens, profile.unproven_confidence]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _rejected(reached: Reached) -> frozenset[tuple[str, str]]:
    rows = (row for rows in reached.resolved.rows.values() for row in rows)
    return frozenset(row.pair for row in rows if row.state == "rejected")


def _refusal(judgement: Judgement) -> list[Finding]:
    refused = judgement.asking.refused if judgement.asking else None
    if refused is None:
        return []
    return [finding("run-refused", PROFILES, 1, refused, "mend it and import again; nothing was rejected by this")]


def _note_changes(changes: Changes) -> NoteChanges:
    parsed, old = changes.parsed, changes.old_ids
    return NoteChanges(
        added=tuple(sorted(path for path in parsed if path not in old)),
        changed=tuple(sorted(path for path in parsed if path in old)),
        removed=tuple(sorted(path for path in (*changes.gone, *changes.no_text) if path in old)),
    )

"""Gives every note its id: the frontmatter's, else the path; two notes never share one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kantenwerk.config.names import nfc
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import MENTION, Finding
from kantenwerk.ingest.resolve.catalogue import stem_path


def assign_ids(paths: Iterable[str], declared: Mapping[str, str]) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """Return the id of every path, and an error for every note that did not get the id it claims.

    The shorter path, then path order, keeps a contested id; the other one uses its path. A path is the last
    resort of its note, so it goes before any id of that name which another note declares.
    """
    claims = {path: _claims(path, declared.get(path)) for path in paths}
    holders: dict[str, tuple[int, str]] = {}
    findings: list[Finding] = []
    waiting = [(path, *next(claim)) for path, claim in claims.items()]
    while waiting:
        losers = _settle(waiting, holders)
        for path, lost, winner in losers:
            findings.append(_duplicate(path, lost, winner))
        waiting = [(path, *next(claims[path])) for path, _, _ in losers]
    ids = {path: node for node, (_, path) in holders.items()}
    for path, written in declared.items():
        if written.startswith(MENTION) and path in ids:
            findings.append(_reserved(path, written))
    return ids, tuple(sorted(findings))


def _settle(claims: list[tuple[str, int, str]], holders: dict[str, tuple[int, str]]) -> list[tuple[str, str, str]]:
    """Give each contested id to its best claimant; return (path, lost id, winner) of the others."""
    contested: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for path, resort, node in claims:
        claimant = (resort, path)
        # Nearly all claim what nobody else does.
        if holders.setdefault(node, claimant) is not claimant:
            contested[node].append(claimant)
    losers: list[tuple[str, str, str]] = []
    for node, claimants in contested.items():
        claimants.append(holders[node])
        claimants.sort(key=lambda claim: (-claim[0], len(nfc(claim[1])), nfc(claim[1]), claim[1]))
        holders[node] = claimants[0]
        losers.extend((path, node, claimants[0][1]) for _, path in claimants[1:])
    return losers


def _claims(path: str, declared: str | None) -> Iterator[tuple[int, str]]:
    """Yield what a note would be called, best first, with how much it needs that name."""
    if declared and not declared.startswith(MENTION):
        yield 0, declared
    stem = stem_path(path)
    if not stem.startswith(MENTION):
        yield 1, stem
    # Two files whose paths differ in composition or in the ending's case only.
    yield 2, path if not path.startswith(MENTION) else f"./{path}"


def _duplicate(path: str, lost: str, winner: str) -> Finding:
    return finding(
        "duplicate-id",
        path,
        1,
        f"the id `{lost}` is already that of {winner}; this note goes by its path",
        "give one of them another `id`",
    )


def _reserved(path: str, written: str) -> Finding:
    return finding(
        "duplicate-id",
        path,
        1,
        f"the id `{written}` begins like that of a mention; this note goes by its path",
        "give it another `id`",
    )

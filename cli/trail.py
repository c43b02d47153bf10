"""`kantenwerk explain`: why an edge is in the graph, or what there is instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import typer

from kantenwerk.cli.deciding import listed
from kantenwerk.cli.stored import Place, Stored, UnknownKindError, UnknownNameError, opened
from kantenwerk.cli.tables import hanging
from kantenwerk.cli.terminal import as_json, one_line, painted, safe
from kantenwerk.graph.findings import as_stored
from kantenwerk.graph.model import Edge, LinkState, Resolution, Verdict
from kantenwerk.ingest.trail import NOTHING, Explainer, Missing, NoMirror, Said, Trail

_HOW = {
    "path": "by its path",
    "id": "by its id",
    "file": "by its file name",
    "own": "by its file name, in the note's own folder",
    "title": "by its title",
    "alias": "by an alias of it",
    "owner": "the owner of the vault",
    "exact": "by its very name",
    "stem": "by a likeness",
    "semantic": "by a meaning",
    "person": "by a person's word",
}
_INDENT, _LABEL = 2, 12
_STATES: dict[LinkState, str] = {
    "explicit": "stated",
    "verified": "proven",
    "rejected": "the verdict is NO",
    "unproven": "no verdict yet; asked again at the next import",
    "pending": "waits for a verdict: kantenwerk review",
    "unresolved": "its name means no note",
    "ambiguous": "its name may mean several notes, so nobody is asked",
    "redundant": "the author states this edge anyway",
    "failed": "it could not be found out or judged; tried again at the next import",
}
_NO_MIRROR: dict[NoMirror, str] = {
    "unproven": "none: an edge without a verdict has no mirror",
    "unmirrored": "none: edges of this kind have no mirror",
    "stated": "none: the other note states that edge itself",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """An edge that was asked for, as it was written."""

    source: str
    kind: str
    target: str

    def __str__(self) -> str:
        """Return it as a sentence would say it."""
        return one_line(f"{self.source} {self.kind} {self.target}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The edges that were found, or what there is instead and what is unknown."""

    trails: tuple[Trail, ...] = ()
    missing: Missing = NOTHING
    unknown: tuple[str, ...] = ()


def explain(place: Place, asked: Asked, *, in_json: bool) -> int:
    """Print why an edge is there and return 0, or why it is not and return 1.

    Raises:
        ConfigError: a name may mean several notes.
        StoreError: there is no graph yet.
    """
    with opened(place) as stored:
        answer = _answer(stored, asked)
        if in_json:
            typer.echo(as_json(_as_object(answer, asked)))
        else:
            for line in _lines(answer, asked, stored):
                for part in hanging(line, _INDENT + _LABEL) if line.startswith(" ") else (line,):
                    typer.echo(part)
    return 0 if answer.trails else 1


def _answer(stored: Stored, asked: Asked) -> Answer:
    unknown: list[str] = []
    explainer = Explainer(stored.vault, stored.graph, stored.config)
    try:
        sources = stored.graph.members(stored.entity(asked.source))
    except UnknownNameError as error:
        return Answer(unknown=(str(error),))
    try:
        kind = stored.kind(asked.kind)
    except UnknownKindError as error:
        kind = stored.config.vocabulary.normalise(asked.kind)
        unknown.append(str(error))
    targets = explainer.targets(sources, kind, asked.target)
    if targets:
        targets = stored.graph.members(stored.one_entity(asked.target, targets))
    if trails := explainer.trails(sources, kind, targets):
        return Answer(tuple(trails))
    missing = explainer.missing(sources, kind, targets, asked.target)
    if not targets and not missing.said:
        unknown.append(stored.no_such_note(asked.target))
    return Answer(missing=missing, unknown=tuple(unknown))


# --- for people


def _lines(answer: Answer, asked: Asked, stored: Stored) -> Iterator[str]:
    teller = _Teller(answer, stored)
    for number, trail in enumerate(answer.trails):
        if number:
            yield ""
        yield from teller.trail(trail)
    if not answer.trails:
        yield from teller.missing(answer, asked)


class _Teller:
    """Tells of edges and links; nodes are named as people know them."""

    def __init__(self, answer: Answer, stored: Stored) -> None:
        edges = [edge for trail in answer.trails for edge in (trail.edge, trail.mirrored, trail.mirror, trail.reverse)]
        ends = (
            end for edge in (*edges, *answer.missing.between) if edge is not None for end in (edge.source, edge.target)
        )
        said = (*(said for trail in answer.trails for said in trail.said), *answer.missing.said)
        meant = (node for one in said for node in (one.meaning.node, *one.meaning.others) if node is not None)
        self._names = stored.names({*ends, *meant})

    def trail(self, trail: Trail) -> Iterator[str]:
        """Yield what is behind an edge."""
        edge = trail.edge
        yield painted(self._relation(edge), "cyan", bold=True)
        yield _row("edge", f"{one_line(edge.provenance)}, confidence {edge.confidence:.2f}")
        if trail.mirrored is not None:
            yield _row("mirror of", self._relation(trail.mirrored))
        for said in trail.said:
            yield from self._said(said, trail.said[0].edge)
        if trail.mirror is not None:
            yield _row("mirror", self._relation(trail.mirror))
        elif trail.no_mirror is not None:
            yield _row("mirror", _NO_MIRROR[trail.no_mirror])
        if trail.reverse is not None:
            where = f", line {trail.reverse.line}" if trail.reverse.line else ""
            yield _row("also", f"{self._relation(trail.reverse)}  [{one_line(trail.reverse.rule_id)}{where}]")

    def missing(self, answer: Answer, asked: Asked) -> Iterator[str]:
        """Yield what there is instead of an edge."""
        yield painted(f"{asked}: there is no such edge", "yellow", bold=True)
        for sentence in answer.unknown:
            yield _row("unknown", safe(sentence))
        for said in answer.missing.said:
            yield from self._said(said, None)
        for edge in answer.missing.between:
            where = f", line {edge.line}" if edge.line else ""
            yield _row("there is", f"{self._relation(edge)}  [{one_line(edge.rule_id)}{where}]")
        if not answer.unknown and not answer.missing.said and not answer.missing.between:
            yield _row("there is", "no edge between the two, and no link that would say this one")

    def _said(self, said: Said, written: Edge | None) -> Iterator[str]:
        link, place = said.link, said.place
        is_first = said.edge is not None and said.edge is written
        changed = "; the note has changed since the import" if place.has_changed else ""
        yield _row("said in" if is_first else "also in" if written else "written in", f"{_where(said)}{changed}")
        yield _row("", f"| {one_line(place.text)}" if place.text is not None else one_line(place.trouble))
        if not is_first:
            yield _row("", _standing(said, written))
        yield _row("target", self._meaning(said))
        for row in said.meaning.proposed:
            yield _row("", f"{self._names[row.b]}  [{row.method} {row.score or 0:.2f}: {one_line(row.reason)}]")
        if said.verdict is not None:
            yield from _verdict(said.verdict, link.evidence_hash)
        for found in said.findings:
            yield _row("finding", one_line(f"{found.severity} {found.code}: {found.message}"))

    def _meaning(self, said: Said) -> str:
        meaning, written = said.meaning, f"`{one_line(said.link.written)}`"
        if meaning.node is None or meaning.method is None:
            if not meaning.others:
                return f"{written}: no note is called so"
            return f"{written} may be {listed(self._names[node] for node in meaning.others)}: kantenwerk clarify"
        if meaning.resolution is None:
            also = f"; it may also be {listed(self._names[node] for node in meaning.others)}" if meaning.others else ""
            return f"{written} is {self._names[meaning.node]}, {_HOW[meaning.method]}{also}"
        return f"{written} is {self._names[meaning.node]}, {_method(meaning.resolution)}"

    def _relation(self, edge: Edge) -> str:
        return f"{self._names[edge.source]} {one_line(edge.kind)} {self._names[edge.target]}"


def _row(label: str, text: str) -> str:
    return f"{'':{_INDENT}}{label:<{_LABEL}}{text}".rstrip()


def _where(said: Said) -> str:
    link, place = said.link, said.place
    about = "the whole note" if link.scope == "note" else "the text around it"
    return one_line(f"{place.path}:{place.line}, {link.rule_id}, about {about}")


def _standing(said: Said, written: Edge | None) -> str:
    """Say what became of a link that is not the one behind the edge."""
    if said.edge is not None and written is not None:
        less = f"{said.edge.provenance} ranks after {written.provenance}"
        why = less if said.edge.provenance != written.provenance else "of equal rank, it comes after that one"
        return f"says the same, confidence {said.edge.confidence:.2f}: {one_line(why)}"
    if written is not None and said.link.state == "explicit":
        return "stated from the other side"
    return f"{said.link.state}: {_STATES[said.link.state]}"


def _method(row: Resolution) -> str:
    if row.method == "person":
        return _HOW["person"]
    score = "" if row.score is None else f" {row.score:.2f}"
    by = ", decided by a person" if row.decided_by == "person" else ""
    model = f", model {row.model}" if row.model else ""
    return one_line(f"{_HOW[row.method]} ({row.method}{score}{model}{by}): {row.reason}")


def _verdict(verdict: Verdict, evidence_hash: str | None) -> Iterator[str]:
    who = "a person" if verdict.judge == "person" else verdict.model or "a model"
    sure = "" if verdict.p_yes is None else f", P(YES) {verdict.p_yes:.2f}"
    stale = "; the text has changed since" if evidence_hash not in {None, verdict.evidence_hash} else ""
    yield _row("verdict", one_line(f"{verdict.answer} by {who}, {verdict.asked_at[:10]}{sure}{stale}"))
    yield _row("evidence", one_line(f"kantenwerk explain-verdict {verdict.key}"))


# --- for programs


def _as_object(answer: Answer, asked: Asked) -> dict[str, Any]:
    return {
        **asdict(asked),
        "there": bool(answer.trails),
        "edges": [
            {
                **trail.edge._asdict(),
                "said": [_said_object(said, trail.said[0].edge) for said in trail.said],
                "mirror_of": _edge_object(trail.mirrored),
                "mirrored_by": _edge_object(trail.mirror),
                "no_mirror": trail.no_mirror,
                "reverse": _edge_object(trail.reverse),
            }
            for trail in answer.trails
        ],
        "unknown": list(answer.unknown),
        "instead": {
            "said": [_said_object(said, None) for said in answer.missing.said],
            "edges": [edge._asdict() for edge in answer.missing.between],
        },
    }


def _edge_object(edge: Edge | None) -> dict[str, Any] | None:
    return None if edge is None else edge._asdict()


def _said_object(said: Said, written: Edge | None) -> dict[str, Any]:
    findings = [as_stored(found) for found in said.findings]
    return {
        **asdict(said),
        "link": said.link._asdict(),
        "findings": findings,
        "edge": _edge_object(said.edge),
        "is_written": said.edge is not None and said.edge is written,
    }

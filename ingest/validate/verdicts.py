"""Finds the verdict that stands for a claim: a person's, the key's, or where nobody can be asked an older one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kantenwerk.graph.model import Link, Verdict
from kantenwerk.ingest.validate.evidence import Evidence
from kantenwerk.ingest.validate.prompt import claim_key, verdict_key

Triple = tuple[str, str, str]
Keep = Callable[[Sequence[Evidence]], Sequence[Evidence]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate that stands: its claim, the hash of its evidence if known, and the node as its name says it."""

    triple: Triple
    evidence_hash: str | None
    named: str


@dataclass(frozen=True, slots=True)
class ClaimedNote:
    """The note that a candidate means; `is_guess` says that its name was found by meaning alone."""

    node: str
    path: str
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """One candidate that means a note, with the evidence for it and the keys of verdicts on it.

    The link leads to a node, which may be a mention; verdicts are given on the note that it is. `kept` holds the
    evidence, which is read where it waits.
    """

    path: str
    link: Link
    target: ClaimedNote
    kept: Sequence[Evidence]
    evidence_hash: str
    prompt_hash: str
    person_key: str
    model_key: str

    @property
    def evidence(self) -> Evidence:
        """The texts that a judge sees."""
        return self.kept[0]

    @property
    def triple(self) -> Triple:
        """Source, kind and the note that is meant."""
        return (self.link.source, self.link.kind, self.target.node)

    @property
    def named(self) -> Triple:
        """Source, kind and the node that the link leads to, which may be a mention."""
        return (self.link.source, self.link.kind, self.link.target or "")


def make_claim(path: str, link: Link, target: ClaimedNote, evidence: Evidence, prompt_digest: str, keep: Keep) -> Claim:
    """Return the claim of a candidate whose note is known.

    `prompt_digest` is the prompt hash of its kind; `keep` takes the evidence to where it waits.
    """
    digest = evidence.digest
    return Claim(
        path,
        link,
        target,
        keep([evidence]),
        digest,
        prompt_digest,
        claim_key(link.source, link.kind, target.node),
        verdict_key(digest, prompt_digest),
    )


@dataclass(frozen=True, slots=True)
class Settlement:
    """What has become of claims that no candidate makes any more.

    `stated` are the edges that authors state, between entities, around the notes that persons judged; `notes` are
    all notes' ids.
    """

    stated: frozenset[Triple]
    notes: frozenset[str]
    entities: Mapping[str, str]
    inverse: Callable[[str], str]

    def is_stated(self, verdict: Verdict) -> bool:
        """Tell whether an author states what was judged, from this side or the other: the candidate is not missed."""
        source, target = (self.entities.get(node, node) for node in (verdict.source, verdict.target))
        return not self.stated.isdisjoint(
            {(source, verdict.kind, target), (target, self.inverse(verdict.kind), source)}
        )

    def is_dropped(self, verdict: Verdict) -> bool:
        """Tell whether a claim that was rejected is not made any more between two notes that are there."""
        return verdict.answer == "NO" and self.notes.issuperset((verdict.source, verdict.target))


class VerdictBook:
    """All recorded verdicts, looked up in the order of the design's section 6.4."""

    def __init__(self, verdicts: Mapping[str, Verdict]) -> None:
        self._by_key = dict(verdicts)
        self._by_evidence: dict[str, list[Verdict]] = defaultdict(list)
        self._by_claim: dict[Triple, list[Verdict]] = defaultdict(list)
        for verdict in self._by_key.values():
            if verdict.judge == "model":
                self._by_evidence[verdict.evidence_hash].append(verdict)
                self._by_claim[verdict.source, verdict.kind, verdict.target].append(verdict)

    def settled(self, claim: Claim) -> Verdict | None:
        """Return the verdict that makes asking needless: a person's, else that of the very same question."""
        person = self._by_key.get(claim.person_key)
        return person if person is not None else self._by_key.get(claim.model_key)

    def unasked(self, claim: Claim) -> Verdict | None:
        """Return, where nobody can be asked, the newest verdict of any model on this evidence."""
        found = self._by_evidence.get(claim.evidence_hash, [])
        return max(found, key=lambda verdict: (verdict.asked_at, verdict.key), default=None)

    def latest(self, claim: Claim) -> Verdict | None:
        """Return the newest verdict of a model on the same claim, whatever it rested on."""
        found = self._by_claim.get(claim.triple, [])
        return max(found, key=lambda verdict: (verdict.asked_at, verdict.key), default=None)

    def add(self, verdict: Verdict) -> None:
        """Take in a verdict that was just given."""
        self._by_key[verdict.key] = verdict

    def values(self) -> Collection[Verdict]:
        """Return all verdicts."""
        return self._by_key.values()

    def get(self, key: str) -> Verdict | None:
        """Return the verdict under a key."""
        return self._by_key.get(key)

    def __getitem__(self, key: str) -> Verdict:
        """Return the verdict under a key that a link names."""
        return self._by_key[key]

    @property
    def judged(self) -> frozenset[str]:
        """The notes that persons' verdicts speak of."""
        people = (verdict for verdict in self._by_key.values() if verdict.judge == "person")
        return frozenset(node for verdict in people for node in (verdict.source, verdict.target))

    def adopt(
        self,
        claims: Iterable[Claim],
        others: Iterable[Standing],
        rejected: Collection[tuple[str, str]],
        settlement: Settlement,
    ) -> Adoption:
        """Give verdicts of persons whose claim is gone to the one claim that has the same evidence.

        Args:
            claims: The claims that are looked at now.
            others: All other candidates that stand.
            rejected: Pairs of mention and note that a person said are not one: a verdict on such a note is void, and
                passes to no other note that the name is taken for.
            settlement: What has become of claims that no candidate makes any more.

        Returns:
            The verdicts that moved to a new key, by their old key, and the orphans that stay.
        """
        standing = [*(Standing(c.triple, c.evidence_hash, c.link.target or "") for c in claims), *others]
        keys = {claim_key(*other.triple) for other in standing}
        orphans = [
            verdict
            for verdict in self._by_key.values()
            if verdict.judge == "person" and verdict.key not in keys and not settlement.is_stated(verdict)
        ]
        if not orphans:
            return Adoption({}, ())
        heirs: dict[str | None, dict[Triple, str]] = defaultdict(dict)
        for other in standing:
            if claim_key(*other.triple) not in self._by_key:
                heirs[other.evidence_hash][other.triple] = other.named
        adopted: dict[str, Verdict] = {}
        for orphan in orphans:
            found = heirs.get(orphan.evidence_hash, {})
            if len(found) == 1 and (next(iter(found.values())), orphan.target) not in rejected:
                source, kind, target = found.popitem()[0]
                key = claim_key(source, kind, target)
                adopted[orphan.key] = replace(orphan, key=key, source=source, kind=kind, target=target)
        for old, verdict in adopted.items():
            del self._by_key[old]
            self._by_key[verdict.key] = verdict
        left = (orphan for orphan in orphans if orphan.key not in adopted)
        return Adoption(adopted, tuple(orphan for orphan in left if not settlement.is_dropped(orphan)))


@dataclass(frozen=True, slots=True)
class Adoption:
    """Verdicts that moved, by old key, and verdicts without a claim."""

    moved: dict[str, Verdict]
    orphans: tuple[Verdict, ...]

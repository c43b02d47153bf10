"""Two questions have one key exactly where all that an answer rests on is the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.config import load_config
from kantenwerk.config.model import KindEntry, Prompt
from kantenwerk.config.vocabulary import Vocabulary
from kantenwerk.graph.model import Link
from kantenwerk.ingest.validate.evidence import Evidence, Face
from kantenwerk.ingest.validate.prompt import prompt_hash
from kantenwerk.ingest.validate.verdicts import ClaimedNote, make_claim
from tests.properties.profiles import examples, slow

if TYPE_CHECKING:
    from kantenwerk.config import Config
    from kantenwerk.config.model import Language
    from kantenwerk.ingest.validate.verdicts import Claim

PACKAGED = load_config(None, environ={})
# So few that two of them are often alike, and that one text's end may be the next one's beginning.
TEXTS = st.sampled_from(["", "a", "b", "ab", "a\nb", "\n", "[", '","', "ä"])
NAMES = st.sampled_from(["a", "b", "ab"])
LANGUAGES: st.SearchStrategy[Language] = st.sampled_from(["en", "de"])


@dataclass(frozen=True)
class Shown:
    """What the judge reads of the notes."""

    kind: str
    passage: str
    context: str
    title: str
    aliases: tuple[str, ...]
    summary: str
    written: str


@dataclass(frozen=True)
class Judge:
    """Whoever is asked, and how."""

    system: str
    ending: str
    model: str
    temperature: float
    max_output_tokens: int
    logprobs: bool
    answer_limit: str
    abstain_below: float


@dataclass(frozen=True)
class Elsewhere:
    """What an answer does not rest on."""

    label: str
    source: str
    target: str
    path: str
    line: int
    profile: dict[str, Any]


SHOWN = st.builds(Shown, st.sampled_from(["uses", "own"]), TEXTS, TEXTS, TEXTS, st.tuples(TEXTS, TEXTS), TEXTS, TEXTS)
JUDGES = st.builds(
    Judge,
    st.sampled_from(["Judge.", "Judge it."]),
    st.sampled_from(["", "?"]),
    st.sampled_from(["m1", "m2"]),
    st.sampled_from([0.0, 0.7]),
    st.sampled_from([4, 1024]),
    st.booleans(),
    st.sampled_from(["auto", "none", "grammar", "choice"]),
    st.sampled_from([0.0, 0.1]),
)
LIMITS = st.sampled_from([None, 1, 1000])
ELSEWHERE = st.builds(
    Elsewhere,
    TEXTS,
    NAMES,
    NAMES,
    NAMES,
    st.integers(1, 3),
    st.fixed_dictionaries(
        {
            "base_url": st.sampled_from([None, "http://localhost:1/v1", "https://example.org/v1"]),
            "api_key_env": st.sampled_from([None, "ONE_KEY"]),
            "timeout_s": st.sampled_from([1.0, 60.0]),
            "retries": st.integers(0, 3),
            "retry_after_cap_s": st.sampled_from([0.0, 30.0]),
            "concurrency": st.sampled_from([1, 8]),
            "requests_per_minute": LIMITS,
            "tokens_per_minute": LIMITS,
            "max_calls": LIMITS,
            "max_tokens": LIMITS,
            "context_tokens": st.sampled_from([10, 2000]),
            "default_confidence": st.sampled_from([0.5, 0.8]),
            "unproven_confidence": st.sampled_from([0.1, 0.3]),
        }
    ),
)
# The kind's meaning and direction, and the language in which they are told.
KINDS = st.tuples(NAMES, NAMES, NAMES, NAMES, LANGUAGES)
Kind = tuple[str, str, str, str, "Language"]


def config_of(judge: Judge, kind: Kind, elsewhere: Elsewhere) -> Config:
    meaning, bedeutung, direction, richtung, _ = kind
    entry = KindEntry.model_validate(
        {"meaning": {"en": meaning, "de": bedeutung}, "direction": {"en": direction, "de": richtung}}
    )
    prompt = Prompt(system=judge.system, user="{edge_kind} {chunk_text} {target_title}" + judge.ending)
    of_judge = {name: getattr(judge, name) for name in PACKAGED.validator.model_dump() if hasattr(judge, name)}
    profile = PACKAGED.validator.model_copy(update={**of_judge, **elsewhere.profile})
    return replace(
        PACKAGED,
        vocabulary=Vocabulary.from_entries({"uses": entry, "own": entry}),
        prompts={"edge_validation": prompt},
        profiles={"ingest_validator": profile},
    )


def claim_of(shown: Shown, judge: Judge, kind: Kind, elsewhere: Elsewhere) -> Claim:
    language = kind[-1]
    face = Face(shown.title, shown.aliases, shown.summary)
    evidence = Evidence(shown.kind, shown.passage, shown.context, face, shown.written, elsewhere.label, language)
    link = Link(
        source=elsewhere.source,
        kind=shown.kind,
        written="t",
        target=elsewhere.target,
        candidate=True,
        state="pending",
        rule_id="r",
        scope="note",
        chunk=None,
        line=elsewhere.line,
    )
    digest = prompt_hash(shown.kind, language, config_of(judge, kind, elsewhere))
    return make_claim(elsewhere.path, link, ClaimedNote(elsewhere.target, "t.md"), evidence, digest, tuple)


def told(kind: Kind) -> tuple[str, str]:
    """The two sentences about a kind that the judge reads."""
    meaning, bedeutung, direction, richtung, language = kind
    return (meaning, direction) if language == "en" else (bedeutung, richtung)


PARTS: tuple[st.SearchStrategy[Any], ...] = (SHOWN, JUDGES, KINDS, ELSEWHERE)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Two questions that differ in some parts, and mostly in one field of these."""
    first = tuple(draw(part) for part in PARTS)
    second = list(first)
    for number in draw(st.sets(st.integers(0, len(PARTS) - 1), min_size=1, max_size=2)):
        other: Any = draw(PARTS[number])
        if isinstance(other, tuple) or draw(st.booleans()):
            second[number] = other
        else:
            name = draw(st.sampled_from(sorted(other.__dataclass_fields__)))
            second[number] = replace(first[number], **{name: getattr(other, name)})
    return first, tuple(second)


@given(pairs())
@examples(300)
def test_keys_are_equal_where_what_they_rest_on_is(pair: tuple[tuple[Any, ...], tuple[Any, ...]]) -> None:
    check_keys(pair)


@given(pairs())
@slow
def test_keys_are_equal_where_what_they_rest_on_is_slow(pair: tuple[tuple[Any, ...], tuple[Any, ...]]) -> None:
    check_keys(pair)


def check_keys(pair: tuple[tuple[Any, ...], tuple[Any, ...]]) -> None:
    (shown, judge, kind, elsewhere), (other_shown, other_judge, other_kind, other_elsewhere) = pair
    one, other = claim_of(*pair[0]), claim_of(*pair[1])
    same_evidence = shown == other_shown
    same_asking = (judge, told(kind)) == (other_judge, told(other_kind))
    assert (one.evidence_hash == other.evidence_hash) == same_evidence
    if shown.kind == other_shown.kind:
        assert (one.prompt_hash == other.prompt_hash) == same_asking
    assert (one.model_key == other.model_key) == (same_evidence and same_asking)
    # A person's key is that of the claim, whatever is shown and whoever else is asked.
    assert (one.person_key == other.person_key) == (
        (elsewhere.source, shown.kind, elsewhere.target)
        == (other_elsewhere.source, other_shown.kind, other_elsewhere.target)
    )


@given(ELSEWHERE)
@examples(1)
def test_that_all_keys_of_a_profile_are_spoken_of(elsewhere: Elsewhere) -> None:
    """Of a new one it has to be said whether it can change an answer."""
    assert PACKAGED.validator.model_dump().keys() <= {*Judge.__dataclass_fields__, *elsewhere.profile}

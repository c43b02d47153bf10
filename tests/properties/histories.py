"""Vaults whose names collide, and what may happen to them between two imports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from hypothesis import strategies as st

from kantenwerk.config.names import name_key
from kantenwerk.graph.model import (
    Answer,
    Judge,
    Verdict,
    is_mention,
    mention_id,
    mention_in,
    scope_of,
)
from kantenwerk.graph.recorded import State
from kantenwerk.graph.resolutions import file_after, read_resolutions, write_resolutions
from kantenwerk.graph.store import apply_plan, open_snapshot
from kantenwerk.ingest.deciding import Decision, graph_plan, recorded_change
from kantenwerk.ingest.validate.prompt import claim_key, prompt_hash, verdict_key
from tests.properties.vaults import FOLDER, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.properties.vaults import Vault

# Notes whose names meet: one file name in several folders, in another case or ending, composed and decomposed.
PATHS = (
    "X.md",
    "a/X.md",
    "b/X.md",
    "a/b/X.md",
    "x.md",
    "X.MD",
    "Y.md",
    "a/Y.md",
    "Z.md",
    "a/ICH.md",
    "mention:x.md",
    "Ö.md",
    "O\u0308.md",
    "p.png.md",
    # Names that are nearly another one.
    "checkout-service.md",
    "a/Checkout Group.md",
    "Anna Meier.md",
    "a/Julia Nord.md",
)
ATTACHMENTS = ("p.png", "a/p.png", "X.pdf", "Y", "b/X.data", "a/X.md.txt")
TITLES = ("T", "t", "Two Words", "id1", "ME", "Julia Ost", "checkout")
# Names that no note carries, and that some note may be meant by.
NEARLY = ("checkout-svc", "Checkout", "Check-out API", "Julia", "Anna Maier", "Meier", "Word Twos")
KINDS = (
    "uses",
    "used_by",
    "references",
    "referenced by",
    "based_on",
    "basis_of",
    "related_to",
    "embedded_in",
    "mystery",
    "inverse_of_mystery",
    "loose",
    "loosened",
)
TYPES = ("user", "decision", "quiet", "Unheard Of")
ANCHORS = ("", "", "", "#H", "#T", "#^b1", "#H#T")
HEADINGS = ("# T", "## H", "## Z", "### H")
SENTENCES = (
    "One.",
    "Two.",
    "Three `[[X]]` code.",
    "%% hidden [[X]] %%",
    "- item",
    "> quoted",
    "---",
    "| a |\n| - |\n| [[X\\|b]] |",
)
CANDIDATE_ZONES = ("# Edge Pool", "## Edge Pool", "### Candidates")

TYPES_YAML = """\
types:
  decision:
    edge_defaults:
      - {kind: based_on, confidence: 0.7}
      - {kind: uses, confidence: 0.4}
  quiet:
    chunking_profile: sliding
"""
EDGES_YAML = """\
kinds:
  loose: {inverse: loosened, mirrored: false}
"""
PROFILE_YAML = """\
profiles:
  ingest_validator: {base_url: "http://127.0.0.1:9/v1", model: %s, context_tokens: %d}
"""
# Settings that change what notes say, what names mean, or how candidates are judged.
CONFIGS: tuple[tuple[str, str], ...] = (
    ("types.yaml", TYPES_YAML),
    (
        "types.yaml",
        "types:\n  quiet:\n    chunking_profile: sliding\n    edge_defaults: [{kind: up, confidence: 0.2}]\n",
    ),
    ("edges.yaml", EDGES_YAML),
    ("edges.yaml", "kinds:\n  mystery: {inverse: loose, aliases: [loosened]}\n"),
    ("settings.yaml", ""),
    ("settings.yaml", "dataview_fields: true\nunknown_kinds: error\n"),
    ("settings.yaml", "self_names: [X, T]\nowner_type: quiet\n"),
    ("settings.yaml", "candidate_headings: [Z]\nsmart_edges_headings: [H]\n"),
    ("settings.yaml", "attachment_extensions: [data]\n"),
    ("settings.yaml", "interfaces: [Julia, checkout, Meiers]\n"),
    ("settings.yaml", "self_names: [Checkouts, Julia]\n"),
    ("settings.yaml", "resolution: {level: stem, margin: 0.3}\n"),
    ("settings.yaml", "resolution: {level: exact}\n"),
)


class Step(Protocol):
    """Something that happens to a vault."""

    def take(self, vault: Vault) -> None:
        """Do it."""


@dataclass(frozen=True)
class Write:
    """A note is written anew."""

    path: str
    text: str

    def take(self, vault: Vault) -> None:
        vault.write(self.path, self.text)


@dataclass(frozen=True)
class Append:
    """Something is written at the end of a note, if it is there."""

    path: str
    text: str

    def take(self, vault: Vault) -> None:
        text = vault.read(self.path)
        if text is not None:
            vault.write(self.path, f"{text}\n{self.text}")


@dataclass(frozen=True)
class Cut:
    """One line of a note goes."""

    path: str
    line: int

    def take(self, vault: Vault) -> None:
        lines = (vault.read(self.path) or "").splitlines(keepends=True)
        if lines:
            del lines[self.line % len(lines)]
            vault.write(self.path, "".join(lines))


@dataclass(frozen=True)
class Spoil:
    """A note becomes a file that is no text, or is no longer UTF-8."""

    path: str
    content: bytes

    def take(self, vault: Vault) -> None:
        vault.write(self.path, self.content)


@dataclass(frozen=True)
class Delete:
    """A file goes."""

    path: str

    def take(self, vault: Vault) -> None:
        vault.delete(self.path)


@dataclass(frozen=True)
class Move:
    """A file gets another name, and what had that name is lost."""

    old: str
    new: str

    def take(self, vault: Vault) -> None:
        vault.move(self.old, self.new)


@dataclass(frozen=True)
class Copy:
    """A note says the same as another one."""

    old: str
    new: str

    def take(self, vault: Vault) -> None:
        text = vault.read(self.old)
        if text is not None:
            vault.write(self.new, text)


@dataclass(frozen=True)
class Attach:
    """A file that is no note appears."""

    path: str

    def take(self, vault: Vault) -> None:
        vault.write(self.path, "x")


@dataclass(frozen=True)
class Ignore:
    """Some files are no longer read; an empty pattern reads all again."""

    pattern: str

    def take(self, vault: Vault) -> None:
        vault.write(".kantenwerkignore", self.pattern)


@dataclass(frozen=True)
class Configure:
    """One of the vault's own configuration files."""

    name: str
    text: str

    def take(self, vault: Vault) -> None:
        vault.write(f"{FOLDER}/{self.name}", self.text)


ALL_CONFIGS = tuple(Configure(*config) for config in CONFIGS)
# The last one leaves room for three words of evidence.
PROFILES = tuple(
    Configure("llm_profiles.yaml", PROFILE_YAML % profile) for profile in (("one", 2000), ("two", 2000), ("one", 3))
)


@dataclass(frozen=True)
class Answered:
    """Somebody answered one of the stored candidates, on the text of then or on an older one."""

    number: int
    answer: Answer
    judge: Judge
    fresh: bool
    asked_at: str

    def take(self, vault: Vault) -> None:
        (found,) = rows_of(
            vault.database,
            "SELECT source, kind, target, evidence_hash FROM links WHERE candidate AND target IS NOT NULL ORDER BY ALL",
        )
        if not found:
            return
        source, kind, target, evidence = found[self.number % len(found)]
        evidence = evidence if self.fresh and evidence else f"e{self.number}"
        by_person = self.judge == "person"
        prompt = None if by_person else prompt_hash(kind, "en", vault.config())
        vault.record(
            Verdict(
                key=claim_key(source, kind, target) if prompt is None else verdict_key(evidence, prompt),
                source=source,
                kind=kind,
                target=target,
                answer=self.answer,
                p_yes=None,
                confidence=1.0 if by_person else 0.9,
                judge=self.judge,
                profile=None if by_person else "ingest_validator",
                model=None if by_person else "m",
                prompt_hash=prompt,
                evidence_hash=evidence,
                asked_at=self.asked_at,
            )
        )


@dataclass(frozen=True)
class Forget:
    """A line of a file of decisions goes."""

    number: int
    file: str = "verdicts.jsonl"

    def take(self, vault: Vault) -> None:
        vault.forget(self.number, f"{FOLDER}/{self.file}")


@dataclass(frozen=True)
class Decided:
    """Somebody said what a name is or is not: of a stored resolution, of any name and note, or of two notes.

    `at_once` changes the stored graph as well, as the commands do.
    """

    number: int
    state: State
    name: str
    of: str
    is_scoped: bool
    at_once: bool

    def take(self, vault: Vault) -> None:
        rows, notes = rows_of(
            vault.database, "SELECT a, b FROM resolutions ORDER BY ALL", "SELECT id, path FROM notes ORDER BY ALL"
        )
        if not notes:
            return
        decision = self._decision(rows, [note for note, _ in notes])
        if decision.a == decision.b or (decision.state == "new" and not is_mention(decision.a)):
            return
        with open_snapshot(vault.database) as snapshot:
            stored, entity_of = snapshot.resolutions(), snapshot.entities()
        moment = f"2026-01-0{self.number + 1}T00:00:00+00:00"
        file = read_resolutions(vault.root)
        change = recorded_change(decision, stored.get(decision.a, ()), file, moment)
        write_resolutions(vault.root, change)
        if self.at_once and change:
            plan = graph_plan([decision.a], stored, entity_of, file_after(file, change), dict(notes))
            apply_plan(vault.database, plan, None)

    def _decision(self, rows: Sequence[tuple[str, str]], notes: Sequence[str]) -> Decision:
        note, other = notes[self.number % len(notes)], notes[(self.number + 1) % len(notes)]
        if self.of == "notes":
            a, b = sorted((note, other))
        elif self.of == "row" and rows:
            a, b = rows[self.number % len(rows)]
        else:
            a, b = mention_id(name_key(self.name)), note
        if self.is_scoped and is_mention(a) and scope_of(a) is None:
            a = mention_in(a, other)
        return Decision(a, None if self.state == "new" else b, self.state)


@dataclass(frozen=True)
class Damage:
    """A merge went wrong."""

    def take(self, vault: Vault) -> None:
        path = f"{FOLDER}/verdicts.jsonl"
        vault.write(path, f"{vault.read(path) or ''}<<<<<<< ours\n")


@dataclass(frozen=True)
class History:
    """A vault, and what happens to it before each of its imports but the first."""

    notes: dict[str, str]
    turns: list[list[Step]]
    with_model: bool = False

    def begin(self, vault: Vault) -> None:
        """Write the notes, and the configuration that is there from the beginning."""
        for name, text in (("types.yaml", TYPES_YAML), ("edges.yaml", EDGES_YAML)):
            vault.write(f"{FOLDER}/{name}", text)
        if self.with_model:
            PROFILES[0].take(vault)
        for path, text in self.notes.items():
            vault.write(path, text)


@dataclass(frozen=True)
class Words:
    """The few paths, names and kinds that one example is made of, so that its notes speak of each other."""

    paths: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    def fill(self, text: str) -> str:
        """Put words into the slots `‹p0›`, `‹n0›` and `‹k0›` of a text."""
        return _SLOT.sub(lambda slot: self._word(slot.group(1), int(slot.group(2))), text)

    def _word(self, of: str, number: int) -> str:
        words = {"p": self.paths, "n": self.names, "k": self.kinds}[of]
        return words[number % len(words)]


_SLOT = re.compile("‹([pnk])(\\d)›")
S = TypeVar("S", bound="Step")


def filled(step: S, words: Words) -> S:
    """Return a step with words in the slots of its texts."""
    texts = {key: words.fill(value) for key, value in vars(step).items() if isinstance(value, str)}
    return type(step)(**{**vars(step), **texts})


def spellings(paths: Iterable[str]) -> list[str]:
    """Return the ways to write a link to one of these notes."""
    found: dict[str, None] = {}
    for path in paths:
        stem = path[:-3]
        last = stem.rpartition("/")[2]
        for name in (last, stem, last.lower(), f"./{last}", f"../{stem}", f"/{stem}", path):
            found[name] = None
    return list(found)


# Strategies are made once, with slots where an example's own words come in: making them costs more than drawing.
_FAR = st.sampled_from((*TITLES, *NEARLY, *NEARLY, *ATTACHMENTS, "ICH", "Missing", "a/Y", "X", "Z"))
_PATHS = st.lists(st.sampled_from(PATHS), min_size=2, max_size=4, unique=True)
_NEAR = st.lists(st.integers(0, 27), min_size=1, max_size=4)
_MAKING = st.tuples(
    _PATHS, _NEAR, st.lists(_FAR, max_size=2), st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True)
)


def _words(made: tuple[list[str], list[int], list[str], list[str]]) -> Words:
    paths, near, far, kinds = made
    known = spellings(paths)
    return Words(tuple(paths), (*(known[number % len(known)] for number in near), *far), tuple(kinds))


words = _MAKING.map(_words)
path = st.sampled_from([f"‹p{number}›" for number in range(4)])
name = st.sampled_from([f"‹n{number}›" for number in range(6)])
kind = st.sampled_from([f"‹k{number}›" for number in range(3)])
anchor = st.sampled_from(ANCHORS)
edge = st.builds("{}:{}".format, kind, name)
edges = st.lists(edge, min_size=1, max_size=3).map("\n".join)
link = st.one_of(
    st.builds("[[{}{}]]".format, name, anchor),
    st.builds("[[rel:{}|{}]]".format, kind, name),
    st.builds("![[{}{}]]".format, name, anchor),
    st.builds("[label](<{}{}>)".format, name, anchor),
    edge.map("> [!edge] {}".format),
    st.builds("{}:: [[{}]]".format, kind, name),
)
candidates = st.builds("{}\n{}".format, st.sampled_from(CANDIDATE_ZONES), edges)
block = st.one_of(
    st.sampled_from(SENTENCES),
    link,
    candidates,
    candidates,
    edges.map("## Smart Edges\n{}".format),
    st.sampled_from(HEADINGS),
)
prop = st.one_of(
    name.map('id: "{}"'.format),
    name.map('title: "{}"'.format),
    st.builds('aliases: ["{}", "{}"]'.format, name, name),
    st.sampled_from(TYPES).map("type: {}".format),
    st.sampled_from(("summary: S1", "summary: S2")),
    st.builds('{}: "[[{}]]"'.format, kind, name),
)
front = st.lists(prop, min_size=1, max_size=3, unique_by=lambda line: line[:2]).map(
    lambda meta: "\n".join(("---", *meta, "---", ""))
)
note = st.builds("{}{}\n".format, st.one_of(st.just(""), front), st.lists(block, max_size=4).map("\n\n".join))

_number = st.integers(0, 5)
_place = st.one_of(path, path, st.sampled_from(PATHS))
_file = st.one_of(st.sampled_from(ATTACHMENTS), path.map("{}.png".format))
_time = st.sampled_from(("2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"))
_answer: st.SearchStrategy[Answer] = st.sampled_from(("YES", "NO", "UNSURE"))
_judge: st.SearchStrategy[Judge] = st.sampled_from(("person", "model"))
_answered = st.builds(Answered, _number, _answer, _judge, st.booleans(), _time)

_state: st.SearchStrategy[State] = st.sampled_from(("accepted", "rejected", "new"))
_of = st.sampled_from(("row", "row", "name", "notes"))
_decided = st.builds(Decided, _number, _state, name, _of, st.booleans(), st.booleans())


def _steps(configs: Sequence[Configure]) -> st.SearchStrategy[list[Step]]:
    step: st.SearchStrategy[Step] = st.one_of(
        st.builds(Write, path, note),
        st.builds(Append, path, block),
        st.builds(Append, path, block),
        st.builds(Cut, path, _number),
        st.builds(Cut, path, _number),
        st.builds(Delete, path),
        st.builds(Move, path, _place),
        st.builds(Copy, path, _place),
        st.builds(Attach, _file),
        st.builds(Delete, _file),
        _answered,
        _answered,
        st.builds(Forget, _number),
        _decided,
        _decided,
        st.builds(Forget, _number, st.just("decisions.yaml")),
        st.just(Damage()),
        st.builds(Ignore, st.sampled_from(("", "a/", "X.md", "*.png"))),
        st.builds(Spoil, path, st.sampled_from((b"\0", b"\xe4 [[X]]", b""))),
        st.sampled_from(configs),
    )
    return st.lists(step, min_size=1, max_size=3)


_FREE = _steps((*ALL_CONFIGS, PROFILES[-1]))
_JUDGED = _steps((*ALL_CONFIGS, *PROFILES))


CANDIDATE = "Text.\n\n## Edge Pool\nuses:Z\n"
_YES = Answered(0, "YES", "person", fresh=True, asked_at="2026-01-01T00:00:00+00:00")
_NO = Answered(0, "NO", "person", fresh=True, asked_at="2026-02-01T00:00:00+00:00")
# Histories that once came out wrong, with the names of what they show.
A_NOTE_WITHOUT_LINKS_COMES = History({"X.md": "[[Z]]"}, [[Write("Z.md", "Text.")]])
AN_ID_LIKE_A_RELATIVE_PATH_COMES = History({"a/X.md": "[[./Y]]"}, [[Write("Z.md", "---\nid: a/Y\n---\n")]])
AN_ID_LIKE_A_RELATIVE_PATH_GOES = History(
    {"a/X.md": "[[./Y]]", "Z.md": "---\nid: a/Y\n---\n"}, [[Write("Z.md", "---\nid: Q\n---\n")]]
)
A_NOTE_WITH_A_RELATIVE_LINK_CHANGES = History(
    {"a/X.md": "[[./Y]]", "Z.md": "---\nid: a/Y\n---\n"}, [[Append("a/X.md", "More.")]]
)
A_VERDICT_IS_TAKEN_OVER_BY_AN_UNCHANGED_NOTE = History(
    {"X.md": CANDIDATE, "Y.md": CANDIDATE, "Z.md": "Text. [[Q]]"}, [[_YES], [Delete("X.md")]]
)
A_VERDICT_MOVES_IN_A_DAMAGED_FILE = History(
    {"X.md": CANDIDATE, "Z.md": "Text. [[Q]]"}, [[_YES, Damage()], [Move("X.md", "a/X.md")]]
)
A_VERDICT_MOVES_BESIDE_ANOTHER_ON_THE_SAME_CLAIM = History(
    {"X.md": CANDIDATE, "Z.md": "Text. [[Q]]"}, [[_YES, _NO], [Move("X.md", "a/X.md")]]
)
VERDICTS_ARE_GIVEN_IN_A_DAMAGED_FILE = History(
    {"X.md": f"{CANDIDATE}up:Z\nmasters:Z\ncauses:Z", "Z.md": "Text. [[Q]]"},
    [[Damage(), Append("X.md", "down:Z\nnext:Z\nsupports:Z\nbased_on:Z")]],
    with_model=True,
)


def histories(*, fewest: int = 1, turns: int = 3, with_model: bool = False) -> st.SearchStrategy[History]:
    """A vault and some turns, each of some steps, after each of which it is imported.

    Args:
        fewest: How many turns at least.
        turns: How many at most.
        with_model: A model is configured at all times.
    """

    def history(known: Words, texts: list[str], happens: list[list[Step]]) -> History:
        first = dict(zip(known.paths, map(known.fill, texts), strict=False))
        return History(first, [[filled(step, known) for step in turn] for turn in happens], with_model)

    return st.builds(
        history,
        words,
        st.lists(note, min_size=2, max_size=4),
        st.lists(_JUDGED if with_model else _FREE, min_size=fewest, max_size=turns),
    )

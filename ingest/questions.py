"""What people are to be asked about names: which of several notes a name means. Pure.

A question is a name that nobody was clearly ahead for, or one that several notes carry as their file name: that one is
bound all the same, and a person may know better.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import NamedTuple

from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.model import ParsedNote, mention_id, mention_in
from kantenwerk.ingest.links import SURE, Named, Target
from kantenwerk.ingest.mentions import Resolved
from kantenwerk.ingest.pipeline import ImportResult
from kantenwerk.ingest.resolve.catalogue import rooted, stem_path
from kantenwerk.ingest.resolve.exact import Bound, Carrier, OwnerUnknown
from kantenwerk.ingest.resolve.guess import Asked, Meant, Option, SearchFailed

_SAME_NAME = "it carries this very name"
_SUMMARY = 80


class Place(NamedTuple):
    """Where a name is written: the note's path and a line of the file."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Use:
    """One link that speaks of a name, and what the name means there.

    `mention` is what a decision on it stands under; `options` are the notes that it may mean, and `failed` says why
    these were not found out. One that `is_open` is to be asked about; one that `is_fixed` no answer moves, for a
    single note carries it as its path, id or file name.
    """

    key: str
    name: str
    source: str
    place: Place
    mention: str
    options: tuple[Option, ...] = ()
    bound: str | None = None
    is_open: bool = False
    is_fixed: bool = False
    is_owner: bool = False
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Which of `options` a name means, in the places where it is written.

    `bound` is the path of the note that it is bound to until somebody answers; `source` the id of the note that it is
    asked for alone, where something is decided for that note already.
    """

    key: str
    source: str | None
    name: str
    options: tuple[Option, ...]
    places: tuple[Place, ...]
    bound: str | None = None

    @property
    def mention(self) -> str:
        """The mention that an answer is recorded for."""
        mention = mention_id(self.key)
        return mention if self.source is None else mention_in(mention, self.source)


def uses(result: ImportResult) -> Iterator[Use]:
    """Yield every link of a full preview with what its name means."""
    for node, note in result.reached.notes.items():
        for link, target in zip(note.links, result.reached.targets[node], strict=True):
            key = _key(link.written, note.path, node, target)
            use = Use(
                key=key,
                name=without_extension(link.written),
                source=node,
                place=Place(note.path, link.line),
                mention=_mention(key, node, target, result.reached.resolved),
            )
            yield _with_meaning(use, target, result.reached.resolved)


def open_questions(result: ImportResult) -> list[Question]:
    """Return what a full preview of a vault leaves to ask, by name; what is answered is no question."""
    groups: dict[str, list[Use]] = defaultdict(list)
    for use in uses(result):
        if use.is_open:
            groups[use.mention].append(use)
    return sorted(map(_question, groups.values()), key=lambda asked: (name_key(asked.name), asked.name, asked.mention))


def all_options(spoken: Iterable[Use]) -> tuple[Option, ...]:
    """Return the notes that a name may mean in any of its uses, in order, each once."""
    found: dict[str, Option] = {}
    for use in spoken:
        for option in use.options:
            found.setdefault(option.node, option)
    return tuple(found.values())


def question_text(question: Question, notes: Mapping[str, ParsedNote]) -> str:
    """Return the question in a sentence that names the differences, as far as the notes' summaries tell them."""
    told = []
    for option in question.options:
        path, about = _described(option, notes)
        told.append((path, f" — {about.rstrip(' .!?')}" if about else ""))
    first = ", ".join(f"{path}{about} —" if about else path for path, about in told[:-1])
    return f"{question.name}: " + " or ".join(filter(None, [first, "".join(told[-1])])) + "?"


def described(option: Option, notes: Mapping[str, ParsedNote]) -> str:
    """Return the path of an option's note, with its summary, or else with a title that its path does not say."""
    path, about = _described(option, notes)
    return f"{path} — {about}" if about else path


def _described(option: Option, notes: Mapping[str, ParsedNote]) -> tuple[str, str]:
    path, note = stem_path(option.path), notes.get(option.node)
    if note is None:
        return path, ""
    title = "" if name_key(note.title) in name_key(path) else note.title
    return path, shorten(note.summary or title, _SUMMARY, placeholder="…")


def _key(written: str, path: str, node: str, target: Target) -> str:
    """Return the key under which a decision on a written name is recorded, as links are bound."""
    from_root = name_key(without_extension(rooted(written, path)))
    if isinstance(target, Named) and target.mention in _either(from_root, node):
        return from_root
    return name_key(without_extension(written))


def _either(key: str, node: str) -> tuple[str, str]:
    """Return the mention of a name everywhere, and that in one note."""
    mention = mention_id(key)
    return mention, mention_in(mention, node)


def _mention(key: str, node: str, target: Target, resolved: Resolved) -> str:
    if isinstance(target, Named):
        return target.mention
    everywhere, own = _either(key, node)
    return own if own in resolved.rows else everywhere


def _with_meaning(use: Use, target: Target, resolved: Resolved) -> Use:
    options: tuple[Option, ...] = ()
    bound: str | None = None
    failed: str | None = None
    is_asked = is_fixed = False
    match target:
        case Named(mention):
            match resolved.guesses.get(mention):
                case Asked(options):
                    is_asked = True
                case Meant(option):
                    options = (option,)
                case SearchFailed(reason):
                    failed = reason
        case Bound(note, how, others):
            options, bound, is_asked = _carriers((note, *others)), note.path, bool(others)
            is_fixed = how in SURE and not others
        case OwnerUnknown(owners):
            options = _carriers(owners)
    rejected = {row.b for row in resolved.rows.get(use.mention, ()) if row.state == "rejected"}
    options = tuple(option for option in options if option.node not in rejected)
    return replace(
        use,
        options=options,
        bound=bound,
        is_open=is_asked and any(option.path != bound for option in options),
        is_fixed=is_fixed,
        is_owner=isinstance(target, OwnerUnknown) or (isinstance(target, Bound) and target.how == "owner"),
        failed=failed,
    )


def _carriers(notes: Iterable[Carrier]) -> tuple[Option, ...]:
    return tuple(Option(note.node, note.path, "exact", 1.0, _SAME_NAME) for note in notes)


def _question(spoken: list[Use]) -> Question:
    spoken.sort(key=lambda use: use.place)
    first = spoken[0]
    return Question(
        key=first.key,
        source=None if first.mention == mention_id(first.key) else first.source,
        name=min(use.name for use in spoken),
        options=all_options(spoken),
        places=tuple(dict.fromkeys(use.place for use in spoken)),
        bound=first.bound,
    )

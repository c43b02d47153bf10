"""Joins written links to the nodes they mean: a note's links, attachments and what is to be said about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any, NamedTuple, assert_never

from kantenwerk.config import Config
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Attachment, Finding, Link, LinkState, ParsedNote, WrittenLink, is_mention
from kantenwerk.ingest.parse.plain import has_heading
from kantenwerk.ingest.resolve.catalogue import rooted
from kantenwerk.ingest.resolve.exact import Ambiguous, Attached, Bound, Carrier, OwnerUnknown, Resolver, Unresolved
from kantenwerk.ingest.resolve.guess import Asked, Guess, Meant, New, Option, SearchFailed

_SELF = "name another note, or delete it: a note is no neighbour of its own"
_NAMESAKE = "a note of this file name lies in another folder: write its path, if that one is meant"
_OUTSIDE = "the path leads out of the vault: correct it, or take a folder further up for the vault"
_ARTICLES = {"title": "the title", "alias": "an alias"}
# What is told of a link by the method that found its note; a person who said it need not be told.
_TAKEN = {"exact": "title-target", "stem": "stem-target", "semantic": "semantic-target"}
_PLAIN = frozenset({"references", "embeds"})
_MOST_NAMES = 5
# How a name is found that no answer of a person takes elsewhere, if no other note has it.
SURE = frozenset({"path", "id", "file"})
_SECOND_EDGE = re.compile(r",\s*([^,:\s][^,:]*)(?=:)")


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """What one note's links came to; candidates that resolve are `pending` until somebody judged them."""

    links: Sequence[Link]
    attachments: tuple[Attachment, ...]
    findings: tuple[Finding, ...]
    has_pending: bool


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a mention: what it means is found out for all links that speak of it together.

    `is_answered` says that a person said something about it, or that several notes carry it: it is no bare interface.
    """

    mention: str
    is_answered: bool = False


Target = Bound | Named | Attached | OwnerUnknown


class _Carrier(NamedTuple):
    """A note that carries a name, as it is kept."""

    node: str
    path: str


def target_values(target: Target) -> tuple[Any, ...]:
    """Return what `target_of` makes a target of, in texts and tuples."""
    # Before the others, and without a pattern: so are nearly all.
    if isinstance(target, Bound):
        return "bound", target.how, _carriers((target.note, *target.others))
    match target:
        case Named(mention, is_answered):
            return "named", mention, is_answered
        case Attached(path):
            return "attached", path
        case OwnerUnknown(owners):
            return "owner", _carriers(owners)
        case _:
            assert_never(target)


def target_of(values: tuple[Any, ...]) -> Target:
    """Return the target that `target_values` took apart."""
    kind, *rest = values
    if kind == "bound":
        how, (note, *others) = rest
        return Bound(_Carrier(*note), how, tuple(starmap(_Carrier, others)))
    if kind == "named":
        return Named(*rest)
    if kind == "attached":
        return Attached(*rest)
    (owners,) = rest
    return OwnerUnknown(tuple(starmap(_Carrier, owners)))


def _carriers(notes: Iterable[Carrier]) -> tuple[tuple[str, str], ...]:
    return tuple((note.node, note.path) for note in notes)


@dataclass(frozen=True, slots=True)
class LinkBinder:
    """Takes written links to the note that carries their name exactly, or to their mention; `keep` takes these in.

    `answer` gives the mention of a name in a note where a person said what it is, or that it is not the note that
    carries it, which goes before all but a unique path or file name; `mention_of` gives it in any case, and `rejected`
    the notes that a mention is not. What was bound so far: `speaking` are the notes with a link to a mention, `within`
    those to whose headings links lead.
    """

    resolver: Resolver
    answer: Callable[[str, str, str | None], str | None]
    mention_of: Callable[[str, str], str]
    rejected: Callable[[str], frozenset[str]]
    keep: Callable[[Sequence[Target]], Sequence[Target]]
    speaking: set[str] = field(default_factory=set)
    within: set[str] = field(default_factory=set)

    def bind(self, node: str, note: ParsedNote) -> Sequence[Target]:
        """Return what each of a note's links means."""
        targets: list[Target] = []
        for link in note.links:
            target = self._target(node, note.path, link)
            targets.append(target)
            if isinstance(target, Named):
                self.speaking.add(node)
            elif link.anchor is not None and isinstance(target, Bound):
                self.within.add(target.note.node)
        return self.keep(targets)

    def _target(self, node: str, path: str, link: WrittenLink) -> Target:
        binding = self.resolver.resolve(link.written, path, relative=link.relative)
        if isinstance(binding, Attached | OwnerUnknown):
            return binding
        if isinstance(binding, Bound) and binding.how in SURE and not binding.others:
            return binding
        key = binding.key if isinstance(binding, Unresolved) else name_key(without_extension(link.written))
        bound = binding.note.node if isinstance(binding, Bound) else None
        if answered := self.answer(key, node, bound):
            return Named(answered, is_answered=True)
        mention = self.mention_of(key, node)
        if isinstance(binding, Bound):
            rejected = self.rejected(mention)
            return binding._replace(others=tuple(note for note in binding.others if note.node not in rejected))
        return Named(mention, is_answered=isinstance(binding, Ambiguous))


@dataclass(frozen=True, slots=True)
class LinkJoiner:
    """Joins the links of notes; `guess_of` says what a mention means, `headings` holds keys of headings by note.

    `keep` takes a note's links to where they wait.
    """

    guess_of: Callable[[str], Guess]
    headings: Mapping[str, tuple[str, ...]]
    keep: Callable[[Sequence[Link]], Sequence[Link]]
    config: Config

    def join(self, node: str, note: ParsedNote, targets: Sequence[Target]) -> NoteLinks:
        """Return the links of a note; `targets` holds what they mean, in the same order."""
        joined = _Joined()
        for link, target in zip(note.links, targets, strict=True):
            self._join_one(_Place(node, note.path, link, joined), target)
        has_pending = any(link.state == "pending" for link in joined.links)
        return NoteLinks(self.keep(joined.links), tuple(joined.attachments), tuple(joined.findings), has_pending)

    def _join_one(self, at: _Place, target: Target) -> None:
        match target:
            case Bound():
                self._bound(at, target)
            case Named(mention, is_answered):
                self._named(at, mention, is_answered=is_answered)
            case Attached(path):
                self._attached(at, path)
            case OwnerUnknown(owners):
                have = f"{len(owners)} notes are" if owners else "no note is"
                at.tell(
                    "self-unknown",
                    f"`{at.link.written}` means the vault's owner, and {have} of type "
                    f"`{self.config.settings.owner_type}`",
                    f"give exactly one note `type: {self.config.settings.owner_type}`",
                )
                at.add("unresolved", None)
            case _:
                assert_never(target)

    def _bound(self, at: _Place, bound: Bound) -> None:
        link, node = at.link, bound.note.node
        if bound.others:
            paths = _either(name.path for name in (bound.note, *bound.others))
            at.tell(
                "ambiguous-target",
                f"`{link.written}` may mean {paths}; bound to `{bound.note.path}`",
                "write the path of the one that is meant, or say which one: kantenwerk clarify",
            )
        if bound.how in {"title", "alias"}:
            at.tell(
                f"{bound.how}-target",
                f"`{link.written}` is {_ARTICLES[bound.how]} of `{bound.note.path}`; Obsidian would not follow it",
                f"write `[[{bound.note.path.rpartition('/')[2][:-3]}|{link.written}]]`",
            )
        if link.anchor is not None and not has_heading(self.headings.get(node, ()), link.anchor):
            at.tell(
                "heading-not-found",
                f"`{bound.note.path}` has no heading `{link.anchor}`",
                "correct the heading's text; the link to the note counts all the same",
                subject=f"#{link.anchor}",
            )
        if node == at.node:
            # With a heading it is a way about the note, as `[[#heading]]` is.
            if link.anchor is None or link.candidate:
                advice = _NAMESAKE if bound.how == "own" else _SELF
                at.tell("self-link", f"`{link.written}` is this note itself", advice)
        else:
            at.add("pending" if link.candidate else "explicit", node)

    def _named(self, at: _Place, mention: str, *, is_answered: bool) -> None:
        """Join a link to its mention; where that means no note, an explicit link goes there all the same."""
        if not is_answered and speaks_of_nothing(at.link, self.config):
            self._nothing(at)
            return
        guess = self.guess_of(mention)
        if isinstance(guess, Meant) and not is_mention(guess.option.node):
            self._taken(at, mention, guess.option)
            return
        state = self._open(at, guess)
        if at.link.candidate:
            at.add(state, None)
        else:
            at.add("explicit", mention)

    def _taken(self, at: _Place, mention: str, option: Option) -> None:
        """Join a link to a mention that is a note."""
        if option.node == at.node:
            # The name keeps its node, and nobody is asked whether a note is its own neighbour.
            at.tell("self-link", f"`{at.link.written}` is this note itself", _SELF)
            if at.link.candidate:
                at.add("unresolved", None)
            else:
                at.add("explicit", mention)
            return
        if option.method in _TAKEN and not option.is_decided:
            at.tell(
                _TAKEN[option.method],
                f"`{at.link.written}` is taken for `{option.path}`: {option.reason}",
                "write that name; or reject it: kantenwerk resolutions reject",
            )
        at.add("pending" if at.link.candidate else "explicit", mention)

    def _open(self, at: _Place, guess: Guess) -> LinkState:
        """Tell why a name means no note, or none yet, and return the state of a candidate that says it."""
        match guess:
            case Asked(options):
                at.tell("ambiguous-target", question_of(at.link.written, options), "say which one: kantenwerk clarify")
                return "ambiguous"
            case SearchFailed(reason):
                at.tell("search-failed", f"what `{at.link.written}` means was not found out: {reason}", "import again")
                return "failed"
            case New(is_decided=True):
                return "unresolved"
            case New() | Meant():
                # Of two names for one thing, too, there may be no note yet.
                is_rejected = isinstance(guess, New) and guess.is_rejected
                why = f"`{at.link.written}` is none of the notes that it may mean, as a person said"
                # A plain link often waits for its note; an edge of a kind says something of nothing.
                leads = "" if at.link.kind in _PLAIN else f", to which `{at.link.kind}` leads"
                is_outside = rooted(at.link.written, at.path).startswith("../")
                at.tell(
                    "unresolved-target",
                    why if is_rejected else f"no note is called `{at.link.written}`{leads}",
                    _OUTSIDE if is_outside else "write that note, or correct the name",
                )
                return "unresolved"
            case _:
                assert_never(guess)

    def _nothing(self, at: _Place) -> None:
        if _is_two_edges(at.link, self.config):
            at.tell(
                "malformed-candidate",
                f"`{at.link.kind}:{at.link.written}` seems to be two edges in one line",
                "write one `kind:target` a line",
                subject="",
            )
            return
        at.tell(
            "interface-target",
            f"`{at.link.written}` is an interface, and no note of that name is there yet",
            "write that note where the name should have a node",
        )
        at.add("unresolved", None)

    def _attached(self, at: _Place, path: str | None) -> None:
        at.joined.attachments.append(Attachment(at.node, at.link.written, path, at.link.line))
        if path is None:
            at.tell(
                "attachment-missing",
                f"there is no file `{at.link.written}`",
                "add the file, or correct the name",
            )


@dataclass(slots=True)
class _Joined:
    """The results for one note as they come."""

    links: list[Link] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    """One written link in its note, and where its results go."""

    node: str
    path: str
    link: WrittenLink
    joined: _Joined

    def tell(self, code: str, message: str, advice: str, *, subject: str | None = None) -> None:
        """Tell of the link's target, or of another piece of its line."""
        subject = self.link.written if subject is None else subject
        self.joined.findings.append(finding(code, self.path, self.link.line, message, advice, subject=subject))

    def add(self, state: LinkState, target: str | None) -> None:
        link = self.link
        self.joined.links.append(
            Link(
                source=self.node,
                kind=link.kind,
                written=link.written,
                target=target,
                candidate=link.candidate,
                state=state,
                rule_id=link.rule_id,
                scope=link.scope,
                chunk=link.chunk,
                line=link.line,
            )
        )


def speaks_of_nothing(link: WrittenLink, config: Config) -> bool:
    """Tell whether a link whose name no note carries has no mention either: an interface, or two edges in one line."""
    return _is_two_edges(link, config) or name_key(without_extension(link.written)) in config.settings.interface_keys


def _is_two_edges(link: WrittenLink, config: Config) -> bool:
    seconds = _SECOND_EDGE.finditer(link.written) if link.candidate else ()
    vocabulary = config.vocabulary
    return any(vocabulary.is_known(vocabulary.normalise(second.group(1))) for second in seconds)


def question_of(written: str, options: Iterable[Option]) -> str:
    """Return the question which note a name means, with what speaks for each."""
    told = [
        f"`{option.path}`" if option.method == "exact" else f"`{option.path}` ({option.reason})" for option in options
    ]
    return f"`{written}` may mean {_listed(told)}"


def _either(paths: Iterable[str]) -> str:
    return _listed([f"`{path}`" for path in paths])


def _listed(names: list[str]) -> str:
    if len(names) > _MOST_NAMES:
        names = [*names[:_MOST_NAMES], f"one of {len(names) - _MOST_NAMES} more"]
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

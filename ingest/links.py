"""Joins written links to the nodes they mean: a note's links, attachments and what is to be said about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, assert_never

from kantenwerk.config import Config
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Attachment, Finding, Link, LinkState, ParsedNote, WrittenLink, mention_id
from kantenwerk.ingest.parse.plain import has_heading
from kantenwerk.ingest.resolve.exact import (
    Ambiguous,
    Attached,
    Binding,
    Bound,
    OwnerUnknown,
    Resolver,
    Unresolved,
)

_ARTICLES = {"title": "the title", "alias": "an alias"}
_MOST_NAMES = 5
_SECOND_EDGE = re.compile(r",\s*([^,:]+)(?=:)")


@dataclass(slots=True)
class NoteLinks:
    """What one note's links came to; candidates that resolve are `pending` until somebody judged them."""

    links: list[Link] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


class HeadingsOf(Protocol):
    """Gives the heading keys of many notes at once."""

    def __call__(self, nodes: set[str], /) -> Mapping[str, tuple[str, ...]]:
        """Return the heading keys by node; a node that is not there has none."""


@dataclass(slots=True)
class LinkJoiner:
    """Joins the links of many notes with one resolver; `headings_of` is asked once for all anchors."""

    resolver: Resolver
    headings_of: HeadingsOf
    config: Config
    _headings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def join_all(self, notes: Mapping[str, ParsedNote]) -> dict[str, NoteLinks]:
        """Return the links of notes by id."""
        bindings = {
            node: [self.resolver.resolve(link.written, note.path, relative=link.relative) for link in note.links]
            for node, note in notes.items()
        }
        self._headings = self.headings_of(
            {
                binding.note.node
                for node, found in bindings.items()
                for link, binding in zip(notes[node].links, found, strict=True)
                if link.anchor is not None and isinstance(binding, Bound)
            }
        )
        return {node: self._join(node, notes[node], found) for node, found in bindings.items()}

    def _join(self, node: str, note: ParsedNote, bindings: list[Binding]) -> NoteLinks:
        joined = NoteLinks()
        for link, binding in zip(note.links, bindings, strict=True):
            self._join_one(_Place(node, note.path, link, joined), binding)
        return joined

    def _join_one(self, at: _Place, binding: Binding) -> None:
        match binding:
            case Bound():
                self._bound(at, binding)
            case Ambiguous(options):
                at.tell(
                    "ambiguous-target",
                    f"`{at.link.written}` may mean {_either(option.path for option in options)}",
                    "write the path of the one that is meant",
                )
                self._unbound(at, "ambiguous", at.mention)
            case Unresolved(key):
                self._unresolved(at, key)
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
                assert_never(binding)

    def _bound(self, at: _Place, bound: Bound) -> None:
        link, node = at.link, bound.note.node
        if bound.others:
            paths = _either(name.path for name in (bound.note, *bound.others))
            at.tell(
                "ambiguous-target",
                f"`{link.written}` may mean {paths}; bound to `{bound.note.path}`",
                "write the path of the one that is meant",
            )
        if bound.how in {"title", "alias"}:
            at.tell(
                f"{bound.how}-target",
                f"`{link.written}` is {_ARTICLES[bound.how]} of `{bound.note.path}`; Obsidian would not follow it",
                f"write `[[{bound.note.path.rpartition('/')[2][:-3]}|{link.written}]]`",
            )
        if link.anchor is not None and not has_heading(self._headings.get(node, ()), link.anchor):
            at.tell(
                "heading-not-found",
                f"`{bound.note.path}` has no heading `{link.anchor}`",
                "correct the heading's text; the link to the note counts all the same",
            )
        if node == at.node:
            at.tell("self-link", f"`{link.written}` is this note itself", "a note is no neighbour of its own")
        else:
            at.add("pending" if link.candidate else "explicit", node)

    def _unbound(self, at: _Place, state: LinkState, mention: str) -> None:
        """An explicit link goes to the name's mention; a candidate waits for a note."""
        if at.link.candidate:
            at.add(state, None)
        else:
            at.add("explicit", mention)

    def _unresolved(self, at: _Place, key: str) -> None:
        vocabulary = self.config.vocabulary
        seconds = _SECOND_EDGE.finditer(at.link.written) if at.link.candidate else ()
        if any(vocabulary.is_known(vocabulary.normalise(second.group(1))) for second in seconds):
            at.tell(
                "malformed-candidate",
                f"`{at.link.kind}:{at.link.written}` seems to be two edges in one line",
                "write one `kind:target` a line",
            )
            return
        if name_key(without_extension(at.link.written)) in map(name_key, self.config.settings.interfaces):
            at.tell(
                "interface-target",
                f"`{at.link.written}` is an interface, and no note of that name is there yet",
                "write that note where the name should have a node",
            )
            at.add("unresolved", None)
            return
        at.tell("unresolved-target", f"no note is called `{at.link.written}`", "write that note, or correct the name")
        self._unbound(at, "unresolved", mention_id(key))

    def _attached(self, at: _Place, path: str | None) -> None:
        at.joined.attachments.append(Attachment(at.node, at.link.written, path, at.link.line))
        if path is None:
            at.tell(
                "attachment-missing",
                f"there is no file `{at.link.written}`",
                "add the file, or correct the name",
            )


@dataclass(frozen=True, slots=True)
class _Place:
    """One written link in its note, and where its results go."""

    node: str
    path: str
    link: WrittenLink
    joined: NoteLinks

    @property
    def mention(self) -> str:
        """The node of the name, where no single note carries it."""
        return mention_id(name_key(without_extension(self.link.written)))

    def tell(self, code: str, message: str, advice: str) -> None:
        self.joined.findings.append(finding(code, self.path, self.link.line, message, advice))

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


def _either(paths: Iterable[str]) -> str:
    names = [f"`{path}`" for path in paths]
    if len(names) > _MOST_NAMES:
        names = [*names[:_MOST_NAMES], f"one of {len(names) - _MOST_NAMES} more"]
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

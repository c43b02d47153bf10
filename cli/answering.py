"""Reads the answers of `kantenwerk clarify` as options give them: which name, which note, and for whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kantenwerk.cli.deciding import listed
from kantenwerk.cli.desk import Answer, Desk
from kantenwerk.cli.terminal import one_line
from kantenwerk.config.errors import ConfigError, EmbedderError
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.config.suggest import no_such
from kantenwerk.graph.model import Resolution, mention_id, mention_in
from kantenwerk.graph.recorded import State
from kantenwerk.ingest.deciding import Decision
from kantenwerk.ingest.questions import Use, all_options


class AnswerReader:
    """Reads answers as options give them; a wrong one ends the command before anything is written."""

    def __init__(self, desk: Desk, source: str | None) -> None:
        self._desk = desk
        self._source = desk.finder.one(source) if source is not None else None
        self._uses: dict[str, list[Use]] = defaultdict(list)
        for use in desk.uses:
            # Also as it is written: `../Julia` is looked up as the path that it comes to.
            for key in {use.key, name_key(use.name)}:
                self._uses[key].append(use)

    def read(self, written: Iterable[str], new: Iterable[str], none: Iterable[str]) -> tuple[list[Answer], list[str]]:
        """Return all answers, and sentences on what is not written.

        Args:
            written: Answers as NAME=NOTE.
            new: Names of things of their own.
            none: Names that mean none of the notes in question.

        Raises:
            ConfigError: an answer is wrong: its name or its note, or it contradicts another.
            EmbedderError: what a name may mean could not be found out.
        """
        answers: list[Answer] = []
        notes: list[str] = []
        seen: set[str] = set()
        for text in written:
            name, note = self._split(text)
            answers.append(self._said(name, self._desk.finder.one(note), "accepted", seen))
        answers += [self._said(name, None, "new", seen) for name in new]
        for name in none:
            rejected = self._none_of(name, seen)
            answers += rejected
            if not rejected:
                notes.append(f"`{one_line(name)}` is none of the notes that it was asked about (recorded already)")
        notes += dict.fromkeys(note for answer in answers for note in self._kept(answer))
        return answers, notes

    def _kept(self, answer: Answer) -> Iterator[str]:
        """Yield a sentence for every note that has an answer of its own, which goes before one for all notes."""
        if self._source is None:
            found = self._uses[_key(answer.name)]
            for source in dict.fromkeys(use.source for use in found if use.mention != answer.decision.a):
                yield f"`{one_line(answer.name)}` keeps its own answer in {self._desk.path(source)}"

    def _split(self, text: str) -> tuple[str, str]:
        """Split NAME=NOTE at the last `=` behind which a note is named; names and paths may hold some as well."""
        parts = text.split("=")
        splits = [("=".join(parts[:at]), "=".join(parts[at:])) for at in range(len(parts) - 1, 0, -1)]
        if not splits:
            raise ConfigError(f"--answer {one_line(text)}: write NAME=NOTE, such as --answer Julia=people/Julia")
        named = [pair for pair in splits if self._desk.finder.find(pair[1])]
        used = [pair for pair in named if _key(pair[0]) in self._uses]
        return (used or named or splits[-1:])[0]

    def _said(self, name: str, note: str | None, state: State, seen: set[str]) -> Answer:
        found = self._find(name, seen)
        return Answer(_spelled(found), Decision(self._mention(found), note, state), self._source, self._rows(found))

    def _none_of(self, name: str, seen: set[str]) -> list[Answer]:
        found = self._find(name, seen)
        mention, rows = self._mention(found), self._rows(found)
        meant = all_options(use for use in found if self._source is not None or use.mention == mention)
        if not meant and (failed := next((use.failed for use in found if use.failed), None)):
            raise EmbedderError(f"what `{one_line(name)}` may mean was not found out: {failed}; nothing was written")
        if not meant and not any(row.state == "rejected" for row in rows):
            raise ConfigError(
                f"--none {one_line(name)}: no note is proposed for it; --new makes it a thing of its own for good"
            )
        return [
            Answer(_spelled(found), Decision(mention, option.node, "rejected"), self._source, rows) for option in meant
        ]

    def _find(self, name: str, seen: set[str]) -> list[Use]:
        """Return the uses of a name that an answer is for."""
        found = self._uses.get(_key(name), [])
        if not found:
            names = {use.name for use in self._desk.uses}
            raise ConfigError(f"no link says `{one_line(name)}`: {no_such('name', name, names)}")
        if self._source is not None:
            found = self._in_source(name, found)
        if any(use.is_owner for use in found):
            raise ConfigError(f"`{one_line(name)}` means the vault's owner: give one note alone the owner's `type`")
        keys = {use.key for use in found}
        if len(keys) > 1:
            raise ConfigError(f"`{one_line(name)}` means different things in different notes: write {listed(keys)}")
        if all(use.is_fixed for use in found):
            raise ConfigError(
                f"`{one_line(name)}` names `{one_line(found[0].bound or '')}` and no other note, and a note's own name "
                "goes before any answer: write the name of another note in the link"
            )
        if self._mention(found) in seen:
            raise ConfigError(f"`{one_line(name)}` is answered twice: answer it once")
        seen.add(self._mention(found))
        return found

    def _in_source(self, name: str, found: list[Use]) -> list[Use]:
        here = [use for use in found if use.source == self._source]
        if not here:
            names = {use.name for use in self._desk.uses if use.source == self._source}
            raise ConfigError(
                f"no link in {self._desk.path(self._source)} says `{one_line(name)}`: {no_such('name', name, names)}"
            )
        return here

    def _mention(self, found: list[Use]) -> str:
        mention = mention_id(found[0].key)
        return mention if self._source is None else mention_in(mention, self._source)

    def _rows(self, found: Iterable[Use]) -> tuple[Resolution, ...]:
        mentions = dict.fromkeys(use.mention for use in found)
        return tuple(row for mention in mentions for row in self._desk.rows.get(mention, ()))


def _key(name: str) -> str:
    return name_key(without_extension(name))


def _spelled(found: Iterable[Use]) -> str:
    return min(use.name for use in found)

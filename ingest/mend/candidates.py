"""The lines that candidates stand in, as something that can be taken out of a note."""

from __future__ import annotations

from dataclasses import dataclass

from kantenwerk.graph.model import Link, ParsedNote, WrittenLink
from kantenwerk.ingest.mend.edits import Line, Skipped
from kantenwerk.ingest.parse.comments import MARK, ignore_comments
from kantenwerk.ingest.parse.inline import visible
from kantenwerk.ingest.parse.target import has_block_id


@dataclass(frozen=True, slots=True)
class Taken:
    """A candidate that is to leave its pool: what became of it, how it was written, and its line."""

    link: Link
    written: WrittenLink
    line: Line

    @property
    def said(self) -> str:
        """The candidate as messages name it."""
        return f"`{self.link.kind}:{self.link.written}`"


def take(note: ParsedNote, link: Link, lines: tuple[Line, ...]) -> Taken | Skipped:
    """Return a candidate with its line, or why that cannot go: it holds more than the candidate."""
    found = [written for written in note.links if written.candidate and written.line == link.line]
    line = lines[link.line - 1]
    if len(found) != 1:
        return Skipped(note.path, link.line, "the line holds more than one candidate")
    if has_block_id(line.text):
        return Skipped(note.path, link.line, "the line has a block id, which links may lead to: move it yourself")
    if visible(line.text, with_math=False) != line.text:
        return Skipped(note.path, link.line, "the line holds a comment, which would be lost: move it yourself")
    if _is_spoken_of(note.path, link.line, lines):
        return Skipped(note.path, link.line, "a comment above speaks of it: move or delete it yourself")
    return Taken(link, found[0], line)


def _is_spoken_of(path: str, number: int, lines: tuple[Line, ...]) -> bool:
    """Tell whether a comment alone on the line above is for the check; it would speak of another line then."""
    # Hardly any line has one, and cutting the note into blocks takes long.
    if number < 2 or MARK not in lines[number - 2].text:  # noqa: PLR2004 - there is a line above
        return False
    comments = ignore_comments(path, tuple(line.text for line in lines))
    return any(comment.line == number - 1 and comment.is_alone for comment in comments)

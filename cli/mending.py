"""What `check --fix` and `promote` share: a diff of the notes or JSON, and then, if asked for, the notes written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

import typer

from kantenwerk.cli.terminal import as_json, counted, one_line, painted, safe
from kantenwerk.ingest.mend.edits import Mended, Skipped, line_end, read_lines
from kantenwerk.ingest.mend.run import Mending
from kantenwerk.ingest.mend.write import clear_leftovers, write_note

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_NO_END = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class MendOptions:
    """The options of these commands as they were given."""

    vault: Path | None
    apply: bool
    as_json: bool
    overrides: dict[str, object] = field(default_factory=dict)


def tell_mending(vault: Path, mending: Mending, options: MendOptions) -> int:
    """Show what is to be mended and write it with --apply; return 1 where a note could not be written."""
    failed = _write(vault, mending) if options.apply else ()
    written = {note.path for note in mending.notes} - {one.path for one in failed} if options.apply else set()
    if options.as_json:
        typer.echo(as_json(_json(mending, failed, written)))
    else:
        for line in (line for note in mending.notes for line in _diff(note)):
            typer.echo(line)
    for one in (*mending.skipped, *failed):
        typer.echo(f"{one_line(one.path)}:{one.line}: {one_line(one.why)}", err=True)
    typer.echo(_summary(mending, written, is_applied=options.apply), err=True)
    return int(bool(failed))


def _write(vault: Path, mending: Mending) -> tuple[Skipped, ...]:
    clear_leftovers(vault, mending.notes)
    told = ((note, write_note(vault, note)) for note in mending.notes)
    return tuple(Skipped(note.path, 1, why) for note, why in told if why is not None)


def _summary(mending: Mending, written: set[str], *, is_applied: bool) -> str:
    notes = [note for note in mending.notes if not is_applied or note.path in written]
    edits = f"{counted(sum(len(note.edits) for note in notes), 'edit')} in {counted(len(notes), 'note')}"
    if is_applied:
        return f"Written: {edits}." if notes else "Nothing was written."
    return f"{edits}; --apply writes them." if notes else "Nothing to mend."


def _json(mending: Mending, failed: tuple[Skipped, ...], written: set[str]) -> dict[str, object]:
    return {
        "edits": [edit for note in mending.notes for edit in _edits(note, is_written=note.path in written)],
        "skipped": [{"path": one.path, "line": one.line, "message": one.why} for one in (*mending.skipped, *failed)],
    }


def _edits(note: Mended, *, is_written: bool) -> Iterator[dict[str, object]]:
    for edit in note.edits:
        yield {
            "path": note.path,
            "line": edit.line,
            "code": edit.code,
            "message": edit.why,
            "start": edit.start,
            "end": edit.end,
            "old": note.before[edit.start : edit.end].decode(),
            "new": edit.new.decode(),
            "written": is_written,
        }


def _diff(note: Mended) -> Iterator[str]:
    """Yield a unified diff for people: what would drive the terminal is spelled out, line ends are not shown."""
    path = one_line(note.path)
    for line in unified_diff(_shown(note.before), _shown(note.after), path, path, lineterm=""):
        if line[:3] in {"---", "+++"} and line[4:] == path:
            yield painted(line, "white", bold=True)
        else:
            colour = _COLOURS.get(line[0])
            yield painted(line, colour) if colour else line


def _shown(data: bytes) -> list[str]:
    lines = read_lines(data)
    shown = [safe(line.text) for line in lines]
    if lines and not line_end(data, lines[-1]):
        shown[-1] += f"\n{_NO_END}"
    return shown

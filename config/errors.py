"""The errors that end a command; everything a note can do wrong is a finding instead."""

from __future__ import annotations

from errno import EACCES, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOSPC, EPERM, EROFS
from os import strerror
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# What stops a program that is right: the machine, or who runs it. The advice is for people.
_ADVICE = {
    **dict.fromkeys((EACCES, EPERM), "give yourself the right to it"),
    **dict.fromkeys((ENOSPC, EDQUOT), "make room there"),
    EROFS: "make it writable, or copy the vault",
    EFBIG: "make room there, or lift the limit on the size of files",
    EIO: "look after the disk",
    **dict.fromkeys((EMFILE, ENFILE), "close other programs, or lift the limit on open files"),
}


class KantenwerkError(Exception):
    """The base of every error that the command line turns into a sentence and an exit code."""

    exit_code = 2


class ConfigError(KantenwerkError):
    """A configuration file, variable or flag is wrong; the message names file, line and key."""


class VaultError(KantenwerkError):
    """The vault cannot be read: missing, not a folder, or without a single note."""


class DecisionsError(KantenwerkError):
    """The files beside the notes cannot be read or written; a graph without the decisions would be another one."""

    exit_code = 1


class EmbedderError(KantenwerkError):
    """No name can be embedded: the package or the model is missing, or its weights are damaged."""

    exit_code = 1


class StoreError(KantenwerkError):
    """The database cannot be opened, or another process holds it."""

    exit_code = 3


class QueryError(KantenwerkError):
    """A query of the user's cannot be run; the message is the database's."""


def told(error: OSError) -> str:
    """Return why the system refused something, and what to do about it where that is known."""
    reason, advice = error.strerror or str(error), _ADVICE.get(error.errno or 0)
    return f"{reason}: {advice}" if advice else reason


def not_written(error: OSError, meant: Path) -> str:
    """Return that a file could not be written, and why; `meant` is what was to be, where the system names none."""
    return f"{error.filename or meant}: cannot be written: {told(error)}"


def advice_on(text: str) -> str | None:
    """Return what to do about what a library says the system refused."""
    return next((advice for number, advice in _ADVICE.items() if strerror(number) in text), None)


def is_of_machine(error: OSError) -> bool:
    """Tell whether an error comes from the machine or from rights, and not from a slip in the program."""
    return error.errno in _ADVICE

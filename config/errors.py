"""The errors that end a command; everything a note can do wrong is a finding instead."""

from __future__ import annotations


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

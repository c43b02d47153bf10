"""The commands and their options; everything they decide is decided elsewhere."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from kantenwerk.cli.guard import guarded
from kantenwerk.config.errors import ConfigError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """How a report is written."""

    text = "text"
    json = "json"


class Bar(StrEnum):
    """From which severity on findings fail a check."""

    error = "error"
    warning = "warning"
    info = "info"
    never = "never"


VaultOption = Annotated[
    str | None,
    typer.Option(
        "--vault",
        metavar="FOLDER",
        help="The folder of notes; else found upwards from here by `.kantenwerk` or `.obsidian`.",
        show_default=False,
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How the report is written.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override a setting, such as resolution.level=exact.",
        show_default=False,
    ),
]


def _version(*, asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"kantenwerk {version('kantenwerk')}")
        raise typer.Exit


@app.callback()
def kantenwerk(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=lambda asked: _version(asked=asked), is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Turn a folder of linked Markdown notes into a typed graph that can be trusted."""
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot print a character gets a replacement.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@app.command("import", short_help="Preview an import, or write it with --apply.")
@guarded
def import_(
    vault: VaultOption = None,
    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="FILE",
            help="The database; else .kantenwerk/graph.duckdb in the vault.",
            show_default=False,
        ),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write the graph; without it nothing is written.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Preview, the default.")] = False,
    format_: FormatOption = Format.text,
    full: Annotated[bool, typer.Option("--full", help="List every edge, mirrors included.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log each candidate on stderr.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before many calls.")] = False,
    max_calls: Annotated[
        int | None,
        typer.Option(
            "--max-calls",
            min=0,
            metavar="N",
            help="Ask the model at most N times; 0: never.",
            show_default=False,
        ),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Hash every file, whatever its size and times say.")] = False,
    settings: SetOption = None,
) -> None:
    """Read a vault and show what would change in its graph; with --apply, write it."""
    from kantenwerk.cli.importing import ImportOptions, import_vault

    if apply and dry_run:
        raise typer.BadParameter("--apply writes and --dry-run does not: give one of them")
    raise typer.Exit(
        import_vault(
            ImportOptions(
                vault=_path("--vault", vault),
                db=_path("--db", db),
                apply=apply,
                as_json=format_ is Format.json,
                full=full,
                verbose=verbose,
                yes=yes,
                verify=verify,
                overrides=_overrides(settings, max_calls),
            )
        )
    )


@app.command(short_help="List what is wrong in the notes.")
@guarded
def check(
    vault: VaultOption = None,
    format_: FormatOption = Format.text,
    fail_on: Annotated[Bar, typer.Option("--fail-on", help="The lowest severity that fails.")] = Bar.error,
    settings: SetOption = None,
) -> None:
    """Tell what is wrong in a vault; writes nothing, asks no model, needs no database."""
    from kantenwerk.cli.checking import check_vault

    raise typer.Exit(
        check_vault(
            _path("--vault", vault),
            as_json=format_ is Format.json,
            fail_on=fail_on.value,
            overrides=_overrides(settings),
        )
    )


def _path(option: str, written: str | None) -> Path | None:
    """Return an option's path; an empty one, as an unset variable leaves it, is not the working directory."""
    if written is None:
        return None
    if not written.strip():
        raise ConfigError(f"{option} is empty: name a path, or leave it out")
    return Path(written)


def _overrides(settings: list[str] | None, max_calls: int | None = None) -> dict[str, Any]:
    import yaml

    overrides: dict[str, Any] = {}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals:
            raise ConfigError(f"--set {setting}: write KEY=VALUE, such as --set resolution.level=exact")
        try:
            overrides[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            overrides[key.strip()] = value
    if max_calls is not None:
        overrides["llm.max_calls"] = max_calls
    return overrides

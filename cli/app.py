"""The commands and their options; everything they decide is decided elsewhere."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

import typer

from kantenwerk.cli.guard import guarded
from kantenwerk.config.errors import ConfigError

if TYPE_CHECKING:
    from kantenwerk.cli.mending import MendOptions
    from kantenwerk.cli.stored import Place

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


class CheckFormat(StrEnum):
    """How findings are written: for people, for programs, for the servers that show them."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"
    junit = "junit"
    gitlab = "gitlab"


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
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE",
        help="The database; else .kantenwerk/graph.duckdb in the vault.",
        show_default=False,
    ),
]
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


@app.command("init", short_help="Give a folder of notes the files that a vault begins with.")
@guarded
def init_(
    vault: Annotated[
        str | None,
        typer.Option(
            "--vault", metavar="FOLDER", help="The folder of notes; else the working directory.", show_default=False
        ),
    ] = None,
    format_: FormatOption = Format.text,
) -> None:
    """Write a commented configuration and what git should know into .kantenwerk; never overwrites a file."""
    from kantenwerk.cli.starting import start_vault

    raise typer.Exit(start_vault(_path("--vault", vault), in_json=format_ is Format.json))


@app.command("import", short_help="Preview an import, or write it with --apply.")
@guarded
def import_(
    vault: VaultOption = None,
    db: DatabaseOption = None,
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
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=0,
            metavar="N",
            help="Let asking cost at most N tokens.",
            show_default=False,
        ),
    ] = None,
    explain_calls: Annotated[
        bool, typer.Option("--explain-calls", help="List each candidate that is asked about, and why.")
    ] = False,
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
                explain_calls=explain_calls,
                overrides=_overrides(settings, max_calls, max_tokens),
            )
        )
    )


@app.command("explain-verdict", short_help="Show what a verdict rests on, with its exact prompt.")
@guarded
def explain_verdict_(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of a verdict, or of a candidate.")],
    vault: VaultOption = None,
    format_: FormatOption = Format.text,
    settings: SetOption = None,
) -> None:
    """Show a verdict and the exact prompt that it answers; asks no model."""
    from kantenwerk.cli.explaining import explain_verdict

    raise typer.Exit(
        explain_verdict(_path("--vault", vault), key, in_json=format_ is Format.json, overrides=_overrides(settings))
    )


@app.command(short_help="List what is wrong in the notes.")
@guarded
def check(
    vault: VaultOption = None,
    format_: Annotated[CheckFormat, typer.Option("--format", help="How the findings are written.")] = CheckFormat.text,
    fail_on: Annotated[
        Bar | None,
        typer.Option(
            "--fail-on",
            help="The lowest severity that fails; else check.fail_on of the settings, error.",
            show_default=False,
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="CODE,…",
            help="Report, or mend, these codes alone; `candidate` is every `candidate-…`. "
            "Sets the settings' choice aside.",
            show_default=False,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODE,…", help="Leave these codes out.", show_default=False),
    ] = None,
    changed_since: Annotated[
        str | None,
        typer.Option(
            "--changed-since",
            metavar="REV",
            help="Report only what was not there at this revision of git.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Report only what this file does not hold; else check.baseline of the settings.",
            show_default=False,
        ),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="Write the findings of today into this file, and fail on none of them.",
            show_default=False,
        ),
    ] = None,
    frozen: Annotated[
        bool, typer.Option("--frozen", help="A verdict or name that is not recorded is an error, as with a lock file.")
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="CODE", help="Print what a finding's code means.", show_default=False),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Show as a diff what can be mended for certain.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="With --fix: write it into the notes.")] = False,
    settings: SetOption = None,
) -> None:
    """Tell what is wrong in a vault; asks no model. Writes only with --fix --apply or --write-baseline."""
    from kantenwerk.cli.checking import CheckOptions, check_vault

    if write_baseline is not None and (baseline is not None or changed_since is not None):
        raise typer.BadParameter("--write-baseline records all findings: give it without --baseline, --changed-since")
    if fix:
        given = {
            "--fail-on": fail_on,
            "--changed-since": changed_since,
            "--baseline": baseline,
            "--write-baseline": write_baseline,
            "--frozen": frozen or None,
            "--explain": explain,
        }
        if others := ", ".join(option for option, value in given.items() if value is not None):
            raise typer.BadParameter(f"--fix mends and reports no findings: give it without {others}")
        if format_ not in {CheckFormat.text, CheckFormat.json}:
            raise typer.BadParameter("--fix shows a diff, or its edits with --format json")
        from kantenwerk.cli.fixing import fix_vault

        options = _mend_options(vault, Format(format_.value), settings, apply=apply)
        raise typer.Exit(fix_vault(options, tuple(select or ()), tuple(ignore or ())))
    if explain is not None:
        from kantenwerk.cli.codes import explain_code

        raise typer.Exit(explain_code(explain, in_json=format_ is CheckFormat.json))
    if apply:
        raise typer.BadParameter("--apply is for --fix: without it there is nothing to write")
    raise typer.Exit(
        check_vault(
            CheckOptions(
                vault=_path("--vault", vault),
                format=format_.value,
                fail_on=None if fail_on is None else fail_on.value,
                select=tuple(select or ()),
                ignore=tuple(ignore or ()),
                changed_since=changed_since,
                baseline=_path("--baseline", baseline),
                write_baseline=_path("--write-baseline", write_baseline),
                frozen=frozen,
                overrides=_overrides(settings),
            )
        )
    )


@app.command("promote", short_help="Move proven candidates into Smart Edges.")
@guarded
def promote_(
    notes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NOTE", help="Only these notes: id, path, file name or title; else all.", show_default=False
        ),
    ] = None,
    vault: VaultOption = None,
    drop_rejected: Annotated[bool, typer.Option("--drop-rejected", help="Take rejected candidates out, too.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Write the notes; without it nothing is written.")] = False,
    format_: FormatOption = Format.text,
    settings: SetOption = None,
) -> None:
    """Show as a diff how proven candidates move out of their sections into Smart Edges; with --apply, write it."""
    from kantenwerk.cli.promoting import promote_notes

    options = _mend_options(vault, format_, settings, apply=apply)
    raise typer.Exit(promote_notes(options, tuple(notes or ()), drop_rejected=drop_rejected))


@app.command("clarify", short_help="Say which notes names mean, where it is not clear.")
@guarded
def clarify_(
    vault: VaultOption = None,
    as_list: Annotated[bool, typer.Option("--list", help="Print the questions and ask nothing.")] = False,
    format_: FormatOption = Format.text,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="NAME=NOTE",
            help="The name means this note: its id, path, file name or title.",
            show_default=False,
        ),
    ] = None,
    none: Annotated[
        list[str] | None,
        typer.Option(
            "--none", metavar="NAME", help="The name means none of the notes asked about.", show_default=False
        ),
    ] = None,
    new: Annotated[
        list[str] | None,
        typer.Option(
            "--new", metavar="NAME", help="The name is a thing of its own; never ask again.", show_default=False
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="NOTE", help="These answers are for the links of this note alone.", show_default=False
        ),
    ] = None,
    settings: SetOption = None,
) -> None:
    """Ask, on a terminal, which notes names mean; elsewhere list the questions. Answers go to decisions.yaml."""
    from kantenwerk.cli.clarifying import ClarifyOptions, clarify

    raise typer.Exit(
        clarify(
            ClarifyOptions(
                vault=_path("--vault", vault),
                as_list=as_list,
                as_json=format_ is Format.json,
                answers=tuple(answers or ()),
                none=tuple(none or ()),
                new=tuple(new or ()),
                source=source,
                overrides=_overrides(settings),
            )
        )
    )


class CandidateState(StrEnum):
    """How a candidate stands; `stale` is one whose text has changed since a person judged it."""

    pending = "pending"
    unproven = "unproven"
    rejected = "rejected"
    verified = "verified"
    failed = "failed"
    stale = "stale"


@app.command("review", short_help="Say which candidates are right.")
@guarded
def review_(
    vault: VaultOption = None,
    states: Annotated[
        list[CandidateState] | None,
        typer.Option(
            "--state",
            metavar="STATE",
            help="Those that are pending, unproven, rejected, verified, failed or stale; may be given several times; "
            "else pending and unproven.",
            show_default=False,
        ),
    ] = None,
    as_list: Annotated[bool, typer.Option("--list", help="Print the candidates and ask nothing.")] = False,
    format_: FormatOption = Format.text,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="KEY=yes|no|ask",
            help="The candidate with this key is right or wrong; ask: withdraw what a person said.",
            show_default=False,
        ),
    ] = None,
    settings: SetOption = None,
) -> None:
    """Ask, on a terminal, which candidates are right; elsewhere list them. Answers go to verdicts.jsonl."""
    from kantenwerk.cli.reviewing import ReviewOptions, review

    raise typer.Exit(
        review(
            ReviewOptions(
                vault=_path("--vault", vault),
                states=tuple(state.value for state in states or ()),
                as_list=as_list,
                as_json=format_ is Format.json,
                answers=tuple(answers or ()),
                overrides=_overrides(settings),
            )
        )
    )


@app.command("probe", short_help="Measure how well the configured model judges.")
@guarded
def probe_(
    vault: VaultOption = None,
    format_: FormatOption = Format.text,
    repeat: Annotated[int, typer.Option("--repeat", min=1, metavar="N", help="Ask every claim N times.")] = 2,
    settings: SetOption = None,
) -> None:
    """Ask the configured model claims with known answers, and say what its verdicts are worth; writes nothing.

    Without a vault, the environment says which model.
    """
    from kantenwerk.cli.probing import probe_judge

    raise typer.Exit(
        probe_judge(
            _path("--vault", vault),
            as_json=format_ is Format.json,
            repeat=repeat,
            overrides=_overrides(settings),
        )
    )


NodeArgument = Annotated[
    str, typer.Argument(metavar="NOTE", help="A note's path, id, file name, title or alias, or a name that links use.")
]
KindsOption = Annotated[
    str | None,
    typer.Option("--kinds", metavar="KIND,…", help="Only edges of these kinds and their inverses.", show_default=False),
]


@app.command("explain", short_help="Say why an edge is in the graph, or why not.")
@guarded
def explain_(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The note that it leads from: path, name or title.")],
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Its kind, such as depends_on, or an alias.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Where it leads to, also as the note writes it.")],
    vault: VaultOption = None,
    db: DatabaseOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Show the trail of an edge: line, target, verdict, mirror, what else says it; exit code 1 if it is not there."""
    from kantenwerk.cli.trail import Asked, explain

    raise typer.Exit(explain(_place(vault, db), Asked(source, kind, target), in_json=format_ is Format.json))


@app.command("show", short_help="Show a note with its edges.")
@guarded
def show_(
    note: NodeArgument,
    vault: VaultOption = None,
    db: DatabaseOption = None,
    full: Annotated[bool, typer.Option("--full", help="List mirrors, too.")] = False,
    format_: FormatOption = Format.text,
) -> None:
    """Show a note: its other names, its edges out and in by kind, its findings."""
    from kantenwerk.cli.showing import show

    raise typer.Exit(show(_place(vault, db), note, full=full, in_json=format_ is Format.json))


@app.command("path", short_help="Find the shortest way between two notes.")
@guarded
def path_(
    a: Annotated[str, typer.Argument(metavar="A", help="A note's path, id, file name, title or alias, or a name.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The same.")],
    kinds: KindsOption = None,
    vault: VaultOption = None,
    db: DatabaseOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """Find a shortest way from A to B along edges in either direction; exit code 1 if there is none."""
    from kantenwerk.cli.walking import find_path

    raise typer.Exit(find_path(_place(vault, db), a, b, kinds, in_json=format_ is Format.json))


@app.command("neighbors", short_help="List what is near a note.")
@guarded
def neighbors_(
    note: NodeArgument,
    depth: Annotated[int, typer.Option("--depth", min=1, metavar="N", help="How many steps away.")] = 1,
    kinds: KindsOption = None,
    vault: VaultOption = None,
    db: DatabaseOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """List what can be reached from a note in so many steps along edges in either direction, and how."""
    from kantenwerk.cli.walking import list_neighbors

    raise typer.Exit(list_neighbors(_place(vault, db), note, depth, kinds, in_json=format_ is Format.json))


@app.command("status", short_help="Say what the graph holds and whether it is up to date.")
@guarded
def status_(vault: VaultOption = None, db: DatabaseOption = None, format_: FormatOption = Format.text) -> None:
    """Count what the graph holds and what waits for somebody, and say what has changed since the last import."""
    from kantenwerk.cli.standing import status

    raise typer.Exit(status(_place(vault, db), in_json=format_ is Format.json))


class TableFormat(StrEnum):
    """How rows are written: as a table for people (in a pipe with tabs), as JSON, as CSV."""

    text = "text"
    json = "json"
    csv = "csv"


@app.command("sql", short_help="Ask the graph in SQL, read-only.")
@guarded
def sql_(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query; - reads it from stdin.")],
    vault: VaultOption = None,
    db: DatabaseOption = None,
    format_: Annotated[TableFormat, typer.Option("--format", help="How rows are written.")] = TableFormat.text,
) -> None:
    """Run a query in DuckDB's SQL; it can read the graph and nothing else, and write nothing."""
    from kantenwerk.cli.querying import run_query

    raise typer.Exit(run_query(_place(vault, db), query, form=format_.value))


class ExportFormat(StrEnum):
    """What other programs read."""

    graphml = "graphml"
    dot = "dot"
    jsonld = "jsonld"
    turtle = "turtle"
    cypher = "cypher"
    csv = "csv"
    parquet = "parquet"
    canvas = "canvas"
    mermaid = "mermaid"


class State(StrEnum):
    """How a resolution stands."""

    proposed = "proposed"
    accepted = "accepted"
    rejected = "rejected"


StateOption = Annotated[State | None, typer.Option("--state", help="Only those that stand so.", show_default=False)]


@app.command("graph", short_help="Write the graph as a page for the browser.")
@guarded
def graph_(
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The page, a file that ends in .html.")],
    vault: VaultOption = None,
    db: DatabaseOption = None,
) -> None:
    """Write the stored graph as one HTML file that opens from disk and loads nothing: to look at, search, filter."""
    from kantenwerk.cli.drawing import draw_graph

    raise typer.Exit(draw_graph(_path("--vault", vault), _path("--db", db), _path("--output", output)))


FirstNode = Annotated[str, typer.Argument(metavar="A", help="A name, or a note's id, path, file name or title.")]
SecondNode = Annotated[str | None, typer.Argument(metavar="B", help="The same; not needed where A has only one.")]


@app.command("export", short_help="Write the graph in a format of other programs.")
@guarded
def export_(
    format_: Annotated[ExportFormat, typer.Option("--format", help="What to write.", show_default=False)],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="The file to write or replace; else, or with `-`, stdout. csv and parquet write FILE's name with "
            "`.nodes` and `.edges` in it.",
            show_default=False,
        ),
    ] = None,
    vault: VaultOption = None,
    db: DatabaseOption = None,
    mirrors: Annotated[
        bool | None,
        typer.Option(
            "--mirrors/--no-mirrors",
            help="With or without mirror edges; else without in dot, canvas and mermaid.",
            show_default=False,
        ),
    ] = None,
    unproven: Annotated[
        bool | None,
        typer.Option(
            "--unproven/--no-unproven", help="The same for edges that nobody has answered for.", show_default=False
        ),
    ] = None,
    entities: Annotated[
        bool, typer.Option("--entities", help="Fold the nodes that are one thing, as accepted resolutions say.")
    ] = False,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kinds",
            metavar="KIND,…",
            help="Only edges of these kinds, and the nodes at their ends.",
            show_default=False,
        ),
    ] = None,
    base_iri: Annotated[
        str | None,
        typer.Option(
            "--base-iri",
            metavar="IRI",
            help="What IRIs begin with in jsonld and turtle; else urn:kantenwerk:.",
            show_default=False,
        ),
    ] = None,
    settings: SetOption = None,
) -> None:
    """Write the stored graph, as the last import left it, in a format of other programs."""
    from kantenwerk.cli.exporting import ExportOptions, export_graph

    raise typer.Exit(
        export_graph(
            ExportOptions(
                vault=_path("--vault", vault),
                db=_path("--db", db),
                format=format_.value,
                output=_path("--output", output),
                mirrors=mirrors,
                unproven=unproven,
                entities=entities,
                kinds=tuple(kinds or ()),
                base_iri=base_iri,
                overrides=_overrides(settings),
            )
        )
    )


resolutions_app = typer.Typer(
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(resolutions_app, name="resolutions", short_help="List, accept or reject what is taken for one thing.")


@resolutions_app.callback(invoke_without_command=True)
@guarded
def resolutions(
    context: typer.Context,
    vault: VaultOption = None,
    db: DatabaseOption = None,
    state: StateOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """List which names and notes the graph takes for one thing, and why; or accept, reject or add one of these."""
    # Options may also stand before the subcommand.
    context.obj = (vault, db, state, format_)
    if context.invoked_subcommand is None:
        _list_resolutions(context)
    if context.invoked_subcommand != "list" and (state is not None or format_ is not Format.text):
        raise typer.BadParameter("--state and --format are for the list")


@resolutions_app.command("list", short_help="List them; the default.")
@guarded
def list_(
    context: typer.Context,
    vault: VaultOption = None,
    db: DatabaseOption = None,
    state: StateOption = None,
    format_: FormatOption = Format.text,
) -> None:
    """List which names and notes the graph takes for one thing, with method, score, state and reason."""
    _list_resolutions(context, vault, db, state, format_)


@resolutions_app.command(short_help="Say that A is B.")
@guarded
def accept(
    context: typer.Context,
    a: FirstNode,
    b: SecondNode = None,
    vault: VaultOption = None,
    db: DatabaseOption = None,
) -> None:
    """Accept a resolution: A is B. No edge changes; A and B are one entity."""
    _decide(context, "accept", (a, b), vault, db)


@resolutions_app.command(short_help="Say that A is not B.")
@guarded
def reject(
    context: typer.Context,
    a: FirstNode,
    b: SecondNode = None,
    vault: VaultOption = None,
    db: DatabaseOption = None,
) -> None:
    """Reject a resolution for good: A is not B. No edge changes; A and B are two entities."""
    _decide(context, "reject", (a, b), vault, db)


@resolutions_app.command(short_help="Join two that no step proposed.")
@guarded
def add(
    context: typer.Context,
    a: FirstNode,
    b: Annotated[str, typer.Argument(metavar="B", help="The same.")],
    vault: VaultOption = None,
    db: DatabaseOption = None,
) -> None:
    """Say that A and B are one thing, two notes or a name and a note, though no step proposed that."""
    _decide(context, "add", (a, b), vault, db)


def _list_resolutions(
    context: typer.Context,
    vault: str | None = None,
    db: str | None = None,
    state: State | None = None,
    format_: Format = Format.text,
) -> None:
    from kantenwerk.cli.resolving import list_resolutions

    outer_vault, outer_db, outer_state, outer_format = context.obj
    raise typer.Exit(
        list_resolutions(
            _path("--vault", vault if vault is not None else outer_vault),
            _path("--db", db if db is not None else outer_db),
            state=state or outer_state,
            is_json=Format.json in {format_, outer_format},
        )
    )


def _decide(
    context: typer.Context,
    verb: Literal["accept", "reject", "add"],
    nodes: tuple[str, str | None],
    vault: str | None,
    db: str | None,
) -> None:
    from kantenwerk.cli.resolving import decide

    outer_vault, outer_db, *_ = context.obj
    raise typer.Exit(
        decide(
            _path("--vault", vault if vault is not None else outer_vault),
            _path("--db", db if db is not None else outer_db),
            verb,
            nodes,
        )
    )


def _place(vault: str | None, db: str | None) -> Place:
    from kantenwerk.cli.stored import Place

    return Place(_path("--vault", vault), _path("--db", db))


def _mend_options(vault: str | None, format_: Format, settings: list[str] | None, *, apply: bool) -> MendOptions:
    from kantenwerk.cli.mending import MendOptions

    return MendOptions(
        vault=_path("--vault", vault),
        apply=apply,
        as_json=format_ is Format.json,
        overrides=_overrides(settings),
    )


@overload
def _path(option: str, written: str) -> Path: ...
@overload
def _path(option: str, written: str | None) -> Path | None: ...
def _path(option: str, written: str | None) -> Path | None:
    """Return an option's path; an empty one, as an unset variable leaves it, is not the working directory."""
    if written is None:
        return None
    if not written.strip():
        raise ConfigError(f"{option} is empty: name a path, or leave it out")
    return Path(written)


def _overrides(
    settings: list[str] | None, max_calls: int | None = None, max_tokens: int | None = None
) -> dict[str, Any]:
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
    if max_tokens is not None:
        overrides["llm.max_tokens"] = max_tokens
    return overrides

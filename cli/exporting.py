"""`kantenwerk export`: the stored graph in a format of other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import typer

from kantenwerk.cli.terminal import counted, one_line
from kantenwerk.cli.vault import find_database, find_vault, read_config
from kantenwerk.config import Vocabulary
from kantenwerk.config.errors import ConfigError
from kantenwerk.config.suggest import no_such
from kantenwerk.graph.exports.canvas import canvas
from kantenwerk.graph.exports.cypher import cypher
from kantenwerk.graph.exports.dot import dot
from kantenwerk.graph.exports.graphml import graphml
from kantenwerk.graph.exports.jsonld import jsonld
from kantenwerk.graph.exports.mermaid import MOST_EDGES, mermaid
from kantenwerk.graph.exports.model import Choice
from kantenwerk.graph.exports.outputs import output_file, two_files, write_files, write_text
from kantenwerk.graph.exports.rdf import DEFAULT_BASE, base_problem
from kantenwerk.graph.exports.stored import StoredExport
from kantenwerk.graph.exports.tables import edge_table, node_table
from kantenwerk.graph.exports.turtle import turtle
from kantenwerk.graph.store import open_export

_DRAWINGS = {"dot", "canvas", "mermaid"}
_TABLES = {"csv", "parquet"}
_RDF = {"jsonld", "turtle"}
_STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The command's options as they were given; None is what the format is best for."""

    vault: Path | None
    db: Path | None
    format: str
    output: Path | None
    mirrors: bool | None = None
    unproven: bool | None = None
    entities: bool = False
    kinds: tuple[str, ...] = ()
    base_iri: str | None = None
    overrides: dict[str, object] = field(default_factory=dict)


def export_graph(options: ExportOptions) -> int:
    """Write the stored graph in a format and return the exit code.

    Raises:
        ConfigError: an option is wrong, or the file cannot be written.
        StoreError: there is no graph yet.
    """
    vault = find_vault(options.vault)
    database = find_database(vault, options.db)
    vocabulary = read_config(vault, options.overrides).vocabulary
    base = _base(options)
    paths = _paths(options, vault, database)
    choice = _choice(options, vocabulary)
    with open_export(database, choice) as graph:
        _check_kinds(choice, graph, vocabulary)
        if options.format == "csv":
            write_files(paths, lambda *files: _write_csv(graph, *files))
        elif options.format == "parquet":
            write_files(paths, graph.write_parquet)
        else:
            _write(_WRITERS[options.format](graph, vocabulary, base), paths)
        _tell(options, paths, *graph.counts())
    return 0


_WRITERS: dict[str, Callable[[StoredExport, Vocabulary, str], Iterator[str]]] = {
    "graphml": lambda graph, *_: graphml(graph),
    "dot": lambda graph, *_: dot(graph),
    "jsonld": jsonld,
    "turtle": turtle,
    "cypher": lambda graph, *_: cypher(graph),
    "canvas": lambda graph, *_: canvas(graph),
    "mermaid": lambda graph, *_: mermaid(graph),
}


def _base(options: ExportOptions) -> str:
    if options.base_iri is None:
        return DEFAULT_BASE
    if options.format not in _RDF:
        raise ConfigError(f"--base-iri is for jsonld and turtle, not for {options.format}")
    if problem := base_problem(options.base_iri):
        raise ConfigError(f"--base-iri {options.base_iri}: {problem}")
    return options.base_iri


def _paths(options: ExportOptions, vault: Path, database: Path) -> tuple[Path, ...]:
    """Return the files to write, none for stdout."""
    output = None if options.output == _STDOUT else options.output
    if output is None and options.format in _TABLES:
        raise ConfigError(
            f"{options.format} is two files, nodes and edges: name both with --output graph.{options.format}"
        )
    if output is None:
        return ()
    files = two_files(output) if options.format in _TABLES else (output,)
    return tuple(output_file(path, vault, database) for path in files)


def _choice(options: ExportOptions, vocabulary: Vocabulary) -> Choice:
    is_drawing = options.format in _DRAWINGS
    kinds = tuple(vocabulary.normalise(kind) for given in options.kinds for kind in given.split(",") if kind.strip())
    if options.kinds and not kinds:
        raise ConfigError("--kinds is empty: name kinds, such as --kinds depends_on,uses, or leave it out")
    return Choice(
        mirrors=not is_drawing if options.mirrors is None else options.mirrors,
        unproven=not is_drawing if options.unproven is None else options.unproven,
        entities=options.entities,
        kinds=kinds or None,
    )


def _check_kinds(choice: Choice, graph: StoredExport, vocabulary: Vocabulary) -> None:
    known = {*vocabulary.kinds, *graph.all_kinds()}
    for kind in choice.kinds or ():
        if kind not in known:
            raise ConfigError(f"--kinds {kind}: {no_such('kind', kind, known)}")


def _write_csv(graph: StoredExport, nodes: Path, edges: Path) -> None:
    write_text(nodes, node_table(graph))
    write_text(edges, edge_table(graph))


def _write(pieces: Iterator[str], paths: tuple[Path, ...]) -> None:
    if paths:
        write_files(paths, lambda path: write_text(path, pieces))
        return
    for piece in pieces:
        # What programs read is UTF-8, whatever the console prints.
        sys.stdout.buffer.write(piece.encode(errors="replace"))
    sys.stdout.buffer.flush()


def _tell(options: ExportOptions, paths: tuple[Path, ...], nodes: int, edges: int) -> None:
    where = f" in {one_line(' and '.join(map(str, paths)))}" if paths else ""
    typer.echo(f"{counted(nodes, 'node')}, {counted(edges, 'edge')}{where}", err=True)
    if options.format == "mermaid" and edges > MOST_EDGES:
        what = f"Mermaid draws at most {MOST_EDGES} edges unless a page is set up otherwise (`maxEdges`)"
        typer.echo(f"kantenwerk: {what}: choose some with --kinds, or take another format", err=True)

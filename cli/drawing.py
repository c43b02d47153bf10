"""`kantenwerk graph`: the stored graph as one web page that opens from disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from kantenwerk.cli.terminal import counted, one_line
from kantenwerk.cli.vault import find_database, find_vault, read_config
from kantenwerk.config.errors import ConfigError, told
from kantenwerk.graph.drawing import Drawing, page_of, read_drawing
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.graph.store import open_snapshot
from kantenwerk.ingest.lines import Lines

# Built from page/ by `just page`; in every released wheel.
PAGE = Path(__file__).with_name("page") / "graph.html"
_ENDINGS = {".html", ".htm"}


def draw_graph(named: Path | None, db: Path | None, output: Path) -> int:
    """Write the page and say what is in it.

    Raises:
        ConfigError: there is no page to fill, or the file cannot be written.
        StoreError: there is no graph yet.
    """
    vault = find_vault(named)
    inverse = read_config(vault, {}).vocabulary.inverse
    database = find_database(vault, db)
    template = _template()
    if output.suffix.lower() not in _ENDINGS:
        raise ConfigError(
            f"--output {output}: name a file that ends in .html, so that no note is overwritten by a slip"
        )
    with open_snapshot(database, may_be_none=False) as snapshot:
        drawing = read_drawing(vault.resolve().name, snapshot)
        lines = _lines(drawing, snapshot, vault)
    drawing = replace(drawing, lines=lines, inverses={kind: inverse(kind) for kind in {e.kind for e in drawing.edges}})
    try:
        output.write_text(page_of(drawing, template), "utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"--output {output} cannot be written: {told(error)}") from error
    nodes, edges = counted(len(drawing.faces), "node"), counted(len(drawing.edges), "edge")
    typer.echo(f"{one_line(str(output))} shows {nodes} and {edges}: open it in a browser.")
    return 0


def _lines(drawing: Drawing, snapshot: Snapshot, vault: Path) -> dict[tuple[str, int], str]:
    """Return the lines that edges stand in, of notes that are as they were imported."""
    paths = {face.node: face.path for face in drawing.faces if face.path is not None}
    digests = snapshot.content_hashes(paths.values())
    lines = Lines(vault)
    found = {}
    for node, number in {(edge.source, edge.line) for edge in drawing.edges if edge.line and edge.source in paths}:
        place = lines.at(paths[node], digests.get(paths[node]), number)
        if place.text is not None and not place.has_changed:
            found[node, number] = place.text
    return found


def _template() -> str:
    try:
        return PAGE.read_text("utf-8")
    except FileNotFoundError:
        raise ConfigError(
            "the page that shows the graph is not built here: run `just page` in the checkout (it needs Node 20 or "
            "later) and install again, or install a released wheel, which has it"
        ) from None

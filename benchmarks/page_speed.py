"""How long the page of `kantenwerk graph` takes: to be made, to open, and to follow the mouse.

    python benchmarks/page_speed.py [--db FILE] [--notes 5000] [--edges 40000]

Without a database: random notes in groups, each edge with its mirror. Opened in a real Chromium, from disk, once to
warm up and then --runs times; without a graphics card a processor does its work, and that is the slowest case.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, sync_playwright

from kantenwerk.cli.drawing import PAGE
from kantenwerk.graph.drawing import Drawing, Face, page_of, read_drawing
from kantenwerk.graph.model import STRUCTURE, Edge
from kantenwerk.graph.store import open_snapshot

NEAR = 0.8
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
FRAMES = """() => new Promise((done) => {
    let frames = 0;
    const begin = performance.now();
    const count = () => (frames++, performance.now() - begin < 2000 ? requestAnimationFrame(count) : done(frames / 2));
    requestAnimationFrame(count);
})"""


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db", type=Path, help="a graph of kantenwerk; else a random one")
    parser.add_argument("--notes", type=int, default=5000)
    parser.add_argument("--edges", type=int, default=40_000)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    drawing = stored(chosen.db) if chosen.db else invented(chosen.notes, chosen.edges)
    begin = time.perf_counter()
    text = page_of(drawing, PAGE.read_text("utf-8"))
    made = time.perf_counter() - begin
    mirrors = sum(edge.mirror for edge in drawing.edges)
    print(f"{len(drawing.faces):,} nodes, {len(drawing.edges) - mirrors:,} edges and {mirrors:,} mirrors")
    print(f"made   {made:6.2f} s, {len(text.encode()) / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "graph.html"
        path.write_text(text, "utf-8", newline="\n")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        opened, frames = zip(*(measured(browser, path) for _ in range(chosen.runs + 1)), strict=True)
        browser.close()
    print(f"opened {statistics.median(opened[1:]):6.2f} s to the first drawn frame (at best {min(opened[1:]):.2f})")
    print(f"moved  {statistics.median(frames[1:]):6.1f} frames a second")


def measured(browser: Browser, path: Path) -> tuple[float, float]:
    """Return the seconds from navigation to the first drawn frame, and frames a second while the picture is moved."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(path.as_uri())
    opened = float(page.evaluate(FRAME)) / 1000
    page.locator("#all").click()
    page.mouse.move(600, 400)
    page.mouse.down()
    page.evaluate(
        "() => { window.moving = setInterval(() => { const at = performance.now() / 200;"
        "document.dispatchEvent(new PointerEvent('pointermove', { clientX: 600 + 90 * Math.sin(at), "
        "clientY: 400 + 90 * Math.cos(at), bubbles: true })); }, 8); }"
    )
    frames = float(page.evaluate(FRAMES))
    page.mouse.up()
    page.close()
    return opened, frames


def stored(database: Path) -> Drawing:
    """Return what an import wrote."""
    with open_snapshot(database) as snapshot:
        return read_drawing(database.stem, snapshot)


def invented(notes: int, edges: int) -> Drawing:
    """Return notes in groups of a hundred; four edges in five stay in their group."""
    dice = Random(1)
    kinds = ["references"] * 12 + ["uses", "part_of", "related_to", "supports"]
    stated = Edge("", "", "", "explicit", "explicit:typed", 1.0, "chunk", None, 1, None, mirror=False)
    drawn: dict[tuple[str, str, str], Edge] = {}
    while len(drawn) < edges:
        one = dice.randrange(notes)
        near = min(one - one % 100 + dice.randrange(100), notes - 1)
        other = near if dice.random() < NEAR else dice.randrange(notes)
        source, kind, target = f"{one}", dice.choice(kinds), f"{other}"
        if one != other:
            drawn[source, kind, target] = stated._replace(source=source, kind=kind, target=target)
    mirrors = (
        edge._replace(
            source=edge.target, kind=f"{edge.kind}_back", target=edge.source, provenance=STRUCTURE, mirror=True
        )
        for edge in drawn.values()
    )
    faces = tuple(Face(f"{note}", f"Note {note}", f"{note}.md", "default") for note in range(notes))
    inverses = {kind: f"{kind}_back" for kind in kinds}
    return Drawing("invented", faces, (*drawn.values(), *mirrors), inverses=inverses)


if __name__ == "__main__":
    main()

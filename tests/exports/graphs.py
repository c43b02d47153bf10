"""Vaults that are imported to be exported, and what their graphs hold, read from the database itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from kantenwerk.cli.app import app
from tests.engine import reading
from tests.servers.scripted import Received, Response, ScriptedServer, refuses, says

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

Triple = tuple[str, str, str]

# What is harmless in a note and more than a text somewhere else.
NASTY = (
    "\"quoted\" and 'so', \\back\\slash\\, `tick` $$x$$ {{y}} ${z} %41 %% &amp; &#60; "
    "--> ]]> */ # 1. -- '; DROP TABLE edges; -- \") DETACH DELETE n // <script>alert(1)</script> "
    "#quot; #35; \\N \\u0027 \\u0060 | ; :::x @id 三星 ß 😀"
)
CONTROL = r"\a red \e[31m\u202e rtl \u200f \u2028 \n line \x9b \0 end"
NOTES = {
    "A.md": (
        "---\ntitle: >-\n  "
        + NASTY
        + "\naliases: ['x, \"y\"', \"it's\", 'back\\slash']\nsummary: '<b>&amp;]]></b>'\n---\n"
        '[[B]] and [[rel:über-geordnet|B]] and [[<script>alert(1)</script>]] [[it\'s "none" --> \\]]\n'
        "\n## Edge Pool\n\n- depends_on: B\n- uses: weird & <wonderful> 'note'; x\n- caused_by: down\n"
    ),
    "B.md": f'---\nid: "b\\\\ {CONTROL}"\ntitle: "{CONTROL}"\naliases: ["{CONTROL}"]\n---\n[[A]]\n',
    "weird & <wonderful> 'note'; x.md": '---\nrelated_to: "[[A]]"\n---\n```\n[[not a link]]\n```\n[[B]]\n',
    "deep/er/down.md": "# 1. not a list\n\n![[A]]\n",
    "deep/alone.md": "- nobody links here\n",
}
MODEL = 'odd "model" \\ <m>'


def answer(request: Received) -> Response:
    """Answer YES, but for one target that the server never gets to."""
    return refuses(503) if "wonderful" in request.prompt else says("YES", p_yes=0.75)


def imported(folder: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Import a vault and return it."""
    own = {"HOME": str(folder.parent / "home"), **(environment or {})}
    result = CliRunner().invoke(app, ["import", "--vault", str(folder), "--apply"], env=own)
    assert "Written." in result.output
    return folder


def hostile(folder: Path) -> Path:
    """Write and import a vault full of what formats trip over, with a model's verdicts and an unproven edge."""
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8", newline="\n")
    with ScriptedServer(answer) as server:
        profile = {"BASE_URL": server.base_url, "MODEL": MODEL, "RETRIES": "0"}
        return imported(folder, {f"KANTENWERK_LLM_{key}": value for key, value in profile.items()})


def export(vault: Path, form: str, *options: str) -> str:
    """Export a graph to stdout."""
    result = CliRunner().invoke(app, ["export", "--vault", str(vault), "--format", form, *options])
    assert result.exit_code == 0, result.output
    return result.stdout_bytes.decode()


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database holds: nodes by id, edges by source, kind and target, as an export has them."""

    nodes: dict[str, dict[str, Any]]
    edges: dict[Triple, dict[str, Any]]

    def narrowed(self, *, mirrors: bool = True, unproven: bool = True) -> Stored:
        """Leave out edges that the system wrote, or that nobody answered for."""
        edges = {
            triple: edge
            for triple, edge in self.edges.items()
            if (mirrors or not edge["mirror"]) and (unproven or not edge["provenance"].startswith("candidate:"))
        }
        return Stored(self.nodes, edges)


def stored(vault: Path) -> Stored:
    """Read a vault's database."""
    with reading(vault / ".kantenwerk/graph.duckdb") as connection:
        notes = rows(connection, "SELECT id, title AS name, path, type, aliases, summary FROM notes")
        mentions = rows(
            connection, "SELECT id, name, NULL AS path, NULL AS type, [] AS aliases, NULL AS summary FROM mentions"
        )
        entities = dict(connection.execute("SELECT node, entity FROM entity_of").fetchall())
        edges = rows(connection, "SELECT * EXCLUDE (chunk) FROM edges")
        verdicts = {row["key"]: row for row in rows(connection, "SELECT * FROM verdicts")}
    nodes = {node["id"]: node for node in (*notes, *mentions)}
    for node in nodes.values():
        node["entity"] = entities.get(node["id"], node["id"])
        node["summary"] = node["summary"] or None
    for edge in edges:
        edge["path"] = nodes[edge["source"]]["path"] if edge["line"] else None
        edge |= {name: verdicts.get(edge["verdict"], {}).get(name) for name in ("judge", "model", "p_yes", "asked_at")}
    return Stored(nodes, {(edge["source"], edge["kind"], edge["target"]): edge for edge in edges})


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    """Return rows with the names of their columns."""
    result = connection.execute(sql)
    names = [name for name, *_ in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

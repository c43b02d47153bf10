"""Exports that other programs draw, each read back by one of these and found to show the graph."""

from __future__ import annotations

import html
import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mermaidx
import pygraphviz
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from tests.exports.graphs import export, stored

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SVG = "{http://www.w3.org/2000/svg}"
EVERYTHING = ("--mirrors", "--unproven")


def spelled(text: str) -> str:
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


# --- DOT


def test_that_graphviz_reads_the_graph_from_dot(vault: Path) -> None:
    graph = pygraphviz.AGraph(string=export(vault, "dot", *EVERYTHING))
    expected = stored(vault)
    assert {str(node): shown(node.attr["label"]) for node in graph.nodes()} == {
        in_dot(name): spelled(node["name"]) for name, node in expected.nodes.items()
    }
    assert {str(node) for node in graph.nodes() if node.attr["style"] == "rounded,dashed"} == {
        in_dot(name) for name in expected.nodes if name.startswith("mention:")
    }
    edges = {
        (source, key, target): dict(graph.get_edge(source, target, key).attr)
        for source, target, key in graph.edges(keys=True)
    }
    assert edges.keys() == {(in_dot(source), kind, in_dot(target)) for source, kind, target in expected.edges}
    for (source, kind, target), edge in expected.edges.items():
        found = edges[in_dot(source), kind, in_dot(target)]
        for key in ("provenance", "rule_id", "scope", "verdict", "judge"):
            assert found.get(key) == edge[key], key
        assert [found["confidence"], found.get("line", "")] == [str(edge["confidence"]), str(edge["line"] or "")]
        assert (found.get("style") == "dashed") == edge["provenance"].startswith("candidate:")


def test_that_graphviz_draws_text_as_it_is(hostile_vault: Path) -> None:
    drawing = ET.fromstring(
        pygraphviz.AGraph(string=export(hostile_vault, "dot", *EVERYTHING)).draw(format="svg", prog="dot")
    )
    texts = {"".join(text.itertext()) for text in drawing.iter(f"{SVG}text")}
    expected = stored(hostile_vault)
    assert texts == {spelled(node["name"]) for node in expected.nodes.values()} | {
        kind for _, kind, _ in expected.edges
    }


def in_dot(name: str) -> str:
    return spelled(name.replace("\\", "\\\\"))


def shown(label: str) -> str:
    return html.unescape(label).replace("\\\\", "\\")


# --- JSON Canvas 1.0, as its specification has it

ID = {"type": "string", "minLength": 1}
INTEGER = {"type": "integer"}
COLOUR = {"type": "string", "pattern": "^([1-6]|#[0-9a-fA-F]{6})$"}
SIDE = {"enum": ["top", "right", "bottom", "left"]}
PLACE = {"id": ID, "x": INTEGER, "y": INTEGER, "width": INTEGER, "height": INTEGER, "color": COLOUR}
PLACED = ["id", "type", "x", "y", "width", "height"]


def card(kind: str, **more: dict[str, Any]) -> dict[str, Any]:
    properties = {**PLACE, "type": {"const": kind}, **more}
    required = [*PLACED, *(name for name in ("text", "file", "url") if name in more)]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


CANVAS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "nodes": {
            "type": "array",
            "items": {
                "oneOf": [
                    card("text", text={"type": "string"}),
                    card("file", file={"type": "string"}, subpath={"type": "string", "pattern": "^#"}),
                    card("link", url={"type": "string"}),
                    card("group", label={"type": "string"}),
                ]
            },
        },
        "edges": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "fromNode", "toNode"],
                "additionalProperties": False,
                "properties": {
                    "id": ID,
                    "fromNode": ID,
                    "fromSide": SIDE,
                    "fromEnd": {"enum": ["none", "arrow"]},
                    "toNode": ID,
                    "toSide": SIDE,
                    "toEnd": {"enum": ["none", "arrow"]},
                    "color": COLOUR,
                    "label": {"type": "string"},
                },
            },
        },
    },
}


def test_that_a_canvas_is_one_and_shows_the_graph(vault: Path) -> None:
    text = export(vault, "canvas", *EVERYTHING)
    assert not CONTROL.search(text.replace("\n", ""))
    content = json.loads(text)
    Draft202012Validator.check_schema(CANVAS)
    Draft202012Validator(CANVAS).validate(content)
    expected = stored(vault)
    by_path = {node["path"]: node["id"] for node in expected.nodes.values()}
    by_name = {" ".join(node["name"].split()): node["id"] for node in expected.nodes.values() if not node["path"]}
    names = {}
    for node in content["nodes"]:
        if node["type"] == "file":
            assert (vault / node["file"]).is_file()
        names[node["id"]] = by_path[node["file"]] if node["type"] == "file" else by_name[plain(node["text"])]
    assert sorted(names.values()) == sorted(expected.nodes)
    edges = {(names[edge["fromNode"]], edge["label"], names[edge["toNode"]]): edge for edge in content["edges"]}
    assert edges.keys() == expected.edges.keys()
    assert len({one["id"] for one in (*content["nodes"], *content["edges"])}) == len(names) + len(edges)
    assert {triple for triple, edge in edges.items() if "color" in edge} == {
        triple for triple, edge in expected.edges.items() if edge["provenance"].startswith("candidate:")
    }


def plain(text: str) -> str:
    """What a reader of Markdown sees."""
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    return html.unescape(page.removeprefix("<p>").removesuffix("</p>\n"))


def test_that_no_two_cards_of_a_canvas_overlap(vault: Path) -> None:
    for one, other in combinations(json.loads(export(vault, "canvas"))["nodes"], 2):
        apart = (
            one["x"] + one["width"] <= other["x"]
            or other["x"] + other["width"] <= one["x"]
            or one["y"] + one["height"] <= other["y"]
            or other["y"] + other["height"] <= one["y"]
        )
        assert apart, (one, other)


# --- Mermaid


def test_that_mermaid_draws_the_graph(hostile_vault: Path) -> None:
    drawing = ET.fromstring(mermaidx.render(export(hostile_vault, "mermaid", *EVERYTHING)).svg())
    names, edges = {}, []
    for group in drawing.iter(f"{SVG}g"):
        if found := re.fullmatch(r".*-flowchart-(n\d+)-\d+", group.get("id", "")):
            names[found[1]] = "".join(group.itertext())
        elif group.get("class") == "label" and (
            found := re.fullmatch(r"L_(n\d+)_(n\d+)_\d+", group.get("data-id", ""))
        ):
            edges.append((found[1], "".join(group.itertext()), found[2]))
    expected = stored(hostile_vault)
    names_of = {name: spelled(node["name"]) for name, node in expected.nodes.items()}
    assert sorted(names.values()) == sorted(names_of.values())
    assert sorted((names[source], kind, names[target]) for source, kind, target in edges) == sorted(
        (names_of[source], kind, names_of[target]) for source, kind, target in expected.edges
    )
    dotted = [path for path in drawing.iter(f"{SVG}path") if "edge-pattern-dotted" in path.get("class", "")]
    assert len(dotted) == 1


def test_that_mermaid_has_the_example_too(example_vault: Path) -> None:
    lines = export(example_vault, "mermaid").splitlines()
    expected = stored(example_vault).narrowed(mirrors=False)
    assert lines[0] == "flowchart LR"
    labels = [re.fullmatch(r'  (n\d+)[\[(]+"(.+)"[\])]+', line) for line in lines]
    names = {found[1]: re.sub(r"#(\d+);", lambda code: chr(int(code[1])), found[2]) for found in labels if found}
    assert sorted(names.values()) == sorted(node["name"] for node in expected.nodes.values())
    found = [re.fullmatch(r'  (n\d+) -->\|"(\w+)"\| (n\d+)', line) for line in lines[1 + len(names) :]]
    assert sorted((names[edge[1]], edge[2], names[edge[3]]) for edge in found if edge) == sorted(
        (expected.nodes[source]["name"], kind, expected.nodes[target]["name"])
        for source, kind, target in expected.edges
    )

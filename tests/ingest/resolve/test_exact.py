"""Which note a name means, by the exact steps: one small vault a line, through the real import."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from kantenwerk.config import load_config
from kantenwerk.graph.snapshot import Snapshot
from kantenwerk.ingest.pipeline import ImportResult, run_import


def import_files(root: Path, files: dict[str, str]) -> ImportResult:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return run_import(root, load_config(None, environ={}), lambda: nullcontext(Snapshot(None)))


def targets(result: ImportResult, source: str) -> list[str | None]:
    return [link.target for link in result.wanted.links[source]]


BINDINGS: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "upwards": ({"a/Q.md": "[x](../K.md) [[../K]]", "a/K.md": "", "K.md": ""}, "a/Q", ["K", "K"]),
    "relative first": ({"a/Q.md": "[x](b/K.md)", "a/b/K.md": "", "b/K.md": ""}, "a/Q", ["a/b/K"]),
    "from the root": ({"a/Q.md": "[x](/K.md) [[/K]]", "a/K.md": "", "K.md": ""}, "a/Q", ["K", "K"]),
    "vault-wide last": ({"a/Q.md": "[x](K.md)", "b/K.md": ""}, "a/Q", ["b/K"]),
    "out of the vault": ({"a/Q.md": "[x](../../K.md)"}, "a/Q", ["mention:../k"]),
    "an id before a file name": ({"Q.md": "[[k]]", "a/k.md": "", "b.md": "---\nid: K\n---\n"}, "Q", ["K"]),
    "a path before an id": ({"Q.md": "[[k]]", "k.md": "", "b.md": "---\nid: K\n---\n"}, "Q", ["k"]),
    "an id that ends like a file": (
        {"Q.md": "[[foo.md]] [[foo]]", "b.md": "---\nid: foo.md\n---\n"},
        "Q",
        ["foo.md"] * 2,
    ),
    "a relative path is no id": ({"a/Q.md": "[[./Y]]", "Z.md": "---\nid: a/Y\n---\n"}, "a/Q", ["mention:a/y"]),
    "composed and decomposed are one length": (
        {"Q.md": "[[N]]", "O\u0308O\u0308/N.md": "", "bbb/N.md": ""},
        "Q",
        ["ÖÖ/N"],
    ),
    "title behind file name": ({"Q.md": "[[T]]", "a/T.md": "", "b.md": "# T"}, "Q", ["a/T"]),
    "title": ({"Q.md": "[[T]]", "b.md": "# T"}, "Q", ["b"]),
    "two titles are a question": ({"Q.md": "[[T]]", "b.md": "# T", "c.md": "---\nalias: t\n---\n"}, "Q", ["mention:t"]),
    "the owner": ({"Q.md": "[[ich]] [[ICH.md]]", "u.md": "---\ntype: User\n---\n"}, "Q", ["u", "u"]),
    "a note called Me is no owner": ({"Q.md": "[[me]]", "Me.md": "", "u.md": "---\ntype: user\n---\n"}, "Q", ["Me"]),
    "a dot in a name": ({"Q.md": "[[Version 1.2]] [[K.MD]]", "k.md": ""}, "Q", ["mention:version 1.2", "k"]),
}


@pytest.mark.parametrize("name", BINDINGS)
def test_bindings(name: str, tmp_path: Path) -> None:
    files, source, expected = BINDINGS[name]
    assert targets(import_files(tmp_path, files), source) == expected


@pytest.mark.parametrize("written", ["ICH", "[[ICH.md]]", "me", "./SELF"])
def test_no_node_is_called_like_the_owner(written: str, tmp_path: Path) -> None:
    result = import_files(tmp_path, {"Q.md": f"[[{written.strip('[]')}]]"})
    assert [(link.state, link.target) for link in result.wanted.links["Q"]] == [("unresolved", None)]
    assert [found.code for found in result.findings] == ["self-unknown"]
    assert not result.wanted.edges


def test_attachments_of_markdown_links_are_looked_up_from_the_folder_first(tmp_path: Path) -> None:
    result = import_files(tmp_path, {"f/Q.md": "![](img/b.png) ![[img/b.png]]", "img/b.png": "", "f/img/b.png": ""})
    assert [found.path for found in result.wanted.attachments["f/Q"]] == ["f/img/b.png", "img/b.png"]


def test_an_unresolved_candidate_with_a_second_edge_in_it_is_malformed(tmp_path: Path) -> None:
    result = import_files(tmp_path, {"Q.md": "## Edge Pool\nuses:Kap 1, Teil: x, part_of:B\nuses:A, no_kind:B"})
    assert [(found.line, found.code) for found in result.findings] == [
        (2, "malformed-candidate"),
        (3, "unresolved-target"),
    ]


def test_a_name_in_another_case_is_ambiguous_where_two_notes_have_it(tmp_path: Path) -> None:
    result = import_files(tmp_path, {"z/Q.md": "[[ÜBER]] [[über]]", "Über.md": "", "über.md": ""})
    if len(result.reached.notes) == 3:
        assert targets(result, "z/Q") == ["Über", "über"]
        assert [found.code for found in result.findings if found.path == "z/Q.md"] == ["ambiguous-target"]


@pytest.mark.parametrize("order", [(".gitignore", ".kantenwerkignore"), (".kantenwerkignore", ".gitignore")])
def test_one_ignore_file_is_enough(order: tuple[str, str], tmp_path: Path) -> None:
    texts = {".gitignore": "*.md\n!A.md\n!Q.md\n", ".kantenwerkignore": "A.md\n"}
    files = {name: texts[name] for name in order} | {"A.md": "", "Q.md": "", "R.md": ""}
    assert list(import_files(tmp_path, files).reached.notes) == ["Q"]


def test_an_interface_without_a_note_is_no_node(tmp_path: Path) -> None:
    files = {"Q.md": "[[Kaffee]]\n\n## Edge Pool\nuses:kaffee", ".kantenwerk/settings.yaml": "interfaces: [Kaffee]"}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    config = load_config(tmp_path, environ={})
    result = run_import(tmp_path, config, lambda: nullcontext(Snapshot(None)))
    assert [(link.state, link.target) for link in result.wanted.links["Q"]] == [("unresolved", None)] * 2
    assert [(found.code, found.severity) for found in result.findings] == [("interface-target", "info")] * 2
    assert not result.wanted.edges

"""Every code by the smallest vault that has it and by one that nearly has it, from the table that documents it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from kantenwerk.graph import codes
from kantenwerk.graph.codes import read_codes
from kantenwerk.graph.findings import SEVERITIES, SPELLING
from tests.check.vaults import build, checked

CODES = read_codes()
IN_AN_IMPORT = {"search-failed", "run-refused", "candidate-failed", "candidate-unproven"}
"""Only who asks a model meets them; tests/validation and tests/names do."""


@dataclass(frozen=True)
class Symlink:
    target: str


@dataclass(frozen=True)
class Pipe:
    """What is no regular file."""


Vault = Mapping[str, str | bytes | Symlink | Pipe]
NO_TEXT: dict[str, tuple[Vault, Vault]] = {
    "not-text": ({"a.md": b"a\0b", "b.md": "x\n"}, {"a.md": b"a\x01b", "b.md": "x\n"}),
    "too-large": ({"a.md": b"x" * 10_000_001, "b.md": "x\n"}, {"a.md": b"x" * 10_000_000, "b.md": "x\n"}),
    "unreadable": ({"a.md": Pipe(), "b.md": "x\n"}, {"a.md": "x\n", "b.md": "x\n"}),
    "not-utf8": ({"a.md": b"M\xfcller\n"}, {"a.md": b"\xef\xbb\xbfM\xc3\xbcller\n"}),
    "dangling-symlink": ({"a.md": Symlink("gone.md"), "b.md": "x\n"}, {"a.md": Symlink("b.md"), "b.md": "x\n"}),
    "symlink-skipped": ({"a.md": Symlink("b.md"), "b.md": "x\n"}, {"a.md": Symlink("gone.md"), "b.md": "x\n"}),
}
"""What the table cannot show."""


def write(root: Path, files: Vault) -> None:
    build(root, {name: content for name, content in files.items() if isinstance(content, str | bytes)})
    for name, content in files.items():
        if isinstance(content, Symlink):
            (root / name).symlink_to(content.target)
        elif isinstance(content, Pipe):
            os.mkfifo(root / name)


def vaults(code: str) -> tuple[Vault, Vault]:
    """What has a code, and what nearly has it."""
    return NO_TEXT[code] if code in NO_TEXT else (CODES[code].example, CODES[code].near)


def test_every_code_is_explained_and_shown() -> None:
    assert set(CODES) == {*SEVERITIES, SPELLING}
    assert {code for code, said in CODES.items() if not (said.example and said.near)} == IN_AN_IMPORT | set(NO_TEXT)


def test_nothing_is_explained_that_is_no_code() -> None:
    text = Path(codes.__file__).with_name("codes.yaml").read_text("utf-8")
    assert set(yaml.safe_load(text)) == {*SEVERITIES, SPELLING}


@pytest.mark.parametrize("code", sorted(SEVERITIES.keys() - IN_AN_IMPORT))
def test_what_has_it(code: str, tmp_path: Path) -> None:
    files, _ = vaults(code)
    write(tmp_path, files)
    found = [one for one in checked(tmp_path, *CODES[code].options) if one.code == code]
    assert {one.severity for one in found} == {SEVERITIES[code]}
    assert {one.path for one in found} <= set(files)


@pytest.mark.parametrize("code", sorted(SEVERITIES.keys() - IN_AN_IMPORT))
def test_what_nearly_has_it(code: str, tmp_path: Path) -> None:
    _, files = vaults(code)
    write(tmp_path, files)
    assert code not in {one.code for one in checked(tmp_path, *CODES[code].options)}

"""A finding names the right word where one is near, and none where none is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.check.test_columns import checked

if TYPE_CHECKING:
    from pathlib import Path

NOTES = {
    "people/Ann.md": "# Ann\n\n## Office *hours*\n\n```\n## Office hour\n```\n\n### Way #1 ##\n",
    "Bob.md": "# Bob\n\nUnderlined\n==========\n\nx\n",
}
PLAIN = "correct the heading's text; the link to the note counts all the same"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("[[Ann#Office hour]]", f"did you mean `#Office *hours*`? Else {PLAIN}"),
        ("[[Ann#Office]]", f"did you mean `#Office *hours*`? Else {PLAIN}"),
        ("[[Ann#Ann#Wya 1]]", f"did you mean `#Way #1`? Else {PLAIN}"),
        ("[x](people/Ann.md#ofice-hours)", f"did you mean `#Office *hours*`? Else {PLAIN}"),
        ("[[Bob#Office hour]] [[Ann#Office hours]]", PLAIN),
        ("[[Ann#Garden]]", PLAIN),
        ("# Introduction\n\n[[#Introductoin]]", "did you mean `#Introduction`? Else correct the heading's text"),
        ("# Introduction\n\n[[a#Introductoin]]", f"did you mean `#Introduction`? Else {PLAIN}"),
        ("# Introduction\n\n[[#Contents]]", "correct the heading's text"),
    ],
)
def test_which_heading_is_named(tmp_path: Path, text: str, advice: str) -> None:
    found = [one for one in checked(tmp_path, {**NOTES, "a.md": text}) if one["code"] == "heading-not-found"]
    assert [one["help"] for one in found] == [advice]


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("Desicion", "did you mean `decision`? Else add it to .kantenwerk/types.yaml"),
        ("runbook", "add it to .kantenwerk/types.yaml, or use a known one"),
    ],
)
def test_which_type_is_named(tmp_path: Path, written: str, advice: str) -> None:
    types = "types:\n  decision:\n    edge_defaults: []\n"
    found = checked(tmp_path, {"a.md": f"---\ntype: {written}\n---\nx\n", ".kantenwerk/types.yaml": types})
    assert [one["help"] for one in found if one["code"] == "unknown-type"] == [advice]


@pytest.mark.parametrize(
    ("notes", "code", "advice"),
    [
        ({"plugins/ann.md": "[[ann]]", "people/ann.md": "x"}, "self-link", "a note of this file name lies in another"),
        ({"plugins/ann.md": "[[ann]]", "people/anna.md": "x"}, "self-link", "name another note, or delete it"),
        ({"a.md": "[x](../up.md)"}, "unresolved-target", "the path leads out of the vault"),
        ({"b/a.md": "[x](../up.md)"}, "unresolved-target", "write that note"),
        ({"a.md": "---\naliases:\n- @ann\n---\n"}, "frontmatter-invalid", "quote values that begin with `@`"),
        ({"a.md": "---\na:\n\tb: c\n---\n"}, "frontmatter-invalid", "quote values that begin with `@`"),
        ({"a.md": "---\na: b: c\n---\n"}, "frontmatter-invalid", "write `key: value` lines"),
    ],
)
def test_the_advice_fits_the_case(tmp_path: Path, notes: dict[str, str | bytes], code: str, advice: str) -> None:
    found = [one["help"] for one in checked(tmp_path, notes) if one["code"] == code]
    assert [said[: len(advice)] for said in found] == [advice]

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

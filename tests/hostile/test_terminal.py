"""What notes, files and servers say never drives a terminal, and SQL in it is text: every command over such a vault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.hostile.commands import WORKING, calls, run
from tests.servers.scripted import says
from tests.validation.desk import QUICK, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.scripted import ServeScript
    from tests.validation.desk import Desk

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SQL = "'); DROP TABLE notes;--"
EVIL = f"\x1b]0;x\x07\u202e\x9b31m{SQL}"
IN_YAML = f"\\e]0;x\\a\\u202e\\x9b31m{SQL}"
NAME = f"Red{EVIL}"


def fill(desk: Desk) -> None:
    """A vault in which every name, title, kind and value does harm where it is believed."""
    desk.write(
        f"{NAME}.md",
        f'---\ntitle: "Title{IN_YAML}"\naliases: ["Alias{IN_YAML}"]\ntype: "type{IN_YAML}"\nsummary: "s{IN_YAML}"\n'
        f'"key{IN_YAML}": "[[A]]"\ndup{SQL}: 1\nuses: [[A]]\n---\n# T{EVIL}\n\nText.\n',
    )
    for town in ("Augsburg", "Bonn"):
        desk.write(f"people{EVIL}/Julia {town}{EVIL}.md", f"---\naliases: Julia{SQL}\n---\n# Julia\n\nSister{EVIL}.\n")
    desk.write(f"bad{EVIL}.md", f'---\n"a{IN_YAML}": !{SQL} x\n---\n')
    desk.write(f"nul{EVIL}.md", "\x00")
    desk.write(
        "A.md",
        f"# A\n\nRed{EVIL} does.\n[[{NAME}]] [[{NAME}#h{EVIL}]] ![[x{EVIL}.png]] [[Alias{EVIL}]] [[Julia{SQL}]] "
        f"[[Juli]] [[rel:k{EVIL}|B]] [[rel:{SQL}|{NAME}]] [[http://x{EVIL}]] [[rel:Uses|{NAME}]] [[#no{EVIL}]]\n\n"
        f"> [!edge] uses{EVIL}:{NAME}\n> [!edge] kind{EVIL}\n\n%% kantenwerk: ignore no{EVIL} %%\n\n"
        f"## Grund{EVIL}\n\nText{EVIL}.\n\n### Edge Pool\n\n- part_of:{NAME}\n- uses:{NAME}\n- uses:Nobody{EVIL}\n"
        f"- no candidate{EVIL}\n- related_to:Julia{SQL}\n- ki{SQL}:A\n\n## Smart Edges\n\nDepends On:{NAME}\nx{EVIL}\n",
    )


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ServeScript) -> Iterator[Desk]:
    settings = {**QUICK, "KANTENWERK_RESOLUTION_LEVEL": "stem"}
    with new_desk(tmp_path, monkeypatch, settings, shares_duckdb=False) as desk:
        monkeypatch.chdir(tmp_path)
        fill(desk)
        desk.point(scripted(says("YES", p_yes=0.9)), model=f"tiny{EVIL}")
        yield desk


def test_that_no_command_lets_a_control_character_through_and_sql_is_text(desk: Desk) -> None:
    desk.apply()
    ((key,),) = desk.rows("SELECT key FROM verdicts WHERE kind = 'part_of'")
    notes = desk.rows("SELECT id, title, aliases FROM notes ORDER BY ALL")
    assert (NAME, f"Title{EVIL}", [f"Alias{EVIL}"]) in notes
    desk.close()
    tried = calls(str(desk.root), {"": NAME, "key": key, "repeat": "1", **WORKING})
    wrong = [call for call in calls(str(desk.root), {"": EVIL, "notes": EVIL}) if EVIL in call.words]
    ran = set()
    for call in (*tried, *wrong):
        # Bytes for a file or a pipe; that none of it reaches a terminal has tests of its own.
        if "csv" in call.words:
            continue
        result = run(call)
        found = CONTROL.search(result.output)
        assert not found, (call, result.output[max(0, found.start() - 80) : found.end() + 80])
        assert result.exit_code in {0, 1, 2, 3}, (call, result.output)
        if result.exit_code != 2:
            ran.add(call.command)
    assert {call.command for call in tried} - ran == set(), "no call of these got beyond its options"
    assert desk.rows("SELECT id, title, aliases FROM notes ORDER BY ALL") == notes

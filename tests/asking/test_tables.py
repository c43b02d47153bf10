"""How what the graph is asked is set on terminals of any width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.sessions.test_table import NAME, _width
from tests.sessions.test_terminal import COLOUR, ESCAPE, shown

if TYPE_CHECKING:
    from tests.validation.desk import Desk


@pytest.fixture
def imported(desk: Desk) -> Desk:
    desk.write("a.md", f"---\naliases: [Kasse]\n---\nSee [[{NAME}]], [[checkout-svc]].\n")
    desk.write(f"people and other stories/{NAME}.md", "[[rel:depends_on|a]] [[rel:mastered_by|Nobody]]\n")
    desk.write("checkout-service.md", "[[a]]\n")
    desk.apply()
    desk.close()
    return desk


@pytest.mark.parametrize("columns", [24, 60, 200])
@pytest.mark.parametrize("command", [("show", "Kasse", "--full"), ("neighbors", "a", "--depth", "2")])
def test_that_a_table_is_as_wide_as_its_terminal(imported: Desk, command: tuple[str, ...], columns: int) -> None:
    sent = shown([*command, "--vault", str(imported.root)], COLUMNS=str(columns), NO_COLOR="1")
    lines = sent.decode().replace("\r\n", "\n").splitlines()
    told = re.sub(r"\s+", "", "".join(lines))
    for word in ("checkout-service", "depends_on", "peopleandotherstories", "alte und sehr alte Schriften"):
        assert word.replace(" ", "") in told
    assert max(map(_width, (line for line in lines if "→" in line or "←" in line)), default=0) <= columns


def test_that_kinds_have_colours(imported: Desk) -> None:
    for command in (("show", "a"), ("explain", "a", "uses", "checkout-svc")):
        arguments = [*command, "--vault", str(imported.root)]
        assert COLOUR in shown(arguments)
        assert ESCAPE not in shown(arguments, NO_COLOR="1")

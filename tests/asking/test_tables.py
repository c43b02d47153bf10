"""How what the graph is asked is set on terminals of any width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.sessions.test_table import NAME, _width
from tests.sessions.test_terminal import COLOUR, ESCAPE, shown

if TYPE_CHECKING:
    from tests.validation.desk import Desk


@pytest.fixture(scope="module")
def imported(asked: Desk) -> Desk:
    asked.write("a.md", f"---\naliases: [Kasse]\n---\nSee [[{NAME}]], [[checkout-svc]].\n")
    asked.write(f"people and other stories/{NAME}.md", "[[rel:depends_on|a]] [[rel:mastered_by|Nobody]]\n")
    asked.write("checkout-service.md", "[[a]]\n")
    asked.apply()
    asked.close()
    return asked


@pytest.mark.parametrize("columns", [24, 60])
@pytest.mark.parametrize("command", [("show", "Kasse", "--full"), ("neighbors", "a", "--depth", "2")])
def test_that_a_table_is_as_wide_as_its_terminal(imported: Desk, command: tuple[str, ...], columns: int) -> None:
    sent = shown([*command, "--vault", str(imported.root)], COLUMNS=str(columns), NO_COLOR="1")
    lines = sent.decode().replace("\r\n", "\n").splitlines()
    told = re.sub(r"\s+", "", "".join(lines))
    for word in ("checkout-service", "depends_on", "peopleandotherstories", "alte und sehr alte Schriften"):
        assert word.replace(" ", "") in told
    assert max(map(_width, (line for line in lines if "→" in line or "←" in line)), default=0) <= columns


def test_that_kinds_have_colours(imported: Desk) -> None:
    arguments = ["show", "a", "--vault", str(imported.root)]
    assert COLOUR in shown(arguments)
    assert ESCAPE not in shown(arguments, NO_COLOR="1")


@pytest.mark.parametrize(
    ("command", "label"), [(("explain", "a", "references", "checkout-svc"), 14), (("show", "a"), 14), (("status",), 13)]
)
def test_that_what_is_told_hangs_beside_its_label(imported: Desk, command: tuple[str, ...], label: int) -> None:
    sent = shown([*command, "--vault", str(imported.root)], COLUMNS="44", NO_COLOR="1").decode()
    told = [line for line in sent.replace("\0", "").splitlines()[1:] if line]
    told = told[: next((place for place, line in enumerate(told) if line.startswith("Out:")), None)]
    assert max(map(_width, told)) <= 44
    assert any(line.startswith(" " * label) for line in told)
    assert {line[label - 1] for line in told} == {" "}

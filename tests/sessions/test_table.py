"""How `kantenwerk resolutions` is set on terminals of any width, and in a pipe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.sessions.shell import Shell
from tests.sessions.test_terminal import COLOUR, ESCAPE, shown

if TYPE_CHECKING:
    from pathlib import Path

NAME = "🚀 Ablage für alte und sehr alte Schriften"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table")
    vault = folder / "vault"
    for path, text in (
        ("checkout-service.md", "x\n"),
        ("people/Julia Nürnberg.md", "x\n"),
        ("people/Julia Augsburg.md", "x\n"),
        ("archiv/三星 Ablage.md", "x\n"),
        ("a.md", f"[[checkout-svc]] [[Julia]] [[{NAME}]]\n"),
    ):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, "utf-8")
    shell = Shell(folder, folder / "home")
    for command in ("import --vault vault --apply", f"resolutions --vault vault add '{NAME}' '三星 Ablage'"):
        done = shell.run(f"kantenwerk {command}")
        assert done.code == 0, done.stderr
    return vault


def lines(vault: Path, columns: int) -> list[str]:
    sent = shown(["resolutions", "--vault", str(vault)], COLUMNS=str(columns), NO_COLOR="1")
    return sent.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [24, 40, 60, 89, 90, 120, 200])
def test_that_a_table_is_as_wide_as_its_terminal(vault: Path, columns: int) -> None:
    said = lines(vault, columns)
    assert max(map(_width, said)) <= columns
    assert all(line == line.rstrip() for line in said)
    told = re.sub(r"\s+", " ", " ".join(said))
    assert "same: checkout; svc = service; nothing against" in told or columns in {89, 90, 120}
    for word in ("checkout-svc", "checkout-service", "Julia", "Nürnberg", "Augsburg", "proposed", "accepted", "Ablage"):
        assert word in told


def test_how_a_table_is_aligned(vault: Path, tmp_path: Path) -> None:
    said = Shell(vault.parent, tmp_path / "home").run("kantenwerk resolutions --vault vault").stdout.splitlines()
    assert said == lines(vault, 200)
    assert said[2] == "", "a line between those that are open and those that are not"
    assert {_width(line[: line.index("stem")]) for line in said if " stem " in line} == {
        _width(f"{NAME} → archiv/三星 Ablage  ")
    }


def test_that_states_have_colours(vault: Path) -> None:
    sent = shown(["resolutions", "--vault", str(vault)])
    assert COLOUR in sent
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert ESCAPE not in shown(["resolutions", "--vault", str(vault)], **variables)


def _width(text: str) -> int:
    """How many cells a line takes."""
    from rich.cells import cell_len  # noqa: PLC0415 - what it is measured with as well

    return cell_len(text)

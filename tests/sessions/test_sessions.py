"""Session transcripts of the command over a copy of the example vault.

`pytest tests/sessions --rewrite` writes them as they come out now; read the difference before it is committed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.servers.scripted import Received, Response, ServeScript, refuses, says
from tests.sessions.shell import Shell
from tests.sessions.transcript import Step, Transcript, told

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "vault_example"
SESSIONS = sorted(HERE.glob("*.session"))


def answer(request: Received) -> Response:
    """Answer as the model's name says: `says-yes`, `says-no`, `says-hm`, `refuses-401`, `refuses-503`."""
    does, _, what = str(request.json["model"]).partition("-")
    return refuses(int(what)) if does == "refuses" else says(what.upper())


@pytest.fixture
def shell(tmp_path: Path, scripted: ServeScript) -> Shell:
    folder = tmp_path / "here"
    copy_example(folder)
    return Shell(folder, tmp_path / "home", variables={"ENDPOINT": scripted(answer).base_url})


def copy_example(folder: Path) -> None:
    """Copy the example vault into a folder, without what an import of a checkout's own one left there."""
    shutil.copytree(EXAMPLE, folder / "vault_example", ignore=shutil.ignore_patterns("graph.duckdb*", "lock*"))


def played(step: Step, shell: Shell) -> Step:
    result = shell.run(step.command)
    said = told(result.stdout, result.stderr, result.code)
    for place, name in ((shell.variables["ENDPOINT"], "$ENDPOINT"), (str(shell.home.parent), "$TMP")):
        said = said.replace(place, name)
    return Step(step.comments, step.command, said)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(path: Path, shell: Shell, pytestconfig: pytest.Config) -> None:
    expected = Transcript.read(path.read_text("utf-8"))
    actual = Transcript(tuple(played(step, shell) for step in expected.steps), expected.end)
    if pytestconfig.getoption("rewrite", default=False):
        path.write_text(actual.text(), "utf-8", newline="\n")
        return
    for wanted, found in zip(expected.steps, actual.steps, strict=True):
        assert found.said.splitlines() == wanted.said.splitlines(), f"$ {wanted.command}"


def test_that_a_transcript_comes_out_as_it_was_read() -> None:
    for path in SESSIONS:
        assert Transcript.read(path.read_text("utf-8")).text() == path.read_text("utf-8")


def test_that_every_command_of_a_session_is_read() -> None:
    transcript = Transcript.read("# first\n\n$ a\nout\n\nmore\n2> err\n[exit 2]\n\n# next\n$ b\n")
    assert transcript.steps == (
        Step("# first\n\n", "a", "out\n\nmore\n2> err\n[exit 2]\n"),
        Step("\n# next\n", "b", ""),
    )


def test_what_a_transcript_tells() -> None:
    assert told("out\n\nmore\n\n", "err\n\n", 2) == "out\n\nmore\n2> err\n2>\n[exit 2]\n"
    assert told("\n", "", 0) == ""


@pytest.mark.parametrize("line", ["# no comment", "$ no command", "2> no error", "[exit 1]"])
def test_that_a_transcript_refuses_what_it_could_not_tell_apart(line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(line)):
        told(f"fine\n{line}\n", "", 0)

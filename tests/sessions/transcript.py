"""Reads and writes session transcripts: commands, and what each of them says.

    # A comment, or an empty line.
    $ kantenwerk check --vault empty
    what it writes on stdout
    2> what it writes on stderr
    [exit 2]

An exit code stands there if it is not 0. Empty lines at the end of stdout are not told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PROMPT = re.compile(r"^\$ ", re.MULTILINE)
# What a command said, and the comments and empty lines behind it, which belong to the next command.
_SAID = re.compile(r"(?P<said>.*?)(?P<comments>(?:^(?:#[^\n]*)?\n)*)\Z", re.DOTALL | re.MULTILINE)
_NOT_STDOUT = re.compile(r"#|\$ |2>|\[exit ")


@dataclass(frozen=True, slots=True)
class Step:
    """One command, the comments before it, and what it says."""

    comments: str
    command: str
    said: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session: its steps, and the comments behind the last one."""

    steps: tuple[Step, ...]
    end: str = ""

    @classmethod
    def read(cls, text: str) -> Transcript:
        """Read a transcript's text."""
        comments, *commands = _PROMPT.split(text)
        steps = []
        for part in commands:
            command, _, rest = part.partition("\n")
            match = _SAID.match(rest)
            assert match is not None
            steps.append(Step(comments, command, match["said"]))
            comments = match["comments"]
        return cls(tuple(steps), comments)

    def text(self) -> str:
        """The text to read it from."""
        return "".join(f"{step.comments}$ {step.command}\n{step.said}" for step in self.steps) + self.end


def told(stdout: str, stderr: str, code: int) -> str:
    """What a command said, as a transcript tells it."""
    out = stdout.rstrip("\n").split("\n") if stdout.strip("\n") else []
    for line in out:
        if _NOT_STDOUT.match(line):
            raise ValueError(f"a transcript cannot tell this line of stdout from its own signs: {line}")
    err = [f"2> {line}".rstrip() for line in stderr.splitlines()]
    return "".join(f"{line}\n" for line in (*out, *err, *([f"[exit {code}]"] if code else [])))

"""What every finding's code means, in words; loaded only where somebody asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from kantenwerk.config.document import SAFE_LOADER
from kantenwerk.graph.findings import CODES
from kantenwerk.graph.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """A code explained; `example` and `near` hold files by path that have its finding and that nearly have it.

    `options` are those of `kantenwerk check` that tell it; empty where it needs none.
    """

    code: str
    severity: Severity
    title: str
    means: str
    why: str
    do: str
    options: Sequence[str] = ()
    example: Mapping[str, str] = field(default_factory=dict)
    near: Mapping[str, str] = field(default_factory=dict)


def read_codes() -> dict[str, Code]:
    """Return all codes by name, the severest first."""
    # Beside the code, in a checkout as in a wheel.
    text = Path(__file__).with_name("codes.yaml").read_text("utf-8")
    written = yaml.load(text, SAFE_LOADER)  # noqa: S506 - a safe loader
    return {code: Code(code, severity, **written[code]) for code, severity in CODES.items()}


def explained(code: Code) -> Iterator[str]:
    """Yield the lines that explain a code, as Markdown."""
    yield from (f"## {code.code}", "", f"{code.severity.capitalize()}: {code.title}.")
    for text in (code.means, f"**Why it matters.** {code.why}", f"**What to do.** {code.do}"):
        yield from ("", text)
    for title, files in (("This has it", code.example), ("This nearly has it, and does not", code.near)):
        if files:
            yield from ("", f"{title}:")
            for path, text in files.items():
                fence = "````" if "```" in text else "```"
                language = "markdown" if path.endswith(".md") else ""
                yield from ("", f"`{path}`", "", fence + language, *text.removesuffix("\n").split("\n"), fence)

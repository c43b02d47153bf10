#!/usr/bin/env python3
"""Make docs/findings.md from graph/codes.yaml, which `kantenwerk check --explain CODE` reads too.

Usage: make_findings_page.py
"""

from pathlib import Path
from typing import Final

from kantenwerk.graph.codes import explained, read_codes

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "findings.md"
HEADER: Final = """\
# Findings

<!-- Made by scripts/make_findings_page.py from graph/codes.yaml; do not edit by hand. -->

What `kantenwerk check` tells. `kantenwerk check --explain CODE` prints what stands here.

An import tells and stores the same, but for what takes a look at the whole vault (`edge-cycle`, `edge-contradiction`,
`duplicate-alias`, `orphan-note`) and what `--frozen` adds.
"""
FROZEN: Final = """\
## `--frozen`

`kantenwerk check --frozen` takes `.kantenwerk/verdicts.jsonl` and `.kantenwerk/decisions.yaml` for a lock file: what a
model would have to say, and nobody recorded, is an error.

- A candidate without a verdict, or whose evidence has changed since, is `candidate-unlocked`, in place of
  `candidate-pending`. A verdict on the same evidence counts, whichever model or prompt it is from: the check asks
  nobody, so that another model's answer is the best there is. A person's verdict on changed evidence stays a warning,
  `verdict-stale`. Candidates of a note type whose validation is off are left out.
- A candidate's name that only a comparison of meanings could bring to a note is `name-unlocked`.

No endpoint is asked, also where one is configured, and no embedding model is loaded.
"""


def page() -> str:
    """Return the page."""
    codes = read_codes().values()
    rows = [f"| [`{code.code}`](#{code.code}) | {code.severity} | {code.title} |" for code in codes]
    sections = ["\n".join(explained(code)) for code in codes]
    table = "\n".join(("| Code | Severity | What is so |", "|---|---|---|", *rows))
    return "\n".join((HEADER, table, "", FROZEN, "\n\n".join(sections), ""))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8", newline="\n")

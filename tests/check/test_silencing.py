"""Comments that silence the findings of one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kantenwerk.config import load_config
from kantenwerk.graph.model import ParsedNote
from kantenwerk.ingest.parse.note import parse_note
from tests.check.scoping import Vault, new_vault

LINK = "unresolved-target"
UNUSED, UNKNOWN = "unused-ignore", "unknown-code"


# Notes whose comment silences all there is.
SILENT = (
    "[[No]] %% kantenwerk: ignore unresolved-target %%\n",
    "[[No]] <!-- kantenwerk: ignore unresolved-target -->\n",
    "[[No]] %%kantenwerk:ignore unresolved-target%%\n",
    "[[No]] %% kantenwerk: ignore %%\n",
    "[[No]] %% kantenwerk: ignore unresolved %%\n",
    "[[No]] %% kantenwerk: ignore: Unresolved-Target %%\n",
    "[[No]] [[rel:depnds_on|No]] <!-- kantenwerk: ignore unknown-kind, unresolved-target -->\n",
    "[[No]] [[rel:depnds_on|No]] %% kantenwerk: ignore unknown-kind unresolved-target %%\n",
    "%% kantenwerk: ignore unresolved-target %%\n[[No]]\n",
    "<!-- kantenwerk: ignore -->\n[[No]]\n",
    "\ufeffText.\r\n\r\n[[No]] %% kantenwerk: ignore %%\r\n",
    "Text\n[[No]] %% kantenwerk: ignore %%\nand more\n",
    "# Heading [[No]] %% kantenwerk: ignore %%\n",
    "- one\n  - [[No]] %% kantenwerk: ignore %%\n",
    "- one\n- %% kantenwerk: ignore %%\n- [[No]]\n",
    "> [!note] Quoted\n> %% kantenwerk: ignore %%\n> [[No]]\n",
    "| a | b |\n|---|---|\n| [[No]] %% kantenwerk: ignore %% | c |\n",
    "## Smart Edges\nuses:No %% kantenwerk: ignore unresolved-target %%\n",
    "## Candidates\n- uses:No %% kantenwerk: ignore unresolved-target %%\n",
    "## Candidates\nthis is none <!-- kantenwerk: ignore malformed-candidate -->\n",
    '---\nuses: "[[No]]" # kantenwerk: ignore unresolved-target\n---\n',
    '---\n# kantenwerk: ignore unresolved-target\nuses: "[[No]]"\n---\n',
    '---\nuses:\n  - "[[No]]" #kantenwerk: ignore\n---\n',
    "---\nuses: [[No]] # kantenwerk: ignore property-link-unquoted\n---\n",
)
# Notes with what is told all the same.
SPEAKING: tuple[tuple[str, list[tuple[int, str]]], ...] = (
    # Not its line, or not its code.
    ("%% kantenwerk: ignore %%\n\n[[No]]\n", [(1, UNUSED), (3, LINK)]),
    ("Text %% kantenwerk: ignore %%\n[[No]]\n", [(1, UNUSED), (2, LINK)]),
    ("[[No]]\n%% kantenwerk: ignore %%\n", [(1, LINK), (2, UNUSED)]),
    ("[[No]] %% kantenwerk: ignore self-link %%\n", [(1, LINK), (1, UNUSED)]),
    ("[[No]] %% kantenwerk: ignore self-link, unresolved %%\n", [(1, UNUSED)]),
    ("[[No]] %% kantenwerk: ignore target %%\n", [(1, UNKNOWN), (1, LINK)]),
    ("[[No]] %% kantenwerk: ignore %%\n\n[[No]]\n", [(3, LINK)]),
    # Code and math are no comments, nor is a comment that never ends.
    ("```\n%% kantenwerk: ignore %%\n```\n[[No]]\n", [(4, LINK)]),
    ("```md\n[[No]] %% kantenwerk: ignore %%\n```\n", []),
    ("- x\n\n  ~~~\n  %% kantenwerk: ignore %%\n  ~~~\n  [[No]]\n", [(6, LINK)]),
    ("    %% kantenwerk: ignore %%\n\n[[No]]\n", [(3, LINK)]),
    ("[[No]] `%% kantenwerk: ignore %%`\n", [(1, LINK)]),
    ("[[No]] $$ %% kantenwerk: ignore %% $$\n", [(1, LINK)]),
    ("[[No]] \\%% kantenwerk: ignore\n", [(1, LINK)]),
    ("[[No]] <!-- kantenwerk: ignore\n", [(1, "unclosed-comment"), (1, LINK)]),
    ("<!-- kantenwerk: ignore\nself-link -->\n[[No]]\n", [(3, LINK)]),
    ("%%\nkantenwerk: ignore\n%%\n[[No]]\n", [(4, LINK)]),
    # Other words.
    ("[[No]] %% kantenwerk: ignored %%\n", [(1, LINK)]),
    ("[[No]] %% we use kantenwerk: ignore that %%\n", [(1, LINK)]),
    # In the frontmatter, only what YAML takes for a comment; and no such thing in the body.
    ('---\nuses: ["[[No]]", "an # kantenwerk: ignore"]\n---\n', [(2, LINK)]),
    ('---\nsummary: |\n  # kantenwerk: ignore\n  text\nuses: "[[No]]"\n---\n', [(5, LINK)]),
    ('---\nuses: "[[No]]"\n---\n# kantenwerk: ignore\n', [(2, LINK)]),
    ('---\nuses: "[[No]]" %% kantenwerk: ignore %%\n---\n', [(2, "frontmatter-invalid")]),
)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    return new_vault(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, str]]]:
    """What is told of each note, all of them in one vault."""
    texts = {*SILENT, *(text for text, _ in SPEAKING)}
    names = {f"{number}.md": text for number, text in enumerate(sorted(texts))}
    with pytest.MonkeyPatch.context() as patch:
        vault = new_vault(tmp_path_factory.mktemp("comments"), patch)
        told = vault.write(names).check("--set", "resolution.level=exact")
    found: dict[str, list[tuple[int, str]]] = {text: [] for text in texts}
    for path, line, code in told.places:
        found[names[path]].append((line, code))
    return found


@pytest.mark.parametrize("text", SILENT)
def test_a_comment_that_silences(findings: dict[str, list[tuple[int, str]]], text: str) -> None:
    assert findings[text] == []


@pytest.mark.parametrize(("text", "left"), SPEAKING)
def test_a_comment_that_does_not(
    findings: dict[str, list[tuple[int, str]]], text: str, left: list[tuple[int, str]]
) -> None:
    assert findings[text] == left


def test_what_is_said_about_comments(vault: Vault) -> None:
    first = "[[No]] %% kantenwerk: ignore unresolved-traget, self-link, note %%"
    vault.write({"A.md": f"{first}\n\nText <!-- kantenwerk: ignore -->\n"})
    stdout, stderr, _ = vault.text("--select", "unused,unknown")
    assert (
        stdout
        == """\
A.md
  1:30: warning unknown-code: the comment ignores `unresolved-traget`: no such code; did you mean `unresolved-target`?
     → correct the code
  1:49: info unused-ignore: the comment ignores `self-link`, `note`, and there is none here
     → take that out of the comment
  3:11: info unused-ignore: the comment ignores findings, and there is none here
     → delete the comment

"""
    )
    assert stderr == "1 note: 0 errors, 1 warning, 2 infos (1 ignored)\n"


def test_what_is_counted(vault: Vault) -> None:
    vault.write({"A.md": "[[No]] [[rel:depnds_on|No]] %% kantenwerk: ignore %%\n"})
    assert vault.check().stderr == "1 note: 0 errors, 0 warnings, 0 infos (3 silenced by comments)\n"


def test_that_a_comment_is_used_though_its_code_is_left_out(vault: Vault) -> None:
    vault.write({"A.md": "[[No]] %% kantenwerk: ignore unresolved-target %%\n"})
    assert vault.check("--ignore", "unresolved-target").findings == []
    assert vault.settings("check: {severity: {unresolved-target: off}}").check().findings == []


@pytest.mark.parametrize("line", ["A needs [[B]].", "- A needs [[B]]", "> A needs [[B]]"])
def test_that_a_comment_behind_a_line_leaves_what_a_judge_is_shown(line: str) -> None:
    def chunks(text: str) -> list[str]:
        parsed = parse_note("A.md", text.encode(), load_config(None, environ={}))
        assert isinstance(parsed, ParsedNote)
        return [chunk.text for chunk in parsed.chunks]

    text = "# A\n\nText.\n{}\nMore.\n"
    assert chunks(text.format(f"{line} %% kantenwerk: ignore %%")) == chunks(text.format(line))

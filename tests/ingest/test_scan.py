"""Files that git ignores are no notes: the walk agrees with git itself, whatever the patterns are."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kantenwerk.ingest.scan import scan_vault

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a", "b", "ab", "build", "draft")
PATHS = [f"{folder}{name}.md" for folder in ("", "a/", "b/", "build/", "a/b/", "a/build/", "ab/a/b/") for name in NAMES]
PIECES = st.sampled_from(
    [*NAMES, *(f"{name}.md" for name in NAMES), "*", "**", "*.md", "a*", "*b", "[ab]", "?", "dr*t.md"]
)
PATTERNS = st.builds(
    lambda no, root, pieces, end: f"{no}{root}{'/'.join(pieces)}{end}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/*"]),
).filter(lambda pattern: not pattern.endswith("**/"))  # pathspec takes `a/**/` for `a/**`


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "--quiet", root], check=True)
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return root


@given(st.lists(PATTERNS, max_size=5), st.lists(PATTERNS, max_size=3))
@example(["*.md", "!a.md"], ["!b.md"])
@example(["b", "!a"], ["*/"])
@example(["/a", "b/"], [])
@example(["!", "\\", "a\\", "[", "[z-a].md"], ["b.md", "!", "!b.md\\"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_git_and_the_walk_agree(repository: Path, outer: list[str], inner: list[str]) -> None:
    for folder, lines in (("", outer), ("a/", inner)):
        (repository / f"{folder}.gitignore").write_text("\n".join(lines), "utf-8")
    said = subprocess.run(
        ["git", "-C", repository, "ls-files", "-z", "--others", "--exclude-standard", "*.md"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert sorted(scan_vault(repository).notes) == sorted(filter(None, said.stdout.split("\0")))

"""`benchmarks/make_vault.py`: the vault that speed is measured on is what the README says, and the same every time."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "make_vault.py"
COUNT = 300
CANDIDATES = re.compile("^## (Unzugeordnete Kanten|Candidates)$", re.MULTILINE)
GERMAN = re.compile("^## (Überblick|Offene Fragen|Entscheidungen)$", re.MULTILINE)


def make(folder: Path, *options: str, count: int = COUNT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), str(count), str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def texts_of(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("made") / "vault"
    done = make(folder)
    assert (done.returncode, done.stderr) == (0, "")
    return texts_of(folder)


def test_as_many_notes_as_asked_for_of_two_to_four_kilobytes(texts: dict[str, str]) -> None:
    sizes = [len(text.encode()) for text in texts.values()]
    assert len(sizes) == COUNT
    assert min(sizes) > 1900
    assert max(sizes) < 4700
    assert 2700 < sum(sizes) / len(sizes) < 3400


def test_every_note_has_eight_links_and_a_fifth_has_candidates(texts: dict[str, str]) -> None:
    assert {len(re.findall(r"\[\[[^\]]+\]\]", text)) for text in texts.values()} == {8}
    sections = [text for text in texts.values() if CANDIDATES.search(text)]
    assert 0.12 < len(sections) / COUNT < 0.28
    assert all(re.search(r"^- \w+: \S", text, re.MULTILINE) for text in sections)


def test_both_languages_frontmatter_and_folders_are_there(texts: dict[str, str]) -> None:
    german = [text for text in texts.values() if GERMAN.search(text)]
    assert 0.25 < len(german) / COUNT < 0.75
    assert 0.85 < sum(text.startswith("---\n") for text in texts.values()) / COUNT < 1
    assert len({path.rpartition("/")[0] for path in texts}) == 8
    assert any("\naliases: [" in text for text in texts.values())


def test_nearly_all_links_mean_a_note_and_some_do_not(texts: dict[str, str]) -> None:
    stems = {path.rpartition("/")[2].removesuffix(".md") for path in texts}
    written = [
        re.split(r"[#|]", link.removeprefix("rel:uses|"))[0].rpartition("/")[2]
        for text in texts.values()
        for link in re.findall(r"\[\[([^\]]+)\]\]", text)
    ]
    unknown = sum(name not in stems for name in written)
    assert 0 < unknown / len(written) < 0.1


def test_the_same_arguments_make_the_same_bytes_and_another_seed_does_not(tmp_path: Path) -> None:
    for folder, options in (("a", ()), ("b", ()), ("c", ("--seed", "7"))):
        assert make(tmp_path / folder, *options, count=20).returncode == 0
    assert texts_of(tmp_path / "a") == texts_of(tmp_path / "b")
    assert texts_of(tmp_path / "a") != texts_of(tmp_path / "c")


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine\n", encoding="utf-8")
    done = make(tmp_path, count=5)
    assert done.returncode == 1
    assert "it is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]


def test_a_number_below_one_is_wrong_usage(tmp_path: Path) -> None:
    assert make(tmp_path / "none", count=0).returncode == 2

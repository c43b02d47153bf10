"""The findings that are known, in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.scoping import Vault, new_vault

NOTES = {
    "A.md": "[[Nowhere]] [[Nowhere]]\n\n[[Elsewhere]]\n",
    "ä/B ü.md": "[[rel:depnds_on|A]]\n\n```\nopen\n",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    return new_vault(tmp_path, monkeypatch).write(NOTES)


@pytest.fixture
def file(vault: Vault) -> Path:
    """A baseline of the vault as it is."""
    path = vault.root.parent / "known.jsonl"
    vault.check("--write-baseline", str(path), "--fail-on", "info", code=0)
    return path


def test_what_it_holds(vault: Vault, file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert sorted((row["path"], row["code"], row["count"]) for row in rows) == [
        ("A.md", "unresolved-target", 1),
        ("A.md", "unresolved-target", 2),
        ("ä/B ü.md", "unclosed-fence", 1),
        ("ä/B ü.md", "unknown-kind", 1),
    ]
    assert [*rows[0]] == ["path", "code", "fingerprint", "count"]
    text = file.read_bytes()
    told = vault.check("--write-baseline", str(file), code=0)
    assert file.read_bytes() == text
    assert told.findings == []
    assert told.stderr == "2 notes: 0 errors, 0 warnings, 0 infos (5 in the baseline)\n"
    assert {path.name for path in file.parent.iterdir()} == {"notes", "known.jsonl"}


def test_that_only_what_is_beyond_it_is_reported(vault: Vault, file: Path) -> None:
    told = vault.check("--baseline", str(file), "--fail-on", "info", code=0)
    assert (told.findings, told.stderr) == ([], "2 notes: 0 errors, 0 warnings, 0 infos (5 in the baseline)\n")
    vault.write({"A.md": "[[New]]\n\nText.\n\n[[Nowhere]] [[Nowhere]]\n\n[[Elsewhere]]\n\n[[Nowhere]]\n"})
    told = vault.check("--baseline", str(file), "--fail-on", "warning", code=1)
    assert told.places == [("A.md", 1, "unresolved-target"), ("A.md", 9, "unresolved-target")]
    assert told.stderr.endswith(" (5 in the baseline)\n")


def test_that_what_is_gone_is_told(vault: Vault, file: Path) -> None:
    vault.write({"A.md": "[[Nowhere]]\n"})
    told = vault.check("--baseline", str(file), code=0)
    assert told.findings == []
    said, _ = told.stderr.splitlines()
    shown = "unresolved-target in A.md, unresolved-target in A.md"
    assert said == f"kantenwerk: {file} holds what is no longer there: {shown}; renew it with --write-baseline"
    vault.write({"A.md": "A.\n", "ä/B ü.md": "B.\n"})
    said, _ = vault.check("--baseline", str(file), code=0).stderr.splitlines()
    assert "unresolved-target in A.md, unclosed-fence in ä/B ü.md and 1 more; renew" in said


def test_a_baseline_in_the_settings(vault: Vault) -> None:
    vault.settings("check: {baseline: .kantenwerk/known.jsonl, fail_on: info}\n")
    told = vault.check(code=2)
    known = vault.root / ".kantenwerk/known.jsonl"
    assert told.stderr == f"kantenwerk: {known}: there is no such baseline; write it with --write-baseline\n"
    vault.check("--write-baseline", str(known), code=0)
    vault.check(code=0)
    other = vault.root / "other.jsonl"
    other.write_text("")
    assert len(vault.check("--baseline", str(other), code=1).findings) == 5


def test_that_a_baseline_holds_what_is_reported_and_no_more(vault: Vault, file: Path) -> None:
    vault.check("--write-baseline", str(file), "--ignore", "unresolved", code=0)
    assert len(vault.check("--baseline", str(file)).findings) == 3


def test_that_what_could_not_be_read_is_never_in_it(vault: Vault, file: Path) -> None:
    vault.write({"binary.md": b"\0"})
    told = vault.check("--write-baseline", str(file), code=0)
    assert told.places == [("binary.md", 1, "not-text")]
    assert vault.check("--baseline", str(file), code=1).places == [("binary.md", 1, "not-text")]


@pytest.mark.parametrize("options", [("--ignore", "unresolved"), ("--select", "unknown-kind")])
def test_that_what_codes_leave_out_is_not_gone(vault: Vault, file: Path, options: tuple[str, str]) -> None:
    assert "no longer" not in vault.check("--baseline", str(file), *options).stderr
    vault.write({"A.md": "[[Nowhere]]\n\n[[Elsewhere]]\n"})
    said, _ = vault.check("--baseline", str(file), *options).stderr.splitlines()
    assert "no longer there: unresolved-target in A.md; renew" in said


GOOD = '{"path":"A.md","code":"x","fingerprint":"y","count":1}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            GOOD + "<<<<<<< HEAD\n",
            ":2: the line is none of a baseline; mend it, or delete the file and write it anew with",
        ),
        (GOOD.replace("1", "0"), ":1: the line is none of a baseline"),
        (GOOD.replace("1", "true"), ":1: the line is none of a baseline"),
        (GOOD.replace('"y"', "7"), ":1: the line is none of a baseline"),
        ('["A.md"]', ":1: the line is none of a baseline"),
        ("[" * 100_000, ":1: the line is none of a baseline"),
        ('{"path":"A.md"}', ":1: the line is none of a baseline"),
        (b"\xff\n", ": the baseline is not UTF-8; delete it and write it anew with --write-baseline"),
    ],
)
def test_a_damaged_file(vault: Vault, file: Path, content: str | bytes, said: str) -> None:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert vault.check("--baseline", str(file), code=2).stderr.startswith(f"kantenwerk: {file}{said}")


@pytest.mark.parametrize(
    "name", ["report.json", "A.md", "new.md", ".kantenwerk/settings.yaml", ".kantenwerk/verdicts.jsonl"]
)
def test_that_only_a_baseline_is_overwritten(vault: Vault, name: str) -> None:
    vault.write({"report.json": '{"rows": 1}\n', ".kantenwerk/settings.yaml": "check: {fail_on: info}\n"})
    path = vault.root / name
    before = path.read_bytes() if path.exists() else None
    told = vault.check("--write-baseline", str(path), code=2)
    assert told.stderr.startswith(f"kantenwerk: {path}:")
    assert (path.read_bytes() if path.exists() else None) == before


def test_that_an_empty_file_becomes_a_baseline(vault: Vault) -> None:
    path = vault.root / "known.jsonl"
    path.write_text("", "utf-8")
    vault.check("--write-baseline", str(path), code=0)
    assert path.read_text("utf-8").count("\n") == 4


def test_a_file_that_cannot_be_used(vault: Vault, tmp_path: Path) -> None:
    told = vault.check("--baseline", str(tmp_path), code=2)
    assert told.stderr == f"kantenwerk: {tmp_path}: the baseline cannot be read: Is a directory\n"
    told = vault.check("--write-baseline", str(tmp_path), code=2)
    assert told.stderr.startswith(f"kantenwerk: {tmp_path}: the baseline cannot be written: ")
    nowhere = tmp_path / "no" / "known.jsonl"
    told = vault.check("--write-baseline", str(nowhere), code=2)
    assert told.stderr == f"kantenwerk: {nowhere}: the folder {nowhere.parent} does not exist\n"
    assert "--baseline is empty" in vault.check("--baseline", "", code=2).stderr
    told = vault.check("--write-baseline", "a", "--baseline", "b", code=2)
    assert "--write-baseline records all findings" in told.stderr


def test_that_lines_of_a_merge_do_no_harm(vault: Vault, file: Path) -> None:
    lines = file.read_text("utf-8")
    file.write_text(f"{lines}\r\n\n{lines}", "utf-8")
    told = vault.check("--baseline", str(file))
    assert told.stderr == "2 notes: 0 errors, 0 warnings, 0 infos (5 in the baseline)\n"


LINES = st.lists(
    st.sampled_from(
        [
            "[[Nowhere]]",
            "[[B]]",
            "[[rel:depnds_on|B]]",
            "[[b]] [[Bee]]",
            "## Candidates",
            "uses:B",
            "no edge",
            "",
            "text",
        ]
    ),
    max_size=8,
)


@given(first=LINES, second=LINES, above=st.integers(1, 3))
@settings(
    max_examples=8,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
def test_that_it_hides_what_there_is_and_nothing_else(
    vault: Vault, first: list[str], second: list[str], above: int
) -> None:
    file = vault.root.parent / "drawn.jsonl"
    text = "\n".join(["Text.", "", *first])
    vault.write({"A.md": text, "B.md": "\n".join(["---", "aliases: [Bee]", "---", *second]), "C.md": "C.\n"})
    vault.check("--write-baseline", str(file), code=0)
    vault.write({"A.md": "A line.\n\n" * above + text})
    told = vault.check("--baseline", str(file))
    assert told.findings == []
    assert "no longer" not in told.stderr
    vault.write({"C.md": "[[Nobody]]"})
    assert vault.check("--baseline", str(file)).places == [("C.md", 1, "unresolved-target")]

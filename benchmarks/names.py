"""How well names are resolved, over names that people have labelled.

Run it as `python benchmarks/names.py --data DIR`; the README beside it says what is what.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby
from pathlib import Path
from typing import Final, Literal, NotRequired, TypedDict

from kantenwerk.config.errors import KantenwerkError
from kantenwerk.config.loader import load_config
from kantenwerk.config.model import Resolution
from kantenwerk.config.names import name_key
from kantenwerk.ingest.embedding import load_embedder
from kantenwerk.ingest.resolve.compare import Comparison, Weigh, compare, stem
from kantenwerk.ingest.resolve.guess import Vectors
from kantenwerk.ingest.resolve.parts import NameParts, split_name
from kantenwerk.ingest.resolve.similar import by_meaning
from kantenwerk.ingest.resolve.weights import Weights

Decision = Literal["same", "different", "ask"]
Step = Literal["exact", "stem"]
Variant = Literal["with_digit_pairs", "without_digit_pairs"]
NamesAndReason = list[str]

DECISIONS: Final[dict[str, Decision]] = {"same": "same", "different": "different", "ask": "ask"}
TRUTHS: Final[dict[str, Decision]] = {"true": "same", "1": "same", "false": "different", "0": "different"}

# The sets of the layout; each may be missing, and other files are reported after them.
KNOWN = ("mobie.tsv", "companies.csv", "name_bench.csv", "pairs.tsv")

ORGANISATIONS = "organisations"
PERSONS = "persons"
GROUPS = {
    "Company": ORGANISATIONS,
    "Organization": ORGANISATIONS,
    "LegalEntity": ORGANISATIONS,
    "Person": PERSONS,
    "Vessel": "vessels",
}

RECALLS = (0.6, 0.7)
DIGITS = 4

# Of the page, and of the columns after the first.
WIDTH = 100
WIDTHS = (8, 5, 6, 7, 6, 7, 7, 9, 8, 8)


class Added(TypedDict):
    """What a step bound that no step before it had."""

    true: int
    false: int


class AddedByMeaning(TypedDict):
    """What step 4 would bind, for a candidate, and ask."""

    model: str
    true: int
    false: int
    asked_true: int
    asked_false: int
    true_binding_names: list[NamesAndReason]
    false_binding_names: list[NamesAndReason]


class Steps(TypedDict):
    """What each step adds to those before it; None for step 4 without an embedder."""

    exact: Added
    stem: Added
    semantic: AddedByMeaning | None


class Report(TypedDict):
    """All figures of a set, as they are printed in JSON."""

    pairs: int
    same: int
    precision: float
    recall: float
    f1: float
    true_bindings: int
    false_bindings: int
    missed: int
    questions: int
    questions_right: int
    precision_at_recall: dict[str, float | None]
    steps: Steps
    false_binding_names: list[NamesAndReason]
    wrong_question_names: list[NamesAndReason]
    # Where a question can be right as well.
    right: NotRequired[float]
    bound_but_different: NotRequired[int]
    bound_but_ask: NotRequired[int]
    wrong: NotRequired[list[list[str]]]
    # Where all pairs of a list of names are compared.
    precision_without_identical: NotRequired[float]
    precision_without_equal_stems: NotRequired[float]
    # By schema.
    with_digit_pairs: NotRequired[Report]
    without_digit_pairs: NotRequired[Report]


class DataError(Exception):
    """The labelled names cannot be read, for a reason worth a sentence."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Two names, what is right for them, and what their parts weigh."""

    one: NameParts
    other: NameParts
    wanted: Decision
    weigh: Weigh

    @property
    def differs_in_number(self) -> bool:
        """Tell whether the names do not have the same numbers."""
        return numbers_in(self.one) != numbers_in(self.other)


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Pairs that are reported under one name.

    `has_decisions` says that a question is a right answer too; `is_corpus` that the pairs are all those of a list of
    names, so that many differ in signs alone.
    """

    name: str
    pairs: Callable[[], Iterator[Labelled]]
    has_decisions: bool = False
    is_corpus: bool = False
    variant: Variant | None = None
    variant_pairs: Callable[[], Iterator[Labelled]] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was decided about two names; `meaning` is what step 4 would do with them."""

    pair: Labelled
    got: Decision
    step: Step | None
    score: float
    reason: str
    meaning: Decision = "different"

    @property
    def is_same(self) -> bool:
        """Tell whether to bind them is right."""
        return self.pair.wanted == "same"

    @property
    def is_right_question(self) -> bool:
        """Tell whether a person is rightly asked about them."""
        return self.pair.wanted != "different"

    def row(self) -> NamesAndReason:
        """Return the names and the reason."""
        return [self.pair.one.written, self.pair.other.written, self.reason]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit with 2 where the data cannot be read, with 1 where the model cannot."""
    options = parse_arguments(arguments)
    settings = load_config(None, environ={}).settings.resolution
    try:
        vectors = load_vectors(options.embedder)
        judge = Judge(settings, vectors)
        reports = {found.name: report_of(found, judge) for found in read_sets(options.data, settings)}
    except DataError as error:
        print(f"names: {error}", file=sys.stderr)
        return 2
    except KantenwerkError as error:
        print(f"names: {error}", file=sys.stderr)
        return error.exit_code
    if options.format == "json":
        print(json.dumps(reports, indent=2, ensure_ascii=False))
    else:
        print(as_text(reports, with_names=options.list))
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Precision and recall of resolution over labelled names.")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="a folder of labelled names")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument(
        "--embedder", default="default", metavar="MODEL", help="default, a model's name or folder, or none"
    )
    parser.add_argument("--list", action="store_true", help="in text, also what went wrong, by name")
    return parser.parse_args(arguments)


def load_vectors(setting: str) -> Vectors | None:
    """Return the vectors of an embedding model, made when they are asked for."""
    return None if setting == "none" else Vectors(load_embedder(setting))


# The labelled names


def read_sets(folder: Path, settings: Resolution) -> Iterator[LabelledSet]:
    """Read every file of labelled names in a folder, the known ones first."""
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder")
    files = sorted(file for file in folder.iterdir() if file.suffix in {".csv", ".tsv"})
    files.sort(key=lambda file: KNOWN.index(file.name) if file.name in KNOWN else len(KNOWN))
    sets = [found for file in files for found in sets_of(file, settings)]
    if not sets:
        raise DataError(f"{folder} holds no labelled names")
    taken: set[str] = set()
    for found in sets:
        if found.name in taken:
            raise DataError(f"two files of {folder} are both {found.name}")
        taken.add(found.name)
        yield found


def sets_of(file: Path, settings: Resolution) -> list[LabelledSet]:
    """Return the sets that a file holds: by its columns, for those say how it is to be read."""
    table = Table.read(file)
    if table.has("type", "surface", "entity"):
        return [LabelledSet(file.stem, surfaces_in(table, settings), is_corpus=True)]
    # What is no vault has no frequent words.
    weigh = Weights(settings.generic_weight).of_token
    if table.has("name1", "name2", "decision"):
        return [LabelledSet(file.stem, pairs_in(table, ("name1", "name2"), decision, weigh), has_decisions=True)]
    if table.has("Name_x", "Name_y", "Targets"):
        return [LabelledSet(file.stem, pairs_in(table, ("Name_x", "Name_y"), partial(truth, "Targets"), weigh))]
    if table.has("name1", "name2", "is_match"):
        return matches_in(table, weigh)
    if file.name in KNOWN:
        raise DataError(f"{file}:1: these are not the columns of {file.name}: {', '.join(table.columns)}")
    print(f"names: {file} is left out, its columns are not those of labelled names", file=sys.stderr)
    return []


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file, with the line on which it ends."""

    file: Path
    line: int
    cells: dict[str, str]

    def error(self, problem: str) -> DataError:
        """Return the error that says where the problem is."""
        return DataError(f"{self.file}:{self.line}: {problem}")

    def name(self, column: str) -> str:
        """Return the name in a column."""
        if not self.cells[column].strip():
            raise self.error(f"{column} is empty")
        return self.cells[column]


@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows with named columns."""

    file: Path
    columns: list[str]
    rows: list[Row]

    @classmethod
    def read(cls, file: Path) -> Table:
        """Read a file: cells between tabs as they are, or comma-separated with quotes."""
        try:
            with file.open(encoding="utf-8-sig", newline="") as stream:
                return cls.parse(file, stream)
        except UnicodeDecodeError as error:
            line = 1 + readable_lines(file)
            raise DataError(f"{file}:{line}: this is not UTF-8") from error
        except OSError as error:
            raise DataError(f"{file}: {error.strerror}") from error

    @classmethod
    def parse(cls, file: Path, stream: Iterator[str]) -> Table:
        """Read the rows from a stream."""
        is_tsv = file.suffix == ".tsv"
        reader = csv.reader(
            stream, delimiter="\t" if is_tsv else ",", quoting=csv.QUOTE_NONE if is_tsv else csv.QUOTE_MINIMAL
        )
        try:
            columns = next(reader, [])
            return cls(file, columns, [row_of(file, reader.line_num, columns, cells) for cells in reader if cells])
        except csv.Error as error:
            raise DataError(f"{file}:{reader.line_num}: {error}") from error

    def has(self, *columns: str) -> bool:
        """Tell whether it has all these columns."""
        return set(columns) <= set(self.columns)


def row_of(file: Path, line: int, columns: list[str], cells: list[str]) -> Row:
    """Return a row, which has a cell for every column."""
    row = Row(file, line, dict(zip(columns, cells, strict=False)))
    if len(cells) != len(columns):
        raise row.error(f"{len(cells)} cells in {len(columns)} columns")
    return row


def surfaces_in(table: Table, settings: Resolution) -> Callable[[], Iterator[Labelled]]:
    """Return all pairs of names of one type; their words weigh as if each were a note of one vault."""
    by_type: dict[str, dict[tuple[str, str], NameParts]] = defaultdict(dict)
    for row in table.rows:
        surface, entity = row.name("surface"), row.name("entity")
        by_type[row.cells["type"]][surface, entity] = split_name(surface)

    def pairs() -> Iterator[Labelled]:
        for names in by_type.values():
            notes = ((str(number), name) for number, name in enumerate(names.values()))
            weigh = Weights.of(notes, settings.generic_weight).of_token
            for ((_, mine), one), ((_, theirs), other) in combinations(names.items(), 2):
                yield Labelled(one, other, "same" if mine == theirs else "different", weigh)

    return pairs


def pairs_in(
    table: Table, names: tuple[str, str], label: Callable[[Row], Decision], weigh: Weigh
) -> Callable[[], Iterator[Labelled]]:
    """Return the pairs of a file that has one in each row."""
    return partial(iter, [labelled(row, names, label, weigh) for row in table.rows])


def labelled(row: Row, names: tuple[str, str], label: Callable[[Row], Decision], weigh: Weigh) -> Labelled:
    """Return the pair of one row."""
    one, other = (split_name(row.name(column)) for column in names)
    return Labelled(one, other, label(row), weigh)


def decision(row: Row) -> Decision:
    """Read what is right in a vault."""
    return one_of(row, "decision", DECISIONS)


def truth(column: str, row: Row) -> Decision:
    """Read whether two names are one thing."""
    return one_of(row, column, TRUTHS)


def one_of(row: Row, column: str, values: dict[str, Decision]) -> Decision:
    """Read one of the values that a column may have."""
    written = row.cells[column]
    if (found := values.get(written.strip().lower())) is None:
        raise row.error(f"{column} is {written!r} and none of {', '.join(values)}")
    return found


def matches_in(table: Table, weigh: Weigh) -> list[LabelledSet]:
    """Return the pairs of a file that says which are one thing, by schema where it names one."""
    label = partial(truth, "is_match")
    if not table.has("schema"):
        return [LabelledSet(table.file.stem, pairs_in(table, ("name1", "name2"), label, weigh))]
    groups: dict[str, list[Labelled]] = defaultdict(list)
    for row in table.rows:
        groups[GROUPS.get(row.cells["schema"], "others")].append(labelled(row, ("name1", "name2"), label, weigh))
    return [schema_set(f"{table.file.stem}_{group}", group, pairs) for group, pairs in sorted(groups.items())]


def schema_set(name: str, group: str, pairs: list[Labelled]) -> LabelledSet:
    """Return the pairs of one group of schemas, with and without those that differ in a number."""
    # Calling two numbers the same is a policy, of screening, for what is numbered; in a person's name it is a slip.
    whole, without = partial(iter, pairs), partial(iter, [pair for pair in pairs if not pair.differs_in_number])
    if group == PERSONS:
        return LabelledSet(name, whole, variant="without_digit_pairs", variant_pairs=without)
    return LabelledSet(name, without, variant="with_digit_pairs", variant_pairs=whole)


def numbers_in(name: NameParts) -> list[str]:
    """Return the numbers of a name, in whichever order they stand."""
    return sorted(token.key for token in name.tokens if token.kind == "number")


def readable_lines(file: Path) -> int:
    """Return how many lines are before the first byte that is no UTF-8."""
    content = file.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError as error:
        content = content[: error.start]
    return content.count(b"\n")


# The decisions


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides about two names as an import does, with the packaged settings."""

    settings: Resolution
    vectors: Vectors | None

    def judge(self, pair: Labelled) -> Outcome:
        """Return what is decided about two names."""
        if name_key(pair.one.written) == name_key(pair.other.written):
            return Outcome(pair, "same", "exact", 1.0, "one name key")
        compared = compare(pair.one, pair.other, pair.weigh)
        if compared.can_bind and compared.score >= self.settings.threshold:
            return Outcome(pair, "same", "stem", compared.score, compared.reason)
        got: Decision = "ask" if compared.is_open else "different"
        return Outcome(pair, got, None, compared.score, compared.reason, self.by_meaning(pair, compared))

    def by_meaning(self, pair: Labelled, compared: Comparison) -> Decision:
        """Return what step 4 would do with two names that step 3 did not bind."""
        if self.vectors is None:
            return "different"
        # What it would bind is counted, though it binds only where a setting says so.
        settings = self.settings.model_copy(update={"semantic_binds": True})
        found = by_meaning(pair.one, pair.other, compared, pair.weigh, self.vectors, settings)
        if found is None:
            return "different"
        _, may_bind = found
        return "same" if may_bind else "ask"


# The figures


def report_of(found: LabelledSet, judge: Judge) -> Report:
    """Return all figures of a set."""
    report = measure(found, found.pairs(), judge)
    if found.variant and found.variant_pairs:
        report[found.variant] = measure(found, found.variant_pairs(), judge)
    return report


def measure(found: LabelledSet, pairs: Iterator[Labelled], judge: Judge) -> Report:
    """Decide about every pair, and count."""
    count, told = 0, []
    for pair in pairs:
        count += 1
        outcome = judge.judge(pair)
        # The great rest is different and left so.
        if {pair.wanted, outcome.got, outcome.meaning} != {"different"}:
            told.append(outcome)
    report = figures(count, told, judge)
    if found.has_decisions:
        add_decisions(report, told)
    if found.is_corpus:
        add_precisions(report, told)
    return report


def figures(count: int, told: list[Outcome], judge: Judge) -> Report:
    """Return precision and recall of what is bound, and what is asked."""
    same = sum(outcome.is_same for outcome in told)
    bound = [outcome for outcome in told if outcome.got == "same"]
    asked = [outcome for outcome in told if outcome.got == "ask"]
    true = sum(outcome.is_same for outcome in bound)
    return {
        "pairs": count,
        "same": same,
        "precision": share(true, len(bound)),
        "recall": share(true, same),
        "f1": share(2 * true, len(bound) + same),
        "true_bindings": true,
        "false_bindings": len(bound) - true,
        "missed": same - true,
        "questions": len(asked),
        "questions_right": sum(outcome.is_right_question for outcome in asked),
        "precision_at_recall": {str(recall): precision_at(recall, told, same) for recall in RECALLS},
        "steps": steps(told, judge),
        "false_binding_names": [outcome.row() for outcome in bound if not outcome.is_same],
        "wrong_question_names": [outcome.row() for outcome in asked if not outcome.is_right_question],
    }


def share(part: int, whole: int) -> float:
    """Return a part of a whole; of nothing it is 0."""
    return round(part / whole, DIGITS) if whole else 0.0


def precision_at(recall: float, told: list[Outcome], same: int) -> float | None:
    """Return the precision where so many are found, the bound first and then the asked by score; None if never."""
    ranked = sorted((outcome for outcome in told if outcome.got != "different"), key=rank)
    seen = true = 0
    # No threshold parts two equal scores.
    for _, alike in groupby(ranked, key=rank):
        truths = [outcome.is_same for outcome in alike]
        seen, true = seen + len(truths), true + sum(truths)
        if same and true / same >= recall:
            return share(true, seen)
    return None


def rank(outcome: Outcome) -> tuple[bool, float]:
    """Return what puts the surest first."""
    return outcome.got != "same", -round(outcome.score, DIGITS)


def steps(told: list[Outcome], judge: Judge) -> Steps:
    """Return what each step adds to those before it."""
    return {
        "exact": added_by("exact", told),
        "stem": added_by("stem", told),
        "semantic": added_by_meaning(told, judge.vectors.model) if judge.vectors else None,
    }


def added_by(step: Step, told: list[Outcome]) -> Added:
    """Return what one of the first steps bound."""
    truths = [outcome.is_same for outcome in told if outcome.step == step]
    return {"true": sum(truths), "false": truths.count(False)}


def added_by_meaning(told: list[Outcome], model: str) -> AddedByMeaning:
    """Return what step 4 would bind, for a candidate, and ask."""
    binds = [outcome for outcome in told if outcome.meaning == "same"]
    # A question of step 3 is not asked a second time.
    asks = [outcome.is_right_question for outcome in told if outcome.meaning == "ask" and outcome.got == "different"]
    true, false = ([o.row() for o in binds if o.is_same is wanted] for wanted in (True, False))
    return {
        "model": model,
        "true": len(true),
        "false": len(false),
        "asked_true": sum(asks),
        "asked_false": asks.count(False),
        "true_binding_names": true,
        "false_binding_names": false,
    }


def add_decisions(report: Report, told: list[Outcome]) -> None:
    """Add how many decisions are right, where a question can be right as well."""
    wrong = [outcome for outcome in told if outcome.got != outcome.pair.wanted]
    bound = [outcome.pair.wanted for outcome in told if outcome.got == "same"]
    report["right"] = share(report["pairs"] - len(wrong), report["pairs"])
    report["bound_but_different"] = bound.count("different")
    report["bound_but_ask"] = bound.count("ask")
    report["wrong"] = [
        [outcome.pair.one.written, outcome.pair.other.written, outcome.pair.wanted, outcome.got, outcome.reason]
        for outcome in wrong
    ]


def add_precisions(report: Report, told: list[Outcome]) -> None:
    """Add the precision without the pairs that are easy, or that nobody could tell who sees the names alone."""
    bound = [outcome for outcome in told if outcome.got == "same"]
    others = [outcome.is_same for outcome in bound if not are_identical(outcome.pair)]
    unequal = [outcome.is_same for outcome in bound if not have_equal_stems(outcome.pair)]
    report["precision_without_identical"] = share(sum(others), len(others))
    report["precision_without_equal_stems"] = share(sum(unequal), len(unequal))


def are_identical(pair: Labelled) -> bool:
    """Tell whether the names are the same once case, signs and blanks are gone."""
    one, other = ("".join(token.key for token in name.tokens) for name in (pair.one, pair.other))
    return one == other


def have_equal_stems(pair: Labelled) -> bool:
    """Tell whether the same words distinguish both names."""
    return stem(pair.one, pair.weigh) == stem(pair.other, pair.weigh)


# The table


def as_text(reports: dict[str, Report], *, with_names: bool) -> str:
    """Write a row for each set, what is particular to a set below, and then what went wrong."""
    models = [added["model"] for report in reports.values() if (added := report["steps"]["semantic"])]
    title = f"Decisions by steps 1 to 3, and what step 4 adds ({models[0] if models else 'no embedder'})."
    parts = ["\n".join([title, "Under exact, stem, asked and step 4: right/wrong.", "", *table(reports)])]
    parts.append("\n".join(remark(name, report) for name, report in reports.items()))
    if with_names:
        parts += [block for name, report in reports.items() for block in lists_of(name, report)]
    return "\n\n".join(parts)


def table(reports: dict[str, Report]) -> list[str]:
    """Write a line for each set, and one for its variant."""
    lines = [line("set", "pairs", "same", "prec", "recall", "F1", "exact", "stem", "asked", "4 binds", "4 asks")]
    for name, report in reports.items():
        lines.append(line(*cells(name, report)))
        if variant := report.get("with_digit_pairs"):
            lines.append(line(*cells("  with digit pairs", variant)))
        if variant := report.get("without_digit_pairs"):
            lines.append(line(*cells("  without digit pairs", variant)))
    return lines


def cells(name: str, report: Report) -> tuple[str, ...]:
    """Return the cells of one line."""
    asked = report["questions_right"], report["questions"] - report["questions_right"]
    exact, by_stem, meaning = report["steps"]["exact"], report["steps"]["stem"], report["steps"]["semantic"]
    return (
        name,
        f"{report['pairs']:,}",
        str(report["same"]),
        *(f"{figure:.3f}" for figure in (report["precision"], report["recall"], report["f1"])),
        *(f"{added['true']}/{added['false']}" for added in (exact, by_stem)),
        f"{asked[0]}/{asked[1]}",
        f"{meaning['true']}/{meaning['false']}" if meaning else "–",
        f"{meaning['asked_true']}/{meaning['asked_false']}" if meaning else "–",
    )


def line(name: str, *others: str) -> str:
    """Align the cells of one line."""
    return f"{name:26}" + "".join(f"{cell:>{width}}" for cell, width in zip(others, WIDTHS, strict=True))


def remark(name: str, report: Report) -> str:
    """Say what the table has no column for."""
    reached = report["precision_at_recall"].items()
    said = [f"precision at recall {recall}: {as_decimal(precision)}" for recall, precision in reached]
    if "right" in report:
        said.append(f"{report['right']:.1%} of the decisions are right")
        said.append(f"bound but different {report['bound_but_different']}, but to ask {report['bound_but_ask']}")
    if "precision_without_identical" in report:
        said.append(f"precision without identical names {report['precision_without_identical']:.3f}")
        said.append(f"without equal stems {report['precision_without_equal_stems']:.3f}")
    return textwrap.fill(f"{name}: {'; '.join(said)}.", WIDTH, subsequent_indent="  ")


def as_decimal(precision: float | None) -> str:
    """Write a precision that may not be reached."""
    return "never" if precision is None else f"{precision:.3f}"


def lists_of(name: str, report: Report) -> Iterator[str]:
    """Write the false bindings and the wrong questions of a set, by name."""
    meaning = report["steps"]["semantic"]
    kinds = {
        "bound and not the same": report["false_binding_names"],
        "asked and different": report["wrong_question_names"],
        "step 4 would bind, and not the same": meaning["false_binding_names"] if meaning else [],
        "decided in another way than wanted": report.get("wrong", []),
    }
    for title, rows in kinds.items():
        if rows:
            yield "\n".join([f"{name}, {title}:", *(f"  {' | '.join(row)}" for row in rows)])


if __name__ == "__main__":
    sys.exit(main())

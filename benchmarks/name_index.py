"""How fast a name finds the notes that it may mean among very many, and whether the right one is among them.

Run it as `python benchmarks/name_index.py [--data DIR]`; the README beside it says what is what.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

# Programs lie beside one another and are no package: Python looks beside the one that it runs, not above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.import_speed import MAXRSS_UNIT, MIB, Spread, machine, positive
from benchmarks.names import DataError, read_sets
from kantenwerk.config.lexicon import load_lexicon
from kantenwerk.config.loader import load_config
from kantenwerk.config.model import Resolution
from kantenwerk.config.names import name_key
from kantenwerk.ingest.resolve.compare import Comparison, compare
from kantenwerk.ingest.resolve.guess import NoteName
from kantenwerk.ingest.resolve.index import NameIndex
from kantenwerk.ingest.resolve.parts import split_name
from kantenwerk.ingest.resolve.similar import SimilarNames
from kantenwerk.ingest.resolve.weights import Weights

# The same names every time: a benchmark of others would be another one.
SEED = 20
CHANGED = 1500
TENTH = 10

SYLLABLES = (
    *("ber", "lin", "ham", "burg", "stein", "feld", "werk", "haus", "bach", "tal", "hof", "mark", "stadt", "ring"),
    *("licht", "wasser", "strom", "netz", "plan", "bau", "kraft", "ver", "be", "ge", "ung", "heit", "keit", "mann"),
    *("tech", "soft", "data", "log", "net", "flow", "cloud", "form", "port", "ley", "ton", "ford", "field", "wood"),
)
DESCRIPTORS = ("service", "api", "app", "dienst", "server", "worker", "team", "client")
LEGAL_FORMS = ("GmbH", "AG", "Ltd", "Inc.", "KG", "e.V.")
# People, organisations, services, projects, dated notes: how many of a hundred.
SHARES = (35, 15, 25, 15, 10)
TOPICS = ("Meeting", "Protokoll", "Review", "Planung", "Notes", "Retro")

Result = TypeVar("Result")

LONG_WORD = re.compile("[A-Za-z]{8,}")

BOUND = "bound"
ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Query:
    """A name to look up, and the name that it is to find."""

    written: str
    partner: str
    source: str
    decision: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What is looked up among what."""

    names: list[str]
    queries: list[Query]


@dataclass(frozen=True, slots=True)
class Times:
    """CPU time: seconds to build, milliseconds for each name that is looked up."""

    split_s: float
    index_s: float
    lookup_ms: float
    resolution_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """What one process measured; `found` says for every query whether its partner was among the candidates."""

    times: Times
    of_a_tenth: Times
    peak_mib: float
    names: int
    queries: list[Query]
    found: list[bool]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit with 2 where the labelled names cannot be read."""
    options = parse_arguments(arguments)
    measure = partial(measured, options.names, options.data)
    try:
        # Each in a process of its own, so that each has a peak of its own.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes:
            runs = [processes.submit(measure).result() for _ in range(options.runs)]
    except DataError as error:
        print(f"name_index: {error}", file=sys.stderr)
        return 2
    print(as_markdown(runs))
    if options.list:
        print("\n".join(["", *missed_lines(runs[0])]))
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="The index of names: CPU, memory and recall.")
    parser.add_argument("--names", type=positive, default=100_000, help="made-up names (default: 100000)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="labelled names, whose partners are looked up too")
    parser.add_argument("--runs", type=positive, default=3, help="counted runs (default: 3)")
    parser.add_argument("--list", action="store_true", help="also the partners that were not found")
    return parser.parse_args(arguments)


# The names


def scene(count: int, data: Path | None, settings: Resolution) -> Scene:
    """Make the names, put those of the labelled pairs among them, and choose what is looked up."""
    chance = random.Random(SEED)
    names = made_names(chance, count)
    labelled = labelled_pairs(data, settings) if data else []
    made = [(changed(chance, name), name) for name in chance.sample(names, min(CHANGED, len(names)))]
    queries = [*queries_of("labelled", labelled, settings), *queries_of("made", made, settings)]
    partners = [partner for _, partner in labelled]
    return Scene(list(dict.fromkeys([*names, *partners])), queries)


def made_names(chance: random.Random, count: int) -> list[str]:
    """Make that many different names, as the notes of a large vault have them."""
    given = sorted(load_lexicon().given_names)
    makers: tuple[Callable[[], str], ...] = (
        lambda: f"{chance.choice(given).title()} {word(chance)}",
        lambda: f"{words(chance)} {chance.choice(LEGAL_FORMS)}",
        lambda: f"{'-'.join(words(chance).lower().split())}-{chance.choice(DESCRIPTORS)}",
        lambda: f"Projekt {words(chance)} {chance.randint(1, 20)}",
        lambda: f"{date(chance)} {chance.choice(TOPICS)} {word(chance)}",
    )
    return list(islice(different(makers, chance), count))


def different(makers: Sequence[Callable[[], str]], chance: random.Random) -> Iterator[str]:
    """Yield names of each kind, none that was made before."""
    seen: set[str] = set()
    while True:
        make = chance.choices(makers, SHARES)[0]
        if (name := make()) not in seen:
            seen.add(name)
            yield name


def word(chance: random.Random) -> str:
    """Make a word, one of some seventy thousand."""
    return "".join(chance.choices(SYLLABLES, k=chance.choice((2, 3, 3)))).title()


def words(chance: random.Random) -> str:
    """Make one to three words."""
    return " ".join(word(chance) for _ in range(chance.randint(1, 3)))


def date(chance: random.Random) -> str:
    """Make a date."""
    return f"{chance.randint(2015, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"


def changed(chance: random.Random, name: str) -> str:
    """Write a name as somebody else may: shortened, in other cases and signs, or with a slip."""
    ways: tuple[Callable[[str], str], ...] = (
        lambda text: text.replace("-service", "-svc").replace(" GmbH", ""),
        lambda text: text.replace("-", " ").title(),
        lambda text: text.replace(" ", "-").lower(),
        lambda text: LONG_WORD.sub(partial(without_a_letter, chance), text, count=1),
    )
    return chance.choice(ways)(name)


def without_a_letter(chance: random.Random, found: re.Match[str]) -> str:
    """Leave out one letter of a word, but the first."""
    at = chance.randrange(1, len(found.group()))
    return found.group()[:at] + found.group()[at + 1 :]


def labelled_pairs(data: Path, settings: Resolution) -> list[tuple[str, str]]:
    """Return the pairs that people called the same."""
    pairs = (pair for found in read_sets(data, settings) for pair in found.pairs())
    return [(pair.one.written, pair.other.written) for pair in pairs if pair.wanted == "same"]


def queries_of(source: str, pairs: Sequence[tuple[str, str]], settings: Resolution) -> Iterator[Query]:
    """Yield each pair as a query, but for those that step 2 finds, and those that no comparison would keep."""
    weigh = Weights(settings.generic_weight).of_token
    for written, partner in dict.fromkeys(pairs):
        compared = compare(split_name(written), split_name(partner), weigh)
        if compared.is_open and name_key(written) != name_key(partner):
            yield Query(written, partner, source, BOUND if is_sure(compared, settings) else ASKED)


def is_sure(compared: Comparison, settings: Resolution) -> bool:
    """Tell whether step 3 binds two names."""
    return compared.can_bind and compared.score >= settings.threshold


# One run


def measured(count: int, data: Path | None) -> Run:
    """Build and look up, among a tenth of the names and among all."""
    settings = load_config(None, environ={}).settings.resolution
    among = scene(count, data, settings)
    # The smaller one first: the peak is to be that of the larger one.
    of_a_tenth, _ = timed(Scene(among.names[::TENTH], among.queries), settings)
    times, found = timed(among, settings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT / MIB
    return Run(times, of_a_tenth, peak, len(among.names), among.queries, found)


def timed(among: Scene, settings: Resolution) -> tuple[Times, list[bool]]:
    """Return what building and looking up take, and for each query whether it found its partner."""
    split_s, index_s, lookups_s, found = indexed(among)
    # Only now, for it has an index of its own, and the peak is to count one.
    resolutions_s = resolved(among, settings)
    each = 1000 / max(len(among.queries), 1)
    return Times(split_s, index_s, lookups_s * each, resolutions_s * each), found


def indexed(among: Scene) -> tuple[float, float, float, list[bool]]:
    """Return what it takes to split the names, to build their index, and to look up all queries."""
    split_s, parts = clocked(lambda: [split_name(name) for name in among.names])
    index_s, index = clocked(lambda: NameIndex.of(parts))
    asked = [split_name(query.written) for query in among.queries]
    lookups_s, candidates = clocked(lambda: [index.candidates(name) for name in asked])
    answers = zip(among.queries, candidates, strict=True)
    return split_s, index_s, lookups_s, [query.partner in {among.names[at] for at in each} for query, each in answers]


def resolved(among: Scene, settings: Resolution) -> float:
    """Return what it takes to resolve all queries, by steps 3 and 5."""
    similar = SimilarNames.of([NoteName(name, f"{name}.md", name) for name in among.names], settings)
    seconds, _ = clocked(lambda: [similar.resolve(query.written, meaning="unknown") for query in among.queries])
    return seconds


def clocked(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the CPU seconds that something took, and its result."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


# The report


def as_markdown(runs: Sequence[Run]) -> str:
    """Write both tables."""
    first = runs[0]
    title = f"{first.names:,} names, {len(first.queries):,} lookups. {machine()}. Median (min–max) of {len(runs)}."
    return "\n\n".join([title, time_table(runs), recall_table(first)])


def time_table(runs: Sequence[Run]) -> str:
    """Write what everything takes, and how that grows with the names."""
    rows: tuple[tuple[str, Callable[[Times], float]], ...] = (
        ("split the names, s", lambda times: times.split_s),
        ("build the index, s", lambda times: times.index_s),
        ("both, s", lambda times: times.split_s + times.index_s),
        ("a lookup, ms", lambda times: times.lookup_ms),
        ("a whole resolution, ms", lambda times: times.resolution_ms),
    )
    lines = [f"| CPU | all names | ratio to 1/{TENTH} of the names |", "|---|---|---|"]
    for title, value in rows:
        taken = Spread.of([value(run.times) for run in runs])
        ratio = Spread.of([ratio_of(value(run.times), value(run.of_a_tenth)) for run in runs])
        lines.append(f"| {title} | {taken.text()} | {ratio.text(1)} |")
    peak = Spread.of([run.peak_mib for run in runs])
    return "\n".join([*lines, f"| peak MiB | {peak.text(0)} | – |"])


def ratio_of(upper: float, lower: float) -> float:
    """Divide; few names take less than the clock can tell."""
    return upper / lower if lower else float("inf")


def recall_table(run: Run) -> str:
    """Write how many partners were among the candidates."""
    by_kind: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for query, is_found in zip(run.queries, run.found, strict=True):
        by_kind[query.source, query.decision].append(is_found)
    lines = ["| pairs | compared, they are | looked up | found | recall |", "|---|---|---|---|---|"]
    for (source, decision), found in sorted(by_kind.items()):
        lines.append(f"| {source} | {decision} | {len(found)} | {sum(found)} | {sum(found) / len(found):.4f} |")
    return "\n".join(lines)


def missed_lines(run: Run) -> Iterator[str]:
    """Name the pairs whose partner was not among the candidates."""
    for query, is_found in zip(run.queries, run.found, strict=True):
        if not is_found:
            yield f"- not found, {query.source}, {query.decision}: {query.written} | {query.partner}"


if __name__ == "__main__":
    sys.exit(main())

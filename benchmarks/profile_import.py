"""Where an import's CPU time goes, by room and module.

Run it as `python benchmarks/profile_import.py VAULT [--db FILE] [--by room|module|line]`, twice for a no-change
import; the README beside it says what is counted where.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

INTERVAL_S = 0.001
# Rows below this share of the whole are told in one.
SMALLEST_SHARE = 0.005
PACKAGE = "kantenwerk"
START = "Python's start"
LOADER = "_find_and_load"

Where = Callable[[FrameType], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one import, print a table of where its time went, and return the import's exit code."""
    options = _parsed(arguments)
    with tempfile.TemporaryDirectory(prefix="profile_import-") as folder:
        database = options.db or Path(folder, "graph.duckdb")
        command = ["import", "--vault", str(options.vault), "--db", str(database), "--apply", "--yes"]
        profile = Profile(PLACES[options.by])
        status = profile.run([*command, "--max-calls", "0"])
    print(profile.table())
    return status


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Where an import's CPU time goes.")
    parser.add_argument("vault", type=Path, metavar="VAULT", help="a folder of notes; give a copy")
    parser.add_argument("--db", type=Path, metavar="FILE", help="the database; else a new one, thrown away")
    parser.add_argument("--by", choices=sorted(PLACES), default="module", help="how finely (default: module)")
    return parser.parse_args(arguments)


class Profile:
    """CPU time by place, sampled: what passed since the last sample counts for where the program is now."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._last = 0.0

    def run(self, command: list[str]) -> int:
        """Run one command of kantenwerk in this process, and return its exit code."""
        self._last = time.process_time()
        self._spent[START] = self._last
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
        sys.argv = [PACKAGE, *command]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                # Imported here, for to import it is part of what an import costs.
                from kantenwerk.__main__ import main as kantenwerk  # noqa: PLC0415

                kantenwerk()
        except SystemExit as ended:
            return int(ended.code or 0)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return 0

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        # A call into C is interrupted when it is over: its whole time counts for the line that made it.
        now = time.process_time()
        if frame is not None:
            self._spent[self._where(frame)] += now - self._last
        self._last = now

    def table(self) -> str:
        """Return the Markdown table, the greatest first."""
        whole = sum(self._spent.values())
        shown = [(place, spent) for place, spent in self._greatest() if spent >= whole * SMALLEST_SHARE]
        shown.append(("the rest", whole - sum(spent for _, spent in shown)))
        rows = [f"| {place} | {spent:.3f} | {spent / whole:.1%} |" for place, spent in (*shown, ("all", whole))]
        return "\n".join(("| where | CPU s | share |", "|---|---|---|", *rows))

    def _greatest(self) -> list[tuple[str, float]]:
        return sorted(self._spent.items(), key=lambda row: -row[1])


def _by_module(frame: FrameType) -> str:
    place = _place(frame)
    return place if isinstance(place, str) else str(place.f_globals["__name__"]).removeprefix(f"{PACKAGE}.")


def _by_room(frame: FrameType) -> str:
    place = _place(frame)
    # `ingest` is wide: of it, the folders count as rooms.
    parts = str(place.f_globals["__name__"]).split(".")[1:] if isinstance(place, FrameType) else []
    return place if isinstance(place, str) else "/".join(parts[:2] if parts[:1] == ["ingest"] else parts[:1])


def _by_line(frame: FrameType) -> str:
    place = _place(frame)
    return place if isinstance(place, str) else f"{_by_module(frame)}.{place.f_code.co_qualname}:{place.f_lineno}"


def _place(frame: FrameType) -> FrameType | str:
    """Return the innermost frame of kantenwerk, in whose name libraries work; or what is just being imported."""
    here: FrameType | None = frame
    while here is not None:
        name = str(here.f_globals.get("__name__"))
        if here.f_code.co_name == LOADER and "importlib" in here.f_code.co_filename:
            return f"imports: {str(here.f_locals.get('name')).partition('.')[0]}"
        if name.startswith(f"{PACKAGE}.") and here.f_code.co_name != "<module>":
            return here
        here = here.f_back
    return "elsewhere"


PLACES: dict[str, Where] = {"line": _by_line, "module": _by_module, "room": _by_room}


if __name__ == "__main__":
    raise SystemExit(main())

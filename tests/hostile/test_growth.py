"""What an author, a program or an enemy can write many times costs no more than so many times as much."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.config import load_config
from kantenwerk.config.names import nfc
from kantenwerk.graph.model import ParsedNote
from kantenwerk.ingest.parse.comments import ignore_comments
from kantenwerk.ingest.parse.decode import Text, decode
from kantenwerk.ingest.parse.note import parse_note
from tests.check.vaults import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFIG = load_config(None, environ={}, overrides={"dataview_fields": True})
# Twice as much may cost twice as much; four times is a square. What is quicker than this is not measured.
_TIMES, _BOUND, _QUICK_S = 4, 8, 0.05
# Pieces said many times, and where they stand: `@` is their place.
RUNS = (
    *("[", "]", "[[", "]]", "![[", "[[a]]", "[[a|b]]", "[x](", "[x](a.md)", "](", "(", "*", "**", "_", "~~", "==", "`"),
    *(
        "``",
        "` ``",
        "<",
        "<!--",
        "-->",
        "%%",
        "$",
        "$$",
        "$ a",
        "|",
        "| a ",
        "\\",
        "\\[",
        " ",
        "\t",
        "\u00a0",
        ":",
        "::",
    ),
    *(
        "a:: ",
        "(a:: ",
        "(a ",
        "uses:X ",
        "uses:X, ",
        ",",
        "^",
        "#",
        "- ",
        "1. ",
        "> ",
        "[ ] ",
        "[^1]: ",
        "[a]: b.md ",
        "%20",
    ),
    *(
        "[!edge] ",
        "[[rel:",
        "= ",
        "- - ",
        "{",
        '"',
        "'",
        "a\u0308\u0323",
        "\u0308\u0323",
        "\u0344\u0323",
        "\x1b[",
        "a",
        "a ",
    ),
    *(
        "\n",
        "a\n",
        "# a\n",
        "> a\n",
        "- a\n",
        "  a\n",
        "a\n---\n",
        "```\n",
        "%%\n\n",
        "<!--\n\n",
        "$$\n\n",
        "| a\n",
        "[[a\n",
    ),
    *(
        "a:: [[b]]\n",
        "uses:X\n",
        "> [!edge] uses:X\n\n",
        "## Edge Pool\nuses:X\n",
        "%%kantenwerk: ignore a%%\n",
        "\\\n",
    ),
)
PLACES = (
    *(
        "@",
        "a @ b",
        "[[@",
        "[[a@]]",
        "[x](@)",
        "# @",
        "> @",
        "- @",
        "> [!edge] @",
        "(@ [[b]]",
        "a@:: [[b]]",
        "`@",
        "%%@%%",
    ),
    *(
        "## Edge Pool\nuses:@x",
        "## Smart Edges\n@",
        "| a |\n| - |\n| @ |",
        "[[rel:@|X]]",
        "[[a#@]]",
        "%%kantenwerk: ignore @%%",
    ),
    *("---\na: @\n---\n", '---\n"@": b\n---\n', "---\na: '@'\n---\n", "---\naliases: [@]\n---\n", "---\n@\n---\n"),
)
YAML = (
    *(
        "[",
        "{a: ",
        "- ",
        "? ",
        "&a ",
        "*a ",
        "&a [*a, ",
        "!!str ",
        "<<: *a\n",
        "a: b\n",
        "- a\n",
        "1:",
        "1",
        "0x",
        "1_",
        "1e",
    ),
    *("''", '\\"', "[[a]], ", "'[[a]]', ", "k: '[[a]]'\n", "a: {<<: *a}\n"),
)


def cost(act: Callable[[], object]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


def check_growth(act: Callable[[int], Callable[[], object]], size: int, what: str) -> None:
    """Hold what four times as much costs against what it costs once; the best of three, for machines are busy."""
    large = cost(act(size * _TIMES))
    if large > _QUICK_S:
        ratios = []
        for _ in range(3):
            ratios.append(cost(act(size * _TIMES)) / max(cost(act(size)), _QUICK_S / _TIMES / 2))
            if ratios[-1] < _BOUND:
                return
        pytest.fail(f"{what}: {_TIMES} times as much costs {min(ratios):.1f} times as much")


def reading(text: str) -> Callable[[], object]:
    def read() -> None:
        data = text.encode()
        assert isinstance(parse_note("N.md", data, CONFIG), ParsedNote)
        decoded = decode("N.md", data)
        assert isinstance(decoded, Text)
        ignore_comments("N.md", decoded.lines)

    return read


def check_runs(size: int, pieces: tuple[str, ...], places: tuple[str, ...]) -> None:
    for place in places:
        for piece in pieces:
            check_growth(
                lambda length, place=place, piece=piece: reading(  # type: ignore[misc]
                    place.replace("@", piece * (length // len(piece)))
                ),
                size,
                f"{piece!r} in {place!r}",
            )


@pytest.mark.parametrize("piece", ["[[a]]", "(a ", " ", "\\", "`", "*", "\u0308\u0323"])
def test_what_is_written_in_a_row_is_read_in_time(piece: str) -> None:
    check_runs(4_000, (piece,), PLACES)


@pytest.mark.parametrize("piece", ["1:", "&a [*a, ", "<<: *a\n", "[", "k: '[[a]]'\n"])
def test_what_is_written_in_yaml_is_read_in_time(piece: str) -> None:
    check_runs(4_000, (piece,), PLACES[-5:])


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_whatever_is_written_in_a_row_is_read_in_time(place: str) -> None:
    check_runs(10_000, (*RUNS, *(YAML if place.startswith("---") else ())), (place,))


def many(count: int, line: str) -> str:
    return "".join(line.replace("@", str(number)) for number in range(count))


VAULTS: dict[str, Callable[[int], dict[str, str]]] = {
    "links in a line": lambda n: {"A.md": many(n, "[[n@%20]] ")},
    "headings that are not there": lambda n: {"B.md": many(n, "# h@\n\n"), "A.md": many(n, "[[B#q@]]\n")},
    "the same in a line": lambda n: {"B.md": "x", "A.md": many(n, "[[B#q@]] ")},
    "own headings that are not there": lambda n: {"A.md": many(n, "# h@\n\n") + many(n, "[[#q@]]\n")},
    "sections with candidates": lambda n: {"B.md": "x", "A.md": many(n, "## s@\n\ntext\n\n### Edge Pool\nuses:B\n\n")},
    "candidates of a long note": lambda n: {
        "B.md": "x",
        "A.md": many(n, "text\n\n") + "# Edge Pool\n" + many(n, "u@:B\n"),
    },
    "comments in a line": lambda n: {"A.md": many(n, "%%kantenwerk: ignore unresolved-target%% [[q]] ")},
    "kinds in another spelling": lambda n: {"B.md": "x", "A.md": many(n, "[[rel:Uses|B]]\n")},
    "a name of many blanks": lambda n: {"B.md": "x", "A.md": f"## Edge Pool\nuses:B,{' ' * 20 * n}x\n"},
    "a long name": lambda n: {"B.md": f"# {'abc ' * n}", "A.md": f"[[{'abc ' * n}x]] [[{'a' * n}]] [[{'a.1' * n}]]"},
    "one alias for two notes": lambda n: dict.fromkeys(("B.md", "C.md"), f"---\naliases: [{many(n, 'a@, ')}]\n---\n"),
    "folders upwards": lambda n: {"A.md": f"[[{'../' * n}etc/passwd]] [x]({'../' * n}x.md)"},
}


@pytest.mark.slow
@pytest.mark.parametrize("options", [("check",), ("import",), ("check", "--fix")], ids=" ".join)
@pytest.mark.parametrize("what", VAULTS)
def test_a_vault_is_looked_at_in_time(tmp_path: Path, what: str, options: tuple[str, ...]) -> None:
    def looking(size: int) -> Callable[[], object]:
        build(tmp_path / str(size), VAULTS[what](size))
        return lambda: CliRunner().invoke(app, [*options, "--vault", str(tmp_path / str(size))])

    cost(looking(10))
    check_growth(looking, 500, what)


@pytest.mark.parametrize("marks", ["\u0308\u0323", "\u0344\u0323", "\u0f73", "\u0323\u0308\u0327"])
def test_a_pile_of_signs_is_composed_in_time_and_as_unicode_does(marks: str) -> None:
    pile = f"Ö{marks * 300}한{marks * 40}a{marks} "
    assert nfc(pile) == normalize("NFC", pile)
    check_growth(lambda size: lambda: nfc("a" + marks * size), 20_000, "marks")

"""A key in the environment is found in no output, log, database or file, whatever ends a command."""

from __future__ import annotations

import json
import logging
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

import kantenwerk.cli.app
from tests.engine import reading
from tests.hostile.commands import WORKING, Call, calls, run
from tests.servers.scripted import refuses, says, sends, shows_page
from tests.validation.desk import QUICK, new_desk, note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.scripted import Received, Response, ServeScript
    from tests.validation.desk import Desk

KEY = 'sk-Zq7/+"Vt\\9=&Kx41mW<b>'
BEGINNING = KEY[:12]
SPELLINGS = (
    BEGINNING,
    quote(BEGINNING, safe=""),
    quote(BEGINNING),
    "".join(f"%{byte:02X}" for byte in BEGINNING.encode()),
    json.dumps(BEGINNING)[1:-1],
    json.dumps(json.dumps(BEGINNING)[1:-1])[1:-1],
    json.dumps(BEGINNING)[1:-1].replace("/", "\\/"),
    "".join(f"\\u{ord(character):04x}" for character in BEGINNING),
    repr(BEGINNING)[1:-1],
)
LEAKS = re.compile("|".join(map(re.escape, SPELLINGS)).encode(), re.IGNORECASE)
WORDS = " ".join((KEY, f"{KEY[:12]}…", quote(KEY, safe=""), json.dumps(KEY), f"{KEY[:12]}****{KEY[-4:]}", *SPELLINGS))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    settings = {**QUICK, "KANTENWERK_RESOLUTION_LEVEL": "stem"}
    with new_desk(tmp_path, monkeypatch, settings, shares_duckdb=False) as desk:
        (tmp_path / "tmp").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
        monkeypatch.setattr(tempfile, "tempdir", None)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.chdir(tmp_path)
        desk.write("B.md", "# B\n\nA note.\n")
        desk.write("checkout-service.md", "# Checkout\n\nA service.\n")
        desk.write("A.md", note("A", "A uses B, says [[checkout-svc]].", ["uses:B", "part_of:B", "uses:Nobody"]))
        yield desk


def check(desk: Desk, outputs: str) -> None:
    """Look for the key in what was printed, and in every file below home, vault and temporary folder."""
    desk.close()
    assert not LEAKS.search(outputs.encode()), outputs
    for path in desk.root.parent.rglob("*"):
        assert not LEAKS.search(str(path).encode())
        if path.is_file():
            assert not LEAKS.search(path.read_bytes()), path
        if path.suffix == ".duckdb":
            # What is compressed would not be found in the file's bytes.
            with reading(path) as graph:
                tables = [name for (name,) in graph.execute("SHOW TABLES").fetchall()]
                assert not LEAKS.search(repr([graph.table(name).fetchall() for name in tables]).encode())


def run_all(desk: Desk, wanted: str = "") -> tuple[str, dict[Call, int]]:
    """Run all commands, or one, with every option; return what they print and how they end."""
    verdicts = desk.verdicts_file.read_text("utf-8").splitlines() if desk.verdicts_file.exists() else []
    key = json.loads(verdicts[0])["key"] if verdicts else "none"
    arguments = {
        "": "B",
        "key": key,
        "repeat": "1",
        "db": str(desk.database),
        "a": "checkout-svc",
        "b": "checkout-service",
        **WORKING,
    }
    results = {call: run(call) for call in calls(str(desk.root), arguments) if call.command.startswith(wanted)}
    return "\n".join(result.output for result in results.values()), {
        call: result.exit_code for call, result in results.items()
    }


def quotes(status: int) -> Response:
    """A refusal that quotes the key in every spelling."""
    return refuses(status, f"bad key {WORDS}.")


def test_no_command_shows_or_keeps_the_key(desk: Desk, scripted: ServeScript) -> None:
    server = scripted(says("YES", p_yes=0.9))
    desk.point(server)
    output, codes = run_all(desk)
    ran = {call.command for call, code in codes.items() if code in {0, 1}}
    assert {call.command for call in codes} - ran <= {"explain-verdict"}, "no call of these got beyond its options"
    # Now that there are verdicts.
    explained, codes = run_all(desk, "explain-verdict")
    assert 0 in codes.values()
    check(desk, output + explained)
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)


@pytest.mark.parametrize(
    "response",
    [
        *map(quotes, (400, 401, 402, 403, 404, 413, 429, 500)),
        sends({"detail": [WORDS, {"key": KEY}]}, 400),
        sends({"error": {"message": None, "key": KEY}}, 503),
        shows_page(500),
        says(f"{WORDS}"),
        says("YES", p_yes=0.9),
    ],
    ids=lambda response: f"{response.status}-{response.body[:12].decode()}",
)
def test_a_server_that_quotes_the_key_finds_no_listener(desk: Desk, scripted: ServeScript, response: Response) -> None:
    def with_header(request: Received) -> Response:
        assert KEY in request.headers["authorization"]
        return response

    desk.point(scripted(with_header))
    words = ("import", "--vault", str(desk.root), "--apply")
    told = [run(Call("import", (*words, *more))).output for more in (("--verbose",), ("--format", "json"))]
    told.append(run(Call("check", ("check", "--vault", str(desk.root), "--format", "json"))).output)
    check(desk, "".join(told))


def test_a_wrong_address_that_holds_the_key_is_not_quoted(desk: Desk) -> None:
    outputs = []
    encoded = quote(KEY, safe="")
    for address in (f"http://me:{encoded}@127.0.0.1:1/v1", f"http://127.0.0.1:1/v1?key={encoded}", f"{KEY}://x", KEY):
        desk.point(address)
        output, codes = run_all(desk, "import")
        assert set(codes.values()) == {2}
        outputs += [output, run_all(desk, "probe")[0]]
    desk.point("http://127.0.0.1:1/v1")
    for variable in ("API_KEY_ENV", "API_KEY", "TEMPERATURE", "RETRIES", "ANSWER_LIMIT"):
        with desk.patch.context() as patch:
            patch.setenv(f"KANTENWERK_LLM_{variable}", KEY)
            outputs += [run_all(desk, name)[0] for name in ("import", "probe", "check", "review")]
    check(desk, "".join(outputs))


def test_a_bug_of_any_command_writes_a_log_without_the_key(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SERVICE", "Pz8kRt55vv1Qm")

    def breaks(*_: object) -> Path:
        raise RuntimeError(f"headers: {WORDS} Pz8kRt55vv1Qm")

    monkeypatch.setattr(kantenwerk.cli.app, "_path", breaks)
    output, codes = run_all(desk)
    crashed = {call.command for call, code in codes.items() if code == 70}
    assert crashed == {call.command for call in codes}
    logs = "".join(path.read_text("utf-8") for path in desk.root.parent.rglob("crash-*.log"))
    assert "RuntimeError: headers: [key] [key]" in logs
    assert "Pz8k" not in logs + output
    assert "cli/app.py" in logs
    check(desk, output)


def test_what_is_logged_at_debug_level_holds_no_key(
    desk: Desk, scripted: ServeScript, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    desk.point(scripted(quotes(500)))
    output, _ = run_all(desk, "probe")
    check(desk, output + caplog.text)

"""`kantenwerk probe`: the claims, and what is said about judges of every sort."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.config import load_config
from kantenwerk.ingest.validate.probe import CLASSES, LANGUAGES, probe_questions, read_claims
from tests.servers.scripted import Received, Response, drops, late, refuses, says
from tests.validation.desk import Desk, tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.scripted import ServeScript

CLAIMS = read_claims()
TIMES = 2 * len(CLAIMS)
COIN = "judges like a coin"


def knows(request: Received) -> Response:
    (claim,) = [claim for claim in CLAIMS if claim.passage in request.prompt]
    return says(claim.answer)


class Wavers:
    """Says something else whenever it is asked the same."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Received) -> Response:
        self.asked[request.prompt] += 1
        return says("YES" if self.asked[request.prompt] % 2 else "NO")


# --- the claims


def test_there_are_enough_claims_in_balance() -> None:
    assert len(CLAIMS) >= 60
    sizes = Counter((claim.group, claim.language) for claim in CLAIMS)
    assert sizes == {(group, language): 10 if group == "right" else 5 for group in CLASSES for language in LANGUAGES}


def test_only_what_is_right_is_to_be_answered_yes() -> None:
    assert all((claim.answer == "YES") == (claim.group == "right") for claim in CLAIMS)


def test_no_two_claims_are_the_same() -> None:
    passages = [claim.passage for claim in CLAIMS]
    assert len(set(passages)) == len(passages)
    assert not [(a, b) for a in passages for b in passages if a != b and a in b]


def test_the_claims_are_such_as_an_import_would_ask() -> None:
    vocabulary = load_config(None, environ={}).vocabulary
    for claim in CLAIMS:
        assert vocabulary.meaning(claim.kind, "en"), claim.kind
        heading, *text = claim.passage.splitlines()
        assert " > " in heading
        assert 2 <= " ".join(text).count(". ") + 1 <= 6
        assert len(claim.passage) < 600


def test_titles_alone_tell_nothing() -> None:
    """Every target is the right one in some claim and a wrong one in another."""
    for answer in ("YES", "NO"):
        assert {claim.target.title for claim in CLAIMS if claim.answer == answer} == {
            claim.target.title for claim in CLAIMS
        }
    for claim in CLAIMS:
        assert claim.target.title.split()[0].rstrip("s") in claim.passage


def test_a_repeat_asks_the_same_under_other_keys() -> None:
    config = load_config(None, environ={})
    questions = list(probe_questions(CLAIMS, config, 3))
    assert len({question.key for question in questions}) == 3 * len(CLAIMS)
    assert len({question.messages for question in questions}) == len(CLAIMS)


# --- the judges


def test_a_judge_that_always_says_yes(desk: Desk, scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    desk.point(server)
    report = desk.json(command="probe")
    assert len(server.requests) == TIMES
    assert (report["balanced_accuracy"], report["yes_recall"], report["no_recall"]) == (0.5, 1.0, 0.0)
    assert report["at_chance"]
    assert COIN in report["warnings"][0]
    assert report["agreement"] == 1.0
    assert report["by_class"]["steered"]["accuracy"] == 0.0
    assert report["by_language"]["de"]["balanced_accuracy"] == 0.5
    assert (report["calls"], report["tokens"]) == (TIMES, 42 * TIMES)
    result = desk.run("probe", "--repeat", "1")
    assert result.exit_code == 0
    assert COIN in result.stdout
    assert COIN in result.stderr
    assert "bigger model" in result.stderr
    assert len(server.requests) == TIMES + len(CLAIMS)


def test_a_judge_that_knows(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(knows), concurrency=8)
    report = desk.json(command="probe")
    assert (report["balanced_accuracy"], report["no_recall"], report["agreement"]) == (1.0, 1.0, 1.0)
    assert {part["accuracy"] for part in report["by_class"].values()} == {1.0}
    assert (report["at_chance"], report["warnings"]) == (False, [])
    assert report["latency_ms"]["p90"] >= report["latency_ms"]["median"] >= 0
    assert all(answers["answers"] == [answers["expected"]] * 2 for answers in report["answers"])
    result = desk.run("probe")
    assert COIN not in result.output
    assert "recall on wrong edges           1.00" in result.stdout


def test_a_judge_that_wavers(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(Wavers()))
    report = desk.json(command="probe")
    assert (report["agreement"], report["balanced_accuracy"]) == (0.0, 0.5)
    desk.point(scripted(Wavers()))
    assert desk.json("--repeat", "1", command="probe")["agreement"] is None


def test_a_judge_that_rambles(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(says("MAYBE")))
    report = desk.json(command="probe")
    assert (report["invalid"], report["unanswered"], report["balanced_accuracy"]) == (TIMES, 0, 0.0)
    assert "max_output_tokens" in report["warnings"][1]
    assert report["answers"][0]["answers"] == ["INVALID", "INVALID"]


def test_a_judge_that_is_unsure(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(says("YES", p_yes=0.5)), abstain_below=0.1)
    report = desk.json(command="probe")
    assert (report["unsure"], report["yes_recall"]) == (TIMES, 0.0)


def test_what_is_not_answered_is_not_held_against_the_judge(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(lambda request: refuses(413, "too long") if "Kerstin" in request.prompt else knows(request)))
    report = desk.json(command="probe", code=1)
    assert (report["unanswered"], report["invalid"], report["balanced_accuracy"]) == (14, 0, 1.0)
    assert "too long" in report["warnings"][0]


def test_json_has_all_figures(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(knows))
    report = desk.json(command="probe")
    score = {"claims", "balanced_accuracy", "accuracy", "yes_recall", "no_recall"}
    assert set(report) == score | {
        "model",
        "profile",
        "temperature",
        "repeat",
        "at_chance",
        "agreement",
        "invalid",
        "unsure",
        "unanswered",
        "latency_ms",
        "calls",
        "tokens",
        "by_class",
        "by_language",
        "warnings",
        "answers",
    }
    assert set(report["by_class"]) == set(CLASSES)
    assert set(report["by_language"]) == set(LANGUAGES)
    assert {key for part in report["by_class"].values() for key in part} == score
    assert len(report["answers"]) == len(CLAIMS)


# --- the command


def test_nothing_is_written(desk: Desk, scripted: ServeScript) -> None:
    desk.point(scripted(knows))
    desk.write("A.md", "# A\n")
    before = tree(desk.root.parent)
    desk.json(command="probe")
    assert tree(desk.root.parent) == before


def test_without_a_vault_the_environment_says_whom_to_ask(
    desk: Desk, scripted: ServeScript, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    desk.point(scripted(knows))
    result = CliRunner().invoke(app, ["probe", "--repeat", "1", "--set", "llm.model=other"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("other (profile ingest_validator): 70 claims, 1 time each")


def test_without_an_endpoint(desk: Desk) -> None:
    result = desk.run("probe")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("kantenwerk: no endpoint is configured: set base_url and model")


def test_a_vault_that_is_not_there(desk: Desk, tmp_path: Path) -> None:
    desk.unplug()
    result = CliRunner().invoke(app, ["probe", "--vault", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


@pytest.mark.parametrize(
    ("response", "words"),
    [(refuses(401), "401"), (refuses(404), "404"), (refuses(400), "400"), (drops(), "cannot be reached")],
)
def test_a_run_that_is_refused(desk: Desk, scripted: ServeScript, response: Response, words: str) -> None:
    desk.point(scripted(response))
    result = desk.run("probe")
    assert result.exit_code == 1
    assert result.stdout == ""
    asking, told = result.stderr.splitlines()
    assert asking.startswith("asking tiny 140 times, about ")
    assert told.startswith("kantenwerk: ")
    assert words in told


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process")
def test_ctrl_c(desk: Desk, scripted: ServeScript) -> None:
    server = scripted(late(says("YES"), 0.2))
    desk.point(server)
    command = [sys.executable, "-m", "kantenwerk", "probe", "--vault", str(desk.root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=dict(os.environ)) as process:
        end = time.monotonic() + 30
        while not server.requests and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in told

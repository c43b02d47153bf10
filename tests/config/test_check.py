"""The settings of `check`: what they may say, and what is said where they are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kantenwerk.config import ConfigError, load_config

if TYPE_CHECKING:
    from tests.config.conftest import Load

CODES = ("unresolved-target", "candidate-pending", "candidate-failed", "note-empty")
FILE = ".kantenwerk/settings.yaml"


def complaint(vault: Path, text: str) -> str:
    (vault / ".kantenwerk").mkdir(exist_ok=True)
    (vault / FILE).write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(vault, environ={}, codes=CODES)
    return str(caught.value)


def test_that_nothing_is_left_out_by_default() -> None:
    check = load_config(None, environ={}, codes=CODES).settings.check
    assert (check.fail_on, check.select, check.ignore, check.baseline) == ("error", ("all",), (), None)
    assert (check.severity, check.per_path) == ({}, ())


def test_what_a_vault_may_say(tmp_path: Path, load: Load) -> None:
    text = """\
check:
  ignore: [" Candidate ", note-empty]
  severity: {unresolved-target: off, NOTE-EMPTY: error}
  per_path: [{path: "archive/**", severity: {all: info}}]
"""
    check = load({"settings.yaml": text}).settings.check
    assert check.ignore == ("candidate", "note-empty")
    assert check.severity == {"unresolved-target": "off", "note-empty": "error"}
    assert [(rule.path, rule.ignore, rule.severity) for rule in check.per_path] == [("archive/**", (), {"all": "info"})]
    assert load_config(tmp_path, environ={}, codes=CODES).settings.check == check


def test_what_the_environment_and_options_may_say(load: Load) -> None:
    check = load(environ={"KANTENWERK_CHECK_IGNORE": "note-empty, candidate"}, overrides={"check.fail_on": "never"})
    assert (check.settings.check.ignore, check.settings.check.fail_on) == (("note-empty", "candidate"), "never")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("check:\n  fail_no: error", ":2: check.fail_no: no such key; did you mean `fail_on`?"),
        ("check:\n  fail_on: off", ":2: check.fail_on: must be error, warning, info or never"),
        (
            "check:\n  select:\n  - all\n  - candidat",
            ":4: check.select[1]: `candidat`: no such code; did you mean `candidate`?",
        ),
        (
            "check:\n  ignore: [unresolved-traget]",
            ":2: check.ignore[0]: `unresolved-traget`: no such code; did you mean",
        ),
        ("check:\n  ignore: note-empty", ":2: check.ignore: must be a list"),
        (
            "check:\n  severity:\n    note-emty: info",
            ":3: check.severity.note-emty: `note-emty`: no such code; did you",
        ),
        (
            "check:\n  severity:\n    note-empty: on",
            ":3: check.severity.note-empty: must be error, warning, info or off",
        ),
        (
            "check:\n  severity:\n    note-empty: warn",
            ":3: check.severity.note-empty: must be error, warning, info or off; did",
        ),
        ("check:\n  per_path:\n  - ignore: [all]", ":3: check.per_path[0].path: is missing"),
        ("check:\n  per_path:\n  - path: '!a'", ":3: check.per_path[0].path: a pattern says which paths are meant"),
        ("check:\n  per_path:\n  - path: '# a'", ":3: check.per_path[0].path: a pattern says which paths are meant"),
        ("check:\n  per_path:\n  - path: /", ":3: check.per_path[0].path: is no pattern for paths, such as archive/**"),
        ("check:\n  per_path:\n  - path: 'a\\'", ":3: check.per_path[0].path: is no pattern for paths"),
        ("check:\n  per_path:\n  - path: '[z-a]'", ":3: check.per_path[0].path: is no pattern for paths"),
        (
            "check:\n  per_path:\n  - path: a\n    ignore: [x]",
            ":4: check.per_path[0].ignore[0]: `x`: no such code; possible:",
        ),
        (
            "check:\n  per_path:\n  - path: a\n    severity: {x: info}",
            ":4: check.per_path[0].severity.x: `x`: no such code",
        ),
        (
            "check:\n  per_path:\n  - path: a\n    severety: {}",
            ":4: check.per_path[0].severety: no such key; did you mean",
        ),
        ("check:\n  baseline: ''", ":2: check.baseline: must not be empty"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, found: str) -> None:
    assert complaint(tmp_path, text).startswith(FILE + found)


def test_that_the_graph_does_not_depend_on_it(load: Load) -> None:
    said = load({"settings.yaml": "check: {ignore: [all], fail_on: never, severity: {note-empty: off}, baseline: b}"})
    assert said.graph_fingerprint == load_config(None, environ={}).graph_fingerprint

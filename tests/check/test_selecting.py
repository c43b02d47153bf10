"""Which codes a check reports and how severe they are: flags, settings, paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from kantenwerk.config import load_config
from kantenwerk.graph.findings import SEVERITIES, UNREAD, finding
from kantenwerk.ingest.check.scope import Flags, Scope
from tests.check.scoping import Vault, new_vault

NOTES = {
    "A.md": "[[Nowhere]] and [[rel:depnds_on|B]]\n\n![[gone.png]]\n\n## Candidates\n\nuses:B\nthis is none\n",
    "B.md": "---\naliases: [Bee]\n---\nB.\n",
    "archive/Old.md": "[[Elsewhere]] [[Bee]]\n",
}
A = [
    ("A.md", 1, "unknown-kind", "warning"),
    ("A.md", 1, "unresolved-target", "warning"),
    ("A.md", 3, "attachment-missing", "warning"),
    ("A.md", 7, "candidate-pending", "info"),
    ("A.md", 8, "malformed-candidate", "warning"),
]
OLD = [("archive/Old.md", 1, "alias-target", "info"), ("archive/Old.md", 1, "unresolved-target", "warning")]
BINARY = {"binary.md": b"text\0"}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    return new_vault(tmp_path, monkeypatch).write(NOTES)


def test_that_all_is_reported_where_nothing_is_said(vault: Vault) -> None:
    told = vault.check(code=0)
    assert told.findings == [*A, *OLD]
    assert told.stderr == "3 notes: 0 errors, 5 warnings, 2 infos\n"


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "unresolved-target"], ["unresolved-target"] * 2),
        (["--select", "candidate"], ["candidate-pending"]),
        (["--select", "alias-target, candidate", "--select", "ATTACHMENT"], 3),
        (["--ignore", "unresolved,alias-target,unknown-kind"], 3),
        (["--ignore", "unresolved", "--ignore", "alias"], 4),
        (["--select", "all", "--ignore", "unresolved-target"], 5),
        # The longer name counts, and of two equal ones the one that leaves out.
        (["--select", "unresolved-target", "--ignore", "unresolved"], 2),
        (["--select", "unresolved", "--ignore", "unresolved-target"], []),
        (["--select", "unresolved", "--ignore", "unresolved"], []),
        (["--select", "unresolved,alias", "--ignore", "all"], 3),
        # A part of a word is no beginning.
        (["--ignore", "self-link"], 7),
    ],
)
def test_choosing_codes(vault: Vault, options: list[str], codes: list[str] | int) -> None:
    told = vault.check(*options)
    assert len(told.codes) == codes if isinstance(codes, int) else told.codes == codes
    hidden = 7 - len(told.codes)
    assert told.stderr.endswith(f" ({hidden} ignored)\n" if hidden else "infos\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--select", "unresolved-traget"],
            "--select unresolved-traget: no such code; did you mean `unresolved-target`?",
        ),
        (["--ignore", "all,candidat"], "--ignore candidat: no such code; did you mean `candidate`?"),
        (["--ignore", "unresolve"], "--ignore unresolve: no such code; did you mean `unresolved`?"),
        (["--ignore", "E501"], "--ignore e501: no such code"),
        (["--select", ""], "--select is empty: name codes, or leave it out"),
        (["--ignore", ","], "--ignore is empty: name codes, or leave it out"),
    ],
)
def test_a_name_that_is_no_code(vault: Vault, options: list[str], said: str) -> None:
    told = vault.check(*options, code=2)
    assert told.stderr == f"kantenwerk: {said}\n"


def test_that_select_and_ignore_share_the_findings_out(vault: Vault) -> None:
    vault.write(BINARY)
    all_findings = vault.check().findings
    names = sorted({found[2] for found in all_findings})
    for chosen in (names[:1], names[1:4], names[::2], names[-3:]):
        taken = vault.check("--select", ",".join(chosen)).findings
        left = vault.check("--ignore", ",".join(chosen)).findings
        # What could not be read stays, unless its own name leaves it out.
        assert [found for found in taken if found[2] in chosen] == [f for f in all_findings if f[2] in chosen]
        assert [found for found in taken if found[2] not in chosen] == (
            [] if "not-text" in chosen else [f for f in all_findings if f[2] == "not-text"]
        )
        assert left == [found for found in all_findings if found[2] not in chosen]


def test_that_settings_choose_and_flags_beat_them(vault: Vault) -> None:
    vault.settings("check:\n  select: [unresolved, alias]\n  ignore: [alias-target]\n  severity: {unresolved: off}\n")
    assert vault.check().codes == []
    assert vault.check("--ignore", "candidate").codes == []
    assert vault.check("--select", "alias-target").codes == ["alias-target"]
    assert vault.check("--select", "unresolved").codes == ["unresolved-target"] * 2
    vault.settings("check:\n  select: [unresolved-target, alias]\n")
    assert vault.check().codes == ["unresolved-target", "alias-target", "unresolved-target"]
    assert vault.check("--ignore", "unresolved").codes == ["alias-target"]


def test_severities(vault: Vault) -> None:
    vault.settings("check:\n  severity: {unresolved-target: error, candidate: off, all: info, unknown-kind: warning}\n")
    told = vault.check(code=1)
    assert {(code, severity) for _, _, code, severity in told.findings} == {
        ("attachment-missing", "info"),
        ("malformed-candidate", "info"),
        ("unknown-kind", "warning"),
        ("unresolved-target", "error"),
        ("alias-target", "info"),
    }
    assert told.stderr == "3 notes: 2 errors, 1 warning, 3 infos (1 ignored)\n"


@pytest.mark.parametrize(
    ("bar", "flag", "code"),
    [("warning", None, 1), ("never", None, 0), ("never", "info", 1), ("warning", "error", 0), (None, "warning", 1)],
)
def test_the_bar(vault: Vault, bar: str | None, flag: str | None, code: int) -> None:
    if bar:
        vault.settings(f"check: {{fail_on: {bar}}}\n")
    vault.check(*(["--fail-on", flag] if flag else []), code=code)


def test_paths(vault: Vault) -> None:
    vault.settings("""\
check:
  severity: {alias-target: off}
  per_path:
    - {path: "archive/**", ignore: [unresolved], severity: {alias-target: error}}
    - {path: /A.md, severity: {all: info}}
    - {path: A.md, severity: {attachment: warning}}
""")
    told = vault.check(code=1)
    assert told.findings == [
        *((path, line, code, "warning" if code == "attachment-missing" else "info") for path, line, code, _ in A),
        ("archive/Old.md", 1, "alias-target", "error"),
    ]
    # What is said of a path holds, whatever the flags choose.
    assert vault.check("--select", "unresolved-target").places == [("A.md", 1, "unresolved-target")]
    vault.settings(
        "check:\n  per_path:\n    - {path: A.md, severity: {all: off}}\n    - {path: old.md, ignore: [all]}\n"
    )
    assert vault.check().findings == OLD


def test_that_what_could_not_be_read_is_left_out_by_its_own_name_alone(vault: Vault) -> None:
    vault.write(BINARY)
    kept = [("binary.md", 1, "not-text", "error")]
    assert vault.check("--select", "alias-target", code=1).findings == [OLD[0], *kept]
    assert vault.check("--ignore", "all", "--ignore", "not", code=1).findings == kept
    assert vault.check("--ignore", "all,not-text", code=0).findings == []
    assert vault.check("--select", "all", "--ignore", "not-text", code=0).findings == [*A, *OLD]
    vault.settings("check:\n  ignore: [all]\n  severity: {all: off}\n  per_path: [{path: '*', ignore: [all]}]\n")
    assert vault.check(code=1).findings == kept
    vault.settings("check:\n  per_path: [{path: '*.md', ignore: [all, not-text]}]\n")
    assert vault.check(code=0).findings == []
    vault.settings("check:\n  severity: {not-text: warning}\n")
    assert ("binary.md", 1, "not-text", "warning") in vault.check(code=0).findings


def test_every_code_by_itself_and_with_all_others() -> None:
    settings = load_config(None, environ={}).settings.check
    for code, severity in SEVERITIES.items():
        found = finding(code, "A.md", 1, "so it is", "mend it")
        assert Scope(settings, Flags(select=(code,))).judged(found) == found
        assert Scope(settings, Flags(ignore=(code,))).judged(found) is None
        others = tuple(other for other in SEVERITIES if other != code)
        assert (Scope(settings, Flags(select=others)).judged(found) == found) is (code in UNREAD)
        assert Scope(settings, Flags(ignore=others)).judged(found) == found
        assert found.severity == severity


def test_that_an_import_stores_and_reports_all_the_same(vault: Vault) -> None:
    plain = load_config(vault.root, environ={}).graph_fingerprint
    vault.settings("check: {ignore: [all], severity: {alias-target: off}, fail_on: never, baseline: b.jsonl}\n")
    assert load_config(vault.root, environ={}).graph_fingerprint == plain

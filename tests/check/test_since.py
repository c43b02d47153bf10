"""What a change brought: the findings that were not there at a revision of git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kantenwerk.ingest.check.graph import graph_findings
from tests.check.scoping import Vault, git_env, new_vault
from tests.packaging.checkout import ROOT
from tests.validation.desk import tree

LINK = "unresolved-target"
BASE: dict[str, str | bytes] = {
    "A.md": "# A\n\n[[B]] [[B#Part]] ![[pic.png]] [[Nowhere]]\n",
    "B.md": "# B\n\n## Part\n\nText.\n",
    "C.md": "Text.\n\n[[Nowhere]]\n",
    "sub/D.md": "[[A]] and [[nobody]]\n",
    "pic.png": b"\x89PNG\0",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    vault = new_vault(tmp_path, monkeypatch)
    vault.commit(BASE)
    return vault


def since(vault: Vault, *options: str, rev: str = "HEAD") -> list[tuple[str, int, str]]:
    return vault.check("--changed-since", rev, *options).places


def test_that_nothing_is_new_where_nothing_changed(vault: Vault) -> None:
    told = vault.check("--changed-since", "HEAD", "--fail-on", "info", code=0)
    assert (told.findings, told.stderr) == ([], "4 notes: 0 errors, 0 warnings, 0 infos (3 older than HEAD)\n")


def test_a_changed_an_added_and_an_untracked_note(vault: Vault) -> None:
    vault.write(
        {"A.md": "# A\n\nAbove.\n\n[[B]] [[B#Part]] ![[pic.png]] [[Nowhere]]\n\n[[New]]\n", "E.md": "[[Nowhere]]\n"}
    )
    assert since(vault) == [("A.md", 7, LINK), ("E.md", 1, LINK)]
    first = vault.commit()
    assert since(vault) == []
    assert since(vault, rev="HEAD~1") == [("A.md", 7, LINK), ("E.md", 1, LINK)]
    assert since(vault, rev=first[:12]) == []


def test_links_in_unchanged_notes_that_a_change_broke(vault: Vault) -> None:
    (vault.root / "pic.png").unlink()
    assert since(vault) == [("A.md", 3, "attachment-missing")]
    vault.write({"B.md": "# B\n\nText.\n"})
    assert since(vault) == [("A.md", 3, "attachment-missing"), ("A.md", 3, "heading-not-found")]
    vault.git("checkout", "--quiet", ".")
    vault.git("rm", "--quiet", "B.md")
    assert since(vault, "--set", "resolution.level=exact") == [("A.md", 3, LINK), ("A.md", 3, LINK)]
    vault.git("reset", "--quiet", "--hard")
    # A name that a second note now has, too.
    vault.write({"one/B.md": "One.\n", "sub/D.md": "[[A]] and [[nobody]]\n", "one/A.md": "x\n"})
    assert since(vault, "--select", "ambiguous") == []
    vault.write({"two/Unique.md": "Two.\n", "one/Unique.md": "One.\n"})
    vault.commit({"Reader.md": "[[Unique]]\n"})
    (vault.root / "two/Unique.md").unlink()
    assert since(vault, "--select", "ambiguous") == []
    vault.commit()
    vault.write({"two/Unique.md": "Two.\n"})
    assert since(vault) == [("Reader.md", 1, "ambiguous-target")]


def test_a_renamed_note_keeps_its_findings(vault: Vault) -> None:
    vault.git("mv", "A.md", "sub/Moved.md")
    assert since(vault) == [("sub/D.md", 1, "title-target")]
    vault.write({"sub/D.md": "[[Moved]] and [[nobody]]\n"})
    told = vault.check("--changed-since", "HEAD", code=0)
    assert (told.findings, told.stderr) == ([], "4 notes: 0 errors, 0 warnings, 0 infos (3 older than HEAD)\n")
    # And what unchanged notes say of it reads as before, but for the name.
    vault.commit({"Reader.md": "[[Title]]\n", "Old.md": "---\ntitle: Title\n---\nText of that note, long enough.\n"})
    vault.git("mv", "Old.md", "New.md")
    assert vault.check("--select", "title-target").codes == ["title-target"]
    assert since(vault) == []


def test_findings_that_name_several_places(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kantenwerk.ingest.check.run.graph_findings", graph_findings)
    notes = {
        "A.md": "[[rel:depends_on|B]]\n\n[[rel:supports|B]]\n",
        "B.md": "[[rel:depends_on|A]]\n\n[[rel:contradicts|A]]\n",
        "C.md": "[[A]]\n",
    }
    vault.commit(notes)
    known = str(tmp_path / "known.jsonl")
    told = vault.check("--write-baseline", known, "--select", "edge", code=0)
    assert "2 in the baseline" in told.stderr
    vault.write({path: f"Above.\n\n{text}" for path, text in notes.items()})
    assert since(vault, "--select", "edge") == []
    assert vault.check("--baseline", known, "--select", "edge", code=0).findings == []


def test_which_of_equal_findings_is_the_new_one(vault: Vault) -> None:
    vault.write({"C.md": "[[Nowhere]]\n\nText.\n\n[[Nowhere]]\n"})
    assert since(vault) == [("C.md", 1, LINK)]
    vault.write({"C.md": "Text.\n\n[[Nowhere]]\n\n[[Nowhere]]\n"})
    assert since(vault) == [("C.md", 5, LINK)]
    vault.write({"C.md": "Text.\n\n[[Nowhere]] [[Nowhere]]\n"})
    assert since(vault) == [("C.md", 3, LINK)]
    vault.write({"C.md": "Other text.\n\n[[ Nowhere ]] and more\n"})
    assert since(vault) == []


def test_settings_and_decisions_that_changed(vault: Vault) -> None:
    vault.settings("check: {severity: {unresolved-target: error}}\n")
    told = vault.check("--changed-since", "HEAD", code=1)
    assert len(told.findings) == 3
    vault.commit()
    assert since(vault) == []
    vault.settings("check: {severity: {unresolved-target: info}}\n")
    assert since(vault) == []
    vault.settings("check: {ignore: [unresolved-target]}\n")
    vault.commit()
    vault.settings("check: {}\n")
    assert [code for *_, code in since(vault)] == [LINK] * 3
    vault.write({".kantenwerk/verdicts.jsonl": "no verdict\n"})
    assert (".kantenwerk/verdicts.jsonl", 1, "verdict-damaged") in since(vault)
    vault.commit({".kantenwerk/verdicts.jsonl": "no verdict\n", "C.md": "[[No]] %% kantenwerk: ignore %%\n"})
    assert since(vault) == []
    vault.write({"C.md": "[[No]]\n"})
    assert since(vault) == [("C.md", 1, LINK)]


def test_a_verdict_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = new_vault(tmp_path, monkeypatch)
    shutil.copytree(ROOT / "vault_example", vault.root, dirs_exist_ok=True)
    vault.commit()
    verdicts = vault.root / ".kantenwerk/verdicts.jsonl"
    gone = [line for line in verdicts.read_text("utf-8").splitlines() if "contradicts" not in line]
    verdicts.write_text("\n".join(gone), "utf-8")
    assert since(vault) == [("projects/checkout/checkout-service.md", 35, "candidate-pending")]


def test_settings_that_were_wrong(vault: Vault) -> None:
    vault.commit({".kantenwerk/settings.yaml": "chekc: {}\n"})
    vault.settings("check: {}\n")
    told = vault.check("--changed-since", "HEAD", code=0)
    assert told.findings == []
    first, _ = told.stderr.splitlines()
    assert first == (
        "kantenwerk: the settings at HEAD are wrong, so those of now count for then: "
        ".kantenwerk/settings.yaml:1: chekc: no such key; did you mean `check`?"
    )


def test_ignore_files_then_and_now(vault: Vault) -> None:
    vault.commit({".kantenwerkignore": "sub/\n"})
    (vault.root / ".kantenwerkignore").unlink()
    assert since(vault) == [("sub/D.md", 1, LINK)]


def test_a_vault_in_a_folder_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = new_vault(tmp_path, monkeypatch)
    repository.commit({"docs/A.md": "[[B]]\n", "docs/B.md": "B\n", "other/C.md": "[[Nobody]]\n"})
    vault = Vault(repository.root / "docs")
    assert since(vault) == []
    (vault.root / "B.md").rename(repository.root / "other/B.md")
    repository.write({"other/C.md": "[[Nowhere]]\n"})
    assert since(vault) == [("A.md", 1, LINK)]
    # A vault that was not there yet is all new.
    fresh = Vault(repository.root / "fresh").write({"A.md": "[[B]]\n"})
    assert since(fresh) == [("A.md", 1, LINK)]
    # A hook of git sets variables that are for the hook's own commands.
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", "nowhere")
    assert since(vault) == [("A.md", 1, LINK)]


def test_names_with_any_character(vault: Vault) -> None:
    names = ["ä ö.md", 'quo"te.md', "new\nline.md", "tab\t.md", "-x.md", " lead.md", "b\\s.md", "d/-/e.md", "日本.md"]
    vault.commit(dict.fromkeys(names, "[[Nowhere]]\n"))
    assert since(vault) == []
    for name in names:
        vault.write({name: "[[Nowhere]]\n\n[[Else]]\n"})
    assert sorted(since(vault)) == sorted((name, 3, LINK) for name in names)
    vault.commit()
    vault.git("mv", "--", "-x.md", "new\n\tname.md")
    assert since(vault) == []


def test_symbolic_links(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("Text.\n")
    for name, target in {
        "in": "B.md",
        "out": "../outside.md",
        "abs": str(tmp_path / "outside.md"),
        "no": "gone",
    }.items():
        (vault.root / f"{name}.md").symlink_to(target)
    (vault.root / "folder").symlink_to("sub")
    vault.commit()
    assert len(vault.check("--select", "symlink,dangling-symlink").findings) == 5
    assert since(vault) == []
    (vault.root / "B.md").unlink()
    assert ("in.md", 1, "dangling-symlink") in since(vault)


def test_that_what_could_not_be_read_is_always_told(vault: Vault) -> None:
    vault.commit({"binary.md": b"\0"})
    assert since(vault) == [("binary.md", 1, "not-text")]


def test_that_nothing_is_touched(vault: Vault) -> None:
    vault.commit({".gitattributes": "*.md export-ignore filter=loud\n"})
    vault.git("config", "filter.loud.smudge", "touch smudged")
    vault.git("config", "core.fsmonitor", "touch fsmonitor; false")
    vault.write({"A.md": "[[New]]\n", "E.md": "[[New]]\n"})
    # The index would be refreshed for a note that is as it was, but newer.
    os.utime(vault.root / "B.md", (10**9, 10**9))
    before = tree(vault.root)
    assert since(vault) == [("A.md", 1, LINK), ("E.md", 1, LINK)]
    assert tree(vault.root) == before


def test_a_baseline_beside_it(vault: Vault, tmp_path: Path) -> None:
    file = tmp_path / "known.jsonl"
    vault.write({"E.md": "[[Known]]\n"})
    vault.check("--write-baseline", str(file))
    vault.write({"E.md": "[[Known]]\n\n[[Known]]\n", "C.md": "[[Nowhere]]\n\n[[Nowhere]]\n"})
    told = vault.check("--changed-since", "HEAD", "--baseline", str(file))
    assert [place[0] for place in told.places] == ["C.md", "E.md"]
    assert told.stderr.endswith(" (3 older than HEAD, 1 in the baseline)\n")


@pytest.mark.parametrize(
    ("rev", "said"),
    [
        ("nowhere", "--changed-since nowhere: the repository knows no such revision"),
        ("HEAD:A.md", "--changed-since HEAD:A.md: the repository knows no such revision"),
        ("--output=x", "--changed-since --output=x: this is no revision; name a commit, a branch or a tag"),
        ("", "--changed-since : this is no revision; name a commit, a branch or a tag"),
    ],
)
def test_what_is_no_revision(vault: Vault, rev: str, said: str) -> None:
    assert vault.check(f"--changed-since={rev}", code=2).stderr == f"kantenwerk: {said}\n"
    assert not (vault.root / "x").exists()


def test_notes_that_git_tracks_in_a_folder_that_it_ignores(vault: Vault) -> None:
    vault.write({".gitignore": "private/\n", "private/A.md": "[[Nobody]]\n"})
    vault.git("add", "--force", "private/A.md")
    vault.commit()
    assert since(Vault(vault.root / "private")) == []


def test_where_there_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = new_vault(tmp_path, monkeypatch).write(BASE)
    told = vault.check("--changed-since", "HEAD", code=2)
    assert told.stderr == f"kantenwerk: --changed-since HEAD: {vault.root} lies in no git repository\n"
    vault.git("init", "--quiet")
    told = vault.check("--changed-since", "HEAD", code=2)
    assert told.stderr == "kantenwerk: --changed-since HEAD: the repository knows no such revision\n"
    vault.write({".gitignore": "/private/\n", "private/A.md": "[[B]]\n"})
    vault.commit()
    told = Vault(vault.root / "private").check("--changed-since", "HEAD", code=2)
    assert told.stderr.endswith("git ignores " + f"{vault.root}/private, so it knows nothing of its changes\n")
    (vault.root / ".git/A.md").write_text("A\n")
    told = Vault(vault.root / ".git").check("--changed-since", "HEAD", code=2)
    assert told.stderr.endswith("/.git lies in no working tree of git\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    told = vault.check("--changed-since", "HEAD", code=2)
    assert (
        told.stderr == "kantenwerk: --changed-since needs git, and there is none: install it, or put it on the PATH\n"
    )


def test_a_shallow_clone(vault: Vault, tmp_path: Path) -> None:
    first = vault.git("rev-parse", "HEAD")
    vault.commit({"E.md": "E\n"})
    clone = Vault(tmp_path / "clone")
    command = ["git", "clone", "--quiet", "--depth=1", vault.root.as_uri(), str(clone.root)]
    subprocess.run(command, env=git_env(), check=True)
    assert since(clone) == []
    told = clone.check("--changed-since", first, code=2)
    what = "this clone is shallow and does not hold the revision; fetch it (actions/checkout: `fetch-depth: 0`)"
    assert told.stderr == f"kantenwerk: --changed-since {first}: {what}\n"


def test_a_clone_that_lacks_a_note(vault: Vault) -> None:
    name = vault.git("rev-parse", "HEAD:C.md")
    (vault.root / ".git/objects" / name[:2] / name[2:]).unlink()
    told = vault.check("--changed-since", "HEAD", code=2)
    what = "this clone does not hold `C.md` as it was; fetch the revision whole"
    assert told.stderr == f"kantenwerk: --changed-since HEAD: {what}\n"


def test_submodules(vault: Vault, tmp_path: Path) -> None:
    other = Vault(tmp_path / "other").write({"S.md": "[[Nobody]]\n"})
    other.commit()
    vault.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "lib/other")
    vault.commit()
    told = vault.check("--changed-since", "HEAD", code=2)
    what = "`lib/other` is a submodule, and what it held then is not known here; name it in .kantenwerkignore"
    assert told.stderr == f"kantenwerk: --changed-since HEAD: {what}\n"
    # The submodule by itself is a repository as any other.
    assert since(Vault(vault.root / "lib/other")) == []
    vault.write({".kantenwerkignore": "lib/\n"})
    assert since(vault) == []
    (vault.root / ".kantenwerkignore").unlink()
    shutil.rmtree(vault.root / "lib/other")
    (vault.root / "lib/other").mkdir()
    assert since(vault) == []

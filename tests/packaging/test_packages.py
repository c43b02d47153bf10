"""The list of packages is complete, and the links behind the import name lead to the rooms."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from tests.packaging.checkout import DOOR, ROOMS, ROOT, pyproject, sources


def listed() -> set[str]:
    return set(pyproject()["tool"]["setuptools"]["packages"])


def folders() -> dict[str, str]:
    return dict(pyproject()["tool"]["setuptools"]["package-dir"])


def test_every_folder_with_sources_is_a_package_and_is_listed() -> None:
    there = {str(PurePosixPath(path).parent).replace("/", ".") for path in sources()}
    # It holds notes and no sources.
    assert there | {"kantenwerk.vault_example"} == listed()


def test_a_folder_without_a_source_of_its_own_is_no_gap_between_packages() -> None:
    parents = {name.rpartition(".")[0] for name in listed()} - {""}
    assert parents <= listed()


def test_every_package_has_a_folder_and_every_folder_a_package() -> None:
    assert set(folders()) == listed()
    assert len(set(folders().values())) == len(folders())


@pytest.mark.parametrize(("package", "folder"), folders().items())
def test_the_folder_of_a_package_is_where_its_name_says(package: str, folder: str) -> None:
    assert (ROOT / folder).is_dir()
    assert package == "kantenwerk" or folder == "/".join(package.split(".")[1:])


@pytest.mark.parametrize("package", sorted(listed() - {"kantenwerk.vault_example"}))
def test_a_package_of_sources_says_that_it_is_one(package: str) -> None:
    assert (ROOT / folders()[package] / "__init__.py").is_file()


def test_every_room_has_a_link_behind_the_door_and_every_link_a_room() -> None:
    links = {path.name: path.readlink() for path in DOOR.iterdir() if path.is_symlink()}
    assert links == {room: Path("..", "..", room) for room in ROOMS}


def test_every_package_at_the_top_is_a_room() -> None:
    assert {path.parent.name for path in ROOT.glob("[!.]*/__init__.py")} == set(ROOMS) - {"vault_example"}


def test_the_door_holds_no_other_code() -> None:
    assert {path.name for path in DOOR.glob("*.py")} == {"__init__.py", "__main__.py"}

"""Fixtures for the configuration: a vault whose files a test writes, and what loading it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from kantenwerk.config import ConfigError, load_config

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kantenwerk.config import Config


class Load(Protocol):
    def __call__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> Config: ...


class Complaints(Protocol):
    def __call__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> list[str]: ...


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads the configuration of a vault with the given files in its `.kantenwerk` folder."""

    def loaded(
        files: Mapping[str, str | bytes] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> Config:
        folder = tmp_path / ".kantenwerk"
        folder.mkdir(exist_ok=True)
        for name, content in (files or {}).items():
            data = content if isinstance(content, bytes) else content.encode()
            (folder / name).write_bytes(data)
        return load_config(tmp_path, environ=environ or {}, overrides=overrides)

    return loaded


@pytest.fixture
def complaints(load: Load) -> Complaints:
    """Loads a configuration that is wrong, and gives the lines of the error."""

    def lines(
        files: Mapping[str, str | bytes] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(files, environ=environ, overrides=overrides)
        return str(caught.value).splitlines()

    return lines

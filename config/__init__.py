"""Configuration: five YAML files and the environment, checked once and passed down as frozen values.

The names below are loaded when they are first used, so that an error class costs no model library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kantenwerk.config.errors import ConfigError, KantenwerkError, StoreError, VaultError
    from kantenwerk.config.loader import Config, load_config
    from kantenwerk.config.model import NoteType, Profile, Prompt, Settings
    from kantenwerk.config.names import kind_key, name_key
    from kantenwerk.config.notetypes import Types
    from kantenwerk.config.vocabulary import Vocabulary

__all__ = [
    "Config",
    "ConfigError",
    "KantenwerkError",
    "NoteType",
    "Profile",
    "Prompt",
    "Settings",
    "StoreError",
    "Types",
    "VaultError",
    "Vocabulary",
    "kind_key",
    "load_config",
    "name_key",
]

_HOME = {
    "Config": "loader",
    "ConfigError": "errors",
    "KantenwerkError": "errors",
    "NoteType": "model",
    "Profile": "model",
    "Prompt": "model",
    "Settings": "model",
    "StoreError": "errors",
    "Types": "notetypes",
    "VaultError": "errors",
    "Vocabulary": "vocabulary",
    "kind_key": "names",
    "load_config": "loader",
    "name_key": "names",
}


def __getattr__(name: str) -> object:
    """Return a public name from the module that it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)

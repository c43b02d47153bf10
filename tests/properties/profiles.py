"""How many examples a property is tried on: few and always the same in a normal run, many and new ones in a slow one.

`PROPERTY_EXAMPLES=5000 pytest tests/properties` tries so many new ones everywhere, to hunt for faults.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ParamSpec

import pytest
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
_HUNT = int(os.environ.get("PROPERTY_EXAMPLES", "0"))
# Explaining a failure takes minutes where every example is an import.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
# A slow example says nothing: the machine is busy. Vaults are large to draw, and few are thrown away.
_UNCHECKED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile(
    "properties",
    derandomize=_HUNT == 0,
    deadline=None,
    database=None,
    print_blob=False,
    phases=_PHASES,
    suppress_health_check=_UNCHECKED,
)
settings.register_profile(
    "properties-slow",
    settings.get_profile("properties"),
    derandomize=False,
    max_examples=1500,
)


def examples(count: int) -> settings:
    """Return the settings of a property that a normal run tries `count` times."""
    return settings(settings.get_profile("properties"), max_examples=_HUNT or count)


def slow(test: Callable[P, None]) -> Callable[P, None]:
    """Mark the long run of a property: many examples, other ones every time."""
    return pytest.mark.slow(settings(settings.get_profile("properties-slow"))(test))

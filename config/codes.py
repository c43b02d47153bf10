"""How codes of findings are named: one by one, by their beginning (`candidate` for `candidate-…`), or `all`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kantenwerk.config.suggest import no_such

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ALL: Final = "all"


def best_name(names: Iterable[str], code: str) -> str | None:
    """Return the name among `names` that speaks of a code most exactly, or `None` where none does."""
    return max((name for name in names if _means(name, code)), key=exactness, default=None)


def exactness(name: str | None) -> int:
    """Return how much a name says: nothing at all, all codes, a longer and longer beginning."""
    return -1 if name is None else 0 if name == ALL else len(name)


def unknown_code(name: str, codes: Collection[str]) -> str | None:
    """Say that a name stands for none of the codes and which one is near, or return `None` where it does."""
    if any(_means(name, code) for code in codes):
        return None
    beginnings = {code[:end] for code in codes for end, sign in enumerate(code) if sign == "-"}
    return no_such("code", name, {*codes, *beginnings, ALL})


def _means(name: str, code: str) -> bool:
    return name in {ALL, code} or code.startswith(f"{name}-")

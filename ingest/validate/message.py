"""One part of a prompt, in a module of its own: what is asked must not load what reads the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Message:
    """One part of a prompt: what the judge is told, or what it is asked."""

    role: Literal["system", "user"]
    content: str

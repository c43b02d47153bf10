"""How a server can be told to answer YES or NO and nothing else, and which servers offer it. Pure.

llama.cpp takes a grammar in GBNF (tools/server/README.md), vLLM a list of choices: `structured_outputs` from 0.12 on,
`guided_choice` before. Either passes over a field that it does not know.
"""

from __future__ import annotations

import json
from typing import Literal

Limit = Literal["grammar", "choice"]
LIMIT_FIELDS: dict[Limit, dict[str, object]] = {
    "grammar": {"grammar": 'root ::= "YES" | "NO"'},
    "choice": {"structured_outputs": {"choice": ["YES", "NO"]}, "guided_choice": ["YES", "NO"]},
}
_OFFERED_BY: dict[str, Limit] = {"llamacpp": "grammar", "vllm": "choice"}
_NAMES = ("grammar", "structured_output", "guided", "choice")


def offered_limit(models: str) -> Limit | None:
    """Return the limit that a server offers, by its list of models (`GET /models`): that says who owns them."""
    match _parsed(models):
        case {"data": [{"owned_by": str(owner)}, *_]}:
            return _OFFERED_BY.get(owner)
        case _:
            return None


def thinks_first(properties: str) -> bool:
    """Tell by the chat template in llama.cpp's `GET /props` whether its model thinks before it answers.

    There a grammar holds from the first token on, and takes the thinking away; vLLM's limits begin after it.
    """
    match _parsed(properties):
        case {"chat_template": str(template)}:
            return "think" in template.lower()
        case _:
            return False


def names_a_limit(words: str) -> bool:
    """Tell whether a server's refusal, in lower case, is about a limit."""
    return any(name in words for name in _NAMES)


def _parsed(body: str) -> object:
    try:
        parsed: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return parsed

"""What may come back from an endpoint, as values, and how a response's body is read. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from kantenwerk.ingest.validate.answer import answer_position, p_yes_from_logprobs


@dataclass(frozen=True, slots=True)
class Answered:
    """The model said something; whether that is an answer is for the reader to judge."""

    text: str
    p_yes: float | None
    tokens: int | None
    latency_ms: int


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The endpoint refused an optional part of the request, which is left out from now on: ask again."""

    reason: str


@dataclass(frozen=True, slots=True)
class PassingFault:
    """No answer this time; the same request may succeed later."""

    reason: str
    retry_after: float | None = None
    """Seconds that the endpoint asks to wait."""
    lost_connection: bool = False
    perhaps_billed: bool = False
    """The model may have worked on the request all the same."""


@dataclass(frozen=True, slots=True)
class RequestFault:
    """This request cannot be answered as it is; others may be."""

    reason: str
    status: int | None


@dataclass(frozen=True, slots=True)
class LastingFault:
    """No request of this run can be answered until a person mends something."""

    reason: str
    status: int | None


Reply = Answered | Adjusted | PassingFault | RequestFault | LastingFault


def read_completion(body: str, latency_ms: int, *, is_limited: bool = False) -> Answered | PassingFault:
    """Read the answer out of the body of a response with status 200.

    Servers and what stands before them send much under that status: HTML pages, empty or missing choices, an
    error as JSON. None of that is an answer.

    Args:
        body: The body as text.
        latency_ms: How long the request took.
        is_limited: The server held the answer to YES or NO. Where the model's own likeliest tokens begin neither, the
            text is the likeliest of them: what it would have said.

    Returns:
        The answer, or a passing fault whose reason completes the sentence "the endpoint … ".
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        return _unanswered("what it sent is no chat completion; is base_url the address of the API?")
    choice = completion.choices[0] if completion.choices else None
    if choice is None or choice.message is None:
        return _unanswered(f"without any choice{_because(completion)}")
    text = choice.message.content
    if text is None or not text.strip():
        return _unanswered(_CUT_OFF if choice.finish_reason == "length" else "the answer is empty")
    first = _first_token(choice, text)
    if is_limited and first is not None and (meant := _other_word(first)):
        text, first = meant, None
    return Answered(text, _p_yes(first), _tokens(completion.usage), latency_ms)


def one_line(text: str, limit: int = 200) -> str:
    """Make foreign text fit to be shown: one line, of bounded length, without control characters."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


_CUT_OFF = "the answer was cut off before it began: raise max_output_tokens, or switch off the model's thinking"
_T = TypeVar("_T")


def _none_if_odd(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    """Read what has an unknown shape as missing: an extra must not cost the answer."""
    try:
        return handler(value)
    except ValidationError:
        return None


_Lenient = Annotated[_T | None, WrapValidator(_none_if_odd)]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Likely(_Body):
    token: str
    logprob: float


class _Token(_Likely):
    top_logprobs: tuple[_Likely, ...] = ()


class _Logprobs(_Body):
    content: tuple[_Token, ...] | None = None


class _Message(_Body):
    content: str | None = None


class _Choice(_Body):
    message: _Message | None = None
    finish_reason: _Lenient[str] = None
    logprobs: _Lenient[_Logprobs] = None


class _Usage(_Body):
    total_tokens: int | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Error(_Body):
    message: str


class _Completion(_Body):
    choices: tuple[_Choice, ...] | None = None
    usage: _Lenient[_Usage] = None
    error: _Lenient[_Error] = None


def _unanswered(why: str) -> PassingFault:
    return PassingFault(f"answered 200 without an answer: {why}", perhaps_billed=True)


def _because(completion: _Completion) -> str:
    return "" if completion.error is None else f" ({one_line(completion.error.message)})"


def _tokens(usage: _Usage | None) -> int | None:
    if usage is None:
        return None
    counted = usage.prompt_tokens + usage.completion_tokens
    total = usage.total_tokens if usage.total_tokens is not None else counted
    # No answer costs nothing, nor less: who says so does not count, and would let a budget grow.
    return total if total > 0 else None


def _first_token(choice: _Choice, text: str) -> _Token | None:
    """Return the token with which the answer begins, if the server told how likely it was."""
    generated = () if choice.logprobs is None else choice.logprobs.content or ()
    position = answer_position([token.token for token in generated], text)
    return None if position is None else generated[position]


def _other_word(first: _Token) -> str:
    """Return the likeliest token where none that is likely begins YES or NO; else nothing."""
    likely = _likely(first)
    return max(likely, key=lambda item: item[1])[0] if likely and p_yes_from_logprobs(likely) is None else ""


def _p_yes(first: _Token | None) -> float | None:
    if first is None or not first.top_logprobs:
        return None
    likely = _likely(first)
    if all(token != first.token for token, _ in likely):
        likely.append((first.token, first.logprob))
    return p_yes_from_logprobs(likely)


def _likely(first: _Token) -> list[tuple[str, float]]:
    return [(item.token, item.logprob) for item in first.top_logprobs]

"""Talks to one OpenAI-compatible endpoint; the only file that imports its client."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TYPE_CHECKING, Literal

from pydantic import SecretStr

from kantenwerk.ingest.validate.address import is_plain_local, shown_url, url_problem
from kantenwerk.ingest.validate.limited import LIMIT_FIELDS, Limit, names_a_limit, offered_limit, thinks_first
from kantenwerk.ingest.validate.message import Message
from kantenwerk.ingest.validate.refusal import error_codes, error_message, retry_after, without_key
from kantenwerk.ingest.validate.reply import (
    Adjusted,
    Answered,
    LastingFault,
    PassingFault,
    Reply,
    RequestFault,
    one_line,
    read_completion,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    from kantenwerk.config.model import Profile

# Local servers need no key, but the client library insists on one.
_NO_KEY = "no-key"
# A host that does not even take the connection is not worth the time that a long answer may need.
_CONNECT_S = 10.0
_TOP_LOGPROBS = (20, 5, 0)
"""How many likely tokens are asked for: each step down when an endpoint refuses the one before."""
_REFUSES_AN_EXTRA = frozenset({400, 403, 422, 500, 501})
_PASSING = frozenset({408, 409, 425, 429})
_LASTING = frozenset({401, 402, 403, 404, 405, 410})
_SERVER_ERROR = 500
_REDIRECT = range(300, 400)
_QUOTA_USED_UP = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
)


class Client:
    """An endpoint as a profile names it. Everything that it answers, or fails to, comes back as a value.

    Args:
        profile: Address, model, time-out and the name of the variable that holds the key.
        environ: The environment in which the key is looked up.
    """

    __slots__ = ("_endpoint", "_first", "_form", "_key", "_problem", "_profile", "_sdk")

    def __init__(self, profile: Profile, environ: Mapping[str, str]) -> None:
        self._profile = profile
        name = profile.api_key_env
        # Files and shells leave blanks and line ends behind a key; no key holds any.
        self._key = SecretStr(environ.get(name, "").strip() if name else "")
        self._endpoint = shown_url(profile.base_url or "")
        self._problem = _configuration_problem(profile, self._key)
        self._form: _Form | None = None
        self._first = asyncio.Lock()
        self._sdk: AsyncOpenAI | None = None

    async def ask(self, messages: Sequence[Message]) -> Reply:
        """Send one prompt, once.

        Args:
            messages: The prompt.

        Returns:
            What came of it. Nothing is raised for anything that an endpoint or a network can do.
        """
        if self._problem is not None:
            return self._problem
        from openai import APIConnectionError, APIStatusError

        sdk = self._opened()
        form = await self._form_of(sdk)
        try:
            async with asyncio.timeout(self._profile.timeout_s):
                body, latency_ms = await self._post(sdk, messages, form)
        except APIStatusError as error:
            return self._refused(error, form)
        except TimeoutError:
            return self._late()
        except APIConnectionError as error:
            return self._lost(error)
        except UnicodeEncodeError:
            return RequestFault("the prompt holds half a surrogate pair, which no request can carry", None)
        return self._read(body, latency_ms, form)

    async def close(self) -> None:
        """Close the connections."""
        if self._sdk is not None:
            await self._sdk.close()

    async def _form_of(self, sdk: AsyncOpenAI) -> _Form:
        """Return the form of requests as far as it is known; before the first, the server is asked what it is."""
        async with self._first:
            if self._form is None:
                limit = await self._limit(sdk)
                self._form = _Form(_TOP_LOGPROBS[0] if self._profile.logprobs else 0, limit=limit)
        return self._form

    async def _limit(self, sdk: AsyncOpenAI) -> Limit | None:
        match self._profile.answer_limit:
            case "none":
                return None
            case "auto":
                offered = offered_limit(await self._got(sdk, "/models"))
                if offered == "grammar" and thinks_first(await self._got(sdk, self._beside("/props"))):
                    return None
                return offered
            case named:
                return named

    def _beside(self, path: str) -> str:
        return (self._profile.base_url or "").rstrip("/").removesuffix("/v1") + path

    async def _got(self, sdk: AsyncOpenAI, path: str) -> str:
        """Return what the server says of itself; nothing where it does not, for that is no fault of the run."""
        from openai import APIError

        try:
            async with asyncio.timeout(min(self._profile.timeout_s, _CONNECT_S)):
                return await sdk.get(path, cast_to=str)
        except (APIError, TimeoutError):
            return ""

    async def _post(self, sdk: AsyncOpenAI, messages: Sequence[Message], form: _Form) -> tuple[str, int]:
        profile = self._profile
        request: dict[str, object] = {
            "model": profile.model or "",
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": profile.temperature,
            form.limit_name: profile.max_output_tokens,
        }
        if form.top_logprobs:
            request |= {"logprobs": True, "top_logprobs": form.top_logprobs}
        if form.limit:
            request |= LIMIT_FIELDS[form.limit]
        started = time.perf_counter()
        # As it is, for the library's typed method spends half of the time of a request on looking at its types; and
        # the raw body is read here, for that method hands out an HTML page as if it were an answer.
        body = await sdk.post("/chat/completions", body=request, cast_to=str)
        return body, round((time.perf_counter() - started) * 1000)

    def _opened(self) -> AsyncOpenAI:
        if self._sdk is None:
            from openai import AsyncOpenAI, Timeout

            seconds = self._profile.timeout_s
            timeout = Timeout(seconds, connect=min(seconds, _CONNECT_S))
            self._sdk = AsyncOpenAI(
                api_key=self._key.get_secret_value() or _NO_KEY,
                base_url=self._profile.base_url,
                max_retries=0,
                timeout=timeout,
                http_client=_local_client(timeout) if is_plain_local(self._profile.base_url or "") else None,
            )
        return self._sdk

    def _read(self, body: str, latency_ms: int, form: _Form) -> Reply:
        match read_completion(body, latency_ms, is_limited=form.limit is not None):
            case Answered(text, p_yes, tokens, _):
                return Answered(self._without_key(text), p_yes, tokens, latency_ms)
            case PassingFault(reason) if form.limit:
                # Held to two words, a model that thinks first says nothing at all.
                self._step_down(replace(form, limit=None))
                return Adjusted(self._sentence(f"{reason}, with the answer limited to YES and NO"))
            case PassingFault(reason):
                return PassingFault(self._sentence(reason), perhaps_billed=True)

    def _step_down(self, form: _Form) -> None:
        self._form = form if self._form is None else self._form.at_most(form)

    def _refused(self, error: APIStatusError, form: _Form) -> Reply:
        """Classify by the status alone: the library's classes do not tell 402, 408 and 413 apart."""
        body = error.response.text
        detail = error_message(body)
        status = error.status_code
        adjusted = form.without_what(detail) if status in _REFUSES_AN_EXTRA else None
        if adjusted is not None:
            self._step_down(adjusted)
            return Adjusted(self._sentence(f"answered {status}", detail))
        if error_codes(body) & _QUOTA_USED_UP:
            return LastingFault(self._sentence(f"answered {status}: the account's quota is used up"), status)
        if status in _PASSING or status >= _SERVER_ERROR:
            wait = retry_after(error.response.headers)
            return PassingFault(self._sentence(f"answered {status}", detail), retry_after=wait)
        if status in _LASTING or status in _REDIRECT:
            return LastingFault(self._lasting(status, detail), status)
        return RequestFault(self._sentence(f"answered {status}", detail), status)

    def _lasting(self, status: int, detail: str) -> str:
        match status:
            case 401:
                # What the endpoint says here may quote the key, or most of it.
                return self._sentence(f"answered 401: {self._key_problem()}")
            case 402:
                return self._sentence("answered 402: the account must be paid for", detail)
            case 403:
                model = self._profile.model
                return self._sentence(f"answered 403: this account may not use the model {model}", detail)
            case 404:
                return self._sentence(
                    f"answered 404: does base_url end as the server wants it (often in /v1), and does the"
                    f" server have the model {self._profile.model}?",
                    detail,
                )
            case _:
                return self._sentence(f"answered {status}: is base_url the address of the API?", detail)

    def _key_problem(self) -> str:
        name = self._profile.api_key_env
        if not name:
            return "it wants a key; name the environment variable that holds it as api_key_env"
        if not self._key.get_secret_value():
            return f"it wants a key, and the environment variable {name} is not set"
        return f"the key in {name} is not accepted"

    def _late(self) -> PassingFault:
        seconds = self._profile.timeout_s
        reason = self._sentence(f"gave no answer within {seconds:g} s (timeout_s)")
        return PassingFault(reason, perhaps_billed=True)

    def _lost(self, error: APIConnectionError) -> PassingFault:
        cause = error.__cause__
        # Named, not imported: which HTTP library the client stands on is its own affair.
        kind = type(cause).__name__
        if kind.endswith("Timeout") and kind != "ConnectTimeout":
            return self._late()
        why = _first_cause(cause) if kind != "ConnectTimeout" else "no connection in time"
        return PassingFault(self._sentence("cannot be reached", why), lost_connection=True)

    def _sentence(self, what: str, detail: str = "") -> str:
        tail = one_line(self._without_key(detail))
        return f"the endpoint {self._endpoint} {self._without_key(what)}{f' ({tail})' if tail else ''}"

    def _without_key(self, text: str) -> str:
        return without_key(text, self._key.get_secret_value())


@dataclass(frozen=True, slots=True)
class _Form:
    """The parts of a request that an endpoint may not know, as far down as this one has made us go."""

    top_logprobs: int
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    limit: Limit | None = None

    def without_what(self, detail: str) -> _Form | None:
        """Return the next form to try, or None where the endpoint's words name no part of this one."""
        words = detail.lower()
        if self.top_logprobs and "logprob" in words:
            return replace(self, top_logprobs=_TOP_LOGPROBS[_TOP_LOGPROBS.index(self.top_logprobs) + 1])
        if self.limit_name == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, limit_name="max_completion_tokens")
        if self.limit and names_a_limit(words):
            return replace(self, limit=None)
        return None

    def at_most(self, other: _Form) -> _Form:
        """Join with what another request, sent at the same time, has found out."""
        newer = "max_completion_tokens" in (self.limit_name, other.limit_name)
        return _Form(
            min(self.top_logprobs, other.top_logprobs),
            "max_completion_tokens" if newer else "max_tokens",
            self.limit if other.limit else None,
        )


def _local_client(timeout: Timeout) -> DefaultAsyncHttpxClient:
    """Reach this very machine directly: no proxy can, and there are no certificates to load."""
    from openai import DefaultAsyncHttpxClient

    return DefaultAsyncHttpxClient(timeout=timeout, trust_env=False, verify=SSLContext(PROTOCOL_TLS_CLIENT))


def _configuration_problem(profile: Profile, key: SecretStr) -> LastingFault | None:
    problem = url_problem(profile.base_url or "")
    if problem is not None:
        return LastingFault(f"the profile's base_url {problem}", None)
    if not profile.model:
        return LastingFault("the profile names no model: set model, or KANTENWERK_LLM_MODEL", None)
    secret = key.get_secret_value()
    # The error of the HTTP library would quote the key.
    if not (secret.isascii() and secret.isprintable()):
        name = profile.api_key_env
        return LastingFault(f"the key in {name} holds characters that no request can carry", None)
    return None


def _first_cause(error: BaseException | None) -> str:
    while error is not None and error.__cause__ is not None:
        error = error.__cause__
    return "" if error is None else str(error) or type(error).__name__

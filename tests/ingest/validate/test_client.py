"""One request to a real HTTP server, and the value that comes of it."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kantenwerk.ingest.validate.client import Client
from kantenwerk.ingest.validate.message import Message
from kantenwerk.ingest.validate.reply import Adjusted, Answered, LastingFault, PassingFault, Reply, RequestFault
from tests.servers.profiles import KEY_NAME, profile_for
from tests.servers.scripted import Received, Response, drops, late, refuses, says, sends, shows_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kantenwerk.config.model import Profile
    from tests.servers.scripted import ScriptedServer, ServeScript

PROMPT = (Message("system", "Answer YES or NO."), Message("user", "Is it so?"))
KEY = "sk-test-0123456789abcdef"


def replies(profile: Profile, times: int = 1, environ: Mapping[str, str] | None = None) -> list[Reply]:
    async def ask() -> list[Reply]:
        client = Client(profile, environ or {})
        try:
            return [await client.ask(PROMPT) for _ in range(times)]
        finally:
            await client.close()

    return asyncio.run(ask())


def reply(profile: Profile, environ: Mapping[str, str] | None = None) -> Reply:
    return replies(profile, environ=environ)[0]


def test_an_answer(scripted: ServeScript) -> None:
    server = scripted(says("YES", p_yes=0.9, tokens=17))
    answered = reply(profile_for(server.base_url))
    assert isinstance(answered, Answered)
    assert (answered.text, answered.tokens) == ("YES", 17)
    assert answered.p_yes == pytest.approx(0.9)
    assert 0 <= answered.latency_ms < 5000


def test_the_request(scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    reply(profile_for(server.base_url, temperature=0.3), {KEY_NAME: f" {KEY}\n"})
    [request] = server.requests
    assert request.json == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Answer YES or NO."},
            {"role": "user", "content": "Is it so?"},
        ],
        "temperature": 0.3,
        "max_tokens": 4,
        "logprobs": True,
        "top_logprobs": 20,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_no_key_is_needed_and_none_is_taken_from_elsewhere(
    scripted: ServeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = scripted(says("YES"))
    assert isinstance(reply(profile_for(server.base_url)), Answered)
    assert isinstance(reply(profile_for(server.base_url, api_key_env=None)), Answered)
    assert all(KEY not in request.headers["authorization"] for request in server.requests)


def test_log_probabilities_are_not_asked_for_where_the_profile_forgoes_them(scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    reply(profile_for(server.base_url, logprobs=False))
    assert "logprobs" not in server.requests[0].json
    assert "top_logprobs" not in server.requests[0].json


def of(owner: str) -> dict[str, object]:
    """A list of models as a server with this name gives it."""
    return {"object": "list", "data": [{"id": "tiny", "object": "model", "owned_by": owner}]}


GRAMMAR = {"grammar": 'root ::= "YES" | "NO"'}
CHOICE = {"structured_outputs": {"choice": ["YES", "NO"]}, "guided_choice": ["YES", "NO"]}
LIMITS = ("grammar", "structured_outputs", "guided_choice")


def limits(server: ScriptedServer) -> list[dict[str, object]]:
    """What held the answer in each request."""
    return [{name: request.json[name] for name in LIMITS if name in request.json} for request in server.requests]


@pytest.mark.parametrize(
    ("pages", "setting", "limit"),
    [
        ({"/v1/models": of("llamacpp")}, "auto", GRAMMAR),
        ({"/v1/models": of("llamacpp"), "/props": {"chat_template": "{{ messages }}"}}, "auto", GRAMMAR),
        ({"/v1/models": of("llamacpp"), "/props": {"chat_template": "<think>\n"}}, "auto", {}),
        ({"/v1/models": of("llamacpp")}, "none", {}),
        ({"/v1/models": of("vllm")}, "auto", CHOICE),
        ({"/v1/models": of("library")}, "auto", {}),
        ({"/v1/models": {"data": []}}, "auto", {}),
        ({"/v1/models": [of("vllm")]}, "auto", {}),
        ({}, "auto", {}),
        ({}, "grammar", GRAMMAR),
        ({}, "choice", CHOICE),
    ],
)
def test_an_answer_is_limited_where_the_server_offers_it(
    scripted: ServeScript, pages: dict[str, object], setting: str, limit: dict[str, object]
) -> None:
    server = scripted(says("YES"))
    server.pages |= pages
    assert {type(answer) for answer in replies(profile_for(server.base_url, answer_limit=setting), 2)} == {Answered}
    assert limits(server) == [limit, limit]


@pytest.mark.parametrize("refusal", [refuses(400, "Unknown parameter: 'grammar'"), says(""), says(None)])
def test_a_limit_that_does_not_work_is_left_out_from_then_on(scripted: ServeScript, refusal: Response) -> None:
    server = scripted([refusal, says("YES")])
    server.pages["/v1/models"] = of("llamacpp")
    adjusted, *answers = replies(profile_for(server.base_url), 3)
    assert isinstance(adjusted, Adjusted)
    assert {type(answer) for answer in answers} == {Answered}
    assert limits(server) == [GRAMMAR, {}, {}]


def test_a_limit_makes_no_answer_of_what_the_model_would_not_have_said(scripted: ServeScript) -> None:
    """Log-probabilities are those before the grammar."""
    likely = [{"token": "Well", "logprob": -0.2}, {"token": "It", "logprob": -2.0}]
    forced = {"token": "YES", "logprob": -11.5, "top_logprobs": likely}
    choice = {"message": {"content": "YES"}, "logprobs": {"content": [forced]}}
    server = scripted(sends({"choices": [choice]}))
    answered = reply(profile_for(server.base_url, answer_limit="grammar"))
    assert isinstance(answered, Answered)
    assert (answered.text, answered.p_yes) == ("Well", None)
    answered = reply(profile_for(server.base_url, answer_limit="none"))
    assert isinstance(answered, Answered)
    assert answered.text == "YES"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_passing_faults(scripted: ServeScript, status: int) -> None:
    server = scripted(refuses(status, "wait a little"))
    fault = reply(profile_for(server.base_url))
    assert fault == PassingFault(f"the endpoint {server.base_url} answered {status} (wait a little)")
    assert len(server.requests) == 1, "the client library must not retry by itself"


@pytest.mark.parametrize("status", [400, 413, 422, 414, 418])
def test_faults_of_one_request(scripted: ServeScript, status: int) -> None:
    server = scripted(refuses(status, "too long"))
    fault = reply(profile_for(server.base_url))
    assert fault == RequestFault(f"the endpoint {server.base_url} answered {status} (too long)", status)


@pytest.mark.parametrize("status", [401, 402, 403, 404, 405, 410, 304])
def test_lasting_faults(scripted: ServeScript, status: int) -> None:
    server = scripted(refuses(status, "never"))
    fault = reply(profile_for(server.base_url))
    assert isinstance(fault, LastingFault)
    assert fault.status == status
    assert f"{server.base_url} answered {status}: " in fault.reason


@pytest.mark.parametrize("status", [400, 403, 429])
@pytest.mark.parametrize("code", ["insufficient_quota", "billing_hard_limit_reached"])
def test_a_used_up_quota_never_passes(scripted: ServeScript, status: int, code: str) -> None:
    fault = reply(profile_for(scripted(refuses(status, "see your plan", code)).base_url))
    assert isinstance(fault, LastingFault)
    assert "quota is used up" in fault.reason


def test_429_with_another_code_passes(scripted: ServeScript) -> None:
    fault = reply(profile_for(scripted(refuses(429, "quota per minute", "rate_limit_exceeded")).base_url))
    assert isinstance(fault, PassingFault)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_read(scripted: ServeScript, status: int) -> None:
    server = scripted(refuses(status, headers={"Retry-After": "7"}))
    fault = reply(profile_for(server.base_url))
    assert isinstance(fault, PassingFault)
    assert fault.retry_after == 7.0


@pytest.mark.parametrize(
    "response",
    [
        shows_page(),
        sends({"choices": []}),
        sends({"choices": None}),
        sends({"error": {"message": "x"}}),
        says(None),
        says(""),
        Response(200, b"", {"Content-Type": "application/json"}),
        Response(200, b"{", {"Content-Type": "application/json"}),
        Response(204),
    ],
)
def test_200_without_an_answer_passes(scripted: ServeScript, response: Response) -> None:
    fault = reply(profile_for(scripted(response).base_url))
    assert isinstance(fault, PassingFault)
    assert "answered 200 without an answer" in fault.reason
    assert not fault.lost_connection


def test_an_html_page_as_an_error_is_not_quoted(scripted: ServeScript) -> None:
    fault = reply(profile_for(scripted(shows_page(502)).base_url))
    assert isinstance(fault, PassingFault)
    assert "<" not in fault.reason


def test_a_dropped_connection(scripted: ServeScript) -> None:
    fault = reply(profile_for(scripted(drops()).base_url))
    assert isinstance(fault, PassingFault)
    assert fault.lost_connection
    assert not fault.perhaps_billed


def test_a_refused_connection() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        fault = reply(profile_for(f"http://127.0.0.1:{taken.getsockname()[1]}/v1"))
    assert isinstance(fault, PassingFault)
    assert fault.lost_connection
    assert "cannot be reached" in fault.reason


def test_a_late_answer(scripted: ServeScript) -> None:
    fault = reply(profile_for(scripted(late(says("YES"), 5.0)).base_url, timeout_s=0.1))
    assert isinstance(fault, PassingFault)
    assert "within 0.1 s" in fault.reason
    assert not fault.lost_connection
    assert fault.perhaps_billed


def test_a_proxy_does_not_stand_before_this_very_machine(
    scripted: ServeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert isinstance(reply(profile_for(scripted(says("YES")).base_url)), Answered)


@pytest.mark.parametrize("status", [400, 403, 422])
@pytest.mark.parametrize(("limit", "asked"), [(0, [20, 5, None, None]), (5, [20, 5, 5])])
def test_refused_log_probabilities_are_left_out_from_then_on(
    scripted: ServeScript, status: int, limit: int, asked: list[int | None]
) -> None:
    def answer(request: Received) -> Response:
        wanted = request.json.get("top_logprobs", 0)
        assert isinstance(wanted, int)
        return refuses(status, f"top_logprobs may be {limit}") if wanted > limit else says("YES")

    server = scripted(answer)
    got = replies(profile_for(server.base_url), times=len(asked))
    assert [request.json.get("top_logprobs") for request in server.requests] == asked
    assert [type(one) for one in got] == [Adjusted] * (len(asked) - 2) + [Answered] * 2


def test_the_newer_name_of_the_limit_is_used_where_the_endpoint_wants_it(scripted: ServeScript) -> None:
    def answer(request: Received) -> Response:
        if "max_tokens" in request.json:
            return refuses(400, "Unsupported parameter: use 'max_completion_tokens' instead of 'max_tokens'.")
        return says("YES")

    server = scripted(answer)
    first, second = replies(profile_for(server.base_url), times=2)
    assert isinstance(first, Adjusted)
    assert isinstance(second, Answered)
    assert server.requests[1].json["max_completion_tokens"] == 4
    assert server.requests[1].json["top_logprobs"] == 20


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base_url": ""}, "base_url"),
        ({"base_url": "localhost:11434"}, "http://"),
        ({"base_url": "http://exa mple"}, "no valid address"),
        ({"model": None}, "KANTENWERK_LLM_MODEL"),
        ({"model": ""}, "KANTENWERK_LLM_MODEL"),
    ],
)
def test_a_bad_configuration_is_a_lasting_fault(changes: dict[str, object], words: str) -> None:
    fault = reply(profile_for("http://127.0.0.1:9/v1").model_copy(update=changes))
    assert isinstance(fault, LastingFault)
    assert words in fault.reason


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text(max_size=20).map(lambda text: f"http://127.0.0.1:1{text}"))
def test_no_address_raises(url: str) -> None:
    assert isinstance(reply(profile_for(url, timeout_s=0.5)), PassingFault | LastingFault | RequestFault)


def test_401_names_the_variable_and_not_the_key(scripted: ServeScript) -> None:
    profile = profile_for(scripted(refuses(401, f"Incorrect API key {KEY}")).base_url)
    assert f"the key in {KEY_NAME} is not accepted" in reason_of(reply(profile, {KEY_NAME: KEY}))
    assert f"variable {KEY_NAME} is not set" in reason_of(reply(profile))
    unnamed = profile.model_copy(update={"api_key_env": None})
    assert "api_key_env" in reason_of(reply(unnamed))


@pytest.mark.parametrize("status", [200, 400, 401, 402, 403, 404, 413, 422, 429, 500])
@pytest.mark.parametrize("quoted", [KEY, f"{KEY[:12]}…", f"{KEY[:4]}****{KEY[-4:]}"])
def test_a_key_never_shows(scripted: ServeScript, caplog: pytest.LogCaptureFixture, status: int, quoted: str) -> None:
    caplog.set_level("DEBUG")
    response = says(f"key {quoted}") if status == 200 else refuses(status, f"key {quoted} is bad")
    profile = profile_for(scripted(response).base_url)
    got = reply(profile, {KEY_NAME: KEY})
    shown = repr(got) if status != 200 or "*" not in quoted else ""
    for part in (KEY, KEY[:9], KEY[-4:]):
        assert part not in shown
    assert KEY not in repr(got) + str(Client(profile, {KEY_NAME: KEY})) + caplog.text


def test_a_key_in_the_address_does_not_show(scripted: ServeScript) -> None:
    address = scripted(refuses(500)).base_url.replace("//", f"//me:{KEY}@") + f"?key={KEY}"
    assert KEY not in repr(reply(profile_for(address)))


def test_a_key_that_no_request_can_carry_is_not_quoted(scripted: ServeScript) -> None:
    server = scripted(says("YES"))
    fault = reply(profile_for(server.base_url), {KEY_NAME: "schlüssel-0123456789"})
    assert isinstance(fault, LastingFault)
    assert "schlüssel" not in fault.reason
    assert not server.requests


def test_a_prompt_that_no_request_can_carry(scripted: ServeScript) -> None:
    async def ask() -> Reply:
        client = Client(profile_for(scripted(says("YES")).base_url), {})
        try:
            return await client.ask([Message("user", "\ud800")])
        finally:
            await client.close()

    assert isinstance(asyncio.run(ask()), RequestFault)


def reason_of(fault: Reply) -> str:
    assert isinstance(fault, LastingFault)
    return fault.reason

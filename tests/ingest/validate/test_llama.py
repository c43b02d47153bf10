"""The whole way to a real llama.cpp server with a tiny model, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kantenwerk.ingest.validate.asking import ask
from kantenwerk.ingest.validate.evidence import clean
from kantenwerk.ingest.validate.limited import LIMIT_FIELDS
from kantenwerk.ingest.validate.message import Message
from kantenwerk.ingest.validate.outcome import AskingResult, Failed, Question, Said, Unproven, Waits
from tests.servers.llama import CONTEXT_TOKENS, running_llama
from tests.servers.profiles import profile_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.llama import LlamaEndpoint

AT_ONCE = pytest.mark.parametrize("concurrency", [1, 8])


def asked(endpoint: LlamaEndpoint, *prompts: str, **changes: object) -> AskingResult:
    return ask(
        [Question(prompt, (Message("system", "YES or NO?"), Message("user", prompt)), 50) for prompt in prompts],
        profile_for(endpoint.base_url, model=endpoint.model, **changes),
        on_outcome=lambda _key, _outcome: None,
        waits=Waits(0.0, 0.0, 0.0),
    )


@AT_ONCE
def test_an_answer_with_its_probability(llama_endpoint: LlamaEndpoint, concurrency: int) -> None:
    result = asked(llama_endpoint, *"abcdefgh", concurrency=concurrency)
    for said in result.outcomes.values():
        assert isinstance(said, Said)
        assert said.answer == "YES"
        assert said.p_yes is not None
        assert 0.5 < said.p_yes == said.confidence < 0.75
        assert said.tokens is not None
        assert 10 < said.tokens < 40
    assert result.refused is None


def test_a_probability_near_one_half_is_left_to_a_person(llama_endpoint: LlamaEndpoint) -> None:
    said = asked(llama_endpoint, "a", abstain_below=0.3).outcomes["a"]
    assert isinstance(said, Said)
    assert said.answer == "UNSURE"


def test_an_answer_without_probabilities(llama_endpoint: LlamaEndpoint) -> None:
    said = asked(llama_endpoint, "a", logprobs=False).outcomes["a"]
    assert isinstance(said, Said)
    assert (said.p_yes, said.confidence) == (None, 0.8)


@pytest.mark.parametrize("limit", ["auto", "grammar", "choice", "none"])
def test_a_limit_changes_neither_answer_nor_probability(llama_endpoint: LlamaEndpoint, limit: str) -> None:
    """The server gives the probabilities that the model had before a grammar."""
    free = asked(llama_endpoint, *"abc", answer_limit="none").outcomes
    limited = asked(llama_endpoint, *"abc", answer_limit=limit).outcomes
    for key, said in free.items():
        other = limited[key]
        assert isinstance(said, Said)
        assert isinstance(other, Said)
        assert other.answer == said.answer
        assert other.p_yes == pytest.approx(said.p_yes, abs=1e-5)


def test_a_grammar_is_what_the_server_is_sent(llama_endpoint: LlamaEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a grammar of other words, the model that would say YES says these: so the server heeds it."""
    monkeypatch.setitem(LIMIT_FIELDS, "grammar", {"grammar": 'root ::= "NO"'})
    said = asked(llama_endpoint, "a").outcomes["a"]
    assert isinstance(said, Said)
    assert said.answer == "NO"
    assert said.p_yes is not None
    assert said.p_yes > 0.5


def test_no_text_becomes_a_control_token(llama_endpoint: LlamaEndpoint) -> None:
    """To this model every byte is a token, and `</s>` is one alone."""
    tokens, cleaned_text = {}, clean("</s></s></s>")
    for text in ("</s></s></s>", cleaned_text, "a" * len(cleaned_text)):
        said = asked(llama_endpoint, text).outcomes[text]
        assert isinstance(said, Said)
        tokens[text] = said.tokens
    raw, cleaned, plain = tokens.values()
    assert raw is not None
    assert plain is not None
    assert cleaned == plain > raw


@AT_ONCE
def test_a_prompt_beyond_the_context_fails_alone(llama_endpoint: LlamaEndpoint, concurrency: int) -> None:
    long = "x" * (CONTEXT_TOKENS + 50)
    result = asked(llama_endpoint, "a", long, "b", concurrency=concurrency)
    failed = result.outcomes[long]
    assert isinstance(failed, Failed)
    assert "answered 400" in failed.reason
    assert "context size" in failed.reason
    assert isinstance(result.outcomes["a"], Said)
    assert isinstance(result.outcomes["b"], Said)


@AT_ONCE
def test_a_time_out(llama_endpoint: LlamaEndpoint, concurrency: int) -> None:
    result = asked(llama_endpoint, "a", timeout_s=0.0001, concurrency=concurrency)
    unproven = result.outcomes["a"]
    assert isinstance(unproven, Unproven)
    assert "timeout_s" in unproven.reason


@AT_ONCE
def test_a_server_that_died(llama_model: Path, concurrency: int) -> None:
    with running_llama(llama_model) as endpoint:
        alive = asked(endpoint, "a", concurrency=concurrency)
    dead = asked(endpoint, *"abcdefghijklmnopqrstuvwxyz", concurrency=concurrency)
    assert isinstance(alive.outcomes["a"], Said)
    assert all(isinstance(outcome, Unproven) for outcome in dead.outcomes.values())
    assert dead.disconnected is not None

"""What a response with status 200 is worth."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.ingest.validate.reply import Answered, PassingFault, one_line, read_completion
from tests.servers.scripted import says


def body(**choice: object) -> str:
    return json.dumps({"choices": [choice]})


def test_the_text_the_tokens_and_the_probability() -> None:
    answered = read_completion(says("YES", p_yes=0.9, tokens=7).body.decode(), 12)
    assert isinstance(answered, Answered)
    assert (answered.text, answered.tokens, answered.latency_ms) == ("YES", 7, 12)
    assert answered.p_yes == pytest.approx(0.9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!doctype html><title>Welcome</title>",
        "null",
        "[]",
        '"YES"',
        "{}",
        '{"choices": null}',
        '{"choices": []}',
        '{"choices": "YES"}',
        '{"choices": [null]}',
        '{"choices": [{}]}',
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": null}}]}',
        '{"choices": [{"message": {"content": ["YES"]}}]}',
        '{"choices": [{"message": {"content": "  "}}]}',
    ],
)
def test_no_answer_is_a_passing_fault(text: str) -> None:
    reply = read_completion(text, 1)
    assert isinstance(reply, PassingFault)
    assert reply.reason.startswith("answered 200 without an answer")
    assert reply.perhaps_billed
    assert not reply.lost_connection


def test_an_error_under_status_200_is_quoted() -> None:
    reply = read_completion('{"error": {"message": "no provider\\nleft", "code": 502}}', 1)
    assert isinstance(reply, PassingFault)
    assert "no provider left" in reply.reason


def test_a_cut_off_answer_says_what_to_do() -> None:
    reply = read_completion(body(message={"content": ""}, finish_reason="length"), 1)
    assert isinstance(reply, PassingFault)
    assert "max_output_tokens" in reply.reason


@pytest.mark.parametrize("logprobs", [None, [], 3, {"content": None}, {"content": [{"token": "YES"}]}])
def test_odd_logprobs_cost_nothing_but_themselves(logprobs: object) -> None:
    reply = read_completion(body(message={"content": "YES"}, logprobs=logprobs, finish_reason=7), 1)
    assert reply == Answered("YES", None, None, 1)


def test_the_chosen_token_alone_is_no_probability() -> None:
    logprobs = {"content": [{"token": "YES", "logprob": -0.7, "top_logprobs": []}]}
    reply = read_completion(body(message={"content": "YES"}, logprobs=logprobs), 1)
    assert reply == Answered("YES", None, None, 1)


def test_the_chosen_token_counts_where_the_list_of_likely_ones_leaves_it_out() -> None:
    token = {"token": "YES", "logprob": -1.0, "top_logprobs": [{"token": "NO", "logprob": -1.0}]}
    reply = read_completion(body(message={"content": "YES"}, logprobs={"content": [token]}), 1)
    assert isinstance(reply, Answered)
    assert reply.p_yes == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"total_tokens": 9}, 9),
        ({"prompt_tokens": 7, "completion_tokens": 1}, 8),
        ({"total_tokens": 0}, None),
        ({"total_tokens": -1000}, None),
        ({"prompt_tokens": -7, "completion_tokens": 1}, None),
        ({}, None),
        (None, None),
        ("many", None),
    ],
)
def test_tokens_as_far_as_the_server_counts_them(usage: object, tokens: int | None) -> None:
    text = json.dumps({"choices": [{"message": {"content": "NO"}}], "usage": usage})
    assert read_completion(text, 1) == Answered("NO", None, tokens, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["choices", "message", "content", "usage"]), inner),
)


@given(st.text() | JSON.map(json.dumps))
def test_any_body_is_read_without_an_error(text: str) -> None:
    assert isinstance(read_completion(text, 1), Answered | PassingFault)


@given(st.text())
def test_foreign_text_becomes_one_short_line(text: str) -> None:
    line = one_line(text, 20)
    assert len(line) <= 20
    assert not line or line.isprintable()

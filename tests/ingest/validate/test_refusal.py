"""What an endpoint says when it refuses, and what of it may be told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kantenwerk.ingest.validate.address import is_plain_local, shown_url, url_problem
from kantenwerk.ingest.validate.refusal import error_codes, error_message, retry_after, without_key


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": {"message": "too long", "code": 400}}', "too long"),
        ('{"error": "model not found"}', "model not found"),
        ('{"message": "slow down"}', "slow down"),
        ('{"detail": [{"loc": ["body"]}]}', '{"detail": [{"loc": ["body"]}]}'),
        ("plain words", "plain words"),
        ("<html>no words</html>", ""),
        ("", ""),
        ('{"error": {"message": "Incorrect API key: sk-ab****wxyz."}}', "Incorrect API key: [key]"),
    ],
)
def test_the_words_of_an_error(body: str, message: str) -> None:
    assert error_message(body) == message


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ('{"error": {"code": "insufficient_quota", "type": "x"}}', {"insufficient_quota", "x"}),
        ('{"code": 7}', {"7", "None"}),
        ("[]", set()),
        ("insufficient_quota", set()),
    ],
)
def test_the_names_of_an_error(body: str, codes: set[str]) -> None:
    assert error_codes(body) == codes


@given(st.text())
def test_any_body_is_read_without_an_error(body: str) -> None:
    error_message(body)
    error_codes(body)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("nan", None), ("soon", None), ("", None), ("inf", float("inf"))],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds


def test_retry_after_as_a_date() -> None:
    then = datetime.now(tz=UTC) + timedelta(seconds=60)
    assert retry_after({"retry-after": format_datetime(then, usegmt=True)}) == pytest.approx(60, abs=5)
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


@pytest.mark.parametrize(
    "date",
    ["Mon, 99 Jan 99999999999999999999 00:00:00 GMT", "Wed, 21 Oct 2015 07:28:00 +9999999999999999999999", "tomorrow"],
)
def test_a_retry_after_that_is_no_date(date: str) -> None:
    assert retry_after({"retry-after": date}) is None


def test_no_retry_after() -> None:
    assert retry_after({}) is None


def test_a_key_is_taken_out_whole_and_by_its_beginning() -> None:
    key = "sk-proj-0123456789"
    assert without_key(f"Bearer {key} is wrong", key) == "Bearer [key] is wrong"
    assert without_key("sk-proj-0123… is wrong", key) == "[key] is wrong"
    assert without_key("sk%2Dproj%2D0123456789 is wrong", key) == "[key] is wrong"
    assert without_key(r"\u0073k-pro\u006A-0123\u2026 is wrong", key) == "[key] is wrong"
    assert without_key(r"\"sk\/proj/01\"", "sk/proj/01") == r"\"[key]\""
    assert without_key("sk-proj-ect is no key", key) == "[key] is no key"
    assert without_key("sk-pro is no key", key) == "sk-pro is no key"
    assert without_key("ollama is not ollamas", "ollama") == "[key] is not [key]s"
    assert without_key("no key at all", "") == "no key at all"


@pytest.mark.parametrize(
    "url",
    ["", "localhost:11434", "ftp://host/v1", "http://", "http:///v1", "http://a b/v1", "http://host:port", "http://[::1",
     "http://host:99999", "http://exa\nmple", "http://müller.de"],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    assert url_problem(url) is not None


@pytest.mark.parametrize(
    "url",
    ["http://localhost:11434/v1", "https://api.example.org/v1", "http://[::1]:80", "http://xn--mller-kva.de"],
)
def test_what_is_an_address(url: str) -> None:
    assert url_problem(url) is None


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    assert shown_url("https://me:secret@host/v1?key=secret#x") == "https://host/v1"
    assert shown_url("https://me:sec@ret@host/v1") == "https://host/v1"


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("https://localhost:1/v1", False),
        ("http://127.0.0.1/v1", True),
        ("http://127.8.0.1/v1", True),
        ("http://[::1]/v1", True),
        ("http://my.localhost/v1", True),
        ("https://api.example.org/v1", False),
        ("http://192.168.0.2/v1", False),
    ],
)
def test_this_very_machine(url: str, *, local: bool) -> None:
    assert is_plain_local(url) == local

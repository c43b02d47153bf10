"""Profiles that lead to a test's server."""

from __future__ import annotations

from kantenwerk.config.model import Profile

KEY_NAME = "KANTENWERK_TEST_KEY"
"""The variable that holds the key of these profiles, if a test wants one."""


def profile_for(base_url: str | None, **changes: object) -> Profile:
    """A profile with little patience, changed key by key."""
    values: dict[str, object] = {
        "base_url": None,
        "model": "tiny",
        "api_key_env": KEY_NAME,
        "temperature": 0.0,
        "timeout_s": 5.0,
        "retries": 2,
        "retry_after_cap_s": 0.05,
        "concurrency": 1,
        "requests_per_minute": None,
        "tokens_per_minute": None,
        "max_calls": None,
        "max_tokens": None,
        "max_output_tokens": 4,
        "logprobs": True,
        "answer_limit": "auto",
        "context_tokens": 2000,
        "default_confidence": 0.8,
        "abstain_below": 0.0,
        "unproven_confidence": 0.3,
    }
    profile = Profile.model_validate(values | changes)
    # Set unchecked: what the client does with an address that no configuration lets through is to be tested.
    return profile.model_copy(update={"base_url": base_url})

"""The packaged files: they load, and they say what the design says."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from kantenwerk.config import Config, load_config
from kantenwerk.config.layers import Layer
from kantenwerk.config.loader import _packaged
from kantenwerk.config.model import PLACEHOLDERS
from kantenwerk.config.outside import slots


@pytest.fixture(scope="module")
def packaged() -> Config:
    return load_config(None, environ={})


def test_settings_are_those_of_the_design(packaged: Config) -> None:
    settings = packaged.settings
    assert settings.self_names == ("ICH", "ME", "SELF")
    assert settings.owner_type == "user"
    assert settings.candidate_headings == ("Unzugeordnete Kanten", "Edge Pool", "Candidates")
    assert settings.smart_edges_headings == ("Smart Edges",)
    assert settings.dataview_fields is False
    assert settings.unknown_kinds == "warning"
    assert settings.interfaces == ()
    assert settings.resolution.level == "semantic"
    assert settings.resolution.threshold == 0.85
    assert settings.resolution.embedder == "default"
    assert settings.resolution.semantic_threshold_of("any model") == 0.85


def test_attachment_extensions_are_lower_case_without_dot_and_named_once(packaged: Config) -> None:
    extensions = packaged.settings.attachment_extensions
    assert {"png", "pdf", "mp3", "mp4", "canvas", "base", "docx", "zip", "csv", "excalidraw"} <= {*extensions}
    assert all(extension == extension.lower().lstrip(".") for extension in extensions)
    assert len(extensions) == len({*extensions})


@pytest.mark.parametrize("name_like", ["js", "c", "h", "md"])
def test_endings_that_names_have_are_no_attachments(packaged: Config, name_like: str) -> None:
    assert name_like not in packaged.settings.attachment_extensions


def test_the_default_type_validates_and_the_packaged_types_make_no_rule_edges(packaged: Config) -> None:
    names = ["default", "concept", "decision", "project", "person", "user", "meeting", "journal", "source"]
    assert [*packaged.types.by_key] == names
    assert packaged.types.of("default").chunking.enable_smart_edge_allocation
    assert packaged.types.of("default").chunking.target_chars == 1600
    assert packaged.types.of("default").chunking.max_chars == 2400
    assert all(packaged.types.of(name).edge_defaults == () for name in names)


def test_a_type_is_found_in_any_case_and_an_unknown_one_is_the_default(packaged: Config) -> None:
    assert packaged.types.is_known("Meeting")
    assert packaged.types.of(" MEETING ").chunking.target_chars == 800
    assert not packaged.types.is_known("recipe")
    assert packaged.types.of("recipe") == packaged.types.of("default")


def test_the_validator_has_no_endpoint(packaged: Config) -> None:
    profile = packaged.validator
    assert (profile.base_url, profile.model) == (None, None)
    assert profile.api_key_env == "OPENAI_API_KEY"
    assert (profile.temperature, profile.timeout_s, profile.retries, profile.concurrency) == (0.0, 60, 3, 4)
    assert (profile.requests_per_minute, profile.tokens_per_minute) == (None, None)
    assert (profile.max_calls, profile.max_tokens, profile.answer_limit) == (None, None, "auto")
    assert (profile.retry_after_cap_s, profile.max_output_tokens, profile.logprobs) == (30, 1024, True)
    assert (profile.context_tokens, profile.default_confidence) == (2000, 0.8)
    assert (profile.abstain_below, profile.unproven_confidence) == (0.0, 0.3)


def test_the_prompt_shows_everything_and_asks_at_the_end(packaged: Config) -> None:
    prompt = packaged.prompts["edge_validation"]
    assert all(prompt.user.count(f"{{{name}}}") == 1 for name in PLACEHOLDERS)
    assert prompt.user.rindex("}") < prompt.user.rindex("QUESTION")
    # A block stands on lines of its own, so that its delimiters do too.
    lines = prompt.user.splitlines()
    assert {f"{{{name}}}" for name in PLACEHOLDERS} <= {*lines}
    assert "YES" in prompt.system
    assert "never instruction" in prompt.system


def test_what_evidence_says_is_no_placeholder(packaged: Config) -> None:
    values = dict.fromkeys(PLACEHOLDERS, "{target_title}")
    assert packaged.prompts["edge_validation"].fill(values).count("{target_title}") == len(PLACEHOLDERS)


def test_all_kinds_are_mirrored_and_explained_in_both_languages(packaged: Config) -> None:
    vocabulary = packaged.vocabulary
    assert all(vocabulary.is_mirrored(kind) for kind in vocabulary.kinds)
    for kind, entry in vocabulary.entries.items():
        assert {*entry.meaning} == {*entry.direction} == {"en", "de"}
        assert all(f"A {kind} B: " in sentence for sentence in entry.direction.values())
        assert entry.aliases


def test_aliases_have_at_most_three_words(packaged: Config) -> None:
    assert all(alias.count("_") < 3 for alias in packaged.vocabulary.alias_of)


def test_every_setting_has_a_variable_of_its_own() -> None:
    names = [slot.variable for slot in slots(_packaged("settings"))]
    assert "KANTENWERK_RESOLUTION_LEVEL" in names
    assert "KANTENWERK_RESOLUTION_SEMANTIC_THRESHOLD_DEFAULT" in names
    assert "KANTENWERK_LLM_BASE_URL" in names
    assert len(names) == len({*names})


def test_the_packaged_files_are_read_with_their_lines() -> None:
    layer = _packaged("edges")
    assert isinstance(layer, Layer)
    assert str(layer.place(("kinds", "depends_on"))).startswith("kantenwerk/config/edges.yaml:")


def test_a_configuration_can_be_sent_to_other_processes(packaged: Config) -> None:
    # Made by this test and nobody else.
    assert pickle.loads(pickle.dumps(packaged)) == packaged


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("from kantenwerk.config import ConfigError", "pydantic"),
        ("from kantenwerk.config import load_config; load_config(None, environ={})", "rapidfuzz"),
    ],
)
def test_heavy_modules_are_loaded_by_what_needs_them(code: str, heavy: str) -> None:
    program = f"import sys; {code}; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

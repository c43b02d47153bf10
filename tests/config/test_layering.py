"""Which layer wins, key by key: defaults, the vault, the environment, the options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kantenwerk.config import load_config

if TYPE_CHECKING:
    from tests.config.conftest import Load

SETTINGS = "settings.yaml"


def test_each_layer_changes_single_keys(load: Load) -> None:
    files = {SETTINGS: "resolution:\n  level: exact\n  margin: 0.1\n  generic_weight: 0.3\n"}
    environ = {"KANTENWERK_RESOLUTION_LEVEL": "stem", "KANTENWERK_RESOLUTION_MARGIN": "0.2"}
    resolution = load(files, environ=environ, overrides={"resolution.level": "semantic"}).settings.resolution
    assert resolution.level == "semantic"
    assert resolution.margin == 0.2
    assert resolution.generic_weight == 0.3
    assert resolution.threshold == 0.85


def test_a_vault_without_files_has_the_defaults(load: Load) -> None:
    assert load() == load_config(None, environ={})
    assert load_config(Path("nowhere"), environ={}) == load_config(None, environ={})


@pytest.mark.parametrize("content", ["", "# nothing\n", b"\xef\xbb\xbf# nothing\r\n"])
def test_an_empty_file_changes_nothing(load: Load, content: str | bytes) -> None:
    assert load({SETTINGS: content}) == load_config(None, environ={})


def test_a_list_replaces_the_whole_list(load: Load) -> None:
    assert load({SETTINGS: "self_names: [MOI]"}).settings.self_names == ("MOI",)
    assert load({SETTINGS: "self_names: []"}).settings.self_names == ()


def test_null_is_a_value(load: Load) -> None:
    files = {"llm_profiles.yaml": "profiles:\n  ingest_validator:\n    api_key_env: null\n"}
    assert load(files).validator.api_key_env is None


def test_open_mappings_take_further_keys(load: Load) -> None:
    files = {SETTINGS: "resolution:\n  semantic_threshold:\n    org/model-1.5: 0.7\n"}
    resolution = load(files).settings.resolution
    assert resolution.semantic_threshold_of("org/model-1.5") == 0.7
    assert resolution.semantic_threshold_of("another") == 0.85
    overridden = load(files, overrides={"resolution.semantic_threshold.org/model-1.5": 0.6})
    assert overridden.settings.resolution.semantic_threshold_of("org/model-1.5") == 0.6
    environ = {"KANTENWERK_RESOLUTION_SEMANTIC_THRESHOLD_ORG_MODEL_1_5": "0.5"}
    assert load(files, environ=environ).settings.resolution.semantic_threshold_of("org/model-1.5") == 0.5


def test_extensions_may_be_written_with_a_dot(load: Load) -> None:
    assert load({SETTINGS: "attachment_extensions: [.PDF]"}).settings.attachment_extensions == ("pdf",)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("DATAVIEW_FIELDS", "true", True),
        ("DATAVIEW_FIELDS", "ON", True),
        ("DATAVIEW_FIELDS", "0", False),
        ("UNKNOWN_KINDS", "error", "error"),
        ("INTERFACES", "Kaffee, Tee,", ("Kaffee", "Tee")),
        ("INTERFACES", "", ()),
    ],
)
def test_variables_of_settings(load: Load, name: str, text: str, value: object) -> None:
    settings = load(environ={f"KANTENWERK_{name}": text}).settings
    assert getattr(settings, name.lower()) == value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("BASE_URL", "http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("BASE_URL", "", None),
        ("MODEL", "qwen3:8b", "qwen3:8b"),
        ("MODEL", "7", "7"),
        ("API_KEY_ENV", "MY_KEY", "MY_KEY"),
        ("TEMPERATURE", "1", 1.0),
        ("TIMEOUT_S", "2.5", 2.5),
        ("MAX_CALLS", "0", 0),
        ("MAX_CALLS", "null", None),
        ("LOGPROBS", "no", False),
    ],
)
def test_variables_of_the_validator(load: Load, name: str, text: str, value: object) -> None:
    assert getattr(load(environ={f"KANTENWERK_LLM_{name}": text}).validator, name.lower()) == value


def test_options_of_the_validator(load: Load) -> None:
    environ = {"KANTENWERK_LLM_MAX_CALLS": "5"}
    assert load(environ=environ, overrides={"llm.max_calls": 0}).validator.max_calls == 0


def test_variables_of_others_are_left_alone(tmp_path: Path) -> None:
    environ = {"PATH": "/bin", "KANTENWERK_VAULT": "x"}
    config = load_config(tmp_path, environ=environ, other_variables={"KANTENWERK_VAULT"})
    assert config == load_config(None, environ={})


def test_a_new_type_inherits_what_it_leaves_out(load: Load) -> None:
    text = """\
chunking_profiles:
  sliding: {target_chars: 1000}
types:
  default:
    edge_defaults: [{kind: supports, confidence: 0.5}]
    chunking: {sliding: {max_chars: 1500}}
  recipe: {}
  essay:
    chunking_profile: sliding
    chunking: {sliding: {enable_smart_edge_allocation: true}}
    edge_defaults: []
  decision:
    edge_defaults: [{kind: basiert auf, confidence: 0.7}]
"""
    types = load({"types.yaml": text}).types
    assert types.of("recipe") == types.of("default")
    essay = types.of("essay")
    assert essay.chunking_profile == "sliding"
    assert essay.chunking.model_dump() == {
        "target_chars": 1000,
        "max_chars": 1500,
        "enable_smart_edge_allocation": True,
    }
    assert essay.edge_defaults == ()
    assert [rule.kind for rule in types.of("decision").edge_defaults] == ["based_on"]
    assert [rule.kind for rule in types.of("person").edge_defaults] == ["supports"]


def test_a_new_kind_needs_little(load: Load) -> None:
    vocabulary = load({"edges.yaml": "kinds:\n  blocks: {inverse: blocked_by, aliases: [blockiert]}\n"}).vocabulary
    assert vocabulary.normalise("Blockiert") == "blocks"
    assert vocabulary.inverse("blocked_by") == "blocks"
    assert vocabulary.is_known("depends_on")


def test_a_packaged_kind_keeps_what_the_vault_leaves_out(load: Load) -> None:
    vocabulary = load({"edges.yaml": "kinds:\n  uses: {mirrored: false}\n"}).vocabulary
    assert not vocabulary.is_mirrored("uses")
    assert vocabulary.is_mirrored("used_by")
    assert vocabulary.normalise("nutzt") == "uses"


def test_a_prompt_changes_without_its_system(load: Load) -> None:
    user = "{chunk_text} {edge_kind} {target_title} {json: 1}"
    prompt = load({"prompts.yaml": f"edge_validation:\n  user: '{user}'\n"}).prompts["edge_validation"]
    assert prompt.user == user
    assert prompt.system == load_config(None, environ={}).prompts["edge_validation"].system


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (SETTINGS, "interfaces: [Kaffee]"),
        ("types.yaml", "types:\n  decision:\n    edge_defaults: [{kind: based_on, confidence: 0.7}]"),
        ("edges.yaml", "kinds:\n  blocks: {}"),
    ],
)
def test_the_fingerprint_follows_what_the_graph_is_made_from(load: Load, name: str, content: str) -> None:
    assert load({name: content}).graph_fingerprint != load_config(None, environ={}).graph_fingerprint


def test_the_fingerprint_leaves_out_prompts_and_models(load: Load) -> None:
    files = {
        "prompts.yaml": "edge_validation:\n  user: '{chunk_text} {edge_kind} {target_title}'\n",
        "llm_profiles.yaml": "profiles:\n  ingest_validator: {model: m}\n",
    }
    assert load(files).graph_fingerprint == load_config(None, environ={}).graph_fingerprint

"""What is said about a wrong configuration: file, line, key, and what would be right; never a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kantenwerk.config import ConfigError, load_config
from kantenwerk.config.document import parse_document
from kantenwerk.config.loader import _packaged
from kantenwerk.config.model import Profile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.config.conftest import Complaints, Load

SETTINGS, TYPES, EDGES = "settings.yaml", "types.yaml", "edges.yaml"
PROMPTS, PROFILES = "prompts.yaml", "llm_profiles.yaml"


def profile(line: str) -> str:
    return f"profiles:\n  ingest_validator:\n    {line}\n"


@pytest.mark.parametrize(
    ("content", "line", "sentence"),
    [
        ("- a\n", 1, "must be a mapping of keys to values"),
        ("text", 1, "must be a mapping of keys to values"),
        (
            "interfaces: [\n\n",
            3,
            "is not valid YAML: while parsing a flow node, did not find expected node content",
        ),
        ("a: 1\n b: 2\n", 2, "is not valid YAML: mapping values are not allowed in this context"),
        ("interfaces: []\n---\n", 2, "is not valid YAML: expected a single document in the stream"),
        ("interfaces: []\nowner_type: a\ninterfaces: []", 3, "interfaces: is there twice, first on line 1"),
        (
            "interfaces: &x [a]\n\nself_names: *x",
            3,
            "self_names: YAML aliases (`*name`) are not allowed here",
        ),
        ("&x {resolution: *x}", 1, "resolution: YAML aliases (`*name`) are not allowed here"),
        ("<<: {interfaces: []}", 1, "a key must be a plain word"),
        ("? [a]\n: b", 1, "a key must be a plain word"),
        ("# \nowner_type: !who x", 2, "owner_type: YAML tags are not allowed here, found `!who`"),
        ("owner_type: !!python/name:os.system", 1, "owner_type: YAML tags are not allowed here"),
        ("owner_type: !!int x", 1, "owner_type: cannot be read as YAML's `int`"),
        ("resolution: " + "[" * 30 + "]" * 30, 1, "resolution[0][0]"),
        ("interfaces: " + "[" * 100_000, 1, "is not valid YAML: "),
        (b"interfaces: []\n# \xfc\n", 2, "is not UTF-8; save it as UTF-8"),
        ("interfaces: []\n".encode("utf-16"), 1, "is not UTF-8; save it as UTF-8"),
        (b"interfaces: []\n# \x00\n", 2, "is not valid YAML: control characters are not allowed"),
    ],
)
def test_what_is_no_document(complaints: Complaints, content: str | bytes, line: int, sentence: str) -> None:
    (found,) = complaints({SETTINGS: content})
    assert found.startswith(f".kantenwerk/{SETTINGS}:{line}: {sentence}")


@pytest.mark.parametrize(
    ("file", "content", "found"),
    [
        (SETTINGS, "\nself_nmaes: []", "2: self_nmaes: no such key; did you mean `self_names`?"),
        (SETTINGS, "resolution:\n  levle: stem", "2: resolution.levle: no such key; did you mean `level`?"),
        (
            SETTINGS,
            "resolution:\n  level: stm",
            "2: resolution.level: must be exact, stem or semantic; did you",
        ),
        (
            SETTINGS,
            "unknown_kinds: warn",
            "1: unknown_kinds: must be error, warning or info; did you mean `warning",
        ),
        (SETTINGS, "self_names:\n- A\n- no", "3: self_names[1]: must be text; put it in quotes"),
        (SETTINGS, "self_names: [' ']", "1: self_names[0]: must not be empty"),
        (SETTINGS, "self_names: ICH", "1: self_names: must be a list"),
        (SETTINGS, "owner_type: null", "1: owner_type: must be text"),
        (SETTINGS, "dataview_fields: 'yes'", "1: dataview_fields: must be true or false"),
        (SETTINGS, "resolution:", "1: resolution: must be a mapping of keys to values"),
        (SETTINGS, "resolution: {margin: yes}", "1: resolution.margin: must be a number"),
        (SETTINGS, "resolution: {margin: .nan}", "1: resolution.margin: must be a finite number"),
        (SETTINGS, "resolution: {margin: 1.5}", "1: resolution.margin: must be less than or equal to 1"),
        (SETTINGS, "attachment_extensions: [md]", "1: attachment_extensions[0]: `md` is what notes end in"),
        (
            SETTINGS,
            "smart_edges_headings: [edge pool]",
            "1: smart_edges_headings[0]: `edge pool` opens candidate",
        ),
        (TYPES, "types:\n  a: {chunkin: {}}", "2: types.a.chunkin: no such key; did you mean `chunking`?"),
        (
            TYPES,
            "types: {a: {chunking_profile: slidng}}",
            "1: types.a.chunking_profile: `slidng`: no such chunking",
        ),
        (
            TYPES,
            "types: {a: {chunking: {slidng: {}}}}",
            "1: types.a.chunking.slidng: no such chunking profile; did",
        ),
        (TYPES, "types: {a: {chunking: {sliding: {max_chars: 9}}}}", "1: types.a.chunking.sliding: leads to"),
        (
            TYPES,
            "types: {a: {chunking: {sliding: {max_chars: 0}}}}",
            "1: types.a.chunking.sliding.max_chars: must be",
        ),
        (
            TYPES,
            "chunking_profiles: {sliding: {max_chars: 9}}",
            "1: chunking_profiles.sliding.max_chars: `max_char",
        ),
        (TYPES, "types: {Person: {}}", "1: types.Person: `person` and `Person` are the same type; keep one"),
        (
            TYPES,
            "types: {default: {chunking_profile: null}}",
            "1: types.default.chunking_profile: must name a prof",
        ),
        (
            TYPES,
            "types:\n  a:\n    edge_defaults:\n    - {kind: basd_on, confidence: 1}",
            "4: types.a.edge_defaults[0].kind: `basd_on`: no such kind; did you mean `based_on`?",
        ),
        (
            TYPES,
            "types: {a: {edge_defaults: [{kind: uses, confidence: 1}, {kind: nutzt, confidence: 0}]}}",
            "1: types.a.edge_defaults[1].kind: `uses` is there twice; keep one",
        ),
        (
            TYPES,
            "types: {a: {edge_defaults: [{kind: uses}]}}",
            "1: types.a.edge_defaults[0].confidence: is missing",
        ),
        (EDGES, "kind: {}", "1: kind: no such key; did you mean `kinds`?"),
        (EDGES, "kinds: {uses: null}", "1: kinds.uses: must be a mapping of keys to values"),
        (EDGES, "kinds: {Blocks It: {}}", "1: kinds.Blocks It: must be written as `blocks_it`"),
        (EDGES, "kinds: {'a:b': {}}", "1: kinds.a:b: must consist of letters, digits and `_`"),
        (EDGES, "kinds: {inverse_of_x: {}}", "1: kinds.inverse_of_x: `inverse_of_` is kept for"),
        (EDGES, "kinds: {a: {meaning: {fr: x}}}", "1: kinds.a.meaning.fr: no such key; possible: de, en"),
        (
            EDGES,
            "kinds:\n  a: {}\n  b: {inverse: a}",
            "3: kinds.b.inverse: inverses must pair up: `b` has the inver",
        ),
        (
            EDGES,
            "kinds: {a: {inverse: uses}}",
            "1: kinds.a.inverse: inverses must pair up: `a` has the inverse `us",
        ),
        (
            EDGES,
            "kinds: {uses: {inverse: use_of}}",
            "1: kinds.uses.inverse: inverses must pair up: `used_by` has t",
        ),
        (
            EDGES,
            "kinds: {a: {inverse: related_to}}",
            "1: kinds.a.inverse: inverses must pair up: `a` has the inver",
        ),
        (
            EDGES,
            "kinds: {a: {inverse: x}, b: {inverse: x}}",
            "1: kinds.b.inverse: `x` is the inverse of both `a` ",
        ),
        (
            EDGES,
            "kinds: {a: {inverse: 'b:c'}}",
            "1: kinds.a.inverse: must consist of letters, digits and `_`",
        ),
        (EDGES, "kinds: {a: {inverse: B C}}", "1: kinds.a.inverse: must be written as `b_c`"),
        (
            EDGES,
            "kinds: {a: {inverse: nutzt}}",
            "1: kinds.a.inverse: `nutzt` is an alias of `uses`; give the kind",
        ),
        (
            EDGES,
            "kinds: {a: {inverse: inverse_of_a}}",
            "1: kinds.a.inverse: `inverse_of_a` is what a kind without",
        ),
        (
            EDGES,
            "kinds: {related_to: {inverse: x}}",
            "1: kinds.related_to.inverse: a symmetric kind is its own in",
        ),
        (
            EDGES,
            "kinds: {related_to: {acyclic: true}}",
            "1: kinds.related_to.acyclic: a symmetric kind cannot be ",
        ),
        (
            EDGES,
            "kinds: {has_part: {acyclic: false}}",
            "1: kinds.has_part.acyclic: must be the same for `has_part",
        ),
        (
            EDGES,
            "kinds: {a: {aliases: [Uses]}}",
            "1: kinds.a.aliases[0]: `Uses`, an alias of `a`, is a kind itself",
        ),
        (
            EDGES,
            "kinds: {nutzt: {}}",
            "1: kinds.nutzt: `nutzt`, an alias of `uses`, is a kind itself; take it off",
        ),
        (
            EDGES,
            "kinds: {a: {aliases: [Nutzt]}}",
            "1: kinds.a.aliases[0]: `Nutzt` is an alias of both `uses` and",
        ),
        (
            EDGES,
            "kinds: {a: {aliases: [b-c, b c]}}",
            "1: kinds.a.aliases[1]: `b c` is an alias of both `a` and `a",
        ),
        (
            EDGES,
            "kinds: {a: {aliases: [inverse of x]}}",
            "1: kinds.a.aliases[0]: `inverse of x`: `inverse_of_` is",
        ),
        (
            EDGES,
            "kinds: {uses: {excludes: [contradict]}}",
            "1: kinds.uses.excludes[0]: `contradict`: no such kind; did you mean `contradicts`?",
        ),
        (
            EDGES,
            "kinds: {uses: {excludes: [nutzt]}}",
            "1: kinds.uses.excludes[0]: `nutzt`: no such kind",
        ),
        (
            EDGES,
            "kinds: {uses: {excludes: [uses]}}",
            "1: kinds.uses.excludes[0]: a kind cannot exclude itself; `acyclic` keeps edges from",
        ),
        (PROMPTS, "edge_validaton: {}", "1: edge_validaton: no such key; did you mean `edge_validation`?"),
        (
            PROMPTS,
            "edge_validation: {system: '{chunk_text}'}",
            "1: edge_validation.system: {chunk_text} is text of",
        ),
        (
            PROMPTS,
            "edge_validation: {user: '{chunk_txt}'}",
            "1: edge_validation.user: {chunk_txt}: no such placehol",
        ),
        (
            PROMPTS,
            "edge_validation: {user: '{edge_kind}'}",
            "1: edge_validation.user: must hold the placeholder {ch",
        ),
        (PROMPTS, "edge_validation: {user: ''}", "1: edge_validation.user: must not be empty"),
        (
            PROFILES,
            "profiles: {ingest_validater: {}}",
            "1: profiles.ingest_validater: no such key; did you mean `",
        ),
        (
            PROFILES,
            profile("temperature: 3"),
            "3: profiles.ingest_validator.temperature: must be less than or equal",
        ),
        (PROFILES, profile("retries: 1.5"), "3: profiles.ingest_validator.retries: must be a whole number"),
        (
            PROFILES,
            profile("max_calls: x"),
            "3: profiles.ingest_validator.max_calls: must be a whole number, or null",
        ),
        (
            PROFILES,
            profile("timeout_s: .inf"),
            "3: profiles.ingest_validator.timeout_s: must be a finite number",
        ),
        (
            PROFILES,
            profile("base_url: localhost:1/v1"),
            "3: profiles.ingest_validator.base_url: must be an address",
        ),
        (
            PROFILES,
            profile("base_url: http://h:x/"),
            "3: profiles.ingest_validator.base_url: must be an address su",
        ),
    ],
)
def test_what_is_wrong_with_a_value(complaints: Complaints, file: str, content: str, found: str) -> None:
    lines = complaints({file: content})
    assert len(lines) == 1
    assert lines[0].startswith(f".kantenwerk/{file}:{found}")


def test_all_mistakes_are_told_at_once_in_order(complaints: Complaints) -> None:
    files = {
        SETTINGS: "b: 1\nowner_type: 1\n",
        EDGES: "kinds: 1",
        TYPES: "- a",
        PROFILES: "profiles: [",
        PROMPTS: "a: 1",
    }
    lines = complaints(files, environ={"KANTENWERK_X": ""}, overrides={"y": 1})
    assert [line.split(": ")[0] for line in lines] == [
        f".kantenwerk/{EDGES}:1",
        f".kantenwerk/{PROFILES}:2",
        f".kantenwerk/{PROMPTS}:1",
        f".kantenwerk/{SETTINGS}:1",
        f".kantenwerk/{SETTINGS}:2",
        f".kantenwerk/{TYPES}:1",
        "environment variable KANTENWERK_X",
        "option y",
    ]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("RESOLUTION_LEVL", "stem", "no such variable; did you mean `KANTENWERK_RESOLUTION_LEVEL`?"),
        ("NONSENSE", "1", "no such variable"),
        ("RESOLUTION_LEVEL", "stm", "must be exact, stem or semantic; did you mean `stem`?"),
        ("RESOLUTION_MARGIN", "much", "must be a number"),
        ("RESOLUTION_MARGIN", "nan", "must be a finite number"),
        ("DATAVIEW_FIELDS", "maybe", "must be true or false"),
        ("DATAVIEW_FIELDS", "", "must be true or false"),
        ("LLM_TIMEOUT_S", "0", "must be greater than 0"),
        ("LLM_MAX_CALLS", "-1", "must be greater than or equal to 0, or null"),
        ("LLM_RETRIES", "1.5", "must be a whole number"),
    ],
)
def test_variables(complaints: Complaints, name: str, text: str, sentence: str) -> None:
    assert complaints(environ={f"KANTENWERK_{name}": text}) == [f"environment variable KANTENWERK_{name}: {sentence}"]


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("llm.max_cals", 1, "no such setting; did you mean `llm.max_calls`?"),
        ("llm.max_calls", -1, "must be greater than or equal to 0, or null"),
        ("resolution.level", "all", "must be exact, stem or semantic"),
    ],
)
def test_options(complaints: Complaints, option: str, value: object, sentence: str) -> None:
    assert complaints(overrides={option: value}) == [f"option {option}: {sentence}"]


def test_a_file_with_the_other_ending_is_not_overlooked(complaints: Complaints) -> None:
    assert complaints({"edges.yml": ""}) == [".kantenwerk/edges.yml: is not read; rename it to edges.yaml"]


def test_a_folder_in_place_of_a_file(tmp_path: Path, complaints: Complaints) -> None:
    (tmp_path / ".kantenwerk" / EDGES).mkdir(parents=True)
    assert complaints() == [f".kantenwerk/{EDGES}: is not a file"]


def test_a_link_to_nowhere_is_no_missing_file(tmp_path: Path, complaints: Complaints) -> None:
    (tmp_path / ".kantenwerk").mkdir()
    (tmp_path / ".kantenwerk" / EDGES).symlink_to("nowhere.yaml")
    assert complaints() == [f".kantenwerk/{EDGES}: is a link to a file that does not exist"]


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / ".kantenwerk").touch()
    with pytest.raises(ConfigError, match=r"\.kantenwerk/settings\.yaml: cannot be read: "):
        load_config(tmp_path, environ={})


SECRET = "sk-Very5ecret"  # made up, to see that it stays unsaid


@pytest.mark.parametrize(
    ("file", "content", "environ"),
    [
        (PROFILES, profile(f"api_key: {SECRET}"), {}),
        (PROFILES, profile(f"api_key_env: {SECRET}"), {}),
        (PROFILES, profile(f"api_key_env: [{SECRET}]"), {}),
        (PROFILES, profile(f"base_url: https://{SECRET}@host/v1"), {}),
        (PROFILES, profile(f"base_url: https://host/v1?key={SECRET}"), {}),
        (PROFILES, profile(f"base_url: {SECRET}"), {}),
        (PROFILES, profile(f"temperature: {SECRET}"), {}),
        (PROFILES, profile(f"api_key: '{SECRET}"), {}),
        (PROFILES, profile(f"api_key: !{SECRET.lower()} {SECRET}\n    : a"), {}),
        (SETTINGS, "", {"KANTENWERK_LLM_API_KEY": SECRET}),
        (SETTINGS, "", {"KANTENWERK_LLM_API_KEY_ENV": SECRET}),
        (SETTINGS, "", {"KANTENWERK_LLM_TEMPERATURE": SECRET}),
    ],
)
def test_no_key_is_ever_said(complaints: Complaints, file: str, content: str, environ: dict[str, str]) -> None:
    assert SECRET not in "\n".join(complaints({file: content}, environ=environ))


def test_a_key_in_place_of_its_variable_gets_the_right_one_named(complaints: Complaints) -> None:
    (line,) = complaints(environ={"KANTENWERK_LLM_API_KEY": SECRET})
    assert "did you mean `KANTENWERK_LLM_API_KEY_ENV`?" in line


def test_the_key_may_stand_in_a_variable_of_ours_and_is_not_kept(load: Load) -> None:
    environ = {"KANTENWERK_LLM_API_KEY_ENV": "KANTENWERK_API_KEY", "KANTENWERK_API_KEY": SECRET}
    config = load(environ=environ)
    assert config.validator.api_key_env == "KANTENWERK_API_KEY"
    assert SECRET not in repr(config)


def test_values_made_in_code_are_checked_without_being_quoted(load: Load) -> None:
    values = {**load().validator.model_dump(), "api_key_env": SECRET}
    with pytest.raises(ValueError, match="never the key itself") as caught:
        Profile.model_validate(values)
    assert SECRET not in str(caught.value)


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 10**20), st.floats(), st.text(max_size=5), st.just("uses")
)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner))


def paths(data: object) -> Iterator[tuple[str, ...]]:
    """Every path of keys in a document, the empty one first."""
    yield ()
    if isinstance(data, dict):
        yield from ((key, *rest) for key, value in data.items() for rest in paths(value))


def replaced(path: tuple[str, ...], value: object) -> object:
    return {path[0]: replaced(path[1:], value)} if path else value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data(), st.sampled_from([SETTINGS, TYPES, EDGES, PROMPTS, PROFILES]))
def test_any_value_anywhere_loads_or_is_an_error_with_its_file(load: Load, data: st.DataObject, file: str) -> None:
    packaged = _packaged(file.removesuffix(".yaml"))
    path = data.draw(st.sampled_from([*paths(packaged.data)]))
    content = yaml.safe_dump(replaced(path, data.draw(values)), allow_unicode=True)
    said = ""
    try:
        load(dict.fromkeys((SETTINGS, TYPES, EDGES, PROMPTS, PROFILES), "") | {file: content})
    except ConfigError as error:
        said = str(error)
    assert all(line.startswith(f".kantenwerk/{file}:") for line in said.splitlines())


@given(st.binary() | st.text().map(str.encode) | st.text("a:-[]{}&*!|>'\" \n#").map(str.encode))
def test_any_bytes_are_a_document_or_a_problem(content: bytes) -> None:
    layer = parse_document(content, SETTINGS, "vault")
    assert not (layer.data and layer.problems)

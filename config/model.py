"""What the five configuration files may say, as frozen values that are checked once and passed down."""

from __future__ import annotations

import re
from collections.abc import Mapping  # pydantic reads it at run time
from functools import cached_property
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from kantenwerk.config.names import name_key
from kantenwerk.config.paths import path_problem
from kantenwerk.config.suggest import no_such

Severity = Literal["error", "warning", "info"]
Bar = Literal["error", "warning", "info", "never"]
Level = Literal["exact", "stem", "semantic"]
Language = Literal["en", "de"]

PLACEHOLDERS: Final = (
    "edge_kind",
    "kind_meaning",
    "kind_direction",
    "chunk_text",
    "context_text",
    "written_name",
    "target_title",
    "target_aliases",
    "target_summary",
)
REQUIRED_PLACEHOLDERS: Final = ("edge_kind", "chunk_text", "target_title")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_VARIABLE_NAME: Final = re.compile(r"[A-Z_][A-Z0-9_]*")


def _extension(written: str) -> str:
    extension = written.removeprefix(".").lower()
    if extension == "md":
        raise ValueError("`md` is what notes end in, never attachments")
    return extension


def _address(written: str) -> str:
    # The value is never quoted: an address can carry a key.
    try:
        parts = urlsplit(written)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise ValueError("must be an address such as http://localhost:11434/v1") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_fine:
        raise ValueError("must be an address such as http://localhost:11434/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user or password; the key comes from the variable in `api_key_env`")
    if parts.query or parts.fragment:
        raise ValueError("must end with its path, such as /v1, without `?` or `#`")
    return written


def _variable_name(written: str) -> str:
    # Strictly upper case, for nearly every key holds a small letter, and a key must not get past here.
    if _VARIABLE_NAME.fullmatch(written) is None:
        raise ValueError("must be the name of a variable, such as OPENAI_API_KEY, never the key itself")
    return written


def _instruction(written: str) -> str:
    if found := [name for name in _PLACEHOLDER.findall(written) if name in PLACEHOLDERS]:
        raise ValueError(f"{{{found[0]}}} is text of notes and belongs in `user`: evidence is no instruction")
    return written


def _template(written: str) -> str:
    found = _PLACEHOLDER.findall(written)
    for name in found:
        if name not in PLACEHOLDERS:
            raise ValueError(f"{{{name}}}: {no_such('placeholder', name, PLACEHOLDERS)}")
    if missing := [name for name in REQUIRED_PLACEHOLDERS if name not in found]:
        raise ValueError(f"must hold the placeholder {{{missing[0]}}}")
    return written


def _grade(written: object) -> object:
    # YAML reads `off` as it reads `false`.
    return "off" if written is False else written


def _pattern(written: str) -> str:
    if (what := path_problem(written)) is not None:
        raise ValueError(what)
    return written


Share = Annotated[float, Field(ge=0.0, le=1.0)]
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Extension = Annotated[Word, AfterValidator(_extension)]
Size = Annotated[int, Field(ge=1)]
Code = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, to_lower=True)]
Grade = Annotated[Literal["error", "warning", "info", "off"], BeforeValidator(_grade)]
# YAML has lists, values have tuples; everything else is read strictly.
Words = Annotated[tuple[Word, ...], Field(strict=False)]
Extensions = Annotated[tuple[Extension, ...], Field(strict=False)]
Codes = Annotated[tuple[Code, ...], Field(strict=False)]


class Section(BaseModel):
    """A part of a configuration file: unknown keys are errors, values never change after loading."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,
    )


class Resolution(Section):
    """How far a name may be resolved, and from which score on (design, section 5)."""

    level: Level
    threshold: Share
    margin: Share
    generic_weight: Share
    embedder: Word
    semantic_threshold: Mapping[str, Share]
    semantic_binds: bool

    def semantic_threshold_of(self, model: str) -> float:
        """Return the cosine from which a model's proposal counts: the model's own, else the default."""
        return self.semantic_threshold.get(model, self.semantic_threshold["default"])


class PathRule(Section):
    """What is different for the findings of some paths."""

    path: Annotated[Word, AfterValidator(_pattern)]
    ignore: Codes = ()
    severity: Mapping[Code, Grade] = Field(default_factory=dict)


class CheckSettings(Section):
    """Which findings `check` reports, and how severe they are; of the graph it changes nothing."""

    fail_on: Bar
    select: Codes
    ignore: Codes
    severity: Mapping[Code, Grade]
    per_path: Annotated[tuple[PathRule, ...], Field(strict=False)]
    baseline: Word | None


class Settings(Section):
    """`settings.yaml`: words and switches of the syntax and of resolution."""

    self_names: Words
    owner_type: Word
    candidate_headings: Words
    smart_edges_headings: Words
    dataview_fields: bool
    unknown_kinds: Severity
    attachment_extensions: Extensions
    interfaces: Words
    resolution: Resolution
    check: CheckSettings

    @cached_property
    def interface_keys(self) -> frozenset[str]:
        """The keys of the names of interfaces, under which names are compared."""
        return frozenset(map(name_key, self.interfaces))

    @cached_property
    def self_keys(self) -> frozenset[str]:
        """The keys of the words that mean the owner of a note."""
        return frozenset(map(name_key, self.self_names))


class ChunkingProfile(Section):
    """How a section's blocks are gathered into chunks, and whether its candidates are validated."""

    target_chars: Size
    max_chars: Size
    enable_smart_edge_allocation: bool


class ChunkingChanges(Section):
    """What a type changes in a chunking profile; what it leaves out or sets to null stays as it is."""

    target_chars: Size | None = None
    max_chars: Size | None = None
    enable_smart_edge_allocation: bool | None = None


class EdgeDefault(Section):
    """A kind that every `references` link of a type also gives."""

    kind: Word
    confidence: Share


EdgeDefaults = Annotated[tuple[EdgeDefault, ...], Field(strict=False)]


class TypeEntry(Section):
    """One type of `types.yaml` as written; what it leaves out or sets to null is as in the type `default`."""

    chunking_profile: Word | None = None
    chunking: Mapping[str, ChunkingChanges] = Field(default_factory=dict)
    edge_defaults: EdgeDefaults | None = None


class TypesFile(Section):
    """`types.yaml`: what a note's type decides."""

    chunking_profiles: Mapping[str, ChunkingProfile]
    types: Mapping[str, TypeEntry]


class NoteType(Section):
    """What a note's `type` decides: its chunking profile, already merged, and its rule edges."""

    chunking_profile: str
    chunking: ChunkingProfile
    edge_defaults: EdgeDefaults = ()


class KindEntry(Section):
    """One kind of `edges.yaml`, or one direction of it; `acyclic` left out is as in the other direction.

    `excludes` as written names some kinds; once completed, all that cannot hold beside this one.
    """

    inverse: Word | None = None
    symmetric: bool = False
    mirrored: bool = True
    acyclic: bool | None = None
    excludes: Words = ()
    meaning: Mapping[Language, Word] = Field(default_factory=dict)
    direction: Mapping[Language, Word] = Field(default_factory=dict)
    aliases: Words = ()


class EdgesFile(Section):
    """`edges.yaml`: the vocabulary as written."""

    kinds: Mapping[str, KindEntry]


class Prompt(Section):
    """A prompt template: `system` is instruction, `user` holds the placeholders for evidence."""

    system: Annotated[str, StringConstraints(min_length=1), AfterValidator(_instruction)]
    user: Annotated[str, StringConstraints(min_length=1), AfterValidator(_template)]

    def fill(self, values: Mapping[str, str]) -> str:
        """Put evidence into the template.

        Args:
            values: The text for each of `PLACEHOLDERS`, delimited already.

        Returns:
            The user message. What looks like a placeholder inside a value stays as it is.
        """
        return _PLACEHOLDER.sub(lambda found: values[found.group(1)], self.user)


class PromptsFile(Section):
    """`prompts.yaml`: the prompts that there are."""

    edge_validation: Prompt


class Profile(Section):
    """One entry of `llm_profiles.yaml`: which model is asked, and within which bounds."""

    base_url: Annotated[Word, AfterValidator(_address)] | None
    model: Word | None
    api_key_env: Annotated[Word, AfterValidator(_variable_name)] | None
    temperature: Annotated[float, Field(ge=0.0, le=2.0)]
    timeout_s: Annotated[float, Field(gt=0)]
    retries: Annotated[int, Field(ge=0)]
    retry_after_cap_s: Annotated[float, Field(ge=0)]
    concurrency: Annotated[int, Field(ge=1)]
    requests_per_minute: Annotated[int, Field(ge=1)] | None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None
    max_calls: Annotated[int, Field(ge=0)] | None
    max_tokens: Annotated[int, Field(ge=0)] | None
    max_output_tokens: Annotated[int, Field(ge=1)]
    logprobs: bool
    answer_limit: Literal["auto", "none", "grammar", "choice"]
    context_tokens: Annotated[int, Field(ge=1)]
    default_confidence: Share
    abstain_below: Annotated[float, Field(ge=0.0, le=0.5)]
    unproven_confidence: Share


class Profiles(Section):
    """The profiles that there are, so that a misspelt one is an error and not a profile that nobody uses."""

    ingest_validator: Profile


class ProfilesFile(Section):
    """`llm_profiles.yaml`: the language models."""

    profiles: Profiles

"""Turns evidence into a prompt whose frame no note can break out of, and gives the hashes a verdict rests on."""

from __future__ import annotations

import hashlib
import hmac
import json

from kantenwerk.config import Config, Profile, Prompt
from kantenwerk.config.model import Language
from kantenwerk.ingest.validate.evidence import CHARS_PER_TOKEN, Evidence
from kantenwerk.ingest.validate.message import Message
from kantenwerk.ingest.validate.outcome import Question

PROMPT = "edge_validation"
# What an answer of one word takes with the frame around it; a model that thinks first takes more.
_ANSWER_TOKENS = 16


def prompt_hash(kind: str, language: Language, config: Config) -> str:
    """Return the hash of all that can change an answer besides the evidence; never address or budgets."""
    content = [*asked_with(config), *_kind_texts(kind, language, config)]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:32]


def asked_with(config: Config) -> list[object]:
    """Return all but the kind's meaning and the evidence that can change an answer."""
    prompt, profile = config.prompts[PROMPT], config.validator
    return [
        prompt.system,
        prompt.user,
        profile.model,
        profile.temperature,
        profile.max_output_tokens,
        profile.logprobs,
        profile.answer_limit,
        profile.abstain_below,
    ]


def verdict_key(evidence_hash: str, prompt_digest: str) -> str:
    """Return the key of a model's verdict."""
    return hashlib.sha256(f"{evidence_hash}\n{prompt_digest}".encode()).hexdigest()[:32]


def claim_key(source: str, kind: str, target: str) -> str:
    """Return the key of a person's verdict."""
    return hashlib.sha256(json.dumps([source, kind, target], ensure_ascii=False).encode()).hexdigest()[:32]


def question(key: str, evidence: Evidence, evidence_hash: str, config: Config, secret: bytes) -> Question:
    """Return what to ask about one candidate under a verdict's key; placeholders expand to delimited text."""
    prompt = config.prompts[PROMPT]
    nonce = hmac.new(secret, evidence_hash.encode(), hashlib.sha256).hexdigest()[:16]
    user = _filled(prompt, evidence, config, nonce)
    estimate = (len(prompt.system) + len(user)) // CHARS_PER_TOKEN + _ANSWER_TOKENS
    return Question(key, (Message("system", prompt.system), Message("user", user)), estimate)


def _filled(prompt: Prompt, evidence: Evidence, config: Config, nonce: str) -> str:
    meaning, direction = _kind_texts(evidence.kind, evidence.language, config)
    values = {
        "edge_kind": evidence.kind,
        "kind_meaning": meaning,
        "kind_direction": direction,
        "chunk_text": evidence.passage,
        "context_text": evidence.context,
        "written_name": evidence.written,
        "target_title": evidence.target.title,
        "target_aliases": "\n".join(evidence.target.aliases),
        "target_summary": evidence.target.summary,
    }

    def delimited(text: str) -> str:
        while nonce in text:
            text = text.replace(nonce, "")
        return f"<<<{nonce}\n{text.strip() or '(nothing)'}\n{nonce}>>>"

    return prompt.fill({name: delimited(text) for name, text in values.items()})


def _kind_texts(kind: str, language: Language, config: Config) -> tuple[str, str]:
    vocabulary = config.vocabulary
    return vocabulary.meaning(kind, language), vocabulary.direction(kind, language)


def is_configured(profile: Profile) -> bool:
    """Tell whether there is an endpoint and a model to ask."""
    return bool(profile.base_url and profile.model)


def can_ask(profile: Profile) -> bool:
    """Tell whether there is one, and the budget allows a call."""
    return is_configured(profile) and profile.max_calls != 0

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


def prompt_hash(kind: str, config: Config) -> str:
    """Return the hash of all that can change an answer besides the evidence; never address or budgets."""
    prompt, profile = config.prompts[PROMPT], config.validator
    content = [
        prompt.system,
        prompt.user,
        _kind_texts(kind, config),
        profile.model,
        profile.temperature,
        profile.max_output_tokens,
        profile.logprobs,
        profile.abstain_below,
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:32]


def verdict_key(evidence_hash: str, prompt_digest: str) -> str:
    """Return the key of a model's verdict."""
    return hashlib.sha256(f"{evidence_hash}\n{prompt_digest}".encode()).hexdigest()[:32]


def claim_key(source: str, kind: str, target: str) -> str:
    """Return the key of a person's verdict."""
    return hashlib.sha256(json.dumps([source, kind, target], ensure_ascii=False).encode()).hexdigest()[:32]


def question(evidence: Evidence, config: Config, secret: bytes) -> Question:
    """Return what to ask about one candidate; every placeholder expands to delimited text."""
    prompt = config.prompts[PROMPT]
    nonce = hmac.new(secret, evidence.digest.encode(), hashlib.sha256).hexdigest()[:16]
    key = verdict_key(evidence.digest, prompt_hash(evidence.kind, config))
    user = _filled(prompt, evidence, config, nonce)
    estimate = (len(prompt.system) + len(user)) // CHARS_PER_TOKEN + _ANSWER_TOKENS
    return Question(key, (Message("system", prompt.system), Message("user", user)), estimate)


def _filled(prompt: Prompt, evidence: Evidence, config: Config, nonce: str) -> str:
    meaning, direction = _kind_texts(evidence.kind, config)
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
        return f"<<<{nonce}\n{text.replace(nonce, '').strip() or '(nothing)'}\n{nonce}>>>"

    return prompt.fill({name: delimited(text) for name, text in values.items()})


def _kind_texts(kind: str, config: Config, language: Language = "en") -> tuple[str, str]:
    vocabulary = config.vocabulary
    return vocabulary.meaning(kind, language), vocabulary.direction(kind, language)


def is_configured(profile: Profile) -> bool:
    """Tell whether there is an endpoint and a model to ask."""
    return bool(profile.base_url and profile.model)

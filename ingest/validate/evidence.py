"""What a judge is shown about one candidate, and the hash that says whether it is still the same (section 6.2)."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from typing import Any

from kantenwerk.config.model import Language
from kantenwerk.config.names import name_key, without_extension
from kantenwerk.graph.model import Chunk, Link
from kantenwerk.ingest.validate.language import language_of

# A rule of thumb for English and German text, wide enough for both.
CHARS_PER_TOKEN = 4
_RELEVANT_CHUNKS = 5
# Written out, for the Unicode tables of two Python versions may differ, and the evidence's hash must not.
_INVISIBLE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f"
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
)
# What servers read as a model's own control tokens wherever it stands in a message, such as `<|im_end|>`, `</s>`,
# `[INST]`, `[|user|]`, `]~b]`: with it a note could end its turn and begin one of the system's.
_CONTROL = re.compile(r"<(?=[|\uff5c]|[^\s<>]{1,80}>)|\[(?=/?[A-Z_]{3,40}\]|gMASK|\||e~)|\](?=[~!])")
_WORD = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Face:
    """What a note shows of itself when it is a candidate's target."""

    title: str
    aliases: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The texts that the judge sees.

    Not among them are `label`, which says in the log where they come from, and `language`, the note's, in which the
    judge is told what the kind means.
    """

    kind: str
    passage: str
    context: str
    target: Face
    written: str
    label: str
    language: Language

    @property
    def digest(self) -> str:
        """The evidence hash: kind and the exact texts shown; no ids, no paths, no nonce."""
        shown = [
            self.kind,
            self.passage,
            self.context,
            self.target.title,
            list(self.target.aliases),
            self.target.summary,
            self.written,
        ]
        return hashlib.sha256(json.dumps(shown, ensure_ascii=False).encode()).hexdigest()[:32]


def evidence_values(evidence: Evidence) -> tuple[object, ...]:
    """Return what `evidence_of` makes evidence of, in texts and tuples."""
    face = (evidence.target.title, evidence.target.aliases, evidence.target.summary)
    place = (evidence.written, evidence.label, evidence.language)
    return (evidence.kind, evidence.passage, evidence.context, face, *place)


def evidence_of(values: tuple[Any, ...]) -> Evidence:
    """Return the evidence that `evidence_values` took apart."""
    kind, passage, context, face, *place = values
    return Evidence(kind, passage, context, Face(*face), *place)


@dataclass(frozen=True)
class NoteText:
    """A note's text as its candidates are shown it; what all of them share is worked out once."""

    chunks: tuple[Chunk, ...]
    summary: str

    @cached_property
    def whole(self) -> str:
        """All chunks in order."""
        return _shown(self.chunks)

    @cached_property
    def language(self) -> Language:
        """The language that it is written in."""
        return language_of(self.whole)

    @cached_property
    def words(self) -> dict[str, dict[int, int]]:
        """For each word, how often it stands in each chunk that holds it."""
        words: dict[str, dict[int, int]] = defaultdict(dict)
        for number, chunk in enumerate(self.chunks):
            for word in _WORD.findall(name_key(f"{' '.join(chunk.heading_path)} {chunk.text}")):
                words[word][number] = words[word].get(number, 0) + 1
        return words

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Where each chunk stands, by its ordinal."""
        return {chunk.ordinal: number for number, chunk in enumerate(self.chunks)}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How long each chunk is with its headings and the blank line that parts it from the next."""
        return tuple(len(_shown([chunk])) + 2 for chunk in self.chunks)

    @cached_property
    def shortest(self) -> int:
        """The shortest of these."""
        return min(self.lengths, default=0)


def gather(link: Link, note: NoteText, target: Face, context_tokens: int) -> Evidence:
    """Return the evidence for a candidate of a note.

    Scope `chunk` shows the candidate's chunk and, as context, as much of the rest as the budget allows, the
    nearest first. Scope `note`, and a section without text, shows the whole text if it fits, else the note's
    summary and its five chunks that are most relevant to the claim.
    """
    budget = context_tokens * CHARS_PER_TOKEN
    chunks = note.chunks
    own = note.numbers.get(link.chunk or "")
    if link.scope == "chunk" and own is not None:
        passage = _shown([chunks[own]])[:budget]
        context = _shown(_nearest(note, own, budget - len(passage)))
        label = f"chunk {chunks[own].ordinal}"
    else:
        passage, context, label = _of_note(link, note, target, budget)
    face = Face(clean(target.title)[:budget], _cut(target.aliases, budget), clean(target.summary)[:budget])
    written = clean(without_extension(link.written).rpartition("/")[2])[:budget]
    return Evidence(clean(link.kind), passage, context, face, written, label, note.language)


def clean(text: str) -> str:
    """Return `text` without characters that a reader cannot see: controls, joiners, bidirectional marks, tags.

    What a model may take for a control token gets a blank into it, and is text again.
    """
    return _CONTROL.sub(r"\g<0> ", _INVISIBLE.sub("", text))


def _cut(aliases: Iterable[str], budget: int) -> tuple[str, ...]:
    """Return the aliases that fit together into the budget, a line each."""
    kept: list[str] = []
    for alias in map(clean, aliases):
        budget -= len(alias) + 1
        if budget < 0:
            break
        kept.append(alias)
    return tuple(kept)


def _of_note(link: Link, note: NoteText, target: Face, budget: int) -> tuple[str, str, str]:
    if len(note.whole) <= budget:
        return note.whole, "", "note, whole"
    chosen = _most_relevant(note, f"{link.kind} {link.written} {target.title} {' '.join(target.aliases)}")
    passage = _shown(chosen)[:budget]
    return passage, clean(note.summary)[: budget - len(passage)], f"note, {len(chosen)} chunks"


def _shown(chunks: Iterable[Chunk]) -> str:
    return "\n\n".join(clean("\n".join(filter(None, [" > ".join(chunk.heading_path), chunk.text]))) for chunk in chunks)


def _nearest(note: NoteText, own: int, budget: int) -> list[Chunk]:
    chosen: list[int] = []
    last = len(note.chunks) - 1
    for away in range(1, max(own, last - own) + 1):
        if budget < note.shortest:
            break
        for number in (own - away, own + away):
            if 0 <= number <= last and note.lengths[number] <= budget:
                chosen.append(number)
                budget -= note.lengths[number]
    return [note.chunks[number] for number in sorted(chosen)]


def _most_relevant(note: NoteText, claim: str) -> list[Chunk]:
    """Rank by the claim's words, the rare ones heavier (inverse document frequency, Spärck Jones 1972)."""
    count = len(note.chunks)
    # Where too few hold any of the words, the first ones are taken.
    scores = dict.fromkeys(range(min(count, _RELEVANT_CHUNKS)), 0.0)
    for word in sorted(set(_WORD.findall(name_key(claim).replace("_", " ")))):
        found = note.words.get(word, {})
        weight = math.log((1 + count) / (1 + len(found)))
        for number, times in found.items():
            scores[number] = scores.get(number, 0.0) + weight * min(times, 3)
    best = nsmallest(_RELEVANT_CHUNKS, scores, key=lambda number: (-scores[number], number))
    return [note.chunks[number] for number in sorted(best)]

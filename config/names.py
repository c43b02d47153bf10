"""The one place where names and kinds are brought into the form in which they are compared."""

from __future__ import annotations

import re
from itertools import groupby
from unicodedata import combining, normalize

# Besides the keyboard's hyphen: the two that word processors put in its place.
_BETWEEN_WORDS = re.compile(r"[\s\-\u2010\u2011]+")
# Invisible characters that editors leave at the ends of names; `str.strip` does not count them as blanks.
_INVISIBLE = "\u200b\u2060\ufeff"
# More signs on one letter than any script puts there.
_PILE = re.compile(r"[^\w\s\x00-\x7f]{64,}")
_LONGEST_PILE = 1_000


def nfc(text: str) -> str:
    """Return `text` in Unicode NFC."""
    if text.isascii():
        return text
    # To order a pile of signs takes the square of its height; ordered, it is left alone.
    return normalize("NFC", _PILE.sub(_ordered, text) if len(text) > _LONGEST_PILE else text)


def _ordered(pile: re.Match[str]) -> str:
    signs = "".join(normalize("NFD", sign) for sign in pile.group())
    return "".join(
        "".join(sorted(run, key=combining)) for _, run in groupby(signs, key=lambda sign: not combining(sign))
    )


def trim(text: str) -> str:
    """Return `text` without the Unicode blanks and invisible characters at its ends."""
    stripped = text.strip()
    if stripped.isascii():
        return stripped
    while stripped and (stripped[0] in _INVISIBLE or stripped[-1] in _INVISIBLE):
        stripped = stripped.strip(_INVISIBLE).strip()
    return stripped


def name_key(name: str) -> str:
    """Return the key by which two spellings of a name are the same name.

    The name trimmed, in NFC and lower case (not case folding: `ß` stays `ß`, as in Obsidian). Composed once
    more at the end, for some letters exist composed in lower case only, and the key of a key is that key.
    """
    name = trim(name)
    return name.lower() if name.isascii() else nfc(nfc(name).lower())


def kind_key(written: str) -> str:
    """Return the spelling of a kind that the graph uses, before aliases are looked up: joined by `_`."""
    return _BETWEEN_WORDS.sub("_", name_key(written))


def without_extension(name: str) -> str:
    """Return `name` without a trailing `.md` in any case."""
    return name[:-3] if name[-3:].lower() == ".md" and len(name) > 3 else name  # noqa: PLR2004 - the ending alone

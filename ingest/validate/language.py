"""Tells a German text from an English one by its function words. Pure.

Counted here and not guessed by a library: verdicts are found by what this returns, and a library's next model would ask
about every candidate anew.
"""

from __future__ import annotations

import re

from kantenwerk.config.model import Language

_WORD = re.compile(r"\w+")
# None of them is a word of the other language: `an`, `in`, `was`, `war`, `will` and their like are of no use.
_OF_GERMAN = """
aber als auch auf aus bei bis dann das dass dem den der des die diese dieser doch durch ein eine einem einen einer eines
er es für haben hier ich ihr ist jede kann kein keine mehr mit muss nach nicht noch nur ob oder ohne sehr sich sie sind
über um und uns unter vom von vor weil wenn werden wie wir wird wo zu zum zur zwischen
"""
_OF_ENGLISH = """
about after all and are as at because been before between but by can for from have he her his how if into is it its more
must not of on only or our over should than that the their them then there these they this those to under very we were
what when which who why with without would you your
"""
_GERMAN, _ENGLISH = frozenset(_OF_GERMAN.split()), frozenset(_OF_ENGLISH.split())


def language_of(text: str) -> Language:
    """Return whether a text is German or English; what says neither is English."""
    text = text.lower()
    words = _WORD.findall(text)
    german, english = (sum(map(known.__contains__, words)) for known in (_GERMAN, _ENGLISH))
    if german == english:
        return "de" if re.search("[äöüß]", text) else "en"
    return "de" if german > english else "en"

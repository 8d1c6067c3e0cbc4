"""A line or a sentence that names keys; a click on one is that key. It may hold foreign words: nothing is markup."""

from __future__ import annotations

import re

from textual.widgets import Static

from writer.tui.prompt.key_hint import KeyHint, pressing
from writer.tui.prompt.key_rows import KEYS, SEPARATOR, is_sentence

_FIRST = re.compile(r"(?:(?P<one>[a-z])(?= )|(?P<some>(?:(?:" + "|".join(KEYS) + r")\b[ ]?)+))")
_WORD = re.compile(r"\b(?:Enter|Escape|Esc|Tab)\b")
_NAMED = re.compile("|".join(rf"\b{name}\b" for name in KEYS))


class KeyLine(KeyHint):
    """Parts such as "Enter open · s status", each beginning with its key; or a sentence with keys in it."""

    def __init__(self, text: str, *, classes: str = "") -> None:
        Static.__init__(self, pressing(text, clicks(text)), markup=False, classes=classes)

    def say(self, text: str) -> None:
        """Another text."""
        self.update(pressing(text, clicks(text)))


def clicks(text: str) -> list[tuple[int, int, str]]:
    """Which characters [start, end) stand for which key."""
    if is_sentence(text):
        return [(found.start(), found.end(), KEYS[found[0]]) for found in _WORD.finditer(text)]
    found: list[tuple[int, int, str]] = []
    at = 0
    for part in text.split(SEPARATOR):
        found += [(at + start, at + end, key) for start, end, key in _of_part(part)]
        at += len(part) + len(SEPARATOR)
    return found


def _of_part(part: str) -> list[tuple[int, int, str]]:
    first = _FIRST.match(part)
    if first is None:
        return []
    if first["one"]:
        return [(0, len(part), first["one"])]
    names = list(_NAMED.finditer(first["some"]))
    if len(names) == 1:
        return [(0, len(part), KEYS[names[0][0]])]
    return [(name.start(), name.end(), KEYS[name[0]]) for name in names]

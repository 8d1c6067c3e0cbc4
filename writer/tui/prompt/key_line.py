"""A line or a sentence that names keys; a click on one is that key. It may hold foreign words: nothing is markup."""

from __future__ import annotations

import re

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from writer.tui.prompt.key_hint import KeyHint

_KEYS = {
    "Enter": "enter",
    "Esc": "escape",
    "Escape": "escape",
    "Space": "space",
    "Tab": "tab",
    "PgUp": "pageup",
    "PgDn": "pagedown",
    "Home": "home",
    "End": "end",
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
}
_SEPARATOR = " · "
_FIRST = re.compile(r"(?:(?P<one>[a-z])(?= )|(?P<some>(?:(?:" + "|".join(_KEYS) + r")\b[ ]?)+))")
_WORD = re.compile(r"\b(?:Enter|Escape|Esc|Tab)\b")
_NAMED = re.compile("|".join(rf"\b{name}\b" for name in _KEYS))


class KeyLine(KeyHint):
    """Parts such as "Enter open · s status", each beginning with its key; or a sentence with keys in it."""

    def __init__(self, text: str, *, classes: str = "") -> None:
        Static.__init__(self, clickable(text), markup=False, classes=classes)


def clickable(text: str) -> Content:
    """The text, with what a click on it presses."""
    content = Content(text)
    for start, end, key in clicks(text):
        content = content.stylize(Style.from_meta({"@click": f"press('{key}')"}), start, end)
    return content


def clicks(text: str) -> list[tuple[int, int, str]]:
    """Which characters [start, end) stand for which key."""
    if text.endswith((".", "。")):
        return [(found.start(), found.end(), _KEYS[found[0]]) for found in _WORD.finditer(text)]
    found: list[tuple[int, int, str]] = []
    at = 0
    for part in text.split(_SEPARATOR):
        found += [(at + start, at + end, key) for start, end, key in _of_part(part)]
        at += len(part) + len(_SEPARATOR)
    return found


def _of_part(part: str) -> list[tuple[int, int, str]]:
    first = _FIRST.match(part)
    if first is None:
        return []
    if first["one"]:
        return [(0, len(part), first["one"])]
    names = list(_NAMED.finditer(first["some"]))
    if len(names) == 1:
        return [(0, len(part), _KEYS[names[0][0]])]
    return [(name.start(), name.end(), _KEYS[name[0]]) for name in names]

"""Words inside one paragraph, as a word processor knows them: for moving by words and for the double click.

A word is a run of letters, digits and marks with the apostrophes inside it, a run of Chinese or Japanese signs, or a
run of other signs. Every place returned is a cluster boundary.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

from writer.editing.cells import next_stop, stop

_APOSTROPHES = "'’"
_CJK = (
    *((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3041, 0x3096), (0x309D, 0x309F)),
    *((0x30A1, 0x30FA), (0x30FC, 0x3127), (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1B000, 0x1B16F), (0x20000, 0x3FFFF)),
)

_Kind = Literal["space", "word", "cjk", "sign", "mark"]


def next_word(text: str, at: int) -> int:
    """Where the next word begins: behind the one at `at` and the spaces after it; the length of the text at most."""
    at = max(0, min(at, len(text)))
    if at < len(text) and _kind_at(text, at) != "space":
        at = _run_end(text, at)
    if at < len(text) and _kind_at(text, at) == "space":
        at = _run_end(text, at)
    return _not_inside(text, at)


def previous_word(text: str, at: int) -> int:
    """Where the word that ends before `at`, or holds it, begins: spaces before `at` are skipped; 0 at least."""
    at = max(0, min(at, len(text)))
    if at and _kind_at(text, at - 1) == "space":
        at = _run_start(text, at - 1)
    return stop(text, _run_start(text, at - 1)) if at else 0


def word_at(text: str, at: int) -> tuple[int, int]:
    """[start, end) of the word, or the spaces, that hold the character at `at`; the last of the text behind its end."""
    if not text:
        return 0, 0
    at = max(0, min(at, len(text) - 1))
    return stop(text, _run_start(text, at)), _not_inside(text, _run_end(text, at))


def _run_start(text: str, at: int) -> int:
    """Where the run that holds `at` starts."""
    kind = _kind_at(text, at)
    start = at
    while at:
        at -= 1
        here = _kind(text[at])
        if here == "mark":
            continue
        if here != kind and not (kind == "word" and _binds(text, at)):
            return start
        start = at
    return 0 if kind == "word" else start  # marks without anything before them are a word


def _run_end(text: str, at: int) -> int:
    """Where the run that holds `at` ends. Marks belong to what they stand behind."""
    kind = _kind_at(text, at)
    at += 1
    while at < len(text):
        here = _kind(text[at])
        if here != kind and here != "mark" and not (kind == "word" and _binds(text, at)):
            break
        at += 1
    return at


def _kind_at(text: str, at: int) -> _Kind:
    """The kind of the word that the character belongs to."""
    start = at
    while start and _kind(text[start]) == "mark":
        start -= 1
    if _binds(text, start):
        return "word"
    kind = _kind(text[start])
    return "word" if kind == "mark" else kind


def _binds(text: str, at: int) -> bool:
    """Whether an apostrophe stands here inside a word."""
    if text[at] not in _APOSTROPHES or not 0 < at < len(text) - 1 or _kind(text[at + 1]) != "word":
        return False
    before = at - 1
    while before and _kind(text[before]) == "mark":
        before -= 1
    return _kind(text[before]) == "word"


@lru_cache(maxsize=4096)
def _kind(character: str) -> _Kind:
    if character.isspace():
        return "space"
    code = ord(character)
    if any(first <= code <= last for first, last in _CJK):
        return "cjk"
    category = unicodedata.category(character)
    if category[0] == "M" or character in "\u200b\u200c\u200d\u00ad\u2060":
        return "mark"
    return "word" if category[0] in "LN" or character == "_" else "sign"


def _not_inside(text: str, at: int) -> int:
    return at if stop(text, at) == at else next_stop(text, at)

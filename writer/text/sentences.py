"""Where sentences begin and end, in prose of any script. Pure, linear.

A line break always ends a sentence. An abbreviation, an initial and a number's point do not; nor does an end that a
small letter follows, as in "'Stop!' he said".
"""

from __future__ import annotations

import re

_CLOSERS = "\"'”’»›)\\]*_"
_GERMAN_CLOSERS = "“«‹"  # they open elsewhere, so a blank must follow
_WIDE_CLOSERS = "”’」』）》〉】"
_END = re.compile(
    rf"(?P<narrow>[.!?…]+[{_CLOSERS}{_GERMAN_CLOSERS}]*[^\S\n]+)|[。！？｡]+[…—]*[{_WIDE_CLOSERS}{_CLOSERS}]*[^\S\n]*|\s*\n\s*",
)
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Rev|vs|bzw|ca|No|Nr|[^\W\d_])|^\s*\d{1,3})\.\s+$")
_STOPS = frozenset(".!?…。！？｡")


def sentences(text: str) -> list[tuple[int, int]]:
    """[start, end) of each, in characters, with the blanks after it. Together they are the whole text."""
    found: list[tuple[int, int]] = []
    start = 0
    for end in _END.finditer(text):
        if end.end() == len(text) or end.end() == start:
            continue
        if end["narrow"] and (
            text[end.end()].islower() or _ABBREVIATION.search(text[max(start, end.start() - 8) : end.end()])
        ):
            continue
        found.append((start, end.end()))
        start = end.end()
    return [*found, (start, len(text))] if start < len(text) else found


def first_sentence(text: str) -> str:
    """The first of several, in the language of any interface; the text itself if it is one."""
    return text[slice(*sentences(text)[0])].rstrip() if text else ""


def complete(text: str) -> bool:
    """Whether the text ends where a sentence ends: with a full stop or the like, perhaps closed by quotes."""
    bare = text.rstrip().rstrip(_CLOSERS.replace("\\", "") + _GERMAN_CLOSERS + _WIDE_CLOSERS)
    return bool(bare) and bare[-1] in _STOPS

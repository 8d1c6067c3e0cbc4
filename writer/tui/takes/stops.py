"""Places in a text from which one can go on: behind its words, sentences and paragraphs. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from writer.editing.boundaries import word_at
from writer.text.sentences import sentences

_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Stops:
    """Characters before each place, rising. The last of each kind is the end of the text without the blanks there."""

    words: tuple[int, ...]
    sentences: tuple[int, ...]
    paragraphs: tuple[int, ...]


def stops(text: str) -> Stops:
    """Those of this text; none if it has no word."""
    words: list[int] = []
    whole: list[int] = []
    lines: list[int] = []
    for line in _LINE.finditer(text):
        paragraph = line[0].rstrip()
        if paragraph:
            first = line.start()
            words += (first + end for end in _words(paragraph))
            whole += (first + len(paragraph[:end].rstrip()) for _, end in sentences(paragraph))
            lines.append(first + len(paragraph))
    return Stops(tuple(words), tuple(whole), tuple(lines))


def _words(paragraph: str) -> Iterator[int]:
    """The end of each word, and of each run of signs."""
    at = 0
    while at < len(paragraph):
        start, at = word_at(paragraph, at)
        if not paragraph[start:at].isspace():
            yield at


def moved(places: tuple[int, ...], at: int, by: int) -> int:
    """The next of these places (`by` 1), or the one before (-1); at the ends it stays."""
    if not places:
        return at
    index = bisect_right(places, at) if by > 0 else bisect_left(places, at) - 1
    return places[min(max(index, 0), len(places) - 1)]

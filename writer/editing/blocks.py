"""Paragraphs in blocks of a few hundred, so that no edit ever walks the whole text."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

BLOCK = 256
"""Paragraphs of a new block. One may grow to twice as many before it is split."""

_TEXT = attrgetter("text")
_HEIGHT = attrgetter("height")


class Paragraph:
    """One paragraph of the text.

    `text` has no "\\n". `breaks` are the columns where its second and later rows begin, or None while `height`, in
    rows, is an estimate; an empty list may be shared between paragraphs and is never changed in place.
    `words` is -1 while they are not counted.
    """

    __slots__ = ("breaks", "height", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.breaks: list[int] | None = None
        self.height = 1
        self.words = -1


class Block:
    """Some paragraphs, never none, with their sums.

    `characters` counts each paragraph and the line break behind it, `height` rows, `words` words (-1: to be counted).
    `pending` is False when no height is an estimate. A finger stands at paragraph `index`; `before` characters and
    `above` rows lie between the block's start and it. It moves to whatever was looked up last: the next is close by.
    """

    __slots__ = ("above", "before", "characters", "height", "index", "paragraphs", "pending", "words")

    def __init__(self, paragraphs: list[Paragraph]) -> None:
        self.paragraphs = paragraphs
        self.characters = count(paragraphs)
        self.height = sum(map(_HEIGHT, paragraphs))
        self.words = -1
        self.pending = True
        self.index = self.before = self.above = 0

    def to_index(self, index: int) -> None:
        """Move the finger to this paragraph."""
        if index > self.index:
            passed = self.paragraphs[self.index : index]
            self.before += count(passed)
            self.above += sum(map(_HEIGHT, passed))
        elif index < self.index:
            passed = self.paragraphs[index : self.index]
            self.before -= count(passed)
            self.above -= sum(map(_HEIGHT, passed))
        self.index = index

    def to_character(self, offset: int) -> None:
        """Move the finger to the paragraph that holds this offset in the block, its line break included."""
        paragraphs, index, before = self.paragraphs, self.index, self.before
        last = len(paragraphs) - 1
        while before > offset:
            index -= 1
            before -= len(paragraphs[index].text) + 1
        while index < last and before + (length := len(paragraphs[index].text)) < offset:
            index += 1
            before += length + 1
        self.to_index(index)

    def to_row(self, row: int) -> None:
        """Move the finger to the paragraph that holds this row of the block."""
        paragraphs, index, above = self.paragraphs, self.index, self.above
        last = len(paragraphs) - 1
        while above > row:
            index -= 1
            above -= paragraphs[index].height
        while index < last and above + (height := paragraphs[index].height) <= row:
            index += 1
            above += height
        self.to_index(index)


def count(paragraphs: Sequence[Paragraph]) -> int:
    """Characters of the paragraphs, each with its line break."""
    return sum(map(len, map(_TEXT, paragraphs))) + len(paragraphs)


def cut(paragraphs: list[Paragraph]) -> list[Block]:
    """The paragraphs as blocks."""
    return [Block(paragraphs[start : start + BLOCK]) for start in range(0, len(paragraphs), BLOCK)]

"""The text as paragraphs, and where an offset is in it. It knows nothing of rows; `Layout.replace` is the way to edit.

Paragraphs are parted by "\\n" only: every other character, a lone carriage return or U+2028 too, is part of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from writer.editing import blocks
from writer.editing.blocks import Block, Paragraph
from writer.editing.sums import Sums

__all__ = ["Block", "Document", "Paragraph", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an offset is: numbers of the block and of the paragraph in it, and the column. The next edit ends it."""

    block: int
    index: int
    column: int


class Document:
    """A text in blocks of paragraphs. Offsets and columns count characters; any number is taken to the nearest one."""

    def __init__(self, text: str = "") -> None:
        self.blocks: list[Block] = blocks.cut([Paragraph(line) for line in text.split("\n")])
        self.characters = Sums([])
        self.lines = Sums([])
        self.rows = Sums([])
        self.add_up()

    @property
    def length(self) -> int:
        """Characters of the text."""
        return self.characters.total - 1

    @property
    def line_count(self) -> int:
        """Paragraphs of the text; an empty text has one."""
        return self.lines.total

    @property
    def text(self) -> str:
        return "\n".join([paragraph.text for block in self.blocks for paragraph in block.paragraphs])

    def locate(self, offset: int) -> Place:
        offset = max(0, min(offset, self.length))
        number = self.characters.find(offset)
        block = self.blocks[number]
        offset -= self.characters.start(number)
        block.to_character(offset)
        return Place(number, block.index, offset - block.before)

    def start_of(self, place: Place) -> int:
        """Offset of the first character of the place's paragraph."""
        block = self.blocks[place.block]
        block.to_index(place.index)
        return self.characters.start(place.block) + block.before

    def paragraph(self, place: Place) -> Paragraph:
        return self.blocks[place.block].paragraphs[place.index]

    def line(self, offset: int) -> tuple[int, int]:
        """Number of the paragraph, from 0, and the column in it."""
        place = self.locate(offset)
        return self.lines.start(place.block) + place.index, place.column

    def offset(self, line: int, column: int) -> int:
        """The offset of a column of a paragraph, both from 0."""
        line = max(0, min(line, self.line_count - 1))
        number = self.lines.find(line)
        place = Place(number, line - self.lines.start(number), 0)
        return self.start_of(place) + max(0, min(column, len(self.paragraph(place).text)))

    def span(self, offset: int) -> tuple[int, int]:
        """Start and end of the paragraph at the offset, without its line break."""
        place = self.locate(offset)
        start = self.start_of(place)
        return start, start + len(self.paragraph(place).text)

    def slice(self, start: int, end: int) -> str:
        """The text from `start` to before `end`."""
        return "\n".join(self.pieces(start, end))

    def pieces(self, start: int, end: int) -> Iterator[str]:
        """The same without the line breaks: what lies of each paragraph in it, one after the other."""
        first, last = self.locate(start), self.locate(max(start, end))
        for number in range(first.block, last.block + 1):
            paragraphs = self.blocks[number].paragraphs
            low = first.index if number == first.block else 0
            high = last.index if number == last.block else len(paragraphs) - 1
            for index in range(low, high + 1):
                begin = first.column if (number, index) == (first.block, first.index) else 0
                stop = last.column if (number, index) == (last.block, last.index) else None
                yield paragraphs[index].text[begin:stop]

    # -- for the layout, which keeps all sums true when it edits

    def add_up(self) -> None:
        """Build the running totals from the blocks."""
        self.characters.reset(block.characters for block in self.blocks)
        self.lines.reset(len(block.paragraphs) for block in self.blocks)
        self.rows.reset(block.height for block in self.blocks)

    def grow(self, number: int, index: int, characters: int, rows: int) -> None:
        """The paragraph has so many more characters and rows now."""
        block = self.blocks[number]
        if index < block.index:
            block.before += characters
            block.above += rows
        if characters:
            block.characters += characters
            self.characters.add(number, characters)
        if rows:
            block.height += rows
            self.rows.add(number, rows)

    def swap(self, first: Place, last: Place, fresh: list[Paragraph]) -> None:
        """Put `fresh` where the paragraphs behind `first` up to `last` were. Columns do not matter."""
        block = self.blocks[first.block]
        block.to_index(first.index)
        kept = len(block.paragraphs) - (last.index - first.index) + len(fresh)
        if first.block == last.block and kept <= 2 * blocks.BLOCK:
            self._swap_inside(first.block, first.index + 1, last.index + 1, fresh)
            return
        behind = self.blocks[last.block].paragraphs[last.index + 1 :]
        whole = block.paragraphs[: first.index + 1] + fresh + behind
        self.blocks[first.block : last.block + 1] = (
            [Block(whole)] if len(whole) <= 2 * blocks.BLOCK else blocks.cut(whole)
        )
        self.add_up()

    def _swap_inside(self, number: int, start: int, end: int, fresh: list[Paragraph]) -> None:
        block = self.blocks[number]
        old = block.paragraphs[start:end]
        block.paragraphs[start:end] = fresh
        characters = blocks.count(fresh) - blocks.count(old)
        rows = sum(paragraph.height for paragraph in fresh) - sum(paragraph.height for paragraph in old)
        self.lines.add(number, len(fresh) - len(old))
        self.grow(number, start, characters, rows)
        block.words = -1

"""The text as rows on a screen of some width, kept right while it is edited anywhere.

Only what is looked at is wrapped; other paragraphs have an estimated height until `settle` or a look corrects it.
An edit wraps the changed rows again, not the paragraph, and never walks the text.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from writer.editing import estimate, wrapping
from writer.editing.document import Document, Paragraph, Place
from writer.editing.retyping import ONE_ROW, measured, rebuild, retype

LONG = 8192
"""Characters from which on `settle` may stop inside a paragraph."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a paragraph: its columns from `start` to before `end`, in characters. An edit ends it.

    `at` is the offset of the paragraph's first character and `line` its number; this is row `index` of its `count`.
    """

    paragraph: Paragraph
    at: int
    line: int
    start: int
    end: int
    index: int
    count: int

    @property
    def text(self) -> str:
        return self.paragraph.text[self.start : self.end]

    @property
    def offset(self) -> int:
        """Offset of the row's first character."""
        return self.at + self.start

    @property
    def last(self) -> bool:
        """Whether the paragraph ends with it."""
        return self.index == self.count - 1


@dataclass(frozen=True, slots=True)
class Damage:
    """What an edit changed, in rows: `rows` of them from row `top` on; all below only moved, by `delta`."""

    top: int
    rows: int
    delta: int


class Layout:
    """The rows of a document. `width` is in cells, at least 1; rows are numbered from 0 (`y`)."""

    def __init__(self, document: Document, width: int) -> None:
        self.document = document
        self.revision = 0
        self._half: tuple[Paragraph, str, list[int]] | None = None
        self.resize(width)

    @property
    def height(self) -> int:
        """Rows of the whole text, estimates included."""
        return self.document.rows.total

    def resize(self, width: int) -> None:
        """Forget all rows and estimate every height for this width."""
        self.width = width = max(1, width)
        self._half = None
        self.revision += 1
        rows, sure = estimate.rows, width // 2
        for block in self.document.blocks:
            total = 0
            for paragraph in block.paragraphs:
                paragraph.breaks = None
                text = paragraph.text
                paragraph.height = height = rows(text, width) if len(text) > sure else 1
                total += height
            block.height, block.pending = total, True
            block.to_index(0)
            block.above = 0
        self.document.rows.reset(block.height for block in self.document.blocks)

    def row(self, y: int) -> Row:
        """The row at `y`, or the nearest."""
        return self.rows(y, 1)[0]

    def rows(self, y: int, count: int) -> list[Row]:
        """`count` rows from `y` on, at least one, at most to the end of the text. Estimates there are corrected."""
        number, index, skip = self._find(y)
        found: list[Row] = []
        blocks = self.document.blocks
        while True:
            found += self._rows_of(number, index, skip, max(1, count) - len(found))
            index, skip = index + 1, 0
            if index == len(blocks[number].paragraphs):
                number, index = number + 1, 0
            if len(found) >= count or number == len(blocks):
                return found
            self._exact(number, index)

    def y_of(self, offset: int, *, before: bool = False) -> int:
        """The row of the character at the offset. Where a row breaks: the later one, or with `before` the earlier."""
        return self._place(offset, before)[0]

    def row_of(self, offset: int, *, before: bool = False) -> tuple[int, Row]:
        """The same, with the row itself."""
        y, place, index = self._place(offset, before)
        return y, self._rows_of(place.block, place.index, index, 1)[0]

    def replace(self, start: int, end: int, text: str) -> Damage:
        """Put `text` where the characters from `start` to before `end` are."""
        first, last = self.document.locate(start), self.document.locate(max(start, end))
        self.revision += 1
        if "\n" not in text and (first.block, first.index) == (last.block, last.index):
            return self._retype(first, last.column, text)
        return self._rebuild(first, last, text.split("\n"))

    def settle(self, seconds: float) -> bool:
        """Correct estimates for about so long, at least one. True when none is left."""
        deadline = time.monotonic() + seconds
        for number, block in enumerate(self.document.blocks):
            if not block.pending:
                continue
            for index, paragraph in enumerate(block.paragraphs):
                if paragraph.breaks is None:
                    self._exact(number, index, deadline)
                    if time.monotonic() >= deadline:
                        return False
            block.pending = False
        return True

    # -- looking

    def _find(self, y: int) -> tuple[int, int, int]:
        """Block, paragraph and row in it of `y`, exact. What is above keeps its height, so only later rows move."""
        blocks = self.document.blocks
        number = self.document.rows.find(max(0, y))
        block = blocks[number]
        skip = max(0, y) - self.document.rows.start(number)
        block.to_row(skip)
        index, skip = block.index, skip - block.above
        while True:
            paragraph = self._exact(number, index)
            if skip < paragraph.height:
                return number, index, skip
            if index + 1 < len(blocks[number].paragraphs):
                index += 1
            elif number + 1 < len(blocks):
                number, index = number + 1, 0
            else:
                return number, index, paragraph.height - 1
            skip -= paragraph.height

    def _place(self, offset: int, before: bool) -> tuple[int, Place, int]:
        place = self.document.locate(offset)
        breaks = self._exact(place.block, place.index).breaks or ONE_ROW
        index = bisect_left(breaks, place.column) if before else bisect_right(breaks, place.column)
        return self._top(place) + index, place, index

    def _top(self, place: Place) -> int:
        """The first row of the place's paragraph."""
        block = self.document.blocks[place.block]
        block.to_index(place.index)
        return self.document.rows.start(place.block) + block.above

    def _rows_of(self, number: int, index: int, skip: int, count: int) -> list[Row]:
        """Rows of one exact paragraph from row `skip` on."""
        block = self.document.blocks[number]
        block.to_index(index)
        paragraph = block.paragraphs[index]
        at, line = self.document.characters.start(number) + block.before, self.document.lines.start(number) + index
        breaks, height, length = paragraph.breaks, paragraph.height, len(paragraph.text)
        if not breaks:
            return [Row(paragraph, at, line, 0, length, 0, 1)]
        stop = min(height, skip + count)
        starts = [breaks[row - 1] if row else 0 for row in range(skip, stop)]
        starts.append(breaks[stop - 1] if stop < height else length)
        return [
            Row(paragraph, at, line, starts[row], starts[row + 1], skip + row, height) for row in range(stop - skip)
        ]

    # -- measuring

    def _exact(self, number: int, index: int, deadline: float | None = None) -> Paragraph:
        """The paragraph, wrapped unless the deadline came first, in which case the rest is done another time."""
        paragraph = self.document.blocks[number].paragraphs[index]
        if paragraph.breaks is None and (breaks := self._wrap(paragraph, deadline)) is not None:
            height = paragraph.height
            measured(paragraph, breaks)
            if paragraph.height != height:
                self.document.grow(number, index, 0, paragraph.height - height)
                self.revision += 1
        return paragraph

    def _wrap(self, paragraph: Paragraph, deadline: float | None) -> list[int] | None:
        """The breaks of a paragraph, going on where the last deadline came; None when this one came."""
        text, breaks, late = paragraph.text, [], False
        if self._half and self._half[0] is paragraph and self._half[1] is text:
            breaks = self._half[2]

        def done(_: int) -> bool:
            nonlocal late
            late = deadline is not None and time.monotonic() >= deadline
            return late

        sliced = deadline is not None and len(text) > LONG
        wrapping.wrap(text, self.width, breaks[-1] if breaks else 0, breaks, done if sliced else None)
        self._half = (paragraph, text, breaks) if late else None
        return None if late else breaks

    # -- editing

    def _retype(self, place: Place, end: int, new: str) -> Damage:
        """Replace columns of one paragraph by text without a line break."""
        document = self.document
        block, paragraph = document.blocks[place.block], document.paragraph(place)
        top, height = self._top(place), paragraph.height
        first, rows = retype(paragraph, self.width, place.column, end, new)
        if paragraph.breaks is None:
            block.pending = True
        block.words = -1
        delta = paragraph.height - height
        document.grow(place.block, place.index, len(new) - (end - place.column), delta)
        return Damage(top + first, rows, delta)

    def _rebuild(self, first: Place, last: Place, pieces: list[str]) -> Damage:
        """Replace what lies in several paragraphs, or by several."""
        document, height = self.document, self.height
        block, paragraph = document.blocks[first.block], document.paragraph(first)
        top, length, rows = self._top(first), len(paragraph.text), paragraph.height
        row, fresh = rebuild(paragraph, first.column, document.paragraph(last), last.column, pieces, self.width)
        if paragraph.breaks is None:
            block.pending = True
        block.words = -1
        document.grow(first.block, first.index, len(paragraph.text) - length, paragraph.height - rows)
        document.swap(first, last, fresh)
        changed = paragraph.height - row + sum(new.height for new in fresh)
        return Damage(top + row, changed, self.height - height)

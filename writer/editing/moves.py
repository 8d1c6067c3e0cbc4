"""Where the cursor goes when the author moves it: by characters, words, rows, paragraphs and pages.

Characters are grapheme clusters. Rows are stepped through one by one from the cursor's own, so that heights that are
still estimated elsewhere do not matter.
"""

from __future__ import annotations

from collections.abc import Callable

from writer.editing import boundaries, cells
from writer.editing.layout import Row
from writer.editing.sheet import Sheet


class Aim:
    """The column that the cursor keeps while it goes up and down through shorter rows."""

    def __init__(self) -> None:
        self._cell: int | None = None
        self._cursor = -1

    def clear(self) -> None:
        """The next move up or down begins from the cursor's own column."""
        self._cell = None

    def cell(self, sheet: Sheet) -> int:
        """The cell to keep to, from 0."""
        if self._cell is None or self._cursor != sheet.cursor:
            self._cell = column(sheet)
        return self._cell

    def landed(self, cursor: int) -> None:
        """A move up or down leads there."""
        self._cursor = cursor


def target(sheet: Sheet, move: str, aim: Aim, page: int) -> tuple[int, bool]:
    """Where a move leads: an offset, and whether it is shown at the end of the earlier row. `page` in rows.

    Raises KeyError for a move that there is not.
    """
    if move in _ROWS:
        return vertical(sheet, _ROWS[move](page), aim)
    aim.clear()
    if move == "row_end":
        return row_end(sheet)
    return _OFFSETS[move](sheet), False


def left(sheet: Sheet) -> int:
    """One character back; from the start of a paragraph to the end of the one before."""
    text, start, at = _paragraph(sheet)
    return start + cells.previous_stop(text, at) if at else max(0, start - 1)


def right(sheet: Sheet) -> int:
    """One character on; from the end of a paragraph to the start of the next."""
    text, start, at = _paragraph(sheet)
    return start + cells.next_stop(text, at) if at < len(text) else min(sheet.length, sheet.cursor + 1)


def word_left(sheet: Sheet) -> int:
    """To the start of a word; from the start of a paragraph to the end of the one before."""
    text, start, at = _paragraph(sheet)
    return start + boundaries.previous_word(text, at) if at else max(0, start - 1)


def word_right(sheet: Sheet) -> int:
    """To the end of a word or start of the next; from the end of a paragraph to the start of the next."""
    text, start, at = _paragraph(sheet)
    return start + boundaries.next_word(text, at) if at < len(text) else min(sheet.length, sheet.cursor + 1)


def paragraph_up(sheet: Sheet) -> int:
    """To the start of the paragraph; from there to the start of the one before that is not empty."""
    start, _ = sheet.document.span(sheet.cursor)
    if start < sheet.cursor:
        return start
    while start > 0:
        start, end = sheet.document.span(start - 1)
        if start < end:
            break
    return start


def paragraph_down(sheet: Sheet) -> int:
    """To the start of the next paragraph that is not empty, or to the end of the text."""
    _, end = sheet.document.span(sheet.cursor)
    while end < sheet.length:
        start, end = sheet.document.span(end + 1)
        if start < end:
            return start
    return end


def row_start(sheet: Sheet) -> int:
    """To the start of the row."""
    return _row(sheet).offset


def row_end(sheet: Sheet) -> tuple[int, bool]:
    """To the end of the row, before the space at which it breaks."""
    return _end(_row(sheet))


def text_start(sheet: Sheet) -> int:
    return 0


def text_end(sheet: Sheet) -> int:
    return sheet.length


def vertical(sheet: Sheet, rows: int, aim: Aim) -> tuple[int, bool]:
    """So many rows down, or up if negative. Beyond the first or last row: to the start or the end of the text."""
    cell = aim.cell(sheet)
    row = _row(sheet)
    for number in range(abs(rows)):
        following = _row_below(sheet, row) if rows > 0 else _row_above(sheet, row)
        if following is None:
            offset = sheet.length if rows > 0 else 0
            found = (offset, False) if number == 0 else nearest(row, cell)
            break
        row = following
    else:
        found = nearest(row, cell)
    aim.landed(found[0])
    return found


def nearest(row: Row, cell: int) -> tuple[int, bool]:
    """The place in a row that is nearest to a cell, and whether it is shown at the end of the row before it."""
    index = cells.index_at(row.text, cell)
    return (row.offset + index, False) if row.start + index < row.end else _end(row)


def column(sheet: Sheet) -> int:
    """The cell in its row that the cursor stands at, from 0."""
    row = _row(sheet)
    return cells.width(row.paragraph.text[row.start : sheet.cursor - row.at])


def _paragraph(sheet: Sheet) -> tuple[str, int, int]:
    """The cursor's paragraph, its offset, and the cursor's column in it."""
    place = sheet.document.locate(sheet.cursor)
    return sheet.document.paragraph(place).text, sheet.document.start_of(place), place.column


def _row(sheet: Sheet) -> Row:
    return sheet.layout.row_of(sheet.cursor, before=sheet.upstream)[1]


def _row_below(sheet: Sheet, row: Row) -> Row | None:
    offset = row.at + row.end + row.last
    return sheet.layout.row_of(offset)[1] if offset <= sheet.length else None


def _row_above(sheet: Sheet, row: Row) -> Row | None:
    if row.index:
        return sheet.layout.row_of(row.offset, before=True)[1]
    return sheet.layout.row_of(row.at - 1)[1] if row.at else None


def _end(row: Row) -> tuple[int, bool]:
    text = row.text
    if row.last:
        return row.offset + len(text), False
    kept = len(text.rstrip(" ")) or len(text)
    return row.offset + kept, kept == len(text)


_ROWS: dict[str, Callable[[int], int]] = {
    "up": lambda page: -1,
    "down": lambda page: 1,
    "page_up": lambda page: -page,
    "page_down": lambda page: page,
}
_OFFSETS: dict[str, Callable[[Sheet], int]] = {
    "left": left,
    "right": right,
    "word_left": word_left,
    "word_right": word_right,
    "paragraph_up": paragraph_up,
    "paragraph_down": paragraph_down,
    "row_start": row_start,
    "text_start": text_start,
    "text_end": text_end,
}

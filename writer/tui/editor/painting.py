"""Rows of the sheet as strips for the screen: exactly as wide as the view, cut between clusters only.

Nothing in a text reaches the terminal as it is: controls are painted as visible stand-ins. Cells are measured by
`writer.editing.cells` alone. A strip is kept while all that determines it is the same, wherever its row moves to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from writer.editing import cells
from writer.editing.layout import Row
from writer.editing.markdown import Kind, Mark, kind, runs
from writer.tui.editor.look import COMPONENTS, LAYERS, PAINTING_CSS, Look, look

__all__ = ["COMPONENTS", "PAINTING_CSS", "Look", "Marks", "Painter", "look"]

_KEPT = 512  # strips; a few screens full
_LONGEST = 4000  # characters of a row that are painted; only signs without cells can be more
_BIT = {name: 1 << index for index, name in enumerate(LAYERS)}
_TINT, _DIM, _MISSPELT, _FOUND = _BIT["tint"], _BIT["dim"], _BIT["misspelt"], _BIT["found"]
_UNSURE, _DOUBTFUL = _BIT["unsure"], _BIT["doubtful"]
_CURRENT, _SELECTED, _CURSOR = _BIT["current"], _BIT["selected"], _BIT["cursor"]
_OF_KIND = {
    Kind.TEXT: 0,
    Kind.LIST: 0,
    Kind.HEADING: _BIT["heading"],
    Kind.QUOTE: _BIT["quote"],
    Kind.BREAK: _BIT["scene_break"],
}
_OF_MARK = [
    sum(_BIT[mark.name.lower()] for mark in Mark if mark.name and mark.value & value) for value in range(1 << len(Mark))
]

Range: TypeAlias = tuple[int, int]
Layered: TypeAlias = tuple[int, int, int]
"""Columns [start, end) of the row, and the bits of what they are. The column behind the text is the cell behind it."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is shown on a row beside its text. Ranges are offsets [start, end); they may reach beyond the row.

    Those of one kind are sorted and do not overlap; there may be thousands.
    """

    selection: Range | None = None
    cursor: int | None = None
    """None if it is not shown on this row. At the row's end it stands on the cell behind the text."""
    tint: Sequence[Range] = ()
    """Generated text that is not yet accepted."""
    unsure: Sequence[Range] = ()
    """Generated words of which the model was not sure."""
    doubtful: Sequence[Range] = ()
    """Those of which it was least sure."""
    found: Sequence[Range] = ()
    current: Range | None = None
    """The match that the search stands on."""
    misspelt: Sequence[Range] = ()
    dimmed: bool = False
    margin: int = 0
    """Empty cells at the left."""
    width: int = 80
    """Cells of the whole strip."""


class Painter:
    """Paints for one look at a time."""

    def __init__(self) -> None:
        self._look: Look | None = None
        self._text = Style.null()
        self._styles: dict[int, Style] = {}
        self._strips: OrderedDict[tuple[object, ...], Strip] = OrderedDict()

    def blank(self, width: int, look: Look) -> Strip:
        """A row below the text."""
        return Strip.blank(width, look.text)

    def strip(self, row: Row, marks: Marks, look: Look) -> Strip:
        """The row as a strip of exactly `marks.width` cells: the same object as long as it looks the same."""
        if look is not self._look:
            self._look, self._text = look, look.text
            self._styles.clear()
            self._strips.clear()
        text = row.paragraph.text[row.start : min(row.end, row.start + _LONGEST)]
        base = _OF_KIND[kind(row.paragraph.text)] | (_DIM if marks.dimmed else 0)
        key = (text, base, _layered(row, len(text), marks), marks.margin, marks.width)
        strip = self._strips.get(key)
        if strip is not None:
            self._strips.move_to_end(key)
            return strip
        strip = self._strips[key] = self._paint(*key)
        if len(self._strips) > _KEPT:
            self._strips.popitem(last=False)
        return strip

    def _paint(self, text: str, base: int, layered: Iterable[Layered], margin: int, width: int) -> Strip:
        margin = min(max(0, margin), width)
        used, room, simple = cells.width(text), width - margin, cells.simple(text)
        if not layered and not base and simple and used <= room:
            shown = text if text.isprintable() else cells.painted(text)
            return Strip([Segment(f"{' ' * margin}{shown}{' ' * (room - used)}", self._text)], width)
        if not simple:
            layered = _snapped(text, layered)
        if used > room:
            text = text[: cells.index_at(text, room)]
            used = cells.width(text)
        layered = _fitted(text, layered, used, used < room)
        plain = text.isprintable()  # then it is painted as it is
        segments = [Segment(" " * margin, self._text)] if margin else []
        for start, end, bits in _pieces(len(text), base, layered):
            style = self._styles.get(bits) or self._style(bits)
            if start < len(text):
                piece = text[start:end]
                segments.append(Segment(piece if plain else cells.painted(piece), style))
            if end > len(text):
                segments.append(Segment(" ", style))
                used += 1
        if used < room:
            segments.append(Segment(" " * (room - used), self._text))
        return Strip(segments, width)

    def _style(self, bits: int) -> Style:
        """All layers that the bits name, one upon the other."""
        assert self._look is not None
        style = self._text
        for name, bit in _BIT.items():
            if bits & bit:
                style += getattr(self._look, name)
        self._styles[bits] = style
        return style


def _layered(row: Row, length: int, marks: Marks) -> tuple[Layered, ...]:
    """All that is marked on the row."""
    found: list[Layered] = []
    start, offset = row.start, row.offset
    for a, b, mark in runs(row.paragraph.text, start, start + length):
        found.append((a - start, b - start, _OF_MARK[mark.value]))
    if marks.tint:  # not the space at which a row breaks: the edge of the tint would be ragged
        inked = length if row.last else len(row.text[:length].rstrip(" "))
        found.extend(_clipped(marks.tint, offset, inked, _TINT))
    layers = (marks.unsure, _UNSURE), (marks.doubtful, _DOUBTFUL), (marks.misspelt, _MISSPELT), (marks.found, _FOUND)
    for ranges, bit in layers:
        if ranges:
            found.extend(_clipped(ranges, offset, length, bit))
    if marks.current:
        found.extend(_clipped((marks.current,), offset, length, _CURRENT))
    if marks.selection:
        line_end = row.last and marks.selection[0] <= row.at + row.end < marks.selection[1]
        found.extend(_clipped((marks.selection,), offset, length + line_end, _SELECTED))
    if marks.cursor is not None and offset <= marks.cursor <= row.at + row.end:
        at = min(marks.cursor - offset, length)
        found.append((at, at + 1, _CURSOR))
    return tuple(found)


def _clipped(ranges: Sequence[Range], offset: int, length: int, bit: int) -> Iterable[Layered]:
    """The parts of ranges of offsets that lie in the `length` characters from `offset` on, as columns."""
    first = bisect_right(ranges, offset, key=itemgetter(1)) if len(ranges) > 8 else 0
    for index in range(first, len(ranges)):
        start, end, *_ = ranges[index]
        a, b = max(0, start - offset), min(length, end - offset)
        if a < b:
            yield a, b, bit
        elif a >= length:
            return


def _snapped(text: str, layered: Iterable[Layered]) -> list[Layered]:
    """The same, grown to whole clusters; the cursor to one with a cell."""
    clusters = cells.clusters(text)
    ends = [end for end, _ in clusters]
    snapped: list[Layered] = []
    for start, end, bit in layered:
        first = bisect_right(ends, start)
        last = bisect_left(ends, end)
        while bit == _CURSOR and last < len(ends) and not any(wide for _, wide in clusters[first : last + 1]):
            last += 1
        snapped.append((ends[first - 1] if first else 0, ends[last] if last < len(ends) else len(text) + 1, bit))
    return snapped


def _fitted(text: str, layered: Iterable[Layered], used: int, spare: bool) -> list[Layered]:
    """What of it is on the `used` cells of the text and, if there is one to spare, the cell behind it.

    The cursor is always to be seen: on the last cell, if it stands beyond.
    """
    limit = len(text) + spare
    fitted: list[Layered] = []
    for start, end, bit in layered:
        if start < limit:
            fitted.append((start, min(end, limit), bit))
        elif bit == _CURSOR and used + spare:
            fitted.append((len(text) if spare else cells.index_at(text, used - 1), limit, bit))
    return fitted


def _pieces(length: int, base: int, layered: Iterable[Layered]) -> Iterable[Layered]:
    """The row cut wherever a mark begins or ends: each piece with all its bits."""
    turns: dict[int, int] = {}
    for start, end, bit in layered:
        turns[start] = turns.get(start, 0) ^ bit
        turns[end] = turns.get(end, 0) ^ bit
    at, bits = 0, base
    for column in sorted(turns):
        if column > at:
            yield at, column, bits
        at, bits = column, bits ^ turns[column]
    if at < length:
        yield at, length, bits

"""The editor as it looks: rows of the sheet with cursor, selection, tint and what else is marked in them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import ClassVar

from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.timer import Timer

from writer.config import EditorSettings
from writer.editing import cells
from writer.editing.change import Change
from writer.editing.counting import Counter
from writer.editing.find import Match, Matches
from writer.editing.layout import Damage, Row
from writer.editing.sheet import Sheet
from writer.editing.spelling import Spelling
from writer.language import many, say
from writer.tui.editor.painting import COMPONENTS, Look, Marks, Painter, look
from writer.tui.editor.viewport import Viewport
from writer.tui.tuning import leave_alone

MARGIN, ROOMY = 2, 40
"""Cells left free beside the text at least, in a pane of so many cells."""
SLICE, REST = 0.004, 0.05
"""Seconds of work on estimates and counts at a time, and between two slices."""


class Surface(Viewport):
    """Paints. What is typed or clicked is the business of its subclasses."""

    COMPONENT_CLASSES: ClassVar[set[str]] = COMPONENTS
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, text: str = "", settings: EditorSettings | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        settings = settings or EditorSettings()
        self.pane = 0
        """Cells of a row, the scroll bar's not among them."""
        self.text_width = settings.width
        self.typewriter = settings.typewriter
        self.focus_mode = settings.focus
        self.matches = Matches()
        """What was found, in order."""
        self.match = -1
        """Which of them is the current one."""
        self.unsure: tuple[list[Match], list[Match]] = ([], [])
        """Words of which the model was not sure, and least sure: until the next change."""
        self.read_only = False
        """Whether the author can only look."""
        self.spelling: Spelling | None = None
        self.count = ""
        """Words of the text, in words; of a selection too, if there is one."""
        self.words = -1
        """Of the text; -1 until they are counted."""
        self._look: Look | None = None
        self._painter = Painter()
        self._idle: Timer | None = None
        self._cursor_paragraph = (0, 0)
        self.sheet = Sheet(text, max(1, self.text_width or 80))
        self.adopt()

    def adopt(self) -> None:
        """Another text was loaded."""
        self.sheet.listener = self.changed
        self.sheet.touched = self.touched
        self.sheet.untinted = self._repaint
        self._counter = Counter(self.sheet.document)
        self._fresh = True
        self.work()
        self._cursor_paragraph = self.sheet.document.span(self.sheet.cursor)

    def _repaint(self) -> None:
        self.refresh()

    def look_like(self, settings: EditorSettings) -> None:
        """Take over these ways of looking at the text."""
        self.typewriter, self.focus_mode = settings.typewriter, settings.focus
        if settings.width != self.text_width:
            self.text_width = settings.width
            self.reflow()
        self.fit()
        self.reveal()
        self.refresh()

    # Geometry -------------------------------------------------------------------------------------------------

    @property
    def overscroll(self) -> int:
        return self.rows_in_view // 2 if self.typewriter else 0

    @property
    def margin(self) -> int:
        """Empty cells at the left of the text."""
        return max(0, self.pane - self.sheet.layout.width) // 2

    def reflow(self) -> None:
        self.pane = self.scrollable_content_region.width
        beside = 2 * MARGIN if self.pane >= ROOMY else 0
        room = max(1, self.pane - beside - 1)  # the cursor may stand behind a full row
        width = min(room, self.text_width) if self.text_width else room
        if width != self.sheet.layout.width:
            self.sheet.layout.resize(width)
            self.work()

    def cursor_row(self) -> tuple[int, Row]:
        """The row that the cursor is on: its number, and itself."""
        found = self.sheet.layout.row_of(self.sheet.cursor, before=self.sheet.upstream)
        if self._shown != self.sheet.layout.revision:
            self.measured()  # its paragraph was an estimate: it may lie above the view
        return found

    def cursor_cell(self) -> tuple[int, int]:
        """Row of the text, and cell in it, of the cursor."""
        y, row = self.cursor_row()
        cell = cells.width(row.paragraph.text[row.start : self.sheet.cursor - row.at])
        return y, min(cell, self.sheet.layout.width)

    def place_cursor(self) -> None:
        """Put the terminal's own cursor there: an input method opens its window at it."""
        if self.has_focus and self.size:
            y, cell = self.cursor_cell()
            region = self.content_region
            row = min(max(0, y - self.scroll_offset.y), max(0, region.height - 1))
            self.app.cursor_position = Offset(region.x + self.margin + cell, region.y + row)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.place_cursor()

    def _on_resize(self) -> None:
        super()._on_resize()
        self.call_after_refresh(self.place_cursor)

    def watch_has_focus(self, _has_focus: bool) -> None:
        super().watch_has_focus(_has_focus)
        self.place_cursor()

    def measured(self) -> None:
        super().measured()
        self.place_cursor()

    # Changes --------------------------------------------------------------------------------------------------

    def changed(self, change: Change, damage: Damage) -> None:
        """The sheet has made this change."""
        self.text_changed(change, damage)
        if any(self.unsure):
            self.unsure = ([], [])
            self.refresh()
        start, end = self._cursor_paragraph
        self._cursor_paragraph = change.moved(start), change.moved(end, pushed=True)
        self._refocus()
        self.work()
        if change.at <= self.sheet.cursor:
            self.place_cursor()

    def touched(self) -> None:
        """The author has edited inside text that is being written."""

    def select(self, mark: int, cursor: int, *, upstream: bool = False) -> None:
        """Put the selection's two ends there; equal ends are just a cursor."""
        before, _ = self.cursor_row()
        had = self.sheet.selected
        self.sheet.break_step()
        self.sheet.select(mark, cursor, upstream=upstream)
        if had[0] != had[1] or mark != cursor:
            self.refresh()
        self.repaint_cursor(before)

    def repaint_cursor(self, before: int) -> None:
        """The cursor has left that row of the text, and stands elsewhere now."""
        self._refocus()
        y, _ = self.cursor_row()
        for each in {before, y}:
            self.refresh_line(each)
        self.place_cursor()

    def _refocus(self) -> None:
        """The paragraph with the cursor is the one that is not dimmed."""
        paragraph = self.sheet.document.span(self.sheet.cursor)
        if paragraph != self._cursor_paragraph:
            self._cursor_paragraph = paragraph
            if self.focus_mode:
                self.refresh()

    def reveal(self) -> None:
        """Scroll as little as need be to show the cursor; as a typewriter does, if that is wanted."""
        layout, measured = self.sheet.layout, -1
        while layout.revision != measured:  # rows that come into view are measured, which may push the cursor out of it
            y, _ = self.cursor_row()
            measured = layout.revision
            self._show_row(y)
            layout.rows(self.scroll_offset.y, self.rows_in_view)
        self._refocus()
        self.place_cursor()

    def _show_row(self, y: int) -> None:
        top, height = self.scroll_offset.y, self.rows_in_view
        self.fit()
        if self.typewriter:
            self.jump(max(0, y - height // 2))
        elif y < top or y >= top + height:
            self.jump(y if y < top else y - height + 1)

    # Work in small slices -------------------------------------------------------------------------------------

    def work(self) -> None:
        """There are heights to measure and words to count, a little at a time."""
        if self._idle is None and self.is_attached:
            self._idle = self.set_interval(REST, self._work)
        elif self._idle is not None:
            self._idle.resume()

    def _work(self) -> None:
        counted = self._count()
        if self.settle(SLICE) and counted and self._idle is not None:
            self._idle.pause()
            if self._fresh:
                self._fresh = False
                leave_alone()

    def _count(self) -> bool:
        """Count on; whether all is counted."""
        number, whole = self._counter.count(SLICE)
        self.count = many("{count:,} word", "{count:,} words", number) if whole else say("counting words…")
        self.words = number if whole else -1
        return whole

    def on_mount(self) -> None:
        super().on_mount()  # type: ignore[no-untyped-call]
        self.work()

    # Painting -------------------------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._look = None

    def render_lines(self, crop: Region) -> list[Strip]:
        self.prepare(crop.y, crop.height)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        if self._look is None:
            self._look = look(self)
        row = self.row_in_view(y)
        if row is None:
            return self._painter.blank(self.pane, self._look)
        return self._painter.strip(row, self._marks(row), self._look)

    def _marks(self, row: Row) -> Marks:
        sheet, start, end = self.sheet, row.offset, row.at + row.end
        chosen = sheet.selected
        found = self._found(start, end)
        current = self.matches[self.match] if found and 0 <= self.match < len(self.matches) else None
        return Marks(
            selection=chosen if chosen[0] < chosen[1] and chosen != current else None,
            cursor=sheet.cursor if self._has_cursor(row) else None,
            tint=sheet.tint.ranges_in(start, end),
            unsure=self.unsure[0],
            doubtful=self.unsure[1],
            found=found,
            current=current,
            misspelt=self._misspelt(row) if self.spelling else (),
            dimmed=self.focus_mode and not self._cursor_paragraph[0] <= row.at <= self._cursor_paragraph[1],
            margin=self.margin,
            width=self.pane,
        )

    def _has_cursor(self, row: Row) -> bool:
        """Whether the cursor is shown on this row. At a break between two rows it is shown on one of them."""
        cursor = self.sheet.cursor
        if not self.has_focus or not row.offset <= cursor <= row.at + row.end:
            return False
        if cursor == row.at + row.end and not row.last:
            return self.sheet.upstream
        return cursor > row.offset or row.index == 0 or not self.sheet.upstream

    def _found(self, start: int, end: int) -> list[Match]:
        """The matches that reach into these characters."""
        if not self.matches:
            return []
        first = max(0, bisect_right(self.matches, start, key=_start) - 1)
        return self.matches[first : bisect_left(self.matches, end, key=_start)]

    def _misspelt(self, row: Row) -> list[tuple[int, int]]:
        """Offsets of unknown words; the one that is being typed is left out."""
        assert self.spelling is not None
        words = self.spelling.unknown(row.paragraph.text, row.start, row.end)
        return [(row.at + a, row.at + b) for a, b in words if row.at + b != self.sheet.cursor]


def _start(match: Match) -> int:
    return match.start

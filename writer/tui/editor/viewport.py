"""Which rows of a long text are in view: FOLLOW (at the end, and staying there) or FREE (where the reader is).

A change of the text never moves what a FREE reader sees, and costs no paint if it is out of view.
"""

from __future__ import annotations

from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from writer.editing.change import Change
from writer.editing.layout import Damage, Row
from writer.editing.sheet import Sheet
from writer.tui.calmed import calm_at


class Viewport(ScrollView):
    """Keeps scroll position, height and scroll bar in line with the sheet's layout."""

    sheet: Sheet

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.follow = False
        """Whether the view stays at the end of the text as it grows."""
        self._top = 0  # offset of the first character in view
        self._page: tuple[int, list[Row]] = (0, [])
        self._shown = -1  # the layout's revision that the view is in line with

    @property
    def rows_in_view(self) -> int:
        """Rows of text that fit into the view."""
        return self.container_size.height or self.size.height

    @property
    def overscroll(self) -> int:
        """Empty rows that can be scrolled to behind the end."""
        return max(0, self.rows_in_view - 2) if self.turns_pages else 0

    @property
    def turns_pages(self) -> bool:
        """Whether the view follows by whole pages: a screen reader would read each row anew that moves."""
        return self.is_attached and calm_at(self.app).reader

    @property
    def at_end(self) -> bool:
        """Whether the view shows the end of the text."""
        least = self.sheet.layout.height - self.rows_in_view if self.turns_pages else self.max_scroll_y
        return self.scroll_offset.y >= least

    @property
    def end_y(self) -> int:
        """The first row of the view that follows the end."""
        if not self.turns_pages:
            return self.max_scroll_y
        rows, height = self.rows_in_view, self.sheet.layout.height
        y = self.scroll_offset.y
        if height - rows <= y < height:
            return y
        return max(0, min(self.max_scroll_y, height - max(2, rows // 3))) if height > rows else 0

    # After a change -------------------------------------------------------------------------------------------

    def text_changed(self, change: Change, damage: Damage) -> None:
        """Bring the view in line with a change that the sheet has just made, painting as little as can be."""
        top, height = self.scroll_offset.y, self.rows_in_view
        self._top = change.moved(self._top)
        below = damage.top >= top + height
        if "\n" in change.inserted and not below:
            self.sheet.layout.rows(top, height)  # exact before anything is measured by it
        if damage.delta or self._shown != self.sheet.layout.revision:
            self.fit()
        if self.follow:
            self._follow(top)
        elif damage.top < top:
            self._stay(damage, top)
        elif top > self.max_scroll_y:
            self.jump(self.max_scroll_y)
        if not below and self.scroll_offset.y == top:
            self._paint(damage, top, height, to_end=bool(damage.delta) or "\n" in change.inserted)
        if damage.top <= top and self.sheet.layout.y_of(self._top) != self.scroll_offset.y:
            self._top = self.sheet.layout.row(self.scroll_offset.y).offset  # what was first in view no longer is

    def _follow(self, top: int) -> None:
        if (y := self.end_y) != top:
            self.jump(y)

    def _stay(self, damage: Damage, top: int) -> None:
        """The change began above the view: what is read stays where it is on the screen."""
        y = min(self.sheet.layout.y_of(self._top), self.max_scroll_y)
        if y == top + damage.delta and damage.top + damage.rows <= y:
            self._slide(y)
        elif y != top:
            self._jump_with_text(y)
            self.refresh()

    def _paint(self, damage: Damage, top: int, height: int, *, to_end: bool) -> None:
        """Paint rows anew, and the scroll bar beside them: a terminal may have drawn a character over it."""
        first = max(damage.top, top)
        last = top + height if to_end else min(damage.top + damage.rows, top + height)
        if last > first:
            self.refresh(Region(0, first - top, self.outer_size.width, last - first))

    # Height and position --------------------------------------------------------------------------------------

    def fit(self) -> None:
        """Take over the layout's height, without a repaint: the rows in view know themselves whether they changed."""
        layout = self.sheet.layout
        self._shown = layout.revision
        size = Size(self.size.width, layout.height + self.overscroll)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._move_bar()

    def jump(self, y: float) -> None:
        """Scroll there at once."""
        self.scroll_to(y=y, animate=False, force=True)

    def _jump_with_text(self, y: float) -> None:
        """Scroll there, where the text now is that was in view: the reader has not moved in it."""
        following, top = self.follow, self._top
        self.jump(y)
        self.follow, self._top = following, top

    def _slide(self, y: int) -> None:
        """The same rows are in view, only their number has changed: nothing to paint but the scroll bar."""
        self.set_reactive(Widget.scroll_y, float(y))
        self.set_reactive(Widget.scroll_target_y, float(y))
        self._move_bar()

    def _move_bar(self) -> None:
        """Bring the scroll bar up to date, painting it only if its thumb has moved by an eighth of a cell."""
        bar = self.vertical_scrollbar
        before = _thumb(bar)
        bar.set_reactive(ScrollBar.window_virtual_size, self.virtual_size.height)
        bar.set_reactive(ScrollBar.window_size, self.rows_in_view)
        bar.set_reactive(ScrollBar.position, self.scroll_y)
        if _thumb(bar) != before:
            bar.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.follow = self.at_end
        self._top = self.sheet.layout.row(self.scroll_offset.y).offset

    def _on_resize(self) -> None:
        """The view keeps its first text, or the end."""
        self.reflow()
        y = self.sheet.layout.y_of(self._top)  # this may correct the height
        self.fit()
        self._jump_with_text(self.end_y if self.follow else y)
        self.refresh()

    def reflow(self) -> None:
        """Give the layout its width."""

    # Rows -----------------------------------------------------------------------------------------------------

    def row_in_view(self, y: int) -> Row | None:
        """The row at line `y` of the view; None behind the end."""
        y += self.scroll_offset.y
        if y >= self.sheet.layout.height:
            return None
        first, rows = self._page
        return rows[y - first] if 0 <= y - first < len(rows) else self.sheet.layout.row(y)

    def prepare(self, first: int, count: int) -> None:
        """Measure the rows that are about to be painted. If that moves others, the whole view is painted again."""
        layout = self.sheet.layout
        top = self.scroll_offset.y
        self._page = (top + first, layout.rows(top + first, count) if top + first < layout.height else [])
        if self._shown != layout.revision:
            self.call_after_refresh(self.measured)

    def measured(self) -> None:
        """Some rows have turned out to be more or fewer than was thought: what is read stays where it is."""
        y = self.sheet.layout.y_of(self._top)  # this may correct the height
        self.fit()
        self._slide(self.end_y if self.follow else min(y, self.max_scroll_y))
        self.refresh()

    def settle(self, seconds: float) -> bool:
        """Correct estimated heights for up to that time; True when all are exact. What is in view stays there."""
        layout = self.sheet.layout
        before = layout.y_of(self._top)
        whole = layout.settle(seconds)
        if self._shown != layout.revision:
            self.fit()
            moved = layout.y_of(self._top) - before
            y = self.end_y if self.follow else self.scroll_offset.y + moved
            if y <= self.max_scroll_y:
                self._slide(y)
            else:
                self._jump_with_text(self.max_scroll_y)
        return whole


def _thumb(bar: ScrollBar) -> tuple[int, int]:
    """Where the thumb begins and ends, in eighths of a cell, as Textual paints it."""
    size, whole, window = bar.size.height, bar.window_virtual_size, bar.window_size
    if not (size and whole and window) or size == whole:
        return 0, 0
    length = max(1.0, window / (whole / size))
    start = (size - length) * (bar.position / (whole - window)) if whole > window else 0.0
    return int(start * 8), int((start + length) * 8)

"""The mouse in the editor: a click puts the cursor, a drag selects, two clicks take a word, three a paragraph."""

from __future__ import annotations

from textual import events

from writer.editing import boundaries, moves
from writer.tui.editor.surface import Surface


class Pointing(Surface):
    """Turns the mouse into cursor and selection."""

    _dragging = False

    def place_at(self, x: int, y: int) -> tuple[int, bool]:
        """The nearest place in the text to a cell of the view, and whether it is at the end of a row that breaks."""
        layout = self.sheet.layout
        y += self.scroll_offset.y
        if y >= layout.height:
            return self.sheet.length, False
        return moves.nearest(layout.row(max(0, y)), max(0, x - self.margin))

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1:
            return
        event.stop()
        self.focus()
        offset, upstream = self.place_at(event.x, event.y)
        self.select(self.sheet.mark if event.shift else offset, offset, upstream=upstream)
        self._dragging = True
        self.capture_mouse()

    def _on_mouse_move(self, event: events.MouseMove) -> None:
        if not self._dragging:
            return
        event.stop()
        if event.y < 0 or event.y >= self.rows_in_view:
            self.jump(self.scroll_offset.y + (event.y if event.y < 0 else event.y - self.rows_in_view + 1))
        y = min(max(0, event.y), self.rows_in_view - 1)
        offset, upstream = self.place_at(event.x, y)
        self.select(self.sheet.mark, offset, upstream=upstream)

    async def _on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            event.stop()
            self._dragging = False
            self.release_mouse()

    async def _on_click(self, event: events.Click) -> None:
        event.stop()
        if event.chain < 2 or event.button != 1:
            return
        start, end = self.sheet.document.span(self.sheet.cursor)
        if event.chain == 2:
            first, last = boundaries.word_at(self.sheet.document.slice(start, end), self.sheet.cursor - start)
            start, end = start + first, start + last
        self.select(start, end)

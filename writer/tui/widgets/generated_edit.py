"""Edits that nobody typed: generated text, and the replay of undo and redo.

They keep the author's cursor and selection on the same characters and never scroll the view to the cursor.
"""

from __future__ import annotations

from textual.document._document import EditResult, Location, Selection
from textual.widgets import TextArea
from textual.widgets.text_area import Edit


class QuietEdit(Edit):
    """An edit that moves neither the cursor relative to its text, nor the view. It is not recorded."""

    def __init__(self, text: str, start: Location, end: Location) -> None:
        super().__init__(text, start, end, maintain_selection_offset=True)

    def do(self, text_area: TextArea, record_selection: bool = True) -> EditResult:
        """Perform the edit. Textual's own mapping of the selection compares rows only (its C1 fault)."""
        self._original_selection = text_area.selection
        result = text_area.document.replace_range(self.top, self.bottom, self.text)
        new_end = result.end_location
        start, end = text_area.selection
        self._updated_selection = Selection(self._moved(start, new_end), self._moved(end, new_end))
        self._edit_result = result
        return result

    def _moved(self, location: Location, new_end: Location) -> Location:
        """Where a location is after the edit. Exactly at the place of an insertion it stays before the new text."""
        if location <= self.top:
            return location
        if location < self.bottom:
            return self.top
        row, column = location
        if row == self.bottom[0]:
            column += new_end[1] - self.bottom[1]
        return row + new_end[0] - self.bottom[0], column

    def after(self, text_area: TextArea) -> None:
        """Set the selection without its watcher, which would scroll to the cursor."""
        selection = self._updated_selection
        if selection is not None and selection != text_area.selection:
            text_area.set_reactive(TextArea.selection, selection)
        text_area.refresh()
        text_area._recompute_cursor_offset()  # type: ignore[no-untyped-call]
        if text_area.is_mounted and text_area.has_focus:
            text_area.app.cursor_position = text_area.cursor_screen_offset

"""Where the terminal's own cursor belongs: an input method opens its window there, a screen reader reads from there."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Input, OptionList


@runtime_checkable
class HasCaret(Protocol):
    """A widget or a screen that knows it better."""

    def caret(self) -> Offset | None:
        """The cell on the terminal, from 0; None if it has none to tell."""


def caret(screen: Screen[Any]) -> Offset | None:
    """The cell of what the author acts upon: the text's caret, the row, the field; None if nothing is chosen."""
    if isinstance(screen, HasCaret) and (found := screen.caret()) is not None:
        return found
    widget = screen.focused
    if widget is None or not widget.is_attached:
        return None
    if isinstance(widget, HasCaret):
        return widget.caret()
    if isinstance(widget, Input):
        return _in_field(widget)
    return _row(widget) if isinstance(widget, OptionList) else widget.content_region.offset


def _in_field(field: Any) -> Offset:
    """Textual's own answer is one cell too far behind the last character, and old after a resize."""
    cell = field._cursor_offset - field.cursor_at_end - field.scroll_offset.x
    region = field.content_region
    return Offset(region.x + max(0, min(cell, region.width - 1)), region.y)


def _row(rows: Any) -> Offset:
    region = rows.scrollable_content_region
    line = rows._index_to_line.get(rows.highlighted, 0) - rows.scroll_offset.y
    return Offset(region.x, region.y + max(0, min(line, region.height - 1)))

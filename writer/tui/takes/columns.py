"""Takes side by side: as many columns as there is room for, the others by the arrow keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from writer.text.sanitise import one_line, visible

LEAST = 30
"""Cells of a column."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One column."""

    name: str
    head: str
    text: str


class Column(Vertical):
    """One take: a line about it, and its text."""

    def __init__(self) -> None:
        super().__init__(classes="column")
        self.shown = Shown("", "", "")
        self._marked = False
        self._head = Static("", markup=False, classes="head")
        self._text = Static("", markup=False)
        self.scroll = VerticalScroll(self._text, can_focus=False)

    def compose(self):  # type: ignore[no-untyped-def]
        yield self._head
        yield self.scroll

    def show(self, shown: Shown, *, marked: bool) -> None:
        """Show this; what has not changed is not drawn again."""
        if (shown.head, marked) != (self.shown.head, self._marked):
            self._head.update(("▸ " if marked else "  ") + one_line(shown.head))
        if shown.text != self.shown.text:
            self._text.update(visible(shown.text))
        self.set_class(marked, "-marked")
        self.shown, self._marked = shown, marked


class Columns(Horizontal, can_focus=True):
    """Some texts, of which one is marked."""

    DEFAULT_CSS = """
    Columns { height: 1fr; width: 100%; }
    Columns .column { width: 1fr; height: 1fr; padding: 0 1; border-left: blank; }
    Columns .column.-marked { border-left: solid $primary; }
    Columns .head { height: 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    Columns .column.-marked .head { color: $foreground; text-style: bold; }
    Columns VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
    Columns VerticalScroll Static { height: auto; }
    """

    class Chosen(Message):
        """This one was clicked twice."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Shown] = []
        self.marked = 0

    @property
    def column(self) -> Column | None:
        """The one that is marked."""
        columns = list(self.query(Column))
        return columns[self.marked] if self.marked < len(columns) else None

    def show(self, shown: Sequence[Shown]) -> None:
        """Show these, in this order."""
        self.shown = list(shown)
        self.marked = max(0, min(self.marked, len(shown) - 1))
        have = list(self.query(Column))
        if missing := len(shown) - len(have):
            if missing > 0:
                self.mount_all(new := [Column() for _ in range(missing)])
                have += new
            for left in have[len(shown) :]:
                left.remove()
            have = have[: len(shown)]
        self._arrange(have)

    def _arrange(self, columns: Sequence[Column]) -> None:
        room = max(1, self.size.width // LEAST) if self.size.width else 1
        first = max(0, min(self.marked - room // 2, len(columns) - room))
        for number, (column, shown) in enumerate(zip(columns, self.shown, strict=True)):
            column.display = first <= number < first + room
            column.show(shown, marked=number == self.marked)

    def mark(self, number: int) -> None:
        """Mark the one of that number, from 0."""
        if 0 <= number < len(self.shown):
            self.marked = number
            self._arrange(list(self.query(Column))[: len(self.shown)])

    def on_resize(self) -> None:
        self.show(self.shown)

    def on_click(self, event: events.Click) -> None:
        widget = event.widget
        column = next((c for c in self.query(Column) if widget is not None and c in widget.ancestors_with_self), None)
        if column is not None:
            self.mark(list(self.query(Column)).index(column))
            if event.chain == 2:
                self.post_message(self.Chosen())

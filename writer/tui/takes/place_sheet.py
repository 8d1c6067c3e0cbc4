"""One text, and the place in it from which new takes go on: what stands behind the place is dim."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from writer.language import say
from writer.text.count import words
from writer.text.sanitise import visible
from writer.tui.book.sheet import Sheet
from writer.tui.takes.stops import moved, stops

_MARK = "┃"


class PlaceSheet(Sheet[int]):
    """Returns the characters before the chosen place, or None."""

    KEYS: ClassVar[str] = say(
        "Enter goes on from here · left right word · up down sentence · PgUp PgDn paragraph · Home End · Esc back"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move('words', -1)", show=False),
        Binding("right", "move('words', 1)", show=False),
        Binding("up", "move('sentences', -1)", show=False),
        Binding("down", "move('sentences', 1)", show=False),
        Binding("pageup", "move('paragraphs', -1)", show=False),
        Binding("pagedown", "move('paragraphs', 1)", show=False),
        Binding("home", "edge(0)", show=False),
        Binding("end", "edge(-1)", show=False),
        Binding("enter", "here", show=False),
    ]

    def __init__(self, text: str) -> None:
        """Begins at the end of the text."""
        super().__init__(say("Go on from here"))
        self.text = text
        self._stops = stops(text)
        self.at = self._stops.words[-1] if self._stops.words else len(text)
        self._words = words(text)
        self._shown = Static("", markup=False)
        self._scroll = VerticalScroll(self._shown, can_focus=False, classes="body")

    def body(self) -> Widget:
        self._shown.styles.padding = (0, 1)
        return self._scroll

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        kept, rest = visible(self.text[: self.at]).lstrip("\n"), visible(self.text[self.at :])
        self._shown.update(Content.assemble(kept, (_MARK, "bold $primary"), (rest, "dim")))
        self.entitle(say("Go on from here: after {kept:,} of {words:,} words", kept=words(kept), words=self._words))
        width = max(1, self._scroll.scrollable_content_region.width - 2)
        row = len(Content(kept + _MARK).wrap(width)) - 1
        self._scroll.scroll_to(y=max(0, row - self._scroll.size.height // 2), animate=False)

    def action_move(self, kind: str, by: int) -> None:
        self.at = moved(getattr(self._stops, kind), self.at, by)
        self._draw()

    def action_edge(self, which: int) -> None:
        if self._stops.words:
            self.at = self._stops.words[which]
            self._draw()

    def action_here(self) -> None:
        self.dismiss(self.at)

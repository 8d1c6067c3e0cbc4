"""How many takes, and what should happen in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Label

from writer.language import say
from writer.tui.prompt.key_line import KeyLine

MOST = 9
"""Takes at once: each has a number key."""
USUAL = "3"


class Count(Input):
    """One digit. Another one takes its place, whether or not it is selected."""

    def insert_text_at_cursor(self, text: str) -> None:
        self.replace(text, 0, len(self.value))


class AskTakes(ModalScreen[tuple[int, str] | None]):
    """Returns how many and the instruction, or None if the author changed his mind."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", say("Back"))]

    def __init__(self, where: str, note: str = "") -> None:
        """`note`: what he must know before he answers."""
        super().__init__()
        self._where, self._note = where, note

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield from self._noted()
            yield Label(
                say("How many takes at once, {where}? (1 to {most})", where=self._where, most=MOST), markup=False
            )
            yield Count(USUAL, max_length=1, id="count", restrict="[1-9]?")
            yield Label(say("What should happen? (optional)"), markup=False)
            yield Input(max_length=2000, id="instruction")
            yield KeyLine(say("Tab goes between the lines; Enter writes; Escape goes back."), classes="hint")

    def _noted(self) -> Iterator[Widget]:
        if self._note:
            yield Label(self._note, markup=False, classes="note")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._answer()

    def _answer(self) -> None:
        count = self.query_one(Count).value or USUAL
        self.dismiss((int(count), self.query_one("#instruction", Input).value.strip()))

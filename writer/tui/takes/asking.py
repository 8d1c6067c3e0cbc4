"""How many takes, and what should happen in them."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label

MOST = 9
"""Takes at once: each has a number key."""
USUAL = "3"


class AskTakes(ModalScreen[tuple[int, str] | None]):
    """Returns how many and the instruction, or None if the author changed his mind."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Label(f"How many takes at once, {self._where}? (1 to {MOST})", markup=False)
            yield Input(USUAL, max_length=1, id="count", restrict="[1-9]?")
            yield Label("What should happen? (optional)", markup=False)
            yield Input(max_length=2000, id="instruction")
            yield Label("Tab goes between the lines; Enter writes; Escape goes back.", markup=False, classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        count = self.query_one("#count", Input).value or USUAL
        self.dismiss((int(count), self.query_one("#instruction", Input).value.strip()))

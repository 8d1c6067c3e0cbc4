"""One line from the author: an instruction, or a title."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from writer.language import say
from writer.tui.prompt.key_line import KeyLine


class Ask(ModalScreen[str | None]):
    """Returns the line, or None if the author changed his mind."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", say("Back"))]

    def __init__(self, question: str, hint: str, value: str = "") -> None:
        """`value` stands in the line already."""
        super().__init__()
        self._question, self._hint, self._value = question, hint, value

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Label(self._question, markup=False)
            yield Input(self._value, max_length=2000)  # typing takes the place of what is there
            yield KeyLine(self._hint, classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

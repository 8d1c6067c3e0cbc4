"""A question with a few buttons. The first has the focus, so Enter takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Label

from writer.language import say
from writer.text.sanitise import visible


class Choice(ModalScreen[str | None]):
    """Returns the id of the button taken, or None for Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", say("Later")),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(self, lines: Sequence[str], buttons: Sequence[tuple[str, str]]) -> None:
        """`lines` of text, and `buttons` as (id, label)."""
        super().__init__()
        self._lines, self._buttons = list(lines), buttons

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            for number, line in enumerate(self._lines):
                yield Label(visible(line), markup=False, id=f"line-{number}")
            with Horizontal(classes="buttons"):
                for name, label in self._buttons:
                    yield Button(label, id=name, variant="primary" if name == self._buttons[0][0] else "default")

    def on_mount(self) -> None:
        self.query(Button).first().focus()

    def on_resize(self) -> None:
        """On a low terminal the card scrolls: what Enter takes is in view."""
        if self.focused is not None:
            self.call_after_refresh(self.focused.scroll_visible, animate=False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id)

"""A question with a few buttons. The first has the focus, so Enter takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Label

from writer.language import say, together
from writer.text.sanitise import visible
from writer.tui.calmed import calm_at

_ESCAPE = say("Escape leaves this question.")


class Choice(ModalScreen[str | None]):
    """Returns the id of the button taken, or None for Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", say("Later")),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, 5)),
    ]

    def __init__(self, lines: Sequence[str], buttons: Sequence[tuple[str, str]], escape: str = _ESCAPE) -> None:
        """`lines` of text, and `buttons` as (id, label); `escape` says what that key does."""
        super().__init__()
        self._lines, self._buttons, self._escape = list(lines), buttons, escape

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            for number, line in enumerate(self._lines):
                yield Label(visible(line), markup=False, id=f"line-{number}")
            if calm_at(self.app).reader:
                yield Label(visible(choices([label for _, label in self._buttons], self._escape)), markup=False)
            with Horizontal(classes="buttons"):
                for name, label in self._buttons:
                    yield Button(label, id=name, variant="primary" if name == self._buttons[0][0] else "default")

    def on_mount(self) -> None:
        self.query(Button).first().focus()

    def on_resize(self) -> None:
        """On a low terminal the card scrolls: what Enter takes is in view. Too many buttons for a row are a column."""
        wanted = sum(max(16, cell_len(label) + 4) + 2 for _, label in self._buttons)
        self.query_one(".buttons").set_class(wanted > min(76, self.size.width * 0.96) - 6, "-column")
        if self.focused is not None:
            self.call_after_refresh(self.focused.scroll_visible, animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Numbers are keys for who is told of them: another author may be typing one just now."""
        return action != "take" or calm_at(self.app).reader

    def action_take(self, number: int) -> None:
        if number <= len(self._buttons):
            self.dismiss(self._buttons[number - 1][0])

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id)


def choices(labels: Sequence[str], escape: str) -> str:
    """The buttons as sentences, for a screen reader: which key takes which."""
    first, *others = labels
    said = [say("Press 1 or Enter for “{label}”.", label=first)]
    said += [say("Press {number} for “{label}”.", number=at, label=label) for at, label in enumerate(others, start=2)]
    return together(*said, escape)

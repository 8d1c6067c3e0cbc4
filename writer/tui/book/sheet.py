"""A sheet: a calm screen over the text, with a title, what it shows, and one line that names its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from writer.language import say
from writer.text.sanitise import one_line

Answer = TypeVar("Answer")


class Sheet(ModalScreen[Answer | None]):
    """Escape goes back; None is its answer then. Subclasses give the content."""

    DEFAULT_CSS = """
    Sheet {
        align: left top; background: $background;
        .title { height: 1; width: 100%; padding: 0 1; background: $panel; text-style: bold; text-wrap: nowrap; }
        .title { text-overflow: ellipsis; }
        .keys { height: auto; max-height: 4; width: 100%; padding: 0 1; background: $panel; color: $text-muted; }
        .body { height: 1fr; width: 100%; }
        OptionList { height: 1fr; border: none; padding: 0 1; background: $background; text-wrap: nowrap;
            text-overflow: ellipsis; overflow-x: hidden; }
        OptionList:focus { border: none; background-tint: $foreground 0%; }
        OptionList > .option-list--option-disabled { color: $text-accent; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", say("Back"))]
    KEYS: ClassVar[str] = say("Esc back")

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = Static(one_line(title), markup=False, classes="title")

    def compose(self) -> ComposeResult:
        yield self._title
        yield self.body()
        yield Static(self.KEYS, markup=False, classes="keys")

    def body(self) -> Widget:
        """What the sheet shows."""
        raise NotImplementedError

    def entitle(self, title: str) -> None:
        """Another title."""
        self._title.update(one_line(title))


class Rows(OptionList):
    """A list whose rows have names; a row without a name is a heading, and cannot be chosen."""

    def __init__(self) -> None:
        super().__init__(classes="body")
        self._names: list[str] = []

    @property
    def chosen(self) -> str:
        """The name of the row that is highlighted; "" if there is none."""
        return self._names[self.highlighted] if self.highlighted is not None and self._names else ""

    def fill(self, rows: Sequence[tuple[str, Content]], chosen: str = "") -> None:
        """Show these rows, (name, row). The row `chosen` is highlighted, else the one that was."""
        chosen = chosen or self.chosen
        self._names = [name for name, _ in rows]
        self.set_options([Option(row, disabled=not name) for name, row in rows])
        first = next((at for at, name in enumerate(self._names) if name), None)
        self.highlighted = self._names.index(chosen) if chosen and chosen in self._names else first

    def name_at(self, index: int) -> str:
        """The name of the row of that number, from 0."""
        return self._names[index]

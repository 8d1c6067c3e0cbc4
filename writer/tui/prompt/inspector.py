"""The inspector: what the model will be given, part by part, beside the text or on a sheet of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from writer.language import say
from writer.runtime.events import PromptShown
from writer.text.sanitise import one_line
from writer.tui.prompt.key_hint import KeyHint
from writer.tui.prompt.lines import Row, about, line, rows, totals

if TYPE_CHECKING:
    from writer.tui.screens.prompt_actions import PromptActions

WIDE = 110
"""Columns from which on the inspector stands beside the text."""
_KEYS = (("enter", say("Enter reads")), ("r", say("R anew")), ("f6", say("F6 close")), ("escape", say("Esc text")))


class Inspector(Vertical):
    """Shows one plan. Asks nothing itself: it posts what the author wants."""

    DEFAULT_CSS = """
    Inspector { width: 46; height: 1fr; background: $surface; padding: 0 1; }
    Inspector.-alone { width: 100%; }
    Inspector > .head { height: 1; text-style: bold; color: $primary; }
    Inspector > OptionList { height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1; }
    Inspector > OptionList:focus { border: none; background-tint: $foreground 0%; }
    Inspector > .about { height: auto; max-height: 6; border-top: solid $panel; }
    Inspector > .totals { height: auto; max-height: 8; border-top: solid $panel; color: $foreground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "anew", show=False),
        Binding("escape", "leave", show=False),
    ]

    class Asked(Message):
        """Plan anew."""

    class Left(Message):
        """Back to the text."""

    class Reading(Message):
        """The author wants to read the request, from this part of it on."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, *, alone: bool = False) -> None:
        super().__init__(id="inspector", classes="-alone" if alone else "")
        self.shown: PromptShown | None = None
        self._last = ""
        self._rows: list[Row] = []
        self._list = OptionList()
        self._head, self._about, self._totals = (
            Static("", classes=each, markup=False) for each in ("head", "about", "totals")
        )

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._list
        yield self._about
        yield self._totals
        yield KeyHint(*_KEYS)

    def wait(self, title: str) -> None:
        """A plan of this chapter is on its way."""
        self._head.update(say("Prompt of {title} · planning…", title=one_line(title, 60)))

    def show(self, shown: PromptShown, title: str, last: str) -> None:
        """A plan has come. `last` says what the engine had cached of the last request."""
        self.shown, self._last = shown, last
        self._head.update(say("Prompt of {title}", title=one_line(title, 60)))
        self._draw()

    def tell_last(self, last: str) -> None:
        """What the engine had cached of a newer request."""
        self._last = last
        self._sum()

    def _draw(self) -> None:
        plan = self.shown.plan if self.shown else None
        self._rows = rows(plan, self.shown.cached) if plan and self.shown else []
        most = max((row.part.tokens for row in self._rows), default=0)
        parts = self._list
        kept = parts.highlighted
        parts.clear_options()
        width = (parts.size.width or 44) - 2
        parts.add_options([Option(_styled(row, line(row, most, width))) for row in self._rows])
        if self._rows:
            parts.highlighted = min(kept or 0, len(self._rows) - 1)
        else:
            self._about.update(one_line(self.shown.why, 500) if self.shown else "")
        self._sum()

    def _sum(self) -> None:
        plan = self.shown.plan if self.shown else None
        said = [totals(plan), *(one_line(note, 200) for note in plan.notes)] if plan else []
        self._totals.update("\n".join([*said, *filter(None, [self._last])]))

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self._rows):
            self._about.update(about(self._rows[event.option_index]))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._rows):
            self.post_message(self.Reading(self._rows[event.option_index].part.text))

    def action_anew(self) -> None:
        self.post_message(self.Asked())

    def action_leave(self) -> None:
        self.post_message(self.Left())


class InspectorSheet(ModalScreen[None]):
    """The inspector where the window is too narrow for two."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f6", "dismiss(None)", show=False)]

    def __init__(self, inspector: Inspector, owner: PromptActions) -> None:
        super().__init__()
        self.inspector = inspector
        self._owner = owner

    def compose(self) -> ComposeResult:
        yield self.inspector

    def on_inspector_left(self, event: Inspector.Left) -> None:
        event.stop()
        self.dismiss(None)

    def on_inspector_asked(self) -> None:
        self._owner.on_inspector_asked()

    def on_inspector_reading(self, event: Inspector.Reading) -> None:
        self._owner.on_inspector_reading(event)


def _styled(row: Row, text: str) -> Content:
    if not row.part.included:
        return Content.styled(text, "$text-muted")
    return Content.styled(text, "$warning") if row.part.cut else Content(text)

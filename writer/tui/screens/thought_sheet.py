"""The thought of a text, to be read: while it comes and later. Nothing in it is text of the chapter."""

from __future__ import annotations

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from writer.language import many, say
from writer.runtime.events import BatchCommitted, ThoughtFound
from writer.runtime.ports import Desk
from writer.text.sanitise import one_line, visible
from writer.tui.prompt.key_hint import KeyHint
from writer.tui.prompt.sheet_style import SHEET

_BOTTOM = 1  # rows from the end within which the view follows


class ThoughtSheet(ModalScreen[None]):
    """Scrolls; follows a thought that goes on, if its end is in view."""

    DEFAULT_CSS = SHEET + "ThoughtSheet VerticalScroll { height: 1fr; } ThoughtSheet #thought { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,alt+t", "dismiss(None)", say("Back")),
        Binding("left", "older", show=False),
        Binding("right", "newer", show=False),
    ]

    def __init__(self, desk: Desk, chapter: str, generation: str = "") -> None:
        """`generation`: whose thought is shown first; else the newest of the chapter."""
        super().__init__()
        self._desk, self._chapter, self._asked = desk, chapter, generation
        self._found: ThoughtFound | None = None
        self._said = ""
        self._tokens = 0
        self._waits = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="sheet"):
            yield Static(say("The thought"), id="title", markup=False)
            with VerticalScroll():
                yield Static("", id="thought", markup=False)
            yield Static("", id="told", markup=False)
            yield KeyHint(
                ("left", say("← an older thought")), ("right", say("→ a newer one")), ("escape", say("Esc back"))
            )

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self._ask(self._asked)

    def show(self, found: ThoughtFound) -> None:
        """The writing thread's answer."""
        self._waits = False
        if found.chapter != self._chapter or not self.is_mounted:
            return
        self._found, self._said, self._tokens = found, found.text, found.tokens
        self.query_one("#title", Static).update(title(found, time.time()))
        self.query_one("#told", Static).update(one_line(found.why, 400))
        self._paint()

    def heard(self, event: BatchCommitted) -> None:
        """A batch was saved: if it belongs to this thought, it is more of it, or its end."""
        found = self._found
        if found is None or event.generation != found.generation or self._waits or event.tokens <= self._tokens:
            return
        if not event.thinking:
            if found.open:
                self._ask(found.generation)
        elif event.tokens - len(event.token_ids) == self._tokens and not found.why:
            self._said, self._tokens = self._said + event.thought, event.tokens
            self._paint()
        else:  # some of it was told before this sheet was there
            self._ask(found.generation)

    def action_older(self) -> None:
        """The thought before this one."""
        self._step(1)

    def action_newer(self) -> None:
        """The thought after this one."""
        self._step(-1)

    def _step(self, by: int) -> None:
        found = self._found
        if found is None or found.generation not in found.others:
            return
        at = found.others.index(found.generation) + by
        if 0 <= at < len(found.others):
            self._ask(found.others[at])
        else:
            told = say("This is the newest thought.") if by < 0 else say("There is no older thought in this chapter.")
            self.query_one("#told", Static).update(told)

    def _ask(self, generation: str) -> None:
        self._waits = True
        self._desk.thought(self._chapter, generation)

    def _paint(self) -> None:
        scroll = self.query_one(VerticalScroll)
        follows = scroll.max_scroll_y - scroll.scroll_y <= _BOTTOM
        self.query_one("#thought", Static).update(visible(self._said))
        if follows and self._found is not None and self._found.open:
            scroll.scroll_end(animate=False)


def title(found: ThoughtFound, now: float) -> str:
    """Whose thought it is, in one line."""
    if not found.generation:
        return say("The thought")
    form = "%H:%M" if now - found.created < 43_200 else say("%d %B %Y, %H:%M")
    when = time.strftime(form, time.localtime(found.created))
    size = say("it goes on") if found.open else many("{count:,} token", "{count:,} tokens", found.thought)
    if (count := len(found.others)) > 1:
        size += f" ({say('{number} of {count}', number=found.others.index(found.generation) + 1, count=count)})"
    if found.role == "take":
        return say("Thought before the take of {when}: {size}", when=when, size=size)
    return say("Thought before the text of {when}: {size}", when=when, size=size)

"""A model that thinks before it writes: its thought is shown apart, while it comes and later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.language import say

if TYPE_CHECKING:
    from writer.runtime.events import BatchCommitted, Event, GenerationStarted
    from writer.tui.command import Command
    from writer.tui.screens.manuscript import ManuscriptScreen
    from writer.tui.screens.thought_sheet import ThoughtSheet
    from writer.tui.widgets.thought_fold import ThoughtFold

_TAIL = 2000  # characters of a thought that are kept for the fold
_EVERY = 0.1  # seconds between two pictures of it


class ThinkingActions(Screen[None]):
    """The part of the main screen that concerns thoughts."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("alt+t", "thought", show=False, id="thought")]
    _fold: ThoughtFold | None = None
    _thought_sheet: ThoughtSheet | None = None
    _thought_shown_at = 0.0

    def __init__(self) -> None:
        super().__init__()
        self._thoughts: dict[str, str] = {}  # how each generation's thought goes on, since this window looks on

    @property
    def _main(self) -> ManuscriptScreen:
        """The main screen, of which this is a part."""
        return cast("ManuscriptScreen", self)

    def thinking_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        if (page := self._main.page) and page.chapter.number:
            yield (
                say("Read the thought"),
                say("What the model thought before it wrote in this chapter"),
                self.action_thought,
            )

    def action_thought(self) -> None:
        """Show the thought that is under way here, or the newest one of the chapter."""
        screen, page = self._main, self._main.page
        if page is None or not page.chapter.number:
            screen.complain(
                say("No chapter is open, so there is no thought to read. Choose one in the list."), "information"
            )
            return
        from writer.tui.screens.thought_sheet import ThoughtSheet

        self._thought_sheet = ThoughtSheet(screen.desk, page.chapter.path, screen.here.generation)
        self.app.push_screen(self._thought_sheet, self._thought_left)

    def _thought_left(self, _: None) -> None:
        self._thought_sheet = None

    def thinking_heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        from writer.runtime.events import BatchCommitted, GenerationStarted, ThoughtFound

        if isinstance(event, GenerationStarted):
            self._started_thinking(event)
        elif isinstance(event, BatchCommitted):
            self._thought_on(event)
        elif isinstance(event, ThoughtFound) and self._thought_sheet is not None:
            self._thought_sheet.show(replace(event, why=self._main.with_keys(event.why)))

    def _started_thinking(self, event: GenerationStarted) -> None:
        if (writing := self._main.writings.writer_of(event.generation)) is not None:
            writing.thinks(event.thinking, event.resumed_from)

    def _thought_on(self, event: BatchCommitted) -> None:
        if event.thinking:
            said = self._thoughts.get(event.generation, "") + event.thought
            self._thoughts[event.generation] = said[-_TAIL:]
        else:
            self._thoughts.pop(event.generation, None)
        if (writing := self._main.writings.writer_of(event.generation)) is not None:
            writing.thinks(event.thinking, event.tokens)
        if self._thought_sheet is not None:
            self._thought_sheet.heard(event)

    def show_thought(self) -> None:
        """Bring the fold below the text in line with what is thought in this chapter, some times a second at most."""
        here = self._main.here
        thinks = here.busy and here.thinking
        if not thinks and (self._fold is None or not self._fold.display):
            return
        now = time.monotonic()
        if thinks and now - self._thought_shown_at < _EVERY:
            return
        self._thought_shown_at = now
        if self._fold is None:
            from writer.tui.widgets.thought_fold import ThoughtFold

            self._fold = ThoughtFold()
            self.query_one("#pane").mount(self._fold)
        self._fold.display = thinks
        if thinks:
            hint = self._main.with_keys(say("Alt+T reads the thought"))
            self._fold.show(here.thought, self._thoughts.get(here.generation, ""), hint)

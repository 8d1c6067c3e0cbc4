"""The card before the app opens: another window writes here. Read only, take over, or quit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.driver import Driver

from writer.errors import WriterError
from writer.language import say
from writer.tui.calmed import CalmApp
from writer.tui.gate import close_gate
from writer.tui.quit_hint import hint_at_quitting
from writer.tui.screens.choice import Choice
from writer.tui.theme import dress
from writer.tui.working import work

READ, TAKE, QUIT = "read", "take", "quit"
_BUTTONS = ((READ, say("Read only")), (TAKE, say("Take over")), (QUIT, say("Quit")))
_ESCAPE = say("Escape quits.")
_EXPLAINED = say("Taking over asks that window to save and to let go; it stays open, and reads from then on.")
_WAITING = (
    say("The other window saves what it has, and then lets go…"),
    say("Nothing is lost, however long that takes."),
)

close_gate()


class Gate(CalmApp[str]):
    """Returns READ, TAKE (the manuscript is free then) or QUIT."""

    CSS_PATH = "../styles/app.tcss"
    TITLE = "writer"
    ENABLE_COMMAND_PALETTE = False  # there is nothing but the question

    def __init__(
        self, sentence: str, take_over: Callable[[], None], *, driver_class: type[Driver] | None = None
    ) -> None:
        """`sentence` says who writes. `take_over` blocks until that one has let go; it raises WriterError if not."""
        super().__init__(driver_class=driver_class)
        dress(self, "ink")
        self._sentence = sentence
        self._take_over = take_over

    def on_mount(self) -> None:
        self._ask(self._sentence)

    def action_help_quit(self) -> None:
        hint_at_quitting(self)

    def _ask(self, sentence: str) -> None:
        self.push_screen(Choice([sentence, _EXPLAINED], _BUTTONS, _ESCAPE), self._answered)

    def _answered(self, answer: str | None) -> None:
        if answer != TAKE:
            self.exit(answer or QUIT)
            return
        self.push_screen(Choice(_WAITING, ((QUIT, say("Quit")),), _ESCAPE), lambda answer: self.exit(QUIT))
        work(self, "takeover", self._taken)

    async def _taken(self) -> None:
        try:
            await asyncio.to_thread(self._take_over)
        except WriterError as error:
            self.pop_screen()
            self._ask(error.sentence)
        else:
            self.exit(TAKE)

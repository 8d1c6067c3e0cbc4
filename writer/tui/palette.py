"""The command palette in the user's language. Textual has no place for its own two sentences but these."""

from __future__ import annotations

from rich.align import Align
from rich.text import Text
from textual.command import CommandList, CommandPalette
from textual.widgets.option_list import Option

from writer.language import say


class Palette(CommandPalette):
    """Textual's palette; only what it says itself is ours."""

    def __init__(self) -> None:
        super().__init__(id="--command-palette", placeholder=say("Search for commands…"))

    def _start_no_matches_countdown(self, search_value: str) -> None:
        self._stop_no_matches_countdown()

        def show() -> None:
            if search_value:
                words = Align.center(Text(say("No matches found"), style="not bold"))
                self.query_one(CommandList).add_option(Option(words, disabled=True, id=self._NO_MATCHES))
            self._list_visible = bool(search_value)

        self._no_matches_timer = self.set_timer(self._NO_MATCHES_COUNTDOWN, show)

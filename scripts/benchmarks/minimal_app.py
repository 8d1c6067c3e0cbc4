"""The least that a program with Textual can be: one line. Left by ctrl+q, as all of them."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Minimal(App[None]):
    """One line."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield Static("minimal")


if __name__ == "__main__":
    Minimal().run()

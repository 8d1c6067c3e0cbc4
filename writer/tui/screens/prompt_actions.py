"""What the model is given, and how tokens are drawn: inspector, context meter, sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.binding import BindingType
from textual.screen import Screen

from writer.runtime.events import Event
from writer.tui.command import Command


class PromptActions(Screen[None]):
    """The part of the main screen that concerns the prompt."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def prompt_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        yield from ()

    def prompt_heard(self, event: Event) -> None:
        """The writing thread has reported this."""

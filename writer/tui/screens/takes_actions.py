"""Takes: several texts for one place, compared and chosen; several chapters at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.binding import BindingType
from textual.screen import Screen

from writer.runtime.events import Event
from writer.tui.command import Command


class TakesActions(Screen[None]):
    """The part of the main screen that concerns takes."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def takes_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        yield from ()

    def takes_heard(self, event: Event) -> None:
        """The writing thread has reported this."""

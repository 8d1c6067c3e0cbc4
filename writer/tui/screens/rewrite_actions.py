"""Rewriting and inserting, and the alternatives of one word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.binding import BindingType
from textual.screen import Screen

from writer.runtime.events import Event
from writer.tui.command import Command


class RewriteActions(Screen[None]):
    """The part of the main screen that concerns rewriting."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def rewrite_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        yield from ()

    def rewrite_heard(self, event: Event) -> None:
        """The writing thread has reported this."""

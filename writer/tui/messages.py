"""The one message that carries the writing thread's reports into Textual's loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from writer.runtime.events import Event


class Reported(Message):
    """The writing thread has reported this. Never dropped and never merged with another."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event

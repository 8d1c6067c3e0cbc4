"""The keys at the foot of the main screen. Where there is no room for all, the palette and the help stay."""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

_ROOM = {"quit": 80, "save": 80, "new_chapter": 80, "find": 56, "instruct": 56}
"""Cells from which on the key of an action is shown."""


class KeysLine(Footer):
    """Leaves out those that would be cut off."""

    def __init__(self) -> None:
        super().__init__()
        self._room = 0

    def compose(self) -> Iterable[Widget]:
        self._room = self.app.size.width
        for each in super().compose():
            if not isinstance(each, FooterKey) or _ROOM.get(each.action, 0) <= self._room:
                yield each

    def on_resize(self, event: events.Resize) -> None:
        width = self.app.size.width
        if any(min(self._room, width) < least <= max(self._room, width) for least in _ROOM.values()):
            self.call_after_refresh(self.recompose)

"""The row of keys at the bottom: Textual's footer, but built anew only when it would look different.

Textual takes all its keys out and makes new ones whenever the focus moves, and gives each one its look three times.
"""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

_Shown = tuple[str, str, str, str, bool, str, str]
"""What one key is made of: key, how it is called, what it does, action, dimmed, tooltip, classes."""
_ROOM = {"quit": 80, "save": 80, "new_chapter": 80, "find": 56, "instruct": 56}
"""Cells from which on the key of an action is shown: the palette and the help stay where there is no room for all."""


class Key(FooterKey):
    """One key. Whether it is compact is said when it is made, and stays."""

    def _watch_compact(self, compact: bool) -> None:
        return


class KeysRow(Footer):
    """The keys of what has the focus, and on the right that of the palette."""

    _shown: tuple[_Shown, ...] = ()

    def compose(self) -> ComposeResult:
        if self._bindings_ready:
            self._shown = self._keys()
            for shown in self._shown:
                yield Key(*shown)

    def bindings_changed(self, screen: Screen[object]) -> None:
        self._bindings_ready = True
        if screen.app.app_focus and self.is_attached and screen is self.screen:
            self.call_after_refresh(self._compare)

    async def _compare(self) -> None:
        if self.is_attached and self._keys() != self._shown:
            await self.recompose()

    def _keys(self) -> tuple[_Shown, ...]:
        active = self.screen.active_bindings
        rows: dict[str, _Shown] = {}
        for _, binding, enabled, tooltip in active.values():
            if binding.show and binding.action not in rows and _ROOM.get(binding.action, 0) <= self.app.size.width:
                rows[binding.action] = self._row(binding, enabled, tooltip)
        palette = active.get(self.app.COMMAND_PALETTE_BINDING) if self.app.ENABLE_COMMAND_PALETTE else None
        if palette is None:
            return tuple(rows.values())
        tooltip = palette.binding.tooltip or palette.binding.description
        return *rows.values(), self._row(palette.binding, palette.enabled, tooltip, "-command-palette -compact")

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._compare)

    def _row(self, binding: Binding, enabled: bool, tooltip: str, classes: str = "") -> _Shown:
        display = self.app.get_key_display(binding)
        return binding.key, display, binding.description, binding.action, not enabled, tooltip, classes

"""The line that names the keys of a sheet; a click on one is that key."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Span
from textual.style import Style
from textual.widgets import Static

from writer.tui.prompt.key_rows import SEPARATOR, KeyRows


class KeyHint(Static):
    """Made of our own words only: nothing foreign may become markup."""

    DEFAULT_CSS = """
    KeyHint { height: auto; max-height: 4; color: $text-muted; text-wrap: wrap; link-style: none;
        link-color: $text-muted; link-background: $background 0%; link-color-hover: $foreground;
        link-background-hover: $panel; link-style-hover: none; }
    """

    def __init__(self, *keys: tuple[str, str]) -> None:
        """`keys` as (key, what is shown for it)."""
        text, found = "", []
        for key, label in keys:
            text += SEPARATOR if text else ""
            found.append((len(text), len(text) + len(label), key))
            text += label
        super().__init__(pressing(text, found), markup=False)

    def action_press(self, key: str) -> None:
        self.app.simulate_key(key)


def pressing(text: str, keys: Sequence[tuple[int, int, str]]) -> KeyRows:
    """The text, and which of its characters [start, end) press which key when they are clicked."""
    return KeyRows(text, [Span(start, end, Style.from_meta({"@click": f"press('{key}')"})) for start, end, key in keys])

"""The line that names the keys of a sheet; a click on one is that key."""

from __future__ import annotations

from textual.widgets import Static


class KeyHint(Static):
    """Made of our own words only: nothing foreign may become markup."""

    DEFAULT_CSS = """
    KeyHint { height: auto; max-height: 4; color: $text-muted; text-wrap: wrap; link-style: none;
        link-color: $text-muted; link-background: $background 0%; link-color-hover: $foreground;
        link-background-hover: $panel; link-style-hover: none; }
    """

    def __init__(self, *keys: tuple[str, str]) -> None:
        """`keys` as (key, what is shown for it)."""
        super().__init__(" · ".join(f"[@click=press('{key}')]{label}[/]" for key, label in keys))

    def action_press(self, key: str) -> None:
        self.app.simulate_key(key)

"""The colours, by name; everything else takes them from here. Ours are ink, paper, sepia and contrast.

Textual's own themes may be named too, but for the ones that leave the colours to the terminal.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from writer.language import say, together
from writer.text.sanitise import one_line


@dataclass(frozen=True, slots=True)
class Palette:
    """What a theme is made of. Colours are #rrggbb."""

    dark: bool
    background: str
    surface: str
    panel: str
    text: str
    muted: str
    blue: str  # what has the focus
    link: str
    resting: str  # behind what is chosen and has no focus
    on_resting: str
    lamp: str  # keys, warnings, the current match
    error: str
    success: str  # the tint of generated text
    marked: str  # behind selected text
    on_marked: str
    on_blue: str
    thumb: str  # of scroll bars
    thumb_hover: str


PALETTES: Mapping[str, Palette] = {
    "ink": Palette(
        dark=True,
        background="#14161a",
        surface="#1a1d22",
        panel="#23272e",
        text="#dcd7cc",
        muted="#9a978f",
        blue="#84a9d1",
        link="#6f8fb3",
        resting="#2a313b",
        on_resting="#f0ece3",
        lamp="#e3b26f",
        error="#e07a7a",
        success="#7fb58f",
        marked="#3d5878",
        on_marked="#ffffff",
        on_blue="#14161a",
        thumb="#3a404a",
        thumb_hover="#4b5360",
    ),
    "paper": Palette(
        dark=False,
        background="#f7f5f0",
        surface="#efece4",
        panel="#e3dfd4",
        text="#24262b",
        muted="#5f5d57",
        blue="#2f5f93",
        link="#3d5f86",
        resting="#d3dce6",
        on_resting="#14161a",
        lamp="#8a5a0a",
        error="#a83232",
        success="#3f7f54",
        marked="#bcd2ea",
        on_marked="#14161a",
        on_blue="#ffffff",
        thumb="#c4beb0",
        thumb_hover="#a9a290",
    ),
    "sepia": Palette(
        dark=False,
        background="#f1e4cb",
        surface="#e9dabd",
        panel="#dfcda9",
        text="#3b2f20",
        muted="#6a5940",
        blue="#4a5d7c",
        link="#4f5f7a",
        resting="#d6c294",
        on_resting="#2a2013",
        lamp="#8a4b12",
        error="#9c2f2a",
        success="#587a3c",
        marked="#cdb98a",
        on_marked="#2a2013",
        on_blue="#fbf4e4",
        thumb="#c3ad80",
        thumb_hover="#a8905f",
    ),
    "contrast": Palette(
        dark=True,
        background="#000000",
        surface="#000000",
        panel="#1c1c1c",
        text="#ffffff",
        muted="#d6d6d6",
        blue="#8fd0ff",
        link="#a8dcff",
        resting="#3a3a3a",
        on_resting="#ffffff",
        lamp="#ffd54a",
        error="#ff9a9a",
        success="#6fe08f",
        marked="#ffffff",
        on_marked="#000000",
        on_blue="#000000",
        thumb="#8c8c8c",
        thumb_hover="#d6d6d6",
    ),
}
OURS = tuple(PALETTES)
THEIRS = tuple(name for name in BUILTIN_THEMES if not name.startswith("ansi"))
"""Of Textual. Those named ansi know no shades, which a tint is made of."""


def themes() -> tuple[Theme, ...]:
    """Ours, to be registered."""
    return tuple(_theme(name, palette) for name, palette in PALETTES.items())


def _theme(name: str, colours: Palette) -> Theme:
    return Theme(
        name=name,
        dark=colours.dark,
        primary=colours.blue,
        secondary=colours.link,
        accent=colours.lamp,
        warning=colours.lamp,
        error=colours.error,
        success=colours.success,
        foreground=colours.text,
        background=colours.background,
        surface=colours.surface,
        panel=colours.panel,
        variables=_variables(colours),
    )


def _variables(colours: Palette) -> dict[str, str]:
    return {
        "block-cursor-background": colours.blue,
        "block-cursor-foreground": colours.on_blue,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": colours.resting,
        "block-cursor-blurred-foreground": colours.on_resting,
        "block-cursor-blurred-text-style": "bold",  # seen where there are only sixteen colours
        "border": colours.blue,
        "border-blurred": colours.panel,
        "button-color-foreground": colours.on_blue,
        "button-focus-text-style": "bold",
        "footer-background": colours.background,
        "footer-foreground": colours.muted,
        "footer-description-foreground": colours.muted,
        "footer-key-foreground": colours.lamp,
        "input-selection-background": colours.marked,
        "input-selection-foreground": colours.on_marked,
        "scrollbar": colours.thumb,
        "scrollbar-hover": colours.thumb_hover,
        "scrollbar-active": colours.blue,
        "scrollbar-background": colours.background,
        "scrollbar-background-hover": colours.surface,
        "scrollbar-background-active": colours.surface,
        "scrollbar-corner-color": colours.background,
    }


def dress(app: App[Any], name: str) -> str:
    """Give the app this theme; a sentence if there is none of that name, and the app keeps the one it has."""
    for theme in themes():
        app.register_theme(theme)
    if name not in (*OURS, *THEIRS):
        near = difflib.get_close_matches(name, (*OURS, *THEIRS), n=1)
        hint = (
            say("Did you mean “{name}”?", name=near[0])
            if near
            else say("There are {names}, and Textual's own.", names=", ".join(OURS))
        )
        app.theme = app.theme if app.theme in OURS else OURS[0]
        return together(say("There is no theme “{name}”.", name=one_line(name, 40)), hint)
    app.theme = name
    return ""

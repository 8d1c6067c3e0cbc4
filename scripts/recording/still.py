"""A moment of a recorded session as a picture like those of scripts/screenshots."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import groupby

from pictures.png import fonts, rendered
from pictures.svg import picture
from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from recording.cast import Row

WIDTH = 1000
"""Pixels."""
GROUND, INK = "#16181c", "#d8d5cc"
_COLOURS = {"black": "black", "brown": "yellow"}
_THEME = TerminalTheme((22, 24, 28), (216, 213, 204), [(22, 24, 28)] + [(216, 213, 204)] * 7)


def png(shown: Sequence[Row]) -> bytes:
    """The screen's cells as PNG. Raises pictures.png.Missing."""
    return rendered(svg(shown), fonts(), WIDTH)


def svg(shown: Sequence[Row]) -> str:
    """The screen's cells as SVG."""
    columns = len(shown[0])
    console = Console(
        record=True,
        width=columns,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    for row in shown:
        line = Text(no_wrap=True, end="\n", overflow="crop")
        for style, run in groupby(row, key=_style):
            line.append("".join(cell.data for cell in run), style)
        console.print(line, soft_wrap=True)
    exported = console.export_svg(title="", theme=_THEME)
    return picture(exported, columns, len(shown), _colour(shown[0][0].bg, GROUND))


def _style(cell: Char) -> Style:
    ink, ground = _colour(cell.fg, INK), _colour(cell.bg, GROUND)
    if cell.reverse:
        ink, ground = ground, ink
    return Style(
        color=ink,
        bgcolor=ground,
        bold=cell.bold,
        italic=cell.italics,
        underline=cell.underscore,
        strike=cell.strikethrough,
    )


def _colour(name: str, other: str) -> str:
    if name == "default":
        return other
    return _COLOURS.get(name, name) if not all(c in "0123456789abcdef" for c in name) else f"#{name}"

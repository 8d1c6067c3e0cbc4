"""A character that the terminal draws wider than we think moves nothing but its own pane's part of the row (R2)."""

from __future__ import annotations

import pyte
from rich.console import Console
from rich.segment import Segment
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from writer.tui.placing import _render_placed

WRONG = "xx"
"""Stands for a character of one cell by our count that the terminal draws in two."""


def shown(render: object) -> str:
    screen = pyte.Screen(20, 2)
    update = LayoutUpdate([[Strip([Segment(WRONG)], 1), Strip([Segment("|right")], 6)]], Region(0, 0, 20, 2))
    pyte.Stream(screen).feed(render(update, Console()))  # type: ignore[operator]
    return screen.display[0].rstrip()


def test_each_part_of_a_row_is_put_at_its_own_place() -> None:
    assert shown(_render_placed) == "x|right"


def test_textual_alone_would_shift_what_is_to_the_right() -> None:
    assert shown(_unpatched) == "xx|right"


def _unpatched(update: LayoutUpdate, console: Console) -> str:
    """Textual's own way, as long as it has this fault."""
    return "".join(segment.text for segment in update.__rich_console__(console, console.options) if not segment.control)

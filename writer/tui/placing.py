"""Every pane's part of a row is put at its own place on the screen, whatever the terminal makes of the part before it.

Terminals do not agree on how wide some characters are (an emoji with a variation selector, a new emoji). Textual puts
the cursor at the start of a whole row only when it paints the whole screen: one such character then moves all that is
to its right. Importing the module does nothing: the app calls `place_every_part()` once.
"""

from __future__ import annotations

from rich.console import Console
from rich.control import Control
from textual import _compositor as compositor
from textual._compositor import LayoutUpdate


def _render_placed(self: LayoutUpdate, console: Console) -> str:
    sequences: list[str] = []
    for y, line in enumerate(self.strips, self.region.y):
        x = self.region.x
        for strip in line:
            sequences += (Control.move_to(x, y).segment.text, strip.render(console))
            x += strip.cell_length
    return "".join(sequences)


def place_every_part() -> None:
    """Calling it again changes nothing."""
    compositor.LayoutUpdate.render_segments = _render_placed  # type: ignore[method-assign]

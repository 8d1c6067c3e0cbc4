"""The one gate between the app and the terminal: no control character of any text gets through.

Texts are cleaned where they come in as well; this is the last line. Importing the module does nothing: the app calls
`close_gate()` once, before anything is painted.
"""

from __future__ import annotations

import re

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from writer.text.sanitise import visible

# A segment is part of one row, so even these two may not pass.
_ROW = {ord("\n"): "\u240a", ord("\t"): " "}
_SAFE_LINK = re.compile("https?://[!-~]+")
_render = Strip.render


def clean(text: str) -> str:
    """The text with every control character replaced by one visible character."""
    return text if text.isprintable() else visible(text).translate(_ROW)


def _clean_segment(segment: Segment) -> Segment:
    text, style, control = segment
    if control:  # the app's own cursor movement; nothing foreign can make one
        return segment
    return Segment(clean(text), _clean_link(style))


def _clean_link(style: Style | None) -> Style | None:
    """A link is written raw into the output, so only plain web addresses stay links."""
    if style is None or style.link is None:
        return style
    if _SAFE_LINK.fullmatch(style.link):
        return style
    return style.update_link(None)


def _render_clean(self: Strip, console: Console) -> str:
    if self._render_cache is None:
        width = self.cell_length
        segments = [_clean_segment(segment) for segment in self._segments]
        if segments != self._segments:  # a mark is a cell wide where a control character was none
            self._segments = Segment.adjust_line_length(segments, width)
    return _render(self, console)


def close_gate() -> None:
    """Put the gate at the place where every row becomes bytes. Calling it again changes nothing."""
    Strip.render = _render_clean  # type: ignore[method-assign]

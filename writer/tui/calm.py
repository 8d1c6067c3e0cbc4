"""How still the screen is: with all its motion, with less of it, or so that a screen reader can follow. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from writer.config import InterfaceSettings

FRAME, CALM_FRAME = 1 / 30, 0.5
"""Seconds between two additions to a text at least."""
SLICE, CALM_SLICE = 4096, 65536
"""Characters added at once at most."""
_HELD = 4
"""Additions for which the beginning of a sentence is held back, if only motion is to be less."""
_LONGEST = 600
"""Characters of a sentence that are waited for. More are shown as far as they go."""
_LISTS = 5.0
"""Seconds between two looks of a list at what goes on, for a screen reader."""


@dataclass(frozen=True, slots=True)
class Calm:
    """What holds now."""

    still: bool = False
    """Nothing blinks or glides, and text comes in calm steps."""
    reader: bool = False
    """A screen reader reads the screen."""

    @property
    def frame(self) -> float:
        """Seconds between two additions to a text."""
        return CALM_FRAME if self.still else FRAME

    def pace(self, seconds: float) -> float:
        """Seconds between two looks at what goes on, in place of so many."""
        return max(seconds, _LISTS if self.reader else CALM_FRAME if self.still else seconds)

    def due(self, text: str, held: int) -> int:
        """Characters of what waits that are added now. `held` counts how often nothing was."""
        if not self.still:
            return min(len(text), SLICE)
        from writer.text.sentences import complete, sentences  # not before the first frame

        whole = sentences(text)[:-1]
        end = whole[-1][1] if whole else 0
        if not end and held and complete(text):  # nothing follows it for now
            return min(len(text), CALM_SLICE)
        if not end and (len(text) > _LONGEST or (held >= _HELD and not self.reader)):
            blank = text.rfind(" ")
            end = blank + 1 if blank > 0 else len(text)
        return min(end, CALM_SLICE)


def calm_of(settings: InterfaceSettings, animations: str) -> Calm:
    """What these settings mean. `animations` is the level that the environment asks of Textual: "none", "basic"…"""
    quiet = settings.motion == "reduced" or (settings.motion == "auto" and animations == "none")
    return Calm(still=quiet or settings.screen_reader, reader=settings.screen_reader)

"""Where a server goes on from the text alone: what it says again of the end is left out. Pure.

A model that is told to go on exactly may still begin with the last words once more. So the beginning of its answer is
held back until it cannot be a repetition any longer.
"""

from __future__ import annotations

LONGEST = 160  # characters at the end of the text that are looked at
_LEAST = 12  # characters: a shorter repetition may be meant


class Seam:
    """Feed it the answer; it hands back what goes on behind `before`."""

    def __init__(self, before: str) -> None:
        self._tail = before[-LONGEST:]
        self._held = ""
        self._open = len(self._tail) >= _LEAST

    def feed(self, text: str) -> str:
        """What is known to be new by now."""
        if not self._open:
            return text
        self._held += text
        if len(self._held) < LONGEST and any(self._tail[at:].startswith(self._held) for at in range(len(self._tail))):
            return ""  # all of it has been repetition so far
        return self.end()

    def end(self) -> str:
        """What was held back, without the repetition: the answer has ended, or it is clear."""
        if not self._open:
            return ""
        self._open, held = False, self._held
        for size in range(min(len(held), len(self._tail)), _LEAST - 1, -1):
            if self._tail.endswith(held[:size]):
                return held[size:]
        return held

"""Collects committed batches and hands them on once per frame, so that a fast engine costs no more than a slow one.

It never drops, reorders or repeats a batch: a gap in the ordinals is an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from writer.errors import BatchOutOfOrder
from writer.language import say

FRAME = 1 / 30
"""Seconds between two flushes at least."""
SLICE = 4096
"""Characters given to the editor in one frame at most."""


class StreamBuffer:
    """Text on its way to one editor."""

    def __init__(
        self,
        append: Callable[[str], None],
        later: Callable[[float, Callable[[], None]], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`append` takes the text; `later(seconds, call)` calls once after that time, in the same thread."""
        self._append = append
        self._later = later
        self._clock = clock
        self._waiting = ""
        self._scheduled = False
        self._flushed_at = 0.0
        self._next: dict[str, int] = {}

    def add(self, generation: str, ordinal: int, text: str) -> None:
        """Take the next batch. The first one seen of a generation sets the count. Raises BatchOutOfOrder."""
        expected = self._next.get(generation, ordinal)
        if ordinal != expected:
            raise BatchOutOfOrder(
                say(
                    "The screen fell out of step with what is saved. Nothing is lost: quit and open the "
                    "manuscript again."
                ),
                detail=f"generation {generation}: batch {ordinal} came where {expected} was due",
            )
        self._next[generation] = ordinal + 1
        self._waiting += text
        if self._waiting and not self._scheduled:
            self._scheduled = True
            # Never 0: Textual's timer divides by its interval.
            self._later(max(0.001, self._flushed_at + FRAME - self._clock()), self._frame)

    def _frame(self) -> None:
        self._scheduled = False
        text, self._waiting = self._waiting[:SLICE], self._waiting[SLICE:]
        if text:
            self._flushed_at = self._clock()
            self._append(text)
        if self._waiting:
            self._scheduled = True
            self._later(FRAME, self._frame)

    def flush(self) -> None:
        """Hand on everything now: the stream has ended, or the text is about to be saved."""
        text, self._waiting = self._waiting, ""
        if text:
            self._flushed_at = self._clock()
            self._append(text)

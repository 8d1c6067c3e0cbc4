"""Collects committed batches and hands them on once per frame, so that a fast engine costs no more than a slow one.

Where motion is to be less, a frame is longer, and whole sentences are handed on. It never drops, reorders or repeats
a batch: a gap in the ordinals is an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from writer.errors import BatchOutOfOrder
from writer.language import say
from writer.tui.calm import Calm


class StreamBuffer:
    """Text on its way to one editor."""

    def __init__(
        self,
        append: Callable[[str], None],
        later: Callable[[float, Callable[[], None]], object],
        clock: Callable[[], float] = time.monotonic,
        calm: Callable[[], Calm] = Calm,
    ) -> None:
        """`append` takes the text; `later(seconds, call)` calls once after that time, in the same thread.

        `calm` tells what holds now; it may change at any time.
        """
        self._append = append
        self._later = later
        self._clock = clock
        self._calm = calm
        self._held = 0
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
            self._later(max(0.001, self._flushed_at + self._calm().frame - self._clock()), self._frame)

    def _frame(self) -> None:
        self._scheduled = False
        calm = self._calm()
        due = calm.due(self._waiting, self._held)
        self._held = 0 if due else self._held + 1
        text, self._waiting = self._waiting[:due], self._waiting[due:]
        if text:
            self._flushed_at = self._clock()
            self._append(text)
        if self._waiting:
            self._scheduled = True
            self._later(calm.frame, self._frame)

    def flush(self) -> None:
        """Hand on everything now: the stream has ended, or the text is about to be saved."""
        text, self._waiting = self._waiting, ""
        if text:
            self._flushed_at = self._clock()
            self._append(text)

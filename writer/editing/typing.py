"""Groups the author's edits into the steps that undo takes back. What the steps did is the ledger's business."""

from __future__ import annotations

import time
from collections.abc import Callable

from writer.editing.runs import Step

PAUSE = 2.0
"""Seconds without an edit that end a step."""
LONGEST = 100
"""Characters typed or deleted in one step."""


class Typing:
    """The step that is being typed.

    It ends at a pause in typing, a line break, a paste, a change between typing and deleting, after a hundred
    characters, or when told. An input method that sends its characters one by one is typing like any other.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds that only grow."""
        self._clock = clock
        self._step: Step | None = None
        self._size = 0
        self._last = 0.0
        self._removes = False

    def break_step(self) -> None:
        """The next edit begins a new step."""
        self._step = None

    def step(self, inserted: int, removed: int, *, whole: bool = False) -> Step:
        """The step that an edit of so many characters belongs to. A `whole` edit (a paste, a line break) is its own."""
        now, size, removes = self._clock(), inserted + removed, removed > 0
        if (
            self._step is None
            or whole
            or removes != self._removes
            or now - self._last > PAUSE
            or self._size + size > LONGEST
        ):
            self._step, self._size = Step(), 0
        step = self._step
        self._size += size
        self._last, self._removes = now, removes
        if whole:
            self._step = None
        return step

"""Numbered lines of progress in plain words, and the one kind of error that set-up ends with. Standard library only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_QUIET = 20.0  # seconds between lines when the output is not a terminal


class SetupError(Exception):
    """One sentence that ends in the next step."""


def say(text: str, end: str = "\n") -> None:
    """Writes at once, so that a log shows where a run stands."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


class Steps:
    """ "1/4 Making the virtual environment… done in 4 s". `done` is how many came before."""

    def __init__(self, total: int, done: int = 0) -> None:
        self._total = total
        self._number = done
        self._head = ""
        self._noted = 0.0

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """One numbered step; its line ends with the time it took, or "stopped" if it raises."""
        self._number += 1
        self._head = f"{self._number}/{self._total} {what}…"
        began = self._noted = time.monotonic()
        say(self._head, end=" ")
        try:
            yield
        except BaseException:
            say("stopped.")
            raise
        self._erase()
        say(f"done in {time.monotonic() - began:.0f} s")

    def note(self, text: str) -> None:
        """What is happening now: beside the step on a terminal, else as a line of its own now and then."""
        if sys.stdout.isatty():
            self._erase()
            say(text[:60], end=" ")
        elif time.monotonic() - self._noted > _QUIET:
            self._noted = time.monotonic()
            say(f"\n    {text}", end=" ")

    def _erase(self) -> None:
        if sys.stdout.isatty():
            say(f"\r\x1b[K{self._head}", end=" ")

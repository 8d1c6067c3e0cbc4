"""What is being written now, as far as the screen knows. Pure: it is told, and answers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

RATE_SECONDS = 4.0
"""The speed shown is that of the last seconds."""


class Phase(Enum):
    """Where the one order stands that may be under way."""

    IDLE = "idle"
    ASKED = "asked"  # an order was given; the engine may still be starting
    WRITING = "writing"
    RETRYING = "retrying"  # the engine died; the writing thread goes on by itself


@dataclass(slots=True)
class Writing:
    """One order at a time."""

    phase: Phase = Phase.IDLE
    chapter: str = ""
    generation: str = ""
    pausing: bool = False
    trouble: str = ""  # a commit is delayed
    _samples: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def busy(self) -> bool:
        """Whether there is something to pause."""
        return self.phase is not Phase.IDLE

    def asked(self, chapter: str) -> None:
        """An order was given."""
        self.phase, self.chapter, self.generation, self.pausing = Phase.ASKED, chapter, "", False

    def began(self, chapter: str, generation: str) -> None:
        """A segment has started."""
        self.phase, self.chapter, self.generation, self.trouble = Phase.WRITING, chapter, generation, ""
        self._samples.clear()

    def retrying(self) -> None:
        """The engine died and is restarted."""
        self.phase = Phase.RETRYING

    def ended(self) -> None:
        """Paused, finished, interrupted or failed."""
        self.phase, self.pausing, self.trouble = Phase.IDLE, False, ""
        self._samples.clear()

    def counted(self, tokens: int, now: float) -> None:
        """So many tokens are there at `now` (seconds, monotonic)."""
        self._samples.append((now, tokens))
        while self._samples[0][0] < now - RATE_SECONDS:
            self._samples.popleft()

    def speed(self) -> float | None:
        """Tokens per second; None while it cannot be told."""
        if len(self._samples) < 2:
            return None
        (first, low), (last, high) = self._samples[0], self._samples[-1]
        return (high - low) / (last - first) if last - first >= 0.2 else None

"""What is being written now, as far as the screen knows. Pure: it is told, and answers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from writer.language import many

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
    """One chapter, or one text beside it: one order at a time."""

    phase: Phase = Phase.IDLE
    chapter: str = ""
    generation: str = ""
    pausing: bool = False
    trouble: str = ""  # a commit is delayed
    why: str = ""  # it could not be begun, or has failed
    thinking: bool = False  # the model thinks before it writes
    thought: int = 0  # tokens of that thought
    _samples: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def busy(self) -> bool:
        """Whether there is something to pause."""
        return self.phase is not Phase.IDLE

    def asked(self, chapter: str) -> None:
        """An order was given."""
        self.phase, self.chapter, self.generation, self.pausing, self.why = Phase.ASKED, chapter, "", False, ""

    def began(self, chapter: str, generation: str) -> None:
        """A segment has started."""
        self.phase, self.chapter, self.generation, self.trouble = Phase.WRITING, chapter, generation, ""
        self._samples.clear()

    def thinks(self, thinking: bool, tokens: int) -> None:
        """Whether the model is inside its thought, which has so many tokens."""
        self.thinking, self.thought = thinking, tokens if thinking else 0

    @property
    def thinking_words(self) -> str:
        """How far its thought is, for lists; "" if it has none or is over it."""
        return (
            many("thinking, {count:,} token", "thinking, {count:,} tokens", self.thought)
            if self.busy and self.thinking
            else ""
        )

    def retrying(self) -> None:
        """The engine died and is restarted."""
        self.phase = Phase.RETRYING

    def ended(self) -> None:
        """Paused, finished, interrupted or failed."""
        self.phase, self.pausing, self.trouble, self.thinking = Phase.IDLE, False, "", False
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


class Writings:
    """Every chapter that an order was given for since the app was started."""

    def __init__(self) -> None:
        self.all: dict[str, Writing] = {}
        """By path, in the order in which they were asked for first."""

    @property
    def busy(self) -> list[Writing]:
        """Those in which there is something to pause."""
        return [writing for writing in self.all.values() if writing.busy]

    def asked(self, chapter: str) -> None:
        """An order was given for this chapter."""
        self.all.setdefault(chapter, Writing()).asked(chapter)

    def of(self, chapter: str) -> Writing:
        """That of this chapter."""
        return self.all.get(chapter) or Writing(chapter=chapter)

    def told_of(self, chapter: str) -> Writing:
        """What the status line tells while this chapter is shown: its own, else another one that is busy."""
        mine = self.of(chapter)
        return mine if mine.busy else next(iter(self.busy), mine)

    def writer_of(self, generation: str) -> Writing | None:
        """The one that writes this generation, or wrote it last."""
        return next((writing for writing in self.all.values() if generation and writing.generation == generation), None)

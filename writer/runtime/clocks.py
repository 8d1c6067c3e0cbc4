"""What happened between two looks at the clocks: the machine slept, this process was stopped, or the time was set.

CLOCK_MONOTONIC stands still while the machine sleeps, CLOCK_BOOTTIME goes on, CLOCK_REALTIME is set by anybody. Pure,
but for `Clocks.now`. Linux only: elsewhere nothing ever happened.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

_SLEPT = 2.0  # seconds that CLOCK_BOOTTIME gains on CLOCK_MONOTONIC in no other way
_STOPPED = 3.0  # seconds beyond the wait in which a process that runs has looked again
_SET = 30.0  # seconds: a paused virtual machine learns of its sleep only when its time is set


@dataclass(frozen=True, slots=True)
class Clocks:
    """One look, in seconds."""

    monotonic: float
    boottime: float
    realtime: float

    @classmethod
    def now(cls) -> Clocks:
        """All clocks at this moment."""
        monotonic = time.monotonic()
        if not hasattr(time, "CLOCK_BOOTTIME"):
            return cls(monotonic, monotonic, monotonic)
        return cls(monotonic, time.clock_gettime(time.CLOCK_BOOTTIME), time.time())


@dataclass(frozen=True, slots=True)
class Gap:
    """Seconds that went by unseen, 0 where nothing did."""

    slept: float = 0.0
    stopped: float = 0.0  # this process alone (SIGSTOP, a debugger); the engine may have gone on
    set_ahead: float = 0.0  # perhaps a sleep: WSL and paused virtual machines tell in no other way

    @property
    def woke(self) -> bool:
        """Whether the machine has slept, as far as can be told."""
        return bool(self.slept or self.set_ahead)


def gap(before: Clocks, after: Clocks, waited: float) -> Gap:
    """What happened between two looks that were meant to be `waited` seconds apart."""
    monotonic = after.monotonic - before.monotonic
    slept = after.boottime - before.boottime - monotonic
    ahead = after.realtime - before.realtime - (after.boottime - before.boottime)
    return Gap(
        slept=slept if slept > _SLEPT else 0.0,
        stopped=monotonic - waited if monotonic - waited > _STOPPED else 0.0,
        set_ahead=ahead if ahead > _SET else 0.0,
    )

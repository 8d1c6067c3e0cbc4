"""Meters: CPU time of this process, the longest slice of an event loop, pauses of the garbage collector, memory.

CPU time is that of the whole process, threads included, so that encoding and writing to the terminal count.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


def cpu() -> float:
    """CPU milliseconds of this process so far."""
    return time.process_time() * 1000


def median(values: Sequence[float]) -> float:
    """Of at least one value."""
    return statistics.median(values)


def share(values: Sequence[float], of: float) -> float:
    """The value that this share of all values does not exceed: 0.95 for p95."""
    return sorted(values)[min(len(values) - 1, int(len(values) * of))]


def memory() -> int:
    """Resident bytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Longest:
    """The most milliseconds that something took at once."""

    milliseconds: float = 0.0
    count: int = 0
    all: list[float] = field(default_factory=list)

    def add(self, milliseconds: float) -> None:
        """It took that long."""
        self.count += 1
        self.milliseconds = max(self.milliseconds, milliseconds)
        self.all.append(milliseconds)


@contextmanager
def slices() -> Iterator[Longest]:
    """CPU milliseconds of each call that the event loop makes in this thread: for that long it hears no key."""
    longest = Longest()
    original = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        start = time.thread_time()
        original(handle)
        longest.add((time.thread_time() - start) * 1000)

    asyncio.Handle._run = timed  # type: ignore[method-assign,assignment]
    try:
        yield longest
    finally:
        asyncio.Handle._run = original  # type: ignore[method-assign]


@contextmanager
def collections(generation: int = 2) -> Iterator[Longest]:
    """CPU milliseconds of each collection of this generation."""
    longest = Longest()
    started = 0.0

    def heard(phase: str, info: dict[str, int]) -> None:
        nonlocal started
        if info["generation"] != generation:
            return
        if phase == "start":
            started = time.thread_time()
        else:
            longest.add((time.thread_time() - started) * 1000)

    gc.callbacks.append(heard)
    try:
        yield longest
    finally:
        gc.callbacks.remove(heard)

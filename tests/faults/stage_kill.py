"""SIGKILL at random moments of a stream, without a screen: nothing that was told is lost or comes twice.

A trial drafts with the scripted engine in a process of its own, kills that, looks at what is left, lets another one go
on to the end, and compares tokens and chapter with a run that nobody disturbed (tests/runtime/crash_harness.py).
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import crash_harness
from crash_harness import Result
from outcome import Outcome
from spread import fast, spread

from writer.generation.model import Delta
from writer.generation.resume import Replay
from writer.storage.generations import GenerationStore

NAME, FULL, ROOT = "kill", 2000, False
_MUTANT_TRIALS = 40  # by then a mistake has been found, or the stage has missed it


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` kills, and every mistake until it is found."""
    begun, place = time.monotonic(), fast(scratch)
    try:
        with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(place / "state")}):
            whole = crash_harness.uninterrupted(place / "whole")
            result = Result()
            for one in spread(partial(_trial, place, seed, whole, None), range(count)):
                result.add(one)
            caught = {name: _found(place / name, seed, whole, plant) for name, plant in PLANTS.items()}
    finally:
        shutil.rmtree(place, ignore_errors=True)
    failures = tuple(f"lost, doubled or unequal: {note}" for note in result.notes)
    if result.killed_midway < count / 2:
        failures += (f"too few kills hit a stream: {result.killed_midway} of {count} (seed {seed})",)
    notes = {
        "kills in the middle of a stream": str(result.killed_midway),
        "seconds": f"{time.monotonic() - begun:.0f}",
        "mutants (kills until caught)": ", ".join(f"{name}: {kill or 'missed'}" for name, kill in caught.items()),
    }
    return Outcome(NAME, result.trials, failures, len(caught), sum(map(bool, caught.values())), notes=notes)


def _trial(
    place: Path, seed: int, whole: tuple[list[int], str], plant: Callable[[], None] | None, number: int
) -> Result:
    folder = place / str(number)
    try:
        return crash_harness.trial(folder, f"{seed}:{number}", whole, plant)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _found(place: Path, seed: int, whole: tuple[list[int], str], plant: Callable[[], None]) -> int:
    """The number of the kill that showed the planted mistake; 0 if none did."""
    place.mkdir()
    for number in range(_MUTANT_TRIALS):
        if _trial(place, seed, whole, plant, number).failures:
            return number + 1
    return 0


# --- mistakes


def _told_before_commit() -> None:
    """Each batch is committed only when the next one comes."""
    honest, waiting = GenerationStore.append, []

    def late(self: GenerationStore, batch: Any, **how: Any) -> None:
        waiting.append((batch, how))
        if len(waiting) > 1:
            old, its = waiting.pop(0)
            honest(self, old, **its)

    GenerationStore.append = late  # type: ignore[method-assign]


def _repeated_tokens_kept() -> None:
    """What an aligned resume computes again is taken for new."""

    def feed(self: Replay, delta: Delta) -> Delta:
        return delta

    Replay.feed = feed  # type: ignore[method-assign]


PLANTS: dict[str, Callable[[], None]] = {
    "told before commit": _told_before_commit,
    "repeated tokens kept": _repeated_tokens_kept,
}

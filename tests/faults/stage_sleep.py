"""Sleep and wake: logind in every mood, clocks that jump, processes that are stopped. Nothing is lost, no false alarm.

A trial is one case at a random moment of a stream. Which cases there are: sleep_cases.py and sleep_stops.py.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import sleep_stops
from outcome import Outcome
from sleep_app import hurried, undisturbed
from sleep_bus import missing
from sleep_cases import CLOCKS, LOGIND, Case

from writer.engine.base import Engine, Request
from writer.errors import EngineSilent
from writer.generation.model import Delta, Saved
from writer.runtime import pulse
from writer.runtime.clocks import Gap
from writer.runtime.logind import Lock
from writer.runtime.suspending import Suspendable

NAME, FULL, ROOT = "sleep", 160, False
CASES = [*LOGIND, *CLOCKS, *(f"SIGSTOP of {kind}" for kind in sleep_stops.KINDS)]
MUTANT_TRIALS = 20  # by then a mistake has been found, or the stage has missed it

Trial = Callable[[str, Path, Saved, random.Random], tuple[list[str], Case]]


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """At least one trial of every case, `count` in all; then each mistake until it is found."""
    mutants = MUTANTS
    if reason := missing():
        return Outcome(NAME, 0, (), len(mutants), 0, skipped=reason)
    begun = time.monotonic()
    with _home(scratch), hurried():
        whole = asyncio.run(undisturbed(scratch / "whole"))
        failures, cases = [], []
        for number in range(max(count, len(CASES))):
            name = CASES[number % len(CASES)]
            wrong, case = trial(name, scratch / str(number), whole, random.Random(f"{seed} {number}"))
            failures += [f"{name}: {sentence} (seed {seed}, trial {number})" for sentence in wrong]
            cases.append(case)
        caught = {name: found(name, scratch, whole, seed) for name in mutants}
    released = sorted(ms for case in cases for ms in case.released)
    notes = {
        "inhibitor released, median and most (ms)": f"{released[len(released) // 2]:.0f}, {released[-1]:.0f}",
        "lost engine told, most (s)": f"{max((s for case in cases for s in case.told), default=0.0):.1f}",
        "seconds": f"{time.monotonic() - begun:.0f}",
        "mutants": ", ".join(f"{name}: {'caught' if is_caught else 'missed'}" for name, is_caught in caught.items()),
    }
    return Outcome(NAME, len(cases), tuple(failures), len(mutants), sum(caught.values()), notes=notes)


def trial(name: str, folder: Path, whole: Saved, rnd: random.Random) -> tuple[list[str], Case]:
    """What was wrong, and what was measured."""
    case = Case(folder, whole, rnd)
    if name.startswith("SIGSTOP"):
        return sleep_stops.stopped(name.rsplit(" ", 1)[1], folder, whole, rnd), case
    return asyncio.run(_bounded({**LOGIND, **CLOCKS}[name](case))), case


async def _bounded(work: Coroutine[Any, Any, list[str]]) -> list[str]:
    async with asyncio.timeout(120):
        return await work


def found(mutant: str, scratch: Path, whole: Saved, seed: int) -> bool:
    """Whether its case shows the mistake, by the sentence that belongs to it."""
    name, sentence, plant = MUTANTS[mutant]
    for number in range(MUTANT_TRIALS):
        with plant():
            folder = scratch / f"{mutant} {number}"
            wrong, _ = trial(name, folder, whole, random.Random(f"{seed} {mutant} {number}"))
        if any(sentence in one for one in wrong):
            return True
    return False


@contextmanager
def _home(scratch: Path) -> Iterator[None]:
    places = {f"XDG_{kind}_HOME": str(scratch / kind.lower()) for kind in ("STATE", "CONFIG", "DATA", "CACHE")}
    with mock.patch.dict(os.environ, places):
        yield


# --- mistakes


def _never_released() -> AbstractContextManager[object]:
    return mock.patch.multiple(Lock, release=lambda self: None)


async def _one_timer(engine: Engine, request: Request, leeway: float = 1.0) -> AsyncGenerator[Delta, None]:
    """A watchdog that does not ask whether it was awake itself."""
    limit = pulse.first_limit(len(request.prompt_ids), leeway)
    async with aclosing(engine.stream(request)) as stream:
        heard = time.time()
        async for delta in stream:
            if time.time() - heard > limit:
                raise EngineSilent("No text has come for a while. Your text is saved.")
            yield delta
            heard, limit = time.time(), pulse.SILENCE


def _wall_clock() -> AbstractContextManager[object]:
    return mock.patch.object(pulse, "watched", _one_timer)


def _deaf() -> AbstractContextManager[object]:
    """The clocks are looked at, and nothing is made of it."""
    return mock.patch("writer.runtime.power.gap", return_value=Gap())


def _unproved() -> AbstractContextManager[object]:
    async def trust(self: Suspendable, identity: str) -> None:
        return None

    return mock.patch.object(Suspendable, "_prove", trust)


def _sleepless() -> AbstractContextManager[object]:
    async def on(self: Suspendable) -> None:
        return None

    return mock.patch.object(Suspendable, "sleep", on)


MUTANTS: dict[str, tuple[str, str, Callable[[], AbstractContextManager[object]]]] = {
    "inhibitor never released": ("sleep and wake", "was released after None", _never_released),
    "watchdog on the wall clock": ("SIGSTOP of app", "false hung", _wall_clock),
    "clocks not compared": ("BOOTTIME jumps", "never: the sleep was noticed", _deaf),
    "engine trusted after a sleep": ("engine lost", "is lost was told after None", _unproved),
    "text goes on in the sleep": ("sleep and wake", "were told while the machine slept", _sleepless),
}
"""Mistake: the case that must show it, the sentence that does, and how it is planted."""

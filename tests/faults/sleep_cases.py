"""What may happen around a sleep, one case each: with logind in every mood, and with the clocks alone."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from sleep_app import SCALE, SLOW, Writing, held_up, writing
from sleep_bus import Bus, silent_bus

from writer.engine.base import Probe
from writer.generation.model import Saved, StopCause
from writer.runtime import pulse
from writer.runtime.logind import ADDRESS
from writer.runtime.suspending import LOST

RELEASED = 500.0  # milliseconds from the word to the release
TOLD = 20.0  # seconds from a wake to the word that the engine is lost
HOURS = 8 * 3600.0


@dataclass
class Case:
    """What one trial has at hand, and what it measures."""

    folder: Path
    whole: Saved
    rnd: random.Random
    released: list[float] = field(default_factory=list)  # milliseconds
    told: list[float] = field(default_factory=list)  # seconds, as they would be without the shorter limits
    crowded: float = field(default_factory=held_up)

    async def some(self, app: Writing) -> None:
        """A random moment in the stream, which goes on slowly, so that it lasts until what comes now has come."""
        wanted = self.rnd.randrange(1, 100)
        await app.until(lambda: app.tokens >= wanted, f"{wanted} tokens")
        app.pace(SLOW)

    async def sleep(self, app: Writing, bus: Bus, *, locks: int = 1) -> None:
        """The machine goes to sleep: what is told before is all, and the lock is released in time."""
        crowded = held_up(*bus.processes)
        answer = await app.quiet(lambda: self._asleep(app, bus, locks), "while the machine slept")
        late = 1000 * (held_up(*bus.processes) - crowded)
        if answer["locks"] != locks:
            app.wrong.append(f"{answer['locks']} inhibitor locks were held, not {locks}")
        if locks:
            self.released.append(answer["released"] or 5000.0)
            if answer["released"] is None or answer["released"] > RELEASED + late:
                app.wrong.append(f"the inhibitor lock was released after {answer['released']} ms")

    async def _asleep(self, app: Writing, bus: Bus, locks: int) -> dict[str, Any]:
        answer = await bus.ask("sleep")
        if not locks:  # the machine waits for nobody, so its word may still be on its way to us
            ours = app.desk._drafting
            await app.until(lambda: ours.power.asleep and not ours._streams, "word of the sleep")
        return answer

    def lost(self, app: Writing, begun: float, *, hangs: bool) -> None:
        """It must have been told that the engine is lost, in time."""
        seconds = app.seconds_to(begun, LOST)
        late = held_up() - self.crowded
        if seconds is not None:  # with the limits as they really are
            seconds += 1.0 + (pulse.PROBE * (SCALE - 1) if hangs else 0.0)
            self.told.append(seconds)
        if seconds is None or seconds > TOLD + late:
            app.wrong.append(f"that the engine is lost was told after {seconds} s")


@contextmanager
def at(address: str) -> Iterator[None]:
    """The system bus has this address."""
    with mock.patch.dict(os.environ, {ADDRESS: address}):
        yield


@asynccontextmanager
async def with_logind(case: Case, *, patience: float = 2.0) -> AsyncIterator[tuple[Writing, Bus]]:
    """A draft under way, with a logind that it listens to."""
    with tempfile.TemporaryDirectory(prefix="w-bus-") as place:
        bus = Bus(Path(place))
        try:
            await bus.start(patience=patience)
            with at(bus.address):
                async with writing(case.folder) as app:
                    await app.until(lambda: app.desk._drafting.power._logind.connected, "word from logind")
                    yield app, bus
        finally:
            await bus.stop()


async def _locked(app: Writing, bus: Bus) -> None:
    await app.until(lambda: app.desk._drafting.power.inhibiting, "an inhibitor lock")


# --- eight cases with logind


async def no_bus(case: Case) -> list[str]:
    with at("unix:path=/nowhere/at/all"):
        async with writing(case.folder) as app:
            return await app.end(case.whole)


async def silent(case: Case) -> list[str]:
    """A bus that hangs holds up neither the start nor the text nor the end."""
    with tempfile.TemporaryDirectory(prefix="w-bus-") as place, silent_bus(Path(place)) as address, at(address):
        async with writing(case.folder) as app:
            await case.some(app)
            app.jumps.sleep(HOURS)
            return await app.end(case.whole)


async def sleeps(case: Case) -> list[str]:
    """The usual one: told before and after."""
    async with with_logind(case) as (app, bus):
        await _locked(app, bus)
        await case.some(app)
        await case.sleep(app, bus)
        stored = app.desk._means.state.generations.all()[0]
        if stored.stopped_by is not StopCause.SLEEP:
            app.wrong.append(f"it counts as stopped by {stored.stopped_by}")
        app.jumps.sleep(HOURS)
        await bus.ask("wake")
        await _locked(app, bus)
        return await app.end(case.whole)


async def refused(case: Case) -> list[str]:
    async with with_logind(case) as (app, bus):
        await _locked(app, bus)  # or the first one, still on its way, would be given afterwards
        await bus.ask("refuse")
        app.desk._drafting.power._logind.lock.release()  # the next one is refused
        await app.desk._drafting.power._logind.inhibit()
        await case.some(app)
        await case.sleep(app, bus, locks=0)
        await bus.ask("wake")
        return await app.end(case.whole)


async def never_false(case: Case) -> list[str]:
    """The word that the machine is awake gets lost, and it did not sleep either."""
    async with with_logind(case) as (app, bus):
        await _locked(app, bus)
        await case.some(app)
        await case.sleep(app, bus)
        return await app.end(case.whole)


async def never_true(case: Case) -> list[str]:
    """Only the word that the machine is awake comes."""
    async with with_logind(case) as (app, bus):
        await case.some(app)
        await bus.ask("wake")
        return await app.end(case.whole)


async def dies(case: Case) -> list[str]:
    """The bus dies in the sleep: the clocks tell of the wake, and a new bus is found."""
    async with with_logind(case) as (app, bus):
        await _locked(app, bus)
        await case.some(app)
        await case.sleep(app, bus)
        await bus.stop()
        app.jumps.sleep(HOURS)
        wrong = await app.end(case.whole)
        await bus.start()
        await _locked(app, bus)
        return wrong


async def overruns(case: Case) -> list[str]:
    """The disk is so slow that nothing is done in time: the lock is released nevertheless."""
    async with with_logind(case) as (app, bus):
        await _locked(app, bus)
        await case.some(app)
        state = app.desk._means.state
        honest = state.checkpoint

        def slow() -> None:
            time.sleep(1.0)  # the disk, in the middle of a call that nothing can interrupt
            honest()

        with mock.patch.object(state, "checkpoint", slow):
            await case.sleep(app, bus)
        await bus.ask("wake")
        return await app.end(case.whole)


# --- the clocks alone


async def _jumped(case: Case, jump: Callable[[Writing], None], *, interrupted: bool) -> list[str]:
    with at("unix:path=/nowhere/at/all"):
        async with writing(case.folder) as app:
            await case.some(app)
            begun = time.monotonic()
            jump(app)
            if interrupted:
                await app.until(
                    lambda: app.seconds_to(begun, "has slept") is not None, "the sleep was noticed", seconds=5
                )
            wrong = await app.end(case.whole)
            if not interrupted and app.seconds_to(begun, "") is not None:
                wrong.append("a sleep was told that was none")
            return wrong


async def boottime(case: Case) -> list[str]:
    return await _jumped(case, lambda app: app.jumps.sleep(case.rnd.uniform(3, HOURS)), interrupted=True)


async def set_ahead(case: Case) -> list[str]:
    """WSL and paused virtual machines."""

    def jump(app: Writing) -> None:
        app.jumps.realtime += case.rnd.uniform(31, HOURS)

    return await _jumped(case, jump, interrupted=True)


async def small(case: Case) -> list[str]:
    """Steps of the time that are no sleep."""

    def jump(app: Writing) -> None:
        app.jumps.realtime += case.rnd.choice((-HOURS, -1.0, 1.0, 20.0))
        app.jumps.boottime += case.rnd.uniform(0, 1.5)

    return await _jumped(case, jump, interrupted=False)


async def stood_still(case: Case) -> list[str]:
    """The whole process was stopped, by SIGSTOP or a debugger: all clocks go on."""

    def jump(app: Writing) -> None:
        app.jumps.sleep(HOURS)
        app.jumps.monotonic += HOURS

    return await _jumped(case, jump, interrupted=False)


async def lost(case: Case) -> list[str]:
    """The GPU's memory did not survive: the engine refuses, or hangs."""
    with at("unix:path=/nowhere/at/all"):
        async with writing(case.folder) as app:
            await case.some(app)
            engine = app.engine
            hangs = case.rnd.random() < 0.5
            if hangs:
                engine.probe = _hang  # type: ignore[method-assign, assignment]
            else:
                engine.dead = True
            begun = time.monotonic()
            app.jumps.sleep(HOURS)
            wrong = await app.end(case.whole, deaths=1)
            case.lost(app, begun, hangs=hangs)
            return wrong


async def _hang(prompt_ids: object) -> Probe:
    await asyncio.Event().wait()
    raise AssertionError("not reached")


Run = Callable[[Case], Awaitable[list[str]]]
LOGIND: dict[str, Run] = {
    "no bus": no_bus,
    "bus hangs": silent,
    "sleep and wake": sleeps,
    "inhibitor refused": refused,
    "sleep without wake": never_false,
    "wake without sleep": never_true,
    "bus dies": dies,
    "disk too slow": overruns,
}
CLOCKS: dict[str, Run] = {
    "BOOTTIME jumps": boottime,
    "REALTIME set ahead": set_ahead,
    "small steps": small,
    "process stood still": stood_still,
    "engine lost": lost,
}

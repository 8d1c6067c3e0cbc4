"""What safety costs: saved before it is shown, at any length, and loaded again. D1 to D3.

Measured with the app's own store and runner, on the disk where its caches lie, which must be idle.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.meter import median, share
from benchmarks.targets import Measure, Plan, Reading
from writer import locations
from writer.generation.model import Delta, Fingerprint, Sampling, Saved, State, TokenBatch
from writer.generation.resume import plain
from writer.runtime.events import BatchCommitted, Event
from writer.runtime.runner import Runner
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

RATES = (30, 150)
"""Tokens per second: about what is read, and what a fast machine writes."""
_IDLE = (1.0, 10.0)
"""Milliseconds, p50 and p99, that an idle disk takes to sync a page."""
_TEXT, _ENDS = "word wor" * 4, (4, 8, 12, 16, 20, 24, 28, 32)
_SHORT, _LONG, _LOADED = 1_000, 1_000_000, 100_000


def before_it_is_shown(plan: Plan) -> list[Reading]:
    """D1: from the moment a token comes until it may be shown. What a busy disk takes by itself is taken off."""
    readings = []
    with _disk() as folder:
        for rate in RATES:
            seconds = 0.3 if plan.quick else 20.0
            before = _syncs(folder, rate, seconds / 4)
            lags = _lags(folder / f"{rate}", rate, seconds)
            disk = before + _syncs(folder, rate, seconds / 4)
            idle = median(disk) <= _IDLE[0] and share(disk, 0.99) <= _IDLE[1]
            for name, part, goal in (("p50", 0.5, 1.0), ("p99", 0.99, 20.0)):
                lag, alone = share(lags, part), share(disk, part)
                what = f"saved before shown, {name} at {rate} tokens/s" + ("" if idle else ", less the busy disk's own")
                absolute = f"{lag:.2f} ms, of which an fdatasync alone takes {alone:.2f} ms"
                readings.append(Reading(what, lag if idle else max(0.0, lag - alone), goal, "ms", absolute))
    return readings


def at_any_length(plan: Plan) -> list[Reading]:
    """D2: the commit of a batch to a text of a million tokens, against one of a thousand."""
    long = _SHORT * 10 if plan.quick else _LONG
    with _disk() as folder, _filled(folder / "short", _SHORT) as short, _filled(folder / "long", long) as longer:
        costs: dict[str, list[float]] = {"short": [], "long": []}
        for number in range(plan.warm_ups + 20 * plan.repeats):
            for name, (state, generation, done) in (("short", short), ("long", longer)):
                spent = _timed(partial(state.generations.append, _batch(generation, done + number)))
                if number >= plan.warm_ups:
                    costs[name].append(spent)
    one, other = median(costs["short"]), median(costs["long"])
    absolute = f"{one:.3f} ms and {other:.3f} ms"
    return [Reading(f"commit at {long:,} tokens : at {_SHORT:,}", other / one, 1.5, absolute=absolute)]


def loaded_again(plan: Plan) -> list[Reading]:
    """D3: CPU time for a text of a hundred thousand tokens, as it was written and sealed. What else runs only adds."""
    tokens = _LOADED // 50 if plan.quick else _LOADED
    with _disk() as folder, _filled(folder / "loaded", tokens) as (state, generation, _):
        opened = min(_spent(lambda: state.generations.load(generation)) for _ in range(plan.repeats))
        state.generations.mark(generation, State.FINISHED, reason="stop")
        state.generations.seal(generation)
        sealed = min(_spent(lambda: state.generations.load(generation)) for _ in range(plan.repeats))
    return [
        Reading(f"load {tokens:,} tokens in batches of eight", opened, 50.0, "ms"),
        Reading("load the same, sealed", sealed, 50.0, "ms"),
    ]


TARGETS: dict[str, Measure] = {"D1": before_it_is_shown, "D2": at_any_length, "D3": loaded_again}


@contextmanager
def _disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bench-", dir=locations.cache_dir()) as folder:
        yield Path(folder)


def _state(folder: Path) -> tuple[StateFile, str]:
    folder.mkdir()
    state = open_state(folder / "state.db", boot_id="bench")
    generation = state.generations.begin(
        chapter="c.md", prompt_ids=range(2000), sampling=Sampling(), fingerprint=Fingerprint()
    )
    return state, generation.id


@contextmanager
def _filled(folder: Path, tokens: int) -> Iterator[tuple[StateFile, str, int]]:
    """A generation of so many tokens: the state, its id, and how many batches it has."""
    state, generation = _state(folder)
    state._db.execute("PRAGMA synchronous=OFF")  # only while it is filled
    for number in range(tokens // 8):
        state.generations.append(_batch(generation, number))
    state._db.execute("PRAGMA synchronous=FULL")
    state.checkpoint()
    try:
        yield state, generation, tokens // 8
    finally:
        state.close()


def _batch(generation: str, number: int) -> TokenBatch:
    return TokenBatch(generation, number, 8 * number, tuple(range(8 * number, 8 * number + 8)), _TEXT, _ENDS)


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _spent(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return (time.thread_time() - begun) * 1000


def _syncs(folder: Path, rate: int, seconds: float) -> list[float]:
    """Milliseconds that the disk takes to sync a page behind the last one, as often as tokens come."""
    with (folder / "sync").open("wb", buffering=0) as file:

        def once() -> None:
            file.write(os.urandom(4096))
            os.fdatasync(file.fileno())

        taken = []
        for _ in range(int(rate * seconds)):
            taken.append(_timed(once))
            time.sleep(max(0.0, 1 / rate - taken[-1] / 1000))
    return taken


def _lags(folder: Path, rate: int, seconds: float) -> list[float]:
    """Milliseconds of each token. A token that has to wait for the one before it counts from when it came."""
    came: list[float] = []
    lags: list[float] = []

    def shown(event: Event) -> None:
        if isinstance(event, BatchCommitted):
            lags.append((time.perf_counter() - came[len(lags)]) * 1000)

    class Pace:
        """An engine that says a word at its time."""

        async def stream(self, request: object) -> AsyncGenerator[Delta, None]:
            begun, count = time.perf_counter(), int(rate * seconds)
            for number in range(count):
                due = begun + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                # The loop itself wakes up late, which is none of the disk's doing, unless the disk held it up.
                came.append(due if lags and lags[-1] > 1000 / rate else time.perf_counter())
                yield Delta((number,), "word ", (5,), "stop" if number == count - 1 else None)

    state, identity = _state(folder)
    try:
        generation = state.generations.generation(identity)
        plan = plain(generation.prompt_ids, Saved(), max_tokens=10**9)
        engine: Any = Pace()
        asyncio.run(Runner(state.generations, shown).write(engine, generation, Saved(), plan))
    finally:
        state.close()
    return lags

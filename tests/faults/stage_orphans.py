"""The app is killed, or its keeper: no process of an engine is left, and none of anybody else is touched.

Half of the trials kill the app at a random moment, while the engine starts or after it is ready; the others kill the
keeper, whose leftovers the next start has to find. A neighbour's engine with the same command line lives all the while.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from keeping import survivors
from orphans import app_killed, bystanders, keeper_killed, started
from outcome import Outcome

from writer.engine import keepers, proc
from writer.engine.running import stop_all

NAME, FULL, ROOT = "orphans", 200, False
KEEP_WARM = 0.1  # seconds that the engine is given after its last window


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` kills, half of them of the app and half of the keeper, and both mutants."""
    rnd, failures, ends, begun = random.Random(seed), list[str](), list[float](), time.monotonic()
    apps = count - count // 2
    with _home():
        try:
            with bystanders():
                failures += [
                    wrong for number in range(apps) if (wrong := _app(rnd, ends, f"seed {seed}, app {number}"))
                ]
                failures += asyncio.run(_keepers(count // 2, f"seed {seed}"))
        except AssertionError as error:
            failures.append(str(error))
        caught = _caught("mutant_keeper") + _caught("")
    notes = {"app killed": str(apps), "keeper killed": str(count // 2), "seconds": f"{time.monotonic() - begun:.0f}"}
    if ends:
        notes["nothing left after"] = f"{sorted(ends)[len(ends) // 2]:.2f} s, at most {max(ends):.2f} s"
    return Outcome(NAME, count, tuple(failures), 2, caught, notes=notes)


def _app(rnd: random.Random, ends: list[float], where: str) -> str:
    """What was wrong with one kill of the app; `ends` gets how long after it nothing was left, in seconds."""
    starting = rnd.random() < 0.4
    after = rnd.random() * (0.5 if starting else 0.1)
    try:
        if starting:
            ends.append(app_killed(KEEP_WARM, "starting (?!preparing)", after, FAKE_DELAY=f"{rnd.random():.2f}"))
        else:
            ends.append(app_killed(KEEP_WARM, "attached", after))
    except AssertionError as error:
        return f"{error} (app killed {'while starting' if starting else 'when ready'}, {after:.3f} s later; {where})"
    return ""


async def _keepers(count: int, where: str) -> list[str]:
    failures = []
    _, before = await started()
    for number in range(count):
        try:
            before = await keeper_killed(before)
        except AssertionError as error:
            failures.append(f"{error} ({where}, keeper {number})")
            await stop_all()
            _, before = await started()
    await stop_all()
    return failures + (["processes left at the end"] if survivors(before) else [])


def _caught(keeper: str) -> bool:
    """Whether the planted bug shows: a keeper that ends the server only, or a start that cleans up no processes."""
    if keeper:
        try:
            app_killed(KEEP_WARM, "attached", keeper=keeper)
        except AssertionError:
            return True
        return False
    with mock.patch.object(keepers.proc, "kill_session", _kills_nothing):
        return bool(asyncio.run(_once()))


async def _once() -> str:
    _, before = await started()
    try:
        await keeper_killed(before)
    except AssertionError as error:
        return str(error)
    finally:
        _kill_session(before[0].pid, proc.boot_id(), before[0].ticks, grace=0)
        await stop_all()
    return ""


_kill_session = proc.kill_session


def _kills_nothing(*args: object, **how: object) -> proc.Sweep:
    return proc.Sweep(0, ())


@contextmanager
def _home() -> Iterator[None]:
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="w-")))
        places = {"CONFIG_HOME": "c", "STATE_HOME": "s", "DATA_HOME": "d", "CACHE_HOME": "k", "RUNTIME_DIR": "r"}
        variables = {f"XDG_{name}": str(root / place) for name, place in places.items()}
        stack.enter_context(mock.patch.dict(os.environ, variables))
        yield

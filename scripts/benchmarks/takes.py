"""What several takes at once cost: the time of four over one prompt against that of one. T1.

On the engine that the settings name, with the app's own desk; every take is durable. Other work on the machine makes
both slower.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.meter import median
from benchmarks.targets import Measure, Plan, Reading
from writer import locations
from writer.bootstrap import open_desk
from writer.generation.model import Sampling
from writer.manuscript.project import create
from writer.runtime.desk import Desk
from writer.runtime.orders import AsideOrder

_CHAPTER = "chapters/01-chapter-1.md"
_TEXT = "# The lamp\n\n" + "The keeper lit the lamp, and the boats came home one after the other. " * 40
_TOKENS, _TIMES = 64, 5


def four_at_once(plan: Plan) -> list[Reading]:
    """T1: four takes of 64 tokens at once, and one. In turns, so that a busy minute meets both."""
    one, four = asyncio.run(_measured(2 if plan.quick else _TIMES))
    rate = _TOKENS / one
    absolute = f"{one:.1f} s and {four:.1f} s; {rate:.0f} and {4 * _TOKENS / four:.0f} tokens/s"
    return [Reading("four takes at once : one take", four / one, 2.0, absolute=absolute)]


TARGETS: dict[str, Measure] = {"T1": four_at_once}


async def _measured(times: int) -> tuple[float, float]:
    """Seconds, in the middle, of one take and of four."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    manuscript = create(folder / "book", title="Bench")
    try:
        desk = open_desk(manuscript.folder, os.environ, lambda event: None)
        await desk.open()
        try:
            await _seconds(desk, 1, 0)  # the engine is warm afterwards, and has read the prompt
            pairs = [(await _seconds(desk, 1, n), await _seconds(desk, 4, n)) for n in range(times)]
        finally:
            await desk.close()
    finally:
        shutil.rmtree(locations.state_dir(manuscript.id), ignore_errors=True)
        shutil.rmtree(folder)
    return median([one for one, _ in pairs]), median([four for _, four in pairs])


async def _seconds(desk: Desk, count: int, number: int) -> float:
    sampling = Sampling(seed=number, max_tokens=_TOKENS, ignore_eos=True)
    order = AsideOrder("bench", _CHAPTER, _TEXT, len(_TEXT), len(_TEXT), "take", count=count, sampling=sampling)
    begun = time.perf_counter()
    outcomes = await desk.aside(order)
    spent = time.perf_counter() - begun
    if not all(outcome.ended for outcome in outcomes):
        raise SystemExit(outcomes[0].sentence)
    return spent

"""P9 and P13: what a long stream costs in a second, whether that grows, and how long garbage is collected."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from functools import partial

from benchmarks import texts
from benchmarks.editor.streaming import BATCH, append, begin, milliseconds, show_end
from benchmarks.meter import collections, cpu, median
from benchmarks.stage import SLOT, Stage, perform
from benchmarks.targets import Plan, Reading, at_once
from benchmarks.turns import Side, costs, slowness, update

RATE = 30
"""Batches a second."""
TOKENS = 17
"""Characters of a batch at 100 tokens a second."""
AT_ONCE = 12
"""Batches between two frames in the long run, so that it takes a minute and not hours."""
WORD = 5.6
"""Characters of a word with its blank."""


def for_long(plan: Plan) -> list[Reading]:
    """P9."""
    readings = []
    for kind, make in texts.KINDS.items():
        second, line = perform(partial(_second, plan=plan, kind=kind), {"page": make(plan.big)})
        what = f"a second of stream, {kind} : {RATE} x Static.update"
        readings.append(Reading(what, second / (RATE * line), 3.0, absolute=milliseconds(second=second, update=line)))
    tenths = perform(partial(_soak, plan=plan), {"page": texts.novel(plan.small)})
    what = f"{plan.soak_words:,} words streamed, last tenth : first tenth"
    readings.append(Reading(what, tenths[-1] / tenths[0], 1.3, absolute=milliseconds(first=tenths[0], last=tenths[-1])))
    return readings


async def _second(stage: Stage, plan: Plan, kind: str) -> tuple[float, float]:
    """CPU milliseconds of a second of stream, and of one changed line; both without those of an app at rest."""
    begin(stage, "page")
    line = (await costs(stage, plan, {"line": Side("page", update(stage))}))["line"]
    seconds = max(1, plan.repeats // 3)
    rest = await _paced(lambda: None, seconds)
    show_end(stage.pages["page"])
    await stage.quiet()
    return await _paced(append(stage, "page", kind, TOKENS), seconds) - rest, line


async def _paced(act: Callable[[], None], seconds: int) -> float:
    start, spent = time.monotonic(), cpu()
    for number in range(RATE * seconds):
        await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
        act()
    await asyncio.sleep(SLOT)
    return (cpu() - spent) / seconds


async def _soak(stage: Stage, plan: Plan) -> list[float]:
    """CPU milliseconds of each tenth."""
    begin(stage, "page")
    editor = await stage.show("page")
    editor.show_end()
    await stage.quiet()
    act = append(stage, "page", "novel", 2 * BATCH)
    frames = int(plan.soak_words * WORD / (2 * BATCH * AT_ONCE * 10))

    def several() -> None:
        for _ in range(AT_ONCE):
            act()

    tenths = []
    for _ in range(10):
        start = cpu()
        for _ in range(frames):
            await stage.framed(several, lambda: True)
        tenths.append(cpu() - start)
    return tenths


def pauses_for_garbage(plan: Plan) -> list[Reading]:
    """P13. At the end of each stream one collection is made, as a stream of hours would see it."""
    readings = []
    for kind, make in texts.KINDS.items():
        pages = {"page": make(plan.big), "later": ""}
        pause, slow = perform(partial(_pauses, plan=plan, kind=kind), pages)
        readings.append(at_once(f"full collection, {kind}", pause, 16, slow))
    text = texts.short(plan.big)
    pause, slow = perform(partial(_later, plan=plan, text=text), {"page": text, "later": ""})
    what = "full collection with a second long document, opened later"
    readings.append(Reading(what, pause / slow, None, "ms", f"{pause:.1f} ms"))
    return readings


async def _pauses(stage: Stage, plan: Plan, kind: str) -> tuple[float, float]:
    """The median pause of a full collection, and how slow this machine is."""
    begin(stage, "page")
    editor = await stage.show("page")
    editor.show_end()
    act = append(stage, "page", kind, BATCH)
    with collections() as pauses:
        for _ in range(3):
            for _ in range(10 * plan.repeats):
                await stage.framed(act, lambda: True)
            gc.collect()
    return median(pauses.all), await slowness(stage, plan)


async def _later(stage: Stage, plan: Plan, text: str) -> tuple[float, float]:
    stage.pages["later"].load(text)
    return await _pauses(stage, plan, "short")

"""Measures several sides in turn, a few times each, until each has its repeats: A B A B.

A side's cost is the median of its slots, less the median of slots in which nothing was done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks import texts
from benchmarks.meter import median
from benchmarks.stage import Stage
from benchmarks.targets import Plan

VISIT = 5
"""Measurements in one turn."""
LINE = 1.7
"""CPU milliseconds of `update` on the machine that the goals in milliseconds were set on."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is done on a page to be measured."""

    page: str
    act: Callable[[], object]
    before: Callable[[Any], object] = lambda editor: None
    """Done to the editor at the beginning of each turn, unmeasured."""
    between: Callable[[], object] | None = None
    """Done behind each measurement, unmeasured: makes it undone."""
    after: Callable[[], object] = lambda: None
    """Done at the end of each turn, unmeasured."""


async def costs(stage: Stage, plan: Plan, sides: Mapping[str, Side]) -> dict[str, float]:
    """CPU milliseconds of each side, frame included."""
    samples: dict[str, list[float]] = {name: [] for name in sides}
    idle: list[float] = []
    for turn in range(-(-plan.repeats // VISIT)):
        for name, side in sides.items():
            side.before(await stage.show(side.page))
            await stage.quiet()
            for _ in range(plan.warm_ups if turn == 0 else 1):
                await _once(stage, side)
            samples[name] += [await _once(stage, side) for _ in range(min(VISIT, plan.repeats))]
            idle.append(await stage.spend(lambda: None))
            await stage.spend(side.after)
    rest = median(idle)
    return {name: max(0.001, median(values) - rest) for name, values in samples.items()}


def update(stage: Stage) -> Callable[[], None]:
    """Changes the one line of a Static, without a new layout: the least that a visible change costs."""
    stream = texts.batches("line", 60)
    return lambda: stage.line.update(next(stream), layout=False)


async def slowness(stage: Stage, plan: Plan) -> float:
    """How much slower than the goals' machine this one is at present; 1 if it is as fast, or faster.

    Divide milliseconds by it that are to be held against a goal in milliseconds.
    """
    cost = await costs(stage, plan, {"line": Side(next(iter(stage.pages)), update(stage))})
    return max(1.0, cost["line"] / LINE)


async def _once(stage: Stage, side: Side) -> float:
    cost = await stage.spend(side.act)
    if side.between is not None:
        await stage.spend(side.between)
    return cost

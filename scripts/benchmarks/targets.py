"""Targets of a bench: what was measured, what is asked for, whether it is met, and how that is told.

A bench gives `run` its targets; table, JSON and exit code are the same for all benches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """One measured value. Without a goal it is information."""

    what: str
    value: float
    goal: float | None = None
    """The most that the value may be, or the least."""
    unit: str = "x"
    """"x" for a ratio."""
    absolute: str = ""
    """What the ratio was made from, on this machine."""
    least: bool = False
    """Whether the goal is the least that the value may be."""

    @property
    def met(self) -> bool:
        """Whether the goal is met. A value that is no number meets none."""
        if self.goal is None:
            return True
        return self.value >= self.goal if self.least else self.value <= self.goal


def at_once(what: str, milliseconds: float, goal: float, slowness: float) -> Reading:
    """Milliseconds in which nothing else is done. What this machine is slower than the goal's is taken off."""
    return Reading(what, milliseconds / slowness, goal, "ms", f"{milliseconds:.1f} ms, machine {slowness:.1f} x slower")


@dataclass(frozen=True, slots=True)
class Target:
    """An id, and all that was measured for it."""

    id: str
    readings: tuple[Reading, ...]

    @property
    def met(self) -> bool:
        """Whether all goals are met."""
        return all(each.met for each in self.readings)

    @property
    def worst(self) -> Reading:
        """The reading that is nearest to its goal, or farthest from it; the first one where none has a goal."""
        return max((each for each in self.readings if each.goal is not None), key=_strain, default=self.readings[0])


def _strain(reading: Reading) -> tuple[bool, float]:
    goal = reading.goal or 0.0
    if reading.least:
        return not reading.met, goal / reading.value if reading.value else goal
    return not reading.met, reading.value / goal if goal else reading.value


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    repeats: int = 30
    warm_ups: int = 5
    big: int = 5_000_000
    """Characters of a long document."""
    small: int = 10_000
    """Characters of a short document."""
    soak_words: int = 300_000
    once: bool = False
    """What misses its goal is not measured again: it was measured in pairs, or takes too long."""
    pairs: int = 5
    """Pairs of a measurement with an engine and of its baseline."""
    tokens: int = 256
    """Tokens that an engine writes in one measurement."""
    lengths: tuple[int, ...] = (1024, 4096)
    """Tokens of the prompts that are read."""
    cuts: int = 4
    """Cut points for each way of drawing words."""
    settings: tuple[str, ...] = ()
    """Of the engine, as "key=value", beside those of the user."""
    variants: tuple[str, ...] = ()
    """Engines whose exactness is measured, each as "name:key=value,NAME=value". Upper case is the environment."""

    @property
    def quick(self) -> bool:
        """Whether this only shows that the bench works: its values mean nothing."""
        return self.repeats < 30


QUICK = Plan(repeats=2, warm_ups=1, big=200_000, soak_words=10_000, pairs=1, tokens=40, lengths=(256,), cuts=1)
Measure = Callable[[Plan], Sequence[Reading]]


def run(targets: Mapping[str, Measure], plan: Plan, told: Callable[[str], None] = lambda line: None) -> list[Target]:
    """Measure the targets, and once more what missed its goal. `told` hears how far it is."""
    done = []
    for id_, measure in targets.items():
        target = Target(id_, tuple(measure(plan)))
        if not (target.met or plan.quick or plan.once):
            told(f"{_summary(target)}: once more")
            target = Target(id_, tuple(map(_better, target.readings, measure(plan))))
        told(_summary(target))
        done.append(target)
    return done


def _summary(target: Target) -> str:
    worst = target.worst
    value = _number(worst.value, worst.unit)
    if worst.goal is None:
        return f"{target.id} measured: {value}, {worst.what}"
    return (
        f"{target.id} {'met' if target.met else 'MISSED'}: {value} of {_number(worst.goal, worst.unit)}, {worst.what}"
    )


def _better(first: Reading, second: Reading) -> Reading:
    """A goal that was met stays met; one that was missed is decided by the second reading."""
    return first if first.met else second


def table(targets: Sequence[Target]) -> str:
    """All readings, one in a row."""
    rows = [("id", "what", "value", "goal", "met", "absolute values")]
    for target in targets:
        for each in target.readings:
            goal = "" if each.goal is None else f"{'>=' if each.least else '<='} {_number(each.goal, each.unit)}"
            met = "" if each.goal is None else "yes" if each.met else "NO"
            rows.append((target.id, each.what, _number(each.value, each.unit), goal, met, each.absolute))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(_cell(cell, width, column) for column, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def _cell(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column in (2, 3) else text.ljust(width)


def _number(value: float, unit: str) -> str:
    return f"{value:.2f}x" if unit == "x" else f"{value:.4g} {unit}".rstrip()


def as_json(targets: Sequence[Target]) -> str:
    """One line. Value and goal of a target are those of its worst reading; `parts` has them all."""
    return json.dumps({"targets": {each.id: _told(each) for each in targets}}, ensure_ascii=False)


def _told(target: Target) -> dict[str, object]:
    parts = {
        each.what: {
            "value": round(each.value, 4),
            "goal": each.goal,
            "least": each.least,
            "met": each.met,
            "unit": each.unit,
            "absolute": each.absolute,
        }
        for each in target.readings
    }
    worst = target.worst
    return {"value": round(worst.value, 4), "goal": worst.goal, "met": target.met, "parts": parts}

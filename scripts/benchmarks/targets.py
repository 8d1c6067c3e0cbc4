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
    """The most that the value may be."""
    unit: str = "x"
    """"x" for a ratio."""
    absolute: str = ""
    """What the ratio was made from, on this machine."""

    @property
    def met(self) -> bool:
        """Whether the goal is met. A value that is no number meets none."""
        return self.goal is None or self.value <= self.goal


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
        """The reading that is nearest to its goal, or farthest over it."""
        return max((each for each in self.readings if each.goal is not None), key=_strain)


def _strain(reading: Reading) -> tuple[bool, float]:
    goal = reading.goal or 0.0
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

    @property
    def quick(self) -> bool:
        """Whether this only shows that the bench works: its values mean nothing."""
        return self.repeats < 30


QUICK = Plan(repeats=2, warm_ups=1, big=200_000, soak_words=10_000)
Measure = Callable[[Plan], Sequence[Reading]]


def run(targets: Mapping[str, Measure], plan: Plan, told: Callable[[str], None] = lambda line: None) -> list[Target]:
    """Measure the targets, and once more what missed its goal. `told` hears how far it is."""
    done = []
    for id_, measure in targets.items():
        target = Target(id_, tuple(measure(plan)))
        if not target.met and not plan.quick:
            told(f"{_summary(target)}: once more")
            target = Target(id_, tuple(map(_better, target.readings, measure(plan))))
        told(_summary(target))
        done.append(target)
    return done


def _summary(target: Target) -> str:
    worst = target.worst
    value, goal = _number(worst.value, worst.unit), _number(worst.goal or 0, worst.unit)
    return f"{target.id} {'met' if target.met else 'MISSED'}: {value} of {goal}, {worst.what}"


def _better(first: Reading, second: Reading) -> Reading:
    """A goal that was met stays met; one that was missed is decided by the second reading."""
    return first if first.met else second


def table(targets: Sequence[Target]) -> str:
    """All readings, one in a row."""
    rows = [("id", "what", "value", "goal", "met", "absolute values")]
    for target in targets:
        for each in target.readings:
            goal = "" if each.goal is None else f"<= {_number(each.goal, each.unit)}"
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
        each.what: {"value": round(each.value, 4), "goal": each.goal, "met": each.met, "unit": each.unit}
        for each in target.readings
    }
    worst = target.worst
    return {"value": round(worst.value, 4), "goal": worst.goal, "met": target.met, "parts": parts}

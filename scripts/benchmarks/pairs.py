"""Figures that were measured in turn with their baselines: the middle of the ratios, and how far they spread. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.meter import median
from benchmarks.targets import Reading


def spread(values: Sequence[float], form: str = ".2f") -> str:
    """Lowest and highest: "0.95 to 1.02"."""
    return f"{min(values):{form}} to {max(values):{form}}"


def told(values: Sequence[float], unit: str, form: str = ".1f") -> str:
    """Median and spread: "41.2 tokens/s (39.8 to 42.0)"."""
    return f"{median(values):{form}} {unit} ({spread(values, form)})"


def against(
    what: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    goal: float | None,
    unit: str,
    *,
    least: bool = True,
    form: str = ".1f",
) -> Reading:
    """The median of ours : theirs, pair by pair. Both have the same length; theirs has no 0."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    absolute = f"{told(ours, unit, form)} : {told(theirs, unit, form)}, {len(ratios)} pairs: {spread(ratios)}"
    return Reading(what, median(ratios), goal, absolute=absolute, least=least)


def rate(moments: Sequence[tuple[float, float]]) -> float:
    """Per second, from (second, count so far), first to last: what came with the first is not counted.

    Raises ValueError if they span no time.
    """
    if len(moments) < 2 or moments[-1][0] <= moments[0][0]:
        raise ValueError("a rate needs two moments")
    return (moments[-1][1] - moments[0][1]) / (moments[-1][0] - moments[0][0])

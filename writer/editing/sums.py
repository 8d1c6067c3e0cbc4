"""Running totals over a list of numbers, one number per block, that stay cheap while one block changes again and again.

The totals behind the block that changed last lag by one common amount, so typing in one place costs nothing per block;
only when the place moves are the totals between the two places brought up to date.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class Sums:
    """What lies before each block. Units are the caller's: characters, paragraphs or rows."""

    __slots__ = ("_lag", "_pivot", "_starts")

    def __init__(self, values: Iterable[int]) -> None:
        self.reset(values)

    def reset(self, values: Iterable[int]) -> None:
        """Begin anew with these numbers; at least one."""
        self._starts = list(accumulate(values, initial=0))
        self._pivot = 0
        self._lag = 0

    @property
    def total(self) -> int:
        return self.start(len(self._starts) - 1)

    def start(self, index: int) -> int:
        """The sum of the numbers before this one."""
        start = self._starts[index]
        return start + self._lag if index > self._pivot else start

    def add(self, index: int, delta: int) -> None:
        """This number is greater by `delta` now."""
        starts = self._starts
        if index == len(starts) - 2:  # nothing lies behind it: the place of earlier changes need not be left
            starts[-1] += delta
            return
        if index != self._pivot:
            self._move(index)
        self._lag += delta

    def find(self, value: int) -> int:
        """The index whose span [start, next start) holds the value; the nearest when none does."""
        starts, pivot, lag = self._starts, self._pivot, self._lag
        if lag and value >= starts[pivot + 1] + lag:
            index = bisect_right(starts, value - lag, pivot + 1) - 1
        else:
            index = bisect_right(starts, value, 0, pivot + 1 if lag else len(starts)) - 1
        return max(0, min(index, len(starts) - 2))

    def _move(self, pivot: int) -> None:
        starts, old, lag = self._starts, self._pivot, self._lag
        if lag and pivot > old:
            starts[old + 1 : pivot + 1] = [start + lag for start in starts[old + 1 : pivot + 1]]
        elif lag:
            starts[pivot + 1 : old + 1] = [start - lag for start in starts[pivot + 1 : old + 1]]
        self._pivot = pivot

"""Which characters were generated and are not yet accepted by the author. Sorted ranges that move with every change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice

from writer.editing.change import Change


class Tint:
    """Ranges of offsets, in characters. They never overlap, touch or are empty."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._starts)

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """All of them, as (start, end)."""
        return list(zip(self._starts, self._ends, strict=True))

    def ranges_in(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of them that lie in [start, end)."""
        if start >= end:
            return []
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        pairs = zip(self._starts[first:last], self._ends[first:last], strict=True)
        return [(max(start, low), min(end, high)) for low, high in pairs]

    def touches(self, start: int, end: int) -> bool:
        """Whether an edit of [start, end) removes tinted text, or with start == end inserts inside of it."""
        if start < end:
            return bool(self.ranges_in(start, end))
        index = bisect_right(self._ends, start)
        return index < len(self._starts) and self._starts[index] < start

    def add(self, start: int, end: int) -> None:
        """This was generated."""
        if start >= end:
            return
        first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
        low, high = min([start, *self._starts[first:last]]), max([end, *self._ends[first:last]])
        self._starts[first:last], self._ends[first:last] = [low], [high]

    def remove(self, start: int, end: int) -> None:
        """This is the author's now."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first >= last or start >= end:
            return
        low, high = self._starts[first], self._ends[last - 1]
        kept = [(low, start)] * (low < start) + [(end, high)] * (end < high)
        self._starts[first:last], self._ends[first:last] = [low for low, _ in kept], [high for _, high in kept]

    def clear(self) -> bool:
        """All of it is the author's now. False if nothing was tinted."""
        had = bool(self)
        self._starts, self._ends = [], []
        return had

    def moved(self, changes: Sequence[Change]) -> None:
        """The text has changed: rising places, each holding after the one before.

        What was inserted strictly inside a range is part of it, what was inserted at its edge is not.
        """
        if not self or (len(changes) == 1 and changes[0].at >= self._ends[-1]):
            return
        starts, ends = _carried(self._starts, changes, behind=True), _carried(self._ends, changes, behind=False)
        self._starts, self._ends = [], []
        for start, end in zip(starts, ends, strict=True):
            if start >= end:
                continue
            if self._ends and self._ends[-1] == start:
                self._ends[-1] = end
            else:
                self._starts.append(start)
                self._ends.append(end)


def _carried(places: Sequence[int], changes: Sequence[Change], *, behind: bool) -> list[int]:
    """Where rising places are after rising changes. What stood at or in a change is behind or before what came."""
    found: list[int] = []
    number = shift = 0
    for place in places:
        for change in islice(changes, number, None):
            end = change.at - shift + change.removed
            if end > place or (end == place and not behind):
                break
            shift += len(change.inserted) - change.removed
            number += 1
        reached = changes[number] if number < len(changes) else None
        if reached is not None and reached.at - shift <= place:
            found.append(reached.end if behind else reached.at)
        else:
            found.append(place + shift)
    return found

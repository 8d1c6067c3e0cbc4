"""Wrapping a paragraph again after an edit: from a little before it, until its rows begin where they began before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from writer.editing import wrapping


def reflow(text: str, width: int, breaks: list[int], at: int, removed: int, inserted: int) -> tuple[int, int]:
    """Bring `breaks`, those of the old text, up to date in place. Lengths and columns are characters.

    At column `at`, `removed` characters went and `inserted` came. Returns the first changed row and the number of
    changed rows from there. Work and copying end where the rows are the old ones again, or with the paragraph.
    """
    first = max(0, bisect_left(breaks, at) - wrapping.SETTLED)
    behind, shift = at + inserted, inserted - removed
    old = bisect_right(breaks, at + removed, first)
    count, found = len(breaks), False

    def done(column: int) -> bool:
        nonlocal old, found
        if column > behind:
            while old < count and breaks[old] + shift < column:
                old += 1
            found = old < count and breaks[old] + shift == column
        return found

    fresh: list[int] = []
    wrapping.wrap(text, width, breaks[first - 1] if first else 0, fresh, done)
    same = 0
    while same < len(fresh) and first + same < count and fresh[same] == breaks[first + same] <= at:
        same += 1
    if not found:
        del breaks[first + same :]
        breaks.extend(fresh[same:])
        return first + same, len(fresh) - same + 1
    if shift:
        breaks[old + 1 :] = [column + shift for column in breaks[old + 1 :]]
    breaks[first : old + 1] = fresh
    return first + same, len(fresh) - same

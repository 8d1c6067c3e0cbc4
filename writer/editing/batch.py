"""Many changes at once made few: ten thousand replacements must not be ten thousand edits of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import pairwise

from writer.editing.change import Change

FEW = 32
"""So many changes are made one by one; more are made as so many."""


def rising(changes: Sequence[Change]) -> bool:
    """Whether each lies behind the one before it."""
    return all(before.end <= change.at for before, change in pairwise(changes))


def grouped(changes: Sequence[Change], edges: Iterable[int] = ()) -> Iterator[Sequence[Change]]:
    """The changes in order, in few groups that are each made as one. No group reaches across an edge.

    Edges are offsets of the text before all of them.
    """
    if len(changes) <= FEW or not rising(changes):
        yield from ((change,) for change in changes)
        return
    places = list(replaced(changes))
    gaps = {after: places[after][0] - places[after - 1][1] for after in range(1, len(places))}
    borders = set(nlargest(FEW - 1, gaps, key=lambda after: gaps[after]))
    for edge in edges:
        borders |= {after for after in gaps if places[after - 1][0] <= edge <= places[after][1]}
    first = 0
    for border in [*sorted(borders), len(changes)]:
        yield changes[first:border]
        first = border


def replaced(changes: Sequence[Change]) -> Iterator[tuple[int, int]]:
    """What each of these rising changes takes out, as (start, end) of the text before the first."""
    shift = 0
    for change in changes:
        yield change.at - shift, change.at - shift + change.removed
        shift += len(change.inserted) - change.removed


def as_one(changes: Sequence[Change], read: Callable[[int, int], str]) -> Change:
    """One change that does what all these rising ones do. `read` gives the text as it is before the first of them."""
    if len(changes) == 1:
        return changes[0]
    places = list(replaced(changes))
    pieces = [changes[0].inserted]
    for (_, end), (start, _), change in zip(places, places[1:], changes[1:], strict=False):
        pieces += (read(end, start), change.inserted)
    return Change(places[0][0], places[-1][1] - places[0][0], "".join(pieces))

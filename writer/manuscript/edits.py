"""Changes of a text as plain values, and what becomes of places in it. Pure.

An edit is (at, removed, inserted): at character `at`, `removed` characters go and `inserted` comes. Of several, which
rise, each holds after the ones before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Edit = tuple[int, int, str]


def in_turn(whole: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits whose places all hold for the text before the first of them, as edits that hold one after the other."""
    shift, turned = 0, []
    for at, removed, inserted in whole:
        turned.append((at + shift, removed, inserted))
        shift += len(inserted) - removed
    return tuple(turned)


def at_once(edits: Iterable[Edit]) -> Iterator[Edit]:
    """The same edits, with places that all hold for the text before the first of them."""
    shift = 0
    for at, removed, inserted in edits:
        yield at - shift, removed, inserted
        shift += len(inserted) - removed


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text after these edits."""
    pieces: list[str] = []
    end = 0
    for at, removed, inserted in at_once(edits):
        pieces += (text[end:at], inserted)
        end = at + removed
    return "".join((*pieces, text[end:]))


def moved(offset: int, edits: Iterable[Edit], *, pushed: bool = False) -> int:
    """Where a place is after these edits. What is inserted exactly there comes behind it, unless it is `pushed`."""
    for at, removed, inserted in edits:
        if offset < at or (offset == at and (removed or not pushed)):
            continue
        offset = at if offset < at + removed else offset + len(inserted) - removed
    return offset


def inside(start: int, end: int, edits: Iterable[Edit]) -> bool:
    """Whether one of these edits changes what stands from `start` to `end`."""
    return any(at < end and at + removed > start for at, removed, _ in at_once(edits))


def carried(edits: Sequence[Edit], base: str, text: str) -> tuple[Edit, ...] | None:
    """The same edits for a `text` that has grown out of `base` meanwhile; None if they touch what has changed."""
    if text == base:
        return tuple(edits)
    head, end, _ = region(base, text)
    head = min(head, min(len(base), len(text)) - _common(base[::-1], text[::-1]))  # it may as well begin there
    shift = len(text) - len(base)
    whole = []
    for at, removed, inserted in at_once(edits):
        if at >= end:
            whole.append((at + shift, removed, inserted))
        elif at + removed < head:  # not next to it: the word that ends there may have been written on, or be another
            whole.append((at, removed, inserted))
        else:
            return None
    return in_turn(whole)


def region(one: str, other: str) -> tuple[int, int, int]:
    """Where two texts differ: from the first of these three to the second in the one, to the third in the other."""
    head = _common(one, other)
    tail = min(_common(one[::-1], other[::-1]), len(one) - head, len(other) - head)
    return head, len(one) - tail, len(other) - tail


def _common(one: str, other: str) -> int:
    """How many characters are equal from the start. Slices are compared, not characters: these are whole novels."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

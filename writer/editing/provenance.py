"""Who wrote which passage of a chapter: the author, or a generation. Pure values that move with every change.

What is not in a range is the author's. Text that the author types inside a range splits it, for those words are his;
hence it is no `Tint`, whose ranges take in what is typed inside them. An undo takes the former value back.

It is kept in the state folder with each save of the chapter (manuscript/origins.py), beside the text that it is true
for. If the file was changed by another program since, that text is compared with it: what came from outside counts as
the author's. The manuscript's folder stays free of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from writer.editing.change import Change
from writer.editing.hunks import changes, hunks
from writer.errors import StateDamaged
from writer.language import say

AUTHOR = ""
_HEAD = "provenance 1"


@dataclass(frozen=True, slots=True)
class Range:
    """Characters [start, end) of the chapter's text came from this generation."""

    start: int
    end: int
    origin: str


_START, _END = attrgetter("start"), attrgetter("end")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Ranges that rise, never overlap, are never empty, and touch only where their origins differ."""

    ranges: tuple[Range, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int, str]]) -> Provenance:
        """From (start, end, origin) that rise."""
        return cls(_tidy([Range(*each) for each in ranges]))

    def came(self, length: int) -> tuple[tuple[int, str], ...]:
        """The whole text of that length in stretches: how many characters, and whose."""
        found: list[tuple[int, str]] = []
        end = 0
        for r in (*self.within(0, length), Range(length, length, AUTHOR)):
            found += [(r.start - end, AUTHOR), (r.end - r.start, r.origin)]
            end = r.end
        return tuple(each for each in found if each[0])

    def at(self, offset: int) -> str:
        """The origin of the character at `offset`: a generation's id, or AUTHOR."""
        index = bisect_right(self.ranges, offset, key=_START) - 1
        return self.ranges[index].origin if index >= 0 and offset < self.ranges[index].end else AUTHOR

    def within(self, start: int, end: int) -> tuple[Range, ...]:
        """The parts of the ranges that lie in [start, end)."""
        if start >= end:
            return ()
        first, last = bisect_right(self.ranges, start, key=_END), bisect_left(self.ranges, end, key=_START)
        return tuple(Range(max(start, r.start), min(end, r.end), r.origin) for r in self.ranges[first:last])

    def marked(self, start: int, end: int, origin: str) -> Provenance:
        """[start, end) comes from this generation, or from the AUTHOR, who may have made it his own."""
        if start >= end:
            return self
        behind = self.within(end, self.ranges[-1].end) if self.ranges else ()
        return Provenance(_tidy([*self._before(start), Range(start, end, origin), *behind]))

    def moved(self, made: Sequence[Change], origin: str = AUTHOR) -> Provenance:
        """After these changes of the text, each of which holds after the ones before it; what came is `origin`'s."""
        now, waiting = self, list(made)
        while waiting:
            rising = _rising(waiting)
            now = Provenance(_tidy(list(_swept(now.ranges, rising, origin))))
            waiting = waiting[len(rising) :]
        return now

    def part(self, start: int, end: int) -> Provenance:
        """That of the text [start, end) alone: of a chapter split in two, or of a passage that is carried off."""
        return Provenance(tuple(Range(r.start - start, r.end - start, r.origin) for r in self.within(start, end)))

    def joined(self, other: Provenance, at: int) -> Provenance:
        """With another text's from character `at` on, where this text ends: of two chapters merged into one."""
        return Provenance(
            _tidy([*self._before(at), *(Range(r.start + at, r.end + at, r.origin) for r in other.ranges)])
        )

    def shares(self, length: int) -> dict[str, int]:
        """Characters by origin, of a text of so many; the AUTHOR has the rest."""
        found: dict[str, int] = {AUTHOR: length}
        for r in self.within(0, length):
            found[r.origin] = found.get(r.origin, 0) + r.end - r.start
            found[AUTHOR] -= r.end - r.start
        return found

    def stored(self) -> str:
        """As text: a line per range with its start, its length and its origin."""
        return "\n".join((_HEAD, *(f"{r.start} {r.end - r.start} {r.origin}" for r in self.ranges))) + "\n"

    @classmethod
    def read(cls, text: str) -> Provenance:
        """What `stored` gave. Raises StateDamaged."""
        head, *lines = text.splitlines() or [""]
        try:
            found = [_range(line) for line in lines]
        except ValueError:
            raise _damaged() from None
        if head != _HEAD or _tidy(found) != tuple(found):
            raise _damaged()
        return cls(tuple(found))

    def _before(self, offset: int) -> tuple[Range, ...]:
        return self.within(0, offset)


def recalled(text: str, former: str, stored: str, written: Iterable[tuple[int, int, str]] = ()) -> Provenance:
    """That of a text when it is opened: as it was kept for `former`, "" if nothing was; else by what is `written`.

    `written` are ranges of the text in which all of a generation's words stand; what is known better stays.
    """
    try:
        found = Provenance.read(stored).moved(changes_between(former, text)) if stored else Provenance()
    except StateDamaged:
        found = Provenance()
    for start, end, origin in written:
        if not found.within(start, end):
            found = found.marked(start, end, origin)
    return found


def changes_between(former: str, text: str) -> tuple[Change, ...]:
    """What became of a text whose changes nobody has told: by words, so that what stays keeps its origin."""
    found = hunks(former, text)
    return changes(found, range(len(found)))


def _tidy(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Without what is empty or the author's; what touches and has one origin is one. The given ones must rise."""
    kept: list[Range] = []
    for r in ranges:
        if r.start >= r.end or r.origin == AUTHOR:
            continue
        if kept and kept[-1].end > r.start:
            return ()
        if kept and kept[-1].end == r.start and kept[-1].origin == r.origin:
            kept[-1] = Range(kept[-1].start, r.end, r.origin)
        else:
            kept.append(r)
    return tuple(kept)


def _rising(made: Sequence[Change]) -> list[tuple[int, int, int]]:
    """As many from the first as rise: where in the text before all of them, characters that went and that came."""
    found: list[tuple[int, int, int]] = []
    shift = end = 0
    for change in made:
        at, length = change.at - shift, len(change.inserted)
        if found and at < end:
            break
        found.append((at, change.removed, length))
        end = at + change.removed
        shift += length - change.removed
    return found


def _swept(ranges: Sequence[Range], rising: Sequence[tuple[int, int, int]], origin: str) -> Iterator[Range]:
    """What stays of the ranges, and what came, in order: one walk, for an edit may have thousands of places."""
    shift = start = index = 0
    for at, removed, length in rising:
        while index < len(ranges) and ranges[index].start < at:
            r = ranges[index]
            yield Range(max(r.start, start) + shift, min(r.end, at) + shift, r.origin)
            if r.end > at:
                break
            index += 1
        yield Range(at + shift, at + shift + length, origin)
        start, shift = at + removed, shift + length - removed
    for r in ranges[index:]:
        yield Range(max(r.start, start) + shift, r.end + shift, r.origin)


def _range(line: str) -> Range:
    start, length, origin = line.split(" ", 2)
    if int(start) < 0 or int(length) <= 0 or not origin:
        raise ValueError(line)
    return Range(int(start), int(start) + int(length), origin)


def _damaged() -> StateDamaged:
    return StateDamaged(
        say("What is known of who wrote which passage cannot be read. The chapter itself is untouched.")
    )

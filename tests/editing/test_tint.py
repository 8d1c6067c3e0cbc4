"""Tinted ranges against a flag for every character."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.change import Change
from writer.editing.tint import Tint

PLACES = st.integers(0, 60)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "remove", "look", "touch"]), PLACES, PLACES),
        st.tuples(st.just("change"), PLACES, st.integers(0, 6), st.integers(0, 4)),
        st.tuples(st.just("changes"), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 3)))),
    ),
    max_size=30,
)


class Flags:
    """The same as a tint, one flag for each character."""

    def __init__(self, length: int) -> None:
        self.flags = [False] * length
        self.tint = Tint()

    def change(self, at: int, removed: int, inserted: int) -> Change:
        """Text strictly inside of a range, or instead of some of its inside, is of the range."""
        inside = at > 0 and at + removed < len(self.flags) and all(self.flags[at - 1 : at + removed + 1])
        self.flags[at : at + removed] = [inside] * inserted
        return Change(at, removed, "x" * inserted)

    def changes(self, steps: list[tuple[int, int, int]]) -> list[Change]:
        """Rising changes, each so far behind the one before."""
        found, at = [], 0
        for gap, removed, inserted in steps:
            at += gap + 1
            if at + removed > len(self.flags):
                break
            found.append(self.change(at, removed, inserted))
            at += inserted
        return found

    def do(self, operation: tuple[object, ...]) -> None:
        match operation:
            case ("add" | "remove" as name, int(first), int(last)):
                start, end = (min(place, len(self.flags)) for place in sorted((first, last)))
                self.flags[start:end] = [name == "add"] * (end - start)
                (self.tint.add if name == "add" else self.tint.remove)(start, end)
            case ("change", int(at), int(removed), int(inserted)):
                at = min(at, len(self.flags))
                self.tint.moved([self.change(at, min(removed, len(self.flags) - at), inserted)])
            case ("changes", list(steps)):
                self.tint.moved(self.changes(steps))
            case ("look", int(first), int(last)):
                low, high = sorted((first, last))
                seen = [flag and low <= place < high for place, flag in enumerate(self.flags)]
                assert self.tint.ranges_in(low, high) == ranges(seen)
            case ("touch", int(first), int(last)):
                start, end = (min(place, len(self.flags)) for place in sorted((first, last)))
                inside = 0 < start < len(self.flags) and self.flags[start - 1] and self.flags[start]
                assert self.tint.touches(start, end) == (any(self.flags[start:end]) if start < end else inside)


def ranges(flags: list[bool]) -> list[tuple[int, int]]:
    edges = [p for p in range(len(flags) + 1) if (p > 0 and flags[p - 1]) != (p < len(flags) and flags[p])]
    return list(zip(edges[::2], edges[1::2], strict=True))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 60), OPERATIONS)
def test_ranges_are_as_character_by_character(length: int, operations: list[tuple[object, ...]]) -> None:
    flags = Flags(length)
    for operation in operations:
        flags.do(operation)
        assert flags.tint.ranges == ranges(flags.flags)
        assert bool(flags.tint) == any(flags.flags)


def test_accepting_clears_and_says_whether_there_was_anything() -> None:
    tint = Tint()
    tint.add(3, 5)
    assert tint.clear() is True
    assert tint.clear() is False
    assert tint.ranges == []


def test_text_at_the_edge_of_a_range_is_outside_of_it() -> None:
    tint = Tint()
    tint.add(3, 5)
    tint.moved([Change(3, 0, "ab")])
    tint.moved([Change(7, 0, "cd")])
    assert tint.ranges == [(5, 7)]


def test_nothing_lies_in_an_empty_range_and_nothing_is_taken_out_of_it() -> None:
    tint = Tint()
    tint.add(0, 2)
    assert tint.ranges_in(1, 1) == []
    tint.remove(1, 1)
    assert tint.ranges == [(0, 2)]

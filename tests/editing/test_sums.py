from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from writer.editing.sums import Sums

NUMBERS = st.lists(st.integers(1, 9), min_size=1, max_size=12)
CHANGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 9)), max_size=12)


@given(NUMBERS, CHANGES)
def test_starts_and_finds_are_those_of_plain_sums(numbers: list[int], changes: list[tuple[int, int]]) -> None:
    sums = Sums(numbers)
    for index, delta in changes:
        index %= len(numbers)
        numbers[index] += delta
        sums.add(index, delta)
        assert [sums.start(i) for i in range(len(numbers))] == [sum(numbers[:i]) for i in range(len(numbers))]
        assert sums.total == sum(numbers)
        for value in range(-1, sums.total + 2):
            inside = max(0, min(value, sums.total - 1))
            found = sums.find(value)
            assert sums.start(found) <= inside < sums.start(found) + numbers[found]


def test_a_change_of_the_last_number_leaves_the_starts_alone() -> None:
    sums = Sums([3, 4, 5])
    sums.add(0, 1)
    sums.add(2, 7)
    assert [sums.start(index) for index in range(3)] == [0, 4, 8]
    assert sums.total == 20
    assert sums.find(19) == 2

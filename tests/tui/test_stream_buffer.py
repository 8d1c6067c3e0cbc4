"""Frames: nothing is lost, doubled or reordered, and a fast stream is shown at most thirty times a second."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import BatchOutOfOrder
from writer.tui.calm import FRAME, SLICE, Calm
from writer.tui.widgets.stream_buffer import StreamBuffer


class Clock:
    """Time that passes when told to, and the calls that wait for it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.calls: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        assert seconds > 0, "Textual's timers divide by the interval"
        self.calls.append((self.now + seconds, call))

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while due := sorted((call for call in self.calls if call[0] <= end), key=lambda call: call[0]):
            self.calls.remove(due[0])
            self.now = due[0][0]
            due[0][1]()
        self.now = end


def make() -> tuple[Clock, list[str], StreamBuffer]:
    clock, got = Clock(), list[str]()
    return clock, got, StreamBuffer(got.append, clock.later, lambda: clock.now)


@given(st.lists(st.tuples(st.text(max_size=50), st.floats(0, 0.1)), max_size=60), st.booleans())
def test_all_text_arrives_in_order(batches: list[tuple[str, float]], flush: bool) -> None:
    clock, got, buffer = make()
    for ordinal, (text, pause) in enumerate(batches):
        buffer.add("g", ordinal, text)
        clock.pass_time(pause)
    buffer.flush() if flush else clock.pass_time(10)
    assert "".join(got) == "".join(text for text, _ in batches)


def test_a_fast_stream_costs_one_call_per_frame() -> None:
    clock, got, buffer = make()
    for ordinal in range(1000):
        buffer.add("g", ordinal, "x")
        clock.pass_time(0.001)
    assert 20 <= len(got) <= 1.0 / FRAME + 1


def test_a_frame_is_not_too_long() -> None:
    clock, got, buffer = make()
    buffer.add("g", 0, "y" * 10_000)
    clock.pass_time(1)
    assert [len(part) for part in got] == [SLICE, SLICE, 10_000 - 2 * SLICE]


@pytest.mark.parametrize("second", [0, 2, 7])
def test_a_gap_or_a_repeat_is_an_error(second: int) -> None:
    _, _, buffer = make()
    buffer.add("g", 0, "a")
    with pytest.raises(BatchOutOfOrder):
        buffer.add("g", second, "b")


def test_a_resumed_generation_starts_where_it_stopped() -> None:
    clock, got, buffer = make()
    buffer.add("g", 17, "a")
    buffer.add("other", 0, "b")
    buffer.add("g", 18, "c")
    clock.pass_time(1)
    assert "".join(got) == "abc"


def calm(still: Calm) -> tuple[Clock, list[str], StreamBuffer]:
    clock, got = Clock(), list[str]()
    return clock, got, StreamBuffer(got.append, clock.later, lambda: clock.now, lambda: still)


def test_where_motion_is_to_be_less_whole_sentences_come_twice_a_second_at_most() -> None:
    clock, got, buffer = calm(Calm(still=True))
    text = "The sea was calm. Nobody spoke, and the lamp went out. 海上很静。灯灭了。Then it"
    for ordinal, letter in enumerate(text):
        buffer.add("g", ordinal, letter)
        clock.pass_time(0.02)
    assert len(got) <= len(text) * 0.02 * 2 + 1
    assert all(part.rstrip().endswith((".", "。")) for part in got)
    buffer.flush()
    assert "".join(got) == text


@pytest.mark.parametrize("reader", [False, True])
def test_a_long_sentence_is_held_back_for_a_while_only(reader: bool) -> None:
    clock, got, buffer = calm(Calm(still=True, reader=reader))
    buffer.add("g", 0, "Nobody had seen the ship com")
    clock.pass_time(10)
    assert got[:1] == ([] if reader else ["Nobody had seen the ship "])
    buffer.add("g", 1, "e" + " and go" * 200)
    clock.pass_time(10)
    assert len("".join(got)) > 600


def test_what_holds_may_change_while_text_comes() -> None:
    still = Calm(still=True)
    clock, got, buffer = calm(still)
    buffer._calm = lambda: still
    buffer.add("g", 0, "Half a sen")
    clock.pass_time(1)
    assert got == []
    still = Calm()
    clock.pass_time(1)
    assert got == ["Half a sen"]

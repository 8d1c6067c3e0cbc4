"""Stop strings: found wherever the stream is cut into pieces and pauses; ids and text stay one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from writer.generation.model import Delta
from writer.generation.stops import StopWatch

TEXTS = ("a", "b", "ab", "ba", "", "bb", "夜")
IDS = st.lists(st.integers(0, len(TEXTS) - 1), min_size=1, max_size=24)
STOPS = st.lists(st.text("ab夜", min_size=1, max_size=4), min_size=1, max_size=3)


def delta(ids: Sequence[int], finish: str | None = None) -> Delta:
    text, ends = "", []
    for each in ids:
        text += TEXTS[each]
        ends.append(len(text))
    return Delta(tuple(ids), text, tuple(ends), finish)


def text_of(ids: Sequence[int]) -> str:
    return delta(ids).text


def by_definition(ids: Sequence[int], stops: Sequence[str]) -> tuple[str, bool]:
    """The text up to the token in which the stop string begins that is complete first; of several the longest."""
    text = text_of(ids)
    places = [(text.find(stop) + len(stop), text.find(stop)) for stop in stops if stop in text]
    if not places:
        return text, False
    place = min(places)[1]
    shown = [text_of(ids[:count]) for count in range(len(ids) + 1)]
    return max((each for each in shown if len(each) <= place), key=len), True


def watched(ids: Sequence[int], stops: Sequence[str], sizes: Sequence[int], pause: int) -> tuple[list[int], str, bool]:
    """What is saved if the tokens come in pieces of these sizes, with a pause after `pause` pieces."""
    saved: list[int] = []
    text, at, pieces, watch = "", 0, 0, StopWatch(stops)
    while at < len(ids):
        size = sizes[pieces % len(sizes)]
        last = at + size >= len(ids)
        new = watch.feed(delta(ids[at : at + size], "length" if last else None))
        at, pieces = at + size, pieces + 1
        if new is not None:
            assert new.text == text_of(new.token_ids)
            assert new.ends == delta(new.token_ids).ends
            saved += new.token_ids
            text += new.text
            if new.finish_reason:
                return saved, text, new.finish_reason == "stop"
        if pieces == pause and not last:
            at, watch = len(saved), StopWatch(stops, text)
    raise AssertionError("no end")


@settings(max_examples=300)
@given(ids=IDS, stops=STOPS, sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4), pause=st.integers(0, 9))
@example(ids=[1, 0, 0], stops=["a", "baa"], sizes=[1], pause=0)
@example(ids=[1, 0, 0], stops=["a", "baa"], sizes=[3], pause=0)
def test_the_text_ends_at_the_same_place_in_whatever_pieces_it_comes(
    ids: list[int], stops: list[str], sizes: list[int], pause: int
) -> None:
    saved, text, stopped = watched(ids, stops, sizes, pause)
    expected, ends = by_definition(ids, stops)
    assert (text, stopped) == (expected, ends)
    assert saved == ids[: len(saved)]
    if not ends:
        assert saved == ids


def test_a_watch_without_stop_strings_lets_everything_through() -> None:
    given_delta = delta([0, 1], "length")
    assert StopWatch(()).feed(given_delta) is given_delta


def test_what_may_begin_a_stop_string_waits() -> None:
    watch = StopWatch(["abb"])
    assert watch.feed(delta([1])) == delta([1])
    assert watch.feed(delta([0])) is None
    assert watch.feed(delta([0])) == delta([0])  # "aa": the first is sure now
    assert watch.feed(delta([5])) == Delta((), "", (), "stop")


@pytest.mark.parametrize("before", ["xxab", "b"])
def test_a_stop_string_that_began_before_the_pause_still_stops(before: str) -> None:
    found = StopWatch(["bba"], before + "b").feed(delta([3]))
    assert found is not None
    assert (found.token_ids, found.finish_reason) == ((), "stop")

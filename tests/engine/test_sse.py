"""The stream's bytes may be cut anywhere; the events stay the same."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from writer.engine.sse import EventParser

_PAYLOADS = st.lists(
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), min_size=1), max_size=6
)
_NOISE = st.sampled_from([b": keep-alive\n\n", b":\r\n\r\n", b"event: x\n", b"id: 7\r\n", b"\n", b"retry:1\n"])


def _events(stream: bytes, cuts: list[int]) -> list[bytes]:
    parser = EventParser()
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    return [payload for a, b in pairwise(edges) for payload in parser.feed(stream[a:b])]


@given(_PAYLOADS, st.sampled_from([b"\n", b"\r\n", b"\r"]), _NOISE, st.lists(st.integers(0, 10_000), max_size=40))
def test_any_split_gives_the_same_payloads(payloads: list[str], line_end: bytes, noise: bytes, cuts: list[int]) -> None:
    stream = b"".join(noise + b"data: " + text.encode() + line_end + line_end for text in payloads)
    assert _events(stream, cuts) == [text.encode() for text in payloads]


def test_every_single_cut_of_a_mixed_stream() -> None:
    stream = 'data: {"t":"海🌊"}\r\n\r\n: keep-alive\r\n\r\ndata: [DONE]\n\n'.encode()
    whole = ['{"t":"海🌊"}'.encode(), b"[DONE]"]
    assert all(_events(stream, [cut]) == whole for cut in range(len(stream)))
    assert _events(stream, list(range(len(stream)))) == whole


def test_data_over_several_lines_is_one_payload() -> None:
    assert EventParser().feed(b"data: a\ndata: b\ndata\n\n") == [b"a\nb"]


def test_an_event_that_is_not_finished_is_none() -> None:
    assert EventParser().feed(b"data: half\n") == []


def test_no_space_after_the_colon() -> None:
    assert EventParser().feed(b"data:x\n\ndata:  y\n\n") == [b"x", b" y"]

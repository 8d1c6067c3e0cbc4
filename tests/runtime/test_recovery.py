"""Placing saved text in a chapter: any prefix of the span, other texts around it, another program's changes."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from writer.generation.model import SpanRecord
from writer.runtime.recovery import Placed, place

SAVED = "The keeper slept. Rain came over the water and nobody saw the light go out."


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def span(text: str, start: int, covered: int) -> SpanRecord:
    return SpanRecord("g", sha(text), start, start + covered, covered)


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, len(SAVED)))
def test_a_file_with_any_prefix_gets_the_rest(before: str, after: str, covered: int) -> None:
    file = before + SAVED[:covered] + after
    placed = place(file, sha(file), SAVED, [span(file, len(before), covered)])
    assert placed == Placed(before + SAVED + after, len(before), len(before) + len(SAVED))


def test_the_version_before_the_last_save_is_known_too() -> None:
    old, new = "Intro. " + SAVED[:10], "Intro. " + SAVED[:30]
    spans = [span(new, 7, 30), span(old, 7, 10)]
    for file in (old, new):
        placed = place(file, sha(file), SAVED, spans)
        assert placed is not None
        assert placed.text == "Intro. " + SAVED


def test_a_file_changed_around_the_text_is_searched() -> None:
    saved_file = "Intro. " + SAVED[:30]
    changed = "A new intro by another program. " + SAVED[:30] + "\n\nAnd an end."
    placed = place(changed, sha(changed), SAVED, [span(saved_file, 7, 30)])
    assert placed is not None
    assert placed.text == "A new intro by another program. " + SAVED + "\n\nAnd an end."
    assert placed.text[placed.start : placed.end] == SAVED


def test_a_file_changed_inside_the_text_is_left_alone() -> None:
    saved_file = "Intro. " + SAVED[:30]
    changed = saved_file.replace("slept", "woke")
    assert place(changed, sha(changed), SAVED, [span(saved_file, 7, 30)]) is None


def test_text_that_stands_twice_is_not_guessed_at() -> None:
    file = SAVED[:30] + SAVED[:30] + "x"
    assert place(file, sha(file), SAVED, [span("other", 0, 30)]) is None


def test_nothing_saved_goes_on_at_the_end() -> None:
    assert place("Intro.", sha("Intro."), "", []) == Placed("Intro.", 6, 6)

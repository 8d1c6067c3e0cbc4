"""The words of the card and the status line."""

from __future__ import annotations

import pytest

from writer.engine.base import EngineStatus
from writer.generation.model import StopCause
from writer.runtime.events import GenerationStarted, Offer
from writer.tui.screens.resume import card_lines
from writer.tui.widgets.status import activity, engine_words, resume_cost
from writer.tui.writing import Phase, Writing


def make(cause: StopCause | None, *, truncated: bool = False, note: str = "") -> Offer:
    return Offer("g", "c", cause, truncated, 1000.0, 1824, 2410, "The ship came in.", 0, 0, True, note)


@pytest.mark.parametrize(
    ("offer", "why"),
    [
        (make(StopCause.KILLED), "the app was killed"),
        (make(None), "the app was killed"),
        (make(StopCause.PAUSED), "you paused it"),
        (make(StopCause.ENGINE), "the engine stopped"),
        (make(StopCause.POWER), "the computer was switched off or started anew"),
        (make(None, truncated=True), "it reached its token limit"),
    ],
)
def test_the_card_says_what_stopped_and_why(offer: Offer, why: str) -> None:
    lines = card_lines(offer, "Chapter 3", 1240.0, EngineStatus(state="ready"), others=0)
    assert lines[0] == f"Chapter 3 stopped 4 minutes ago: {why}."
    assert "1,824 words (2,410 tokens)" in lines[1]
    assert "The ship came in." in lines[2]
    assert "still warm" in lines[3]
    assert len(lines) == 4


def test_the_card_tells_notes_others_and_a_cold_engine() -> None:
    lines = card_lines(make(None, note="Changed outside."), "T", 1000.0, EngineStatus(state="stopped"), others=2)
    assert "not running" in lines[3]
    assert lines[4:] == ["Changed outside.", "…and 2 more in the chapter list (marked ‖)."]


@pytest.mark.parametrize("cause", list(StopCause))
def test_every_cause_has_words(cause: StopCause) -> None:
    first = card_lines(make(cause), "T", 1000.0, None, 0)[0]
    assert not first.endswith(": .")


def test_the_speed_is_that_of_the_last_seconds() -> None:
    writing = Writing()
    writing.began("c", "g")
    assert writing.speed() is None
    for step in range(200):
        writing.counted(step * 4, now=step * 0.1)
    assert writing.speed() == pytest.approx(40)


def test_activity_in_every_phase() -> None:
    writing = Writing()
    assert activity(writing, 0, None, None) == [""]
    writing.asked("c")
    assert activity(writing, 3, None, None)[0] == "Chapter 3 is next"
    writing.began("c", "g")
    assert activity(writing, 3, None, 41.2) == ["Writing chapter 3", "41 tok/s"]
    writing.retrying()
    assert writing.phase is Phase.RETRYING
    assert "started again" in activity(writing, 3, None, None)[0]
    writing.trouble = "Disk full."
    assert activity(writing, 3, None, None) == ["Disk full."]


def test_engine_and_cache_in_plain_words() -> None:
    starting = EngineStatus(state="starting", sentence="loading the model…", seconds=12.4)
    assert engine_words(starting) == "Engine: loading the model… 12 s"
    started = GenerationStarted("g", "c", 2417, 2410, 1900, 0, 0, 0.062)
    assert resume_cost(started) == "2,410 of 2,417 tokens from the prefix cache, 0.06 s"
    assert resume_cost(GenerationStarted("g", "c", 2417, 0, 0, 0, 0, 0.5)) == ""

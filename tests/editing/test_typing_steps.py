"""What the author's undo takes back at once."""

from __future__ import annotations

from writer.editing.runs import Step
from writer.editing.typing import LONGEST, PAUSE, Typing


class Keys:
    """A typist with a clock that he moves himself."""

    def __init__(self) -> None:
        self.now = 100.0
        self.typing = Typing(lambda: self.now)

    def key(self) -> Step:
        return self.typing.step(1, 0)

    def backspace(self) -> Step:
        return self.typing.step(0, 1)


def test_characters_typed_in_a_row_are_one_step() -> None:
    """K2: an input method sends what it commits as such a row."""
    keys = Keys()
    assert len({id(step) for step in [keys.key() for _ in range(20)]}) == 1


def test_a_pause_ends_a_step() -> None:
    keys = Keys()
    first = keys.key()
    keys.now += PAUSE
    assert keys.key() is first
    keys.now += PAUSE + 0.1
    assert keys.key() is not first


def test_the_pause_is_counted_from_the_last_key() -> None:
    keys = Keys()
    first = keys.key()
    for _ in range(5):
        keys.now += PAUSE * 0.9
        assert keys.key() is first


def test_typing_and_deleting_are_two_steps() -> None:
    keys = Keys()
    typed = keys.key()
    deleted = keys.backspace()
    assert deleted is not typed
    assert keys.backspace() is deleted
    assert keys.key() is not deleted


def test_a_paste_or_line_break_is_a_step_of_its_own() -> None:
    keys = Keys()
    before = keys.key()
    whole = keys.typing.step(1, 0, whole=True)
    after = keys.key()
    assert len({id(before), id(whole), id(after)}) == 3
    assert keys.key() is after


def test_a_step_is_a_hundred_characters_at_most() -> None:
    keys = Keys()
    for edit in (keys.key, keys.backspace):
        steps = [edit() for _ in range(LONGEST + 1)]
        assert steps[LONGEST - 1] is steps[0]
        assert steps[LONGEST] is not steps[0]


def test_a_step_ends_when_told() -> None:
    keys = Keys()
    first = keys.key()
    keys.typing.break_step()
    assert keys.key() is not first

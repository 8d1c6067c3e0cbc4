"""What is still the machine's in a sheet: tinted ranges, and the author's edits inside of what is being written."""

from __future__ import annotations

import pytest

from writer.editing.change import Change
from writer.editing.sheet import Sheet


class Touched:
    """A sheet with a generation "two three" that is open behind "one "; counts how often it was told of a touch."""

    def __init__(self, *, open: bool = True) -> None:
        self.times = 0
        self.sheet = Sheet("one  four")
        self.sheet.begin_generated("g", 4, 4)
        self.sheet.append_generated("two three")
        if not open:
            self.sheet.end_generated()
        self.sheet.touched = self.count

    def count(self) -> None:
        self.times += 1
        self.sheet.end_generated()

    def type(self, at: int, text: str) -> int:
        self.sheet.select(at, at)
        self.sheet.type(text)
        return self.times

    def delete(self, start: int, end: int) -> int:
        self.sheet.delete(start, end)
        return self.times


def tinted(sheet: Sheet) -> list[str]:
    return [sheet.text[start:end] for start, end in sheet.tint.ranges]


def test_an_edit_inside_what_is_being_written_is_told() -> None:
    """C5b"""
    assert Touched().type(6, "X") == 1
    assert Touched().delete(5, 6) == 1
    assert Touched().delete(0, 14) == 1


def test_both_texts_stay_when_the_author_edits_inside() -> None:
    """C5b"""
    touched = Touched()
    touched.type(8, "AND ")
    assert touched.sheet.text == "one two AND three four"
    assert not touched.sheet.writing


@pytest.mark.parametrize(("start", "end"), [(0, 4), (13, 14)])
def test_deleting_up_to_the_edge_is_no_touch(start: int, end: int) -> None:
    assert Touched().delete(start, end) == 0


@pytest.mark.parametrize("at", [0, 4, 13, 14])
def test_typing_outside_or_at_the_edge_is_no_touch(at: int) -> None:
    assert Touched().type(at, "X") == 0


def test_an_edit_inside_what_is_not_being_written_is_no_touch() -> None:
    touched = Touched(open=False)
    assert touched.type(6, "X") == 0
    assert touched.delete(5, 7) == 0


def test_several_replacements_inside_are_one_touch() -> None:
    touched = Touched()
    touched.sheet.touched = lambda: setattr(touched, "times", touched.times + 1)
    touched.sheet.replace([Change(4, 1, "T"), Change(6, 1, "OO"), Change(9, 1, "T")])
    assert (touched.sheet.text, touched.times) == ("one TwOO Three four", 1)


def test_taking_back_an_edit_inside_is_a_touch_too() -> None:
    touched = Touched()
    touched.type(6, "X")
    touched.sheet.begin_generated("g", 0, 0)
    touched.sheet.undo()
    assert touched.times == 2
    touched.sheet.begin_generated("g", 0, 0)
    touched.sheet.redo()
    assert touched.times == 3


def test_taking_back_an_edit_outside_is_no_touch() -> None:
    touched = Touched()
    touched.type(0, "X")
    touched.sheet.undo()
    assert touched.times == 0


def test_what_is_streamed_is_tinted_until_it_is_accepted() -> None:
    sheet = Touched().sheet
    assert tinted(sheet) == ["two three"]
    assert sheet.accept() is True
    assert sheet.accept() is False
    assert tinted(sheet) == []
    sheet.append_generated(" more")
    assert tinted(sheet) == [" more"]


def test_text_offered_at_the_start_is_tinted() -> None:
    sheet = Sheet("one two three")
    sheet.begin_generated("g", 4, 7)
    sheet.end_generated()
    assert tinted(sheet) == ["two"]


def test_a_paragraph_that_the_author_edits_is_his() -> None:
    sheet = Sheet("")
    sheet.begin_generated("g", 0, 0)
    sheet.append_generated("first\nsecond\nthird")
    sheet.select(8, 8)
    sheet.type("X")
    assert tinted(sheet) == ["first\n", "third"]
    sheet.append_generated(" goes on")
    assert tinted(sheet) == ["first\n", "third goes on"]
    sheet.delete(3, 10)
    assert tinted(sheet) == ["third goes on"]


def test_what_the_author_adds_around_generated_text_leaves_it_tinted() -> None:
    sheet = Touched(open=False).sheet
    for at in (14, 13, 4, 0):
        sheet.select(at, at)
        sheet.type("+")
    assert sheet.text == "+one +two three+ +four"
    assert tinted(sheet) == ["two three"]


def test_text_that_comes_back_is_tinted_again() -> None:
    sheet = Touched(open=False).sheet
    sheet.undo()
    assert tinted(sheet) == []
    sheet.redo()
    assert tinted(sheet) == ["two three"]
    sheet.discard_generated()
    assert tinted(sheet) == []
    sheet.undo()
    assert tinted(sheet) == ["two three"]

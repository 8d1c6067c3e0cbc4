"""Undo on a sheet: the author's steps, whole generations, and neither takes the other with it."""

from __future__ import annotations

import pytest
from sheet_author import at_end, generated, keys, put

from writer.editing.sheet import Sheet, Turned


def test_typing_stays_undoable_after_five_thousand_tokens() -> None:
    """C6"""
    sheet = Sheet("Intro.\n")
    keys(sheet, "Hi ")
    sheet.begin_generated("g", sheet.length, sheet.length)
    for number in range(5000):
        sheet.append_generated(f" tok{number}\n" if number % 50 == 0 else f" tok{number}")
    keys(sheet, "you ")
    assert sheet.undo() == Turned()
    assert sheet.text.startswith("Hi Intro.\n tok0\n tok1")
    assert sheet.cursor == 3
    sheet.undo()
    assert sheet.text.startswith("Intro.\n tok0\n tok1")
    assert sheet.text.endswith(" tok4999")
    assert sheet.undo() is None
    sheet.redo()
    sheet.redo()
    assert sheet.text.startswith("Hi you Intro.\n tok0")


def test_typing_during_a_stream_is_one_step() -> None:
    """C7"""
    sheet = at_end("")
    for letter in "hello":
        sheet.append_generated("tok ")
        sheet.type(letter)
    sheet.undo()
    assert sheet.text == "tok " * 5


def test_what_can_be_redone_survives_the_stream() -> None:
    """C7"""
    sheet = at_end("")
    keys(sheet, "mine")
    sheet.undo()
    sheet.append_generated("more")
    assert sheet.redo() == Turned()
    assert sheet.text == "minemore"


def test_a_generation_is_one_step_and_its_undo_leaves_the_cursor() -> None:
    """C8 C9"""
    sheet = at_end("One.\nTwo.\n")
    sheet.select(2, 2)
    for number in range(300):
        sheet.append_generated(f"line {number}\n")
    sheet.end_generated()
    full = sheet.text
    assert sheet.undo() == Turned("g", removed=True, place=(10, 10))
    assert (sheet.text, sheet.cursor, sheet.generated_span()) == ("One.\nTwo.\n", 2, None)
    assert sheet.redo() == Turned("g", removed=False)
    assert (sheet.text, sheet.cursor) == (full, 2)


def test_a_generation_is_one_step_with_the_authors_edits_around_and_inside() -> None:
    """C8"""
    sheet = at_end("Intro.\n")
    sheet.append_generated("one two")
    sheet.type("H")
    put(sheet, "two")
    sheet.type("X")
    sheet.append_generated(" three")
    sheet.end_generated()
    sheet.break_step()
    assert [sheet.undo(), sheet.undo(), sheet.undo()] == [Turned(), Turned(), Turned("g", removed=True, place=(7, 7))]
    assert sheet.text == "Intro.\n"
    for _ in range(3):
        sheet.redo()
    assert sheet.text == "HIntro.\none Xtwo three"


def test_what_was_typed_before_and_after_a_generation_began_is_two_steps() -> None:
    sheet = Sheet("")
    keys(sheet, "ab")
    sheet.begin_generated("g", 2, 2)
    keys(sheet, "cd")
    sheet.undo()
    assert sheet.text == "ab"


def test_undo_puts_the_cursor_where_the_author_was() -> None:
    sheet = Sheet("one two three")
    sheet.delete(3, 7)
    sheet.select(0, 0)
    sheet.undo()
    assert (sheet.text, sheet.cursor, sheet.mark) == ("one two three", 7, 7)


@pytest.mark.parametrize("text", ["e\u0301", "👨\u200d👩\u200d👧", "x"])
def test_one_character_of_many_code_points_is_typing_and_no_paste(text: str) -> None:
    """K1 K2"""
    sheet = Sheet("")
    keys(sheet, "a")
    sheet.type(text)
    keys(sheet, "b")
    sheet.undo()
    assert sheet.text == ""


def test_a_paste_is_a_step_of_its_own_unless_told_otherwise() -> None:
    sheet = Sheet("")
    keys(sheet, "a")
    sheet.type("你好", pasted=False)
    sheet.type("pasted")
    sheet.undo()
    assert sheet.text == "a你好"
    sheet.undo()
    assert sheet.text == ""


def test_discard_is_one_undoable_step() -> None:
    sheet = Sheet("Start. Some generated words. Rest.")
    sheet.begin_generated("g", 7, 28)
    assert sheet.discard_generated() is None  # it is still being written
    sheet.end_generated()
    assert sheet.discard_generated() == "g"
    assert sheet.text == "Start.  Rest."
    assert sheet.undo() == Turned("g", removed=False)
    assert generated(sheet) == "Some generated words."
    assert sheet.redo() == Turned("g", removed=True, place=(7, 7))

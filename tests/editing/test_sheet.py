"""A sheet under a stream: the author's cursor, typing and undo stay the author's."""

from __future__ import annotations

import pytest

from writer.editing.change import Change
from writer.editing.layout import Damage
from writer.editing.sheet import Sheet, Turned


def at_end(text: str) -> Sheet:
    """A sheet with a generation open at its end."""
    sheet = Sheet(text)
    sheet.begin_generated("g", sheet.length, sheet.length)
    return sheet


def keys(sheet: Sheet, text: str) -> None:
    for character in text:
        sheet.type(character)


def put(sheet: Sheet, place: str) -> None:
    """The cursor before this text."""
    offset = sheet.text.index(place)
    sheet.select(offset, offset)


def generated(sheet: Sheet) -> str:
    span = sheet.generated_span()
    assert span is not None
    return sheet.text[span[1] : span[2]]


def tinted(sheet: Sheet) -> list[str]:
    return [sheet.text[start:end] for start, end in sheet.tint.ranges]


# The cursor ---------------------------------------------------------------------------------------------------


def test_text_that_comes_behind_the_cursor_in_its_row_does_not_move_it() -> None:
    """C1"""
    sheet = Sheet("one line here")
    sheet.select(4, 8)
    sheet.begin_generated("g", 9, 9)
    sheet.append_generated("new\nrow")
    assert (sheet.mark, sheet.cursor, sheet.selected_text()) == (4, 8, "line")


def test_the_cursor_at_the_place_of_the_stream_stays() -> None:
    """C2"""
    sheet = at_end("Start.")
    sheet.select(6, 6)
    sheet.append_generated(" More.")
    assert sheet.cursor == sheet.mark == 6


def test_text_that_comes_at_the_edge_of_a_selection_is_not_selected() -> None:
    """C2"""
    for mark, cursor in ((4, 8), (8, 4)):
        for place in (4, 8):
            sheet = Sheet("one line here")
            sheet.select(mark, cursor)
            sheet.begin_generated("g", place, place)
            sheet.append_generated("XY")
            assert sheet.selected_text() == "line"


def test_a_cursor_never_stands_inside_a_character_that_was_completed() -> None:
    """F9"""
    for character in ("e\u0301", "👍\U0001f3fd", "👨\u200d👩"):
        sheet = at_end("x" + character[0])
        sheet.select(2, 2)
        sheet.append_generated(character[1:] + "y")
        assert sheet.cursor == sheet.mark == 1 + len(character)


def test_a_deletion_that_makes_one_character_of_two_puts_the_cursor_behind_it() -> None:
    """F9"""
    sheet = Sheet("aex\u0301b")
    sheet.select(2, 3)
    sheet.delete(2, 3)
    assert sheet.cursor == 3


def test_half_of_a_character_can_be_typed_and_then_the_other_half() -> None:
    """K1"""
    sheet = Sheet("x👧")
    sheet.select(1, 1)
    keys(sheet, "👨\u200d👩\u200d")
    assert sheet.text == "x👨\u200d👩\u200d👧"


# Where the stream goes ----------------------------------------------------------------------------------------


def test_the_span_follows_the_authors_edits() -> None:
    """C5"""
    sheet = Sheet("Before.\n\nAfter.")
    sheet.begin_generated("g", 8, 8)
    sheet.append_generated("Gen")
    keys(sheet, "\nTitle\n")
    sheet.append_generated("erated")
    sheet.select(sheet.length, sheet.length)
    keys(sheet, " End")
    sheet.append_generated(" text.")
    assert sheet.text == "\nTitle\nBefore.\nGenerated text.\nAfter. End"
    assert generated(sheet) == "Generated text."
    span = sheet.generated_span()
    assert span is not None
    assert span[3] == len("Generated text.")


def test_deleting_the_streaming_paragraph_does_not_misplace_what_follows() -> None:
    """C5b"""
    sheet = at_end("Before.\n")
    sheet.append_generated("doomed words")
    sheet.delete(3, 20)
    sheet.append_generated(" more")
    assert sheet.text == "Bef more"
    sheet.undo()
    assert sheet.text == "Before.\ndoomed words more"


def test_replacing_a_selection_with_the_stream_in_it() -> None:
    """C5b"""
    sheet = Sheet("Before. After.")
    sheet.begin_generated("g", 7, 7)
    sheet.append_generated(" Middle.")
    sheet.select(3, 18)
    sheet.type("X")
    sheet.append_generated(" more")
    assert sheet.text == "BefX moreter."


def test_typing_at_the_end_while_it_streams_is_pushed_ahead() -> None:
    """C2"""
    sheet = at_end("")
    sheet.append_generated("one")
    sheet.select(3, 3)
    keys(sheet, "END")
    sheet.append_generated(" two")
    assert sheet.text == "one twoEND"
    assert sheet.cursor == 10
    assert generated(sheet) == "one two"


def test_typing_at_the_end_of_paused_text_is_what_goes_on() -> None:
    sheet = at_end("")
    sheet.append_generated("one")
    sheet.end_generated()
    sheet.select(3, 3)
    keys(sheet, " and")
    assert generated(sheet) == "one and"
    sheet.begin_generated("g", 0, 3)
    sheet.append_generated(" two")
    assert sheet.text == "one and two"


def test_offsets_of_an_order_hold_although_the_author_typed_meanwhile() -> None:
    """C5"""
    sheet = Sheet("Chapter.\n")
    sheet.expect_generated()
    end = sheet.length
    keys(sheet, "My ")
    sheet.begin_generated("g", end, end)
    sheet.append_generated("Text.")
    assert sheet.text == "My Chapter.\nText."


def test_nothing_of_a_generation_is_known_after_another_text_was_loaded() -> None:
    sheet = at_end("one")
    sheet.append_generated(" two")
    revision = sheet.revision
    sheet.load("three")
    assert (sheet.generated_span(), sheet.writing, sheet.undo(), tinted(sheet)) == (None, False, None, [])
    assert (sheet.text, sheet.revision, sheet.cursor) == ("three", revision + 1, 0)


# Undo ---------------------------------------------------------------------------------------------------------


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
    assert sheet.undo() == Turned("g", removed=True)
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
    assert [sheet.undo(), sheet.undo(), sheet.undo()] == [Turned(), Turned(), Turned("g", removed=True)]
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
    assert sheet.redo() == Turned("g", removed=True)


def test_every_change_is_told_with_the_cursor_where_it_belongs() -> None:
    sheet = Sheet("ab")
    told: list[tuple[Change, int]] = []

    def listen(change: Change, damage: Damage) -> None:
        told.append((change, sheet.cursor))
        assert damage.rows >= 1

    sheet.listener = listen
    sheet.select(1, 2)
    sheet.type("xy")
    sheet.begin_generated("g", 0, 0)
    sheet.append_generated("G")
    assert told == [(Change(1, 1, "xy"), 3), (Change(0, 0, "G"), 4)]
    assert (sheet.revision, sheet.authored) == (2, 1)

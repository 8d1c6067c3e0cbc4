"""A sheet under a stream: the author's cursor, typing and undo stay the author's."""

from __future__ import annotations

from sheet_author import at_end, generated, keys

from writer.editing.change import Change
from writer.editing.layout import Damage
from writer.editing.sheet import Sheet

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
    assert (sheet.generated_span(), sheet.writing, sheet.undo(), sheet.tint.ranges) == (None, False, None, [])
    assert (sheet.text, sheet.revision, sheet.cursor) == ("three", revision + 1, 0)


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

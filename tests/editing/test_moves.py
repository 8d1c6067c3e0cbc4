"""Moves of the cursor: whole characters, rows with a kept column, words and paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.moves import Aim, column, target
from writer.editing.sheet import Sheet


class Cursor:
    """A cursor that is moved as the keys do it."""

    def __init__(self, text: str, at: int = 0, width: int = 10) -> None:
        self.sheet = Sheet(text, width)
        self.sheet.select(at, at)
        self.aim = Aim()

    def move(self, *moves: str) -> int:
        for move in moves:
            offset, upstream = target(self.sheet, move, self.aim, 3)
            self.sheet.select(offset, offset, upstream=upstream)
        return self.sheet.cursor

    @property
    def row(self) -> int:
        return self.sheet.layout.y_of(self.sheet.cursor, before=self.sheet.upstream)

    def stops(self, move: str) -> list[int]:
        """Where it stands, one move after the other, until it moves no more."""
        found = [self.sheet.cursor]
        while self.move(move) != found[-1]:
            found.append(self.sheet.cursor)
        return found


ONE_CHARACTER = {
    "accent": "e\u0301",
    "Vietnamese": "e\u0302\u0301",
    "Thai": "กำ",
    "Thai tone": "ที่",
    "Hindi": "नि",
    "Hangul": "\u1112\u1161\u11ab",
    "family": "👨\u200d👩\u200d👧",
    "flag": "🇩🇪",
    "skin": "👍\U0001f3fd",
    "heart": "❤\ufe0f",
    "keycap": "1\ufe0f\u20e3",
}


@pytest.mark.parametrize("character", ONE_CHARACTER.values(), ids=ONE_CHARACTER)
def test_a_character_of_many_code_points_is_one_step(character: str) -> None:
    """F9"""
    cursor = Cursor(f"a{character}b\n{character}")
    stops = [0, 1, 1 + len(character), 2 + len(character), 3 + len(character), 3 + 2 * len(character)]
    assert cursor.stops("right") == stops
    assert cursor.stops("left") == stops[::-1]


@pytest.mark.parametrize("character", ONE_CHARACTER.values(), ids=ONE_CHARACTER)
def test_backspace_and_delete_take_a_whole_character(character: str) -> None:
    """F9"""
    for move, at in (("left", 1 + len(character)), ("right", 1)):
        cursor = Cursor(f"a{character}b", at)
        cursor.sheet.delete(*sorted((at, cursor.move(move))))
        assert cursor.sheet.text == "ab"
        assert cursor.sheet.cursor == 1


@settings(max_examples=200, deadline=None)
@given(st.text("ab \nאב你\u0301\u200d👩\t", max_size=30), st.integers(1, 12))
def test_left_goes_back_where_right_came_from(text: str, width: int) -> None:
    """F9 F11"""
    cursor = Cursor(text, 0, width)
    stops = cursor.stops("right")
    assert stops == sorted(set(stops))
    assert stops[-1] == len(text)
    assert cursor.stops("left") == stops[::-1]


@settings(max_examples=200, deadline=None)
@given(st.text("abc  \n你，\t", max_size=80), st.integers(2, 12))
def test_down_and_up_visit_every_row(text: str, width: int) -> None:
    """Also where the heights of what lies above are only estimated."""
    rows = len(Sheet(text, width).layout.rows(0, 1000))
    down, up = Cursor(text, 0, width), Cursor(text, len(text), width)
    up.sheet.layout.resize(width)
    for number in range(rows - 1):
        down.move("down")
        assert down.row == number + 1
        up.move("up")
    up.sheet.layout.rows(0, 1000)
    assert up.row == 0
    assert down.move("down") == len(text)
    assert up.move("up") == 0


def test_the_column_is_kept_through_shorter_rows() -> None:
    cursor = Cursor("abcdefg\nab\n\n你好吗啊\nabcdefg", 6)
    cells = []
    for _ in range(4):
        cursor.move("down")
        cells.append(column(cursor.sheet))
    assert cells == [2, 0, 6, 6]
    assert cursor.move("up", "up", "up", "up") == 6
    assert cursor.move("down", "left", "up") == 1


def test_the_column_is_of_cells_and_no_wide_character_is_split() -> None:
    assert Cursor("abc\n你好", 3).move("down") == 5
    assert Cursor("\tx\nabcdef", 1).move("down") == 7


def test_up_in_the_first_row_is_the_start_and_down_in_the_last_the_end() -> None:
    assert Cursor("abc", 2).move("up") == 0
    assert Cursor("abc", 2).move("down") == 3


def test_a_moved_column_is_forgotten_when_the_cursor_was_put_elsewhere() -> None:
    cursor = Cursor("abcdef\nab\nabcdef", 6)
    cursor.move("down")
    cursor.sheet.select(7, 7)
    assert cursor.move("down") == 10


def test_the_end_of_a_row_is_before_the_space_at_which_it_breaks() -> None:
    cursor = Cursor("one two three four", 1)
    assert cursor.move("row_end") == 7
    assert cursor.row == 0
    assert cursor.move("right") == 8
    assert cursor.row == 1
    assert cursor.move("row_end", "row_start") == 8


def test_the_end_of_a_row_without_a_space_is_shown_in_that_row() -> None:
    cursor = Cursor("你好世界你好世界", 1, 8)
    assert (cursor.move("row_end"), cursor.row, column(cursor.sheet)) == (4, 0, 8)
    assert (cursor.move("row_end"), cursor.row) == (4, 0)
    assert (cursor.move("row_start"), cursor.row) == (0, 0)
    assert (cursor.move("row_end", "down"), cursor.row) == (8, 1)
    assert (cursor.move("up"), cursor.row) == (4, 0)


def test_a_page_ends_at_the_last_row_and_only_then_at_the_end() -> None:
    cursor = Cursor("\n".join("abcde"), 0)
    assert cursor.move("page_down") == 6
    assert cursor.move("page_down") == 8
    assert cursor.move("page_down") == 9
    assert cursor.move("page_up") == 2
    assert cursor.move("page_up") == 0


def test_words_are_left_and_reached_across_paragraphs() -> None:
    cursor = Cursor("one two\nthree")
    stops = cursor.stops("word_right")
    assert {0, 7, 8, 13} <= set(stops)
    assert stops == sorted(stops)
    assert cursor.stops("word_left") == [13, 8, 7, 4, 0]


def test_paragraphs_are_jumped_over_empty_lines() -> None:
    cursor = Cursor("one\n\n\ntwo\nthree", 1)
    assert cursor.stops("paragraph_down") == [1, 6, 10, 15]
    assert cursor.stops("paragraph_up") == [15, 10, 6, 0]


def test_the_start_and_the_end_of_the_text() -> None:
    cursor = Cursor("one\ntwo", 2)
    assert (cursor.move("text_end"), cursor.move("text_start")) == (7, 0)


def test_what_is_no_move_is_refused() -> None:
    with pytest.raises(KeyError):
        Cursor("x").move("sideways")

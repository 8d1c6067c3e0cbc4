"""Words: where a jump by words lands and what a double click takes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing import cells
from writer.editing.boundaries import next_word, previous_word, word_at

_TEXT = st.lists(
    st.one_of(
        st.sampled_from(
            [*"ab '’-_.，。中文あ", "  ", "e\u0301", "👨\u200d👩", "🇩🇪", "\u200d", "\t", "नमस्ते", "\ud800", "\x1b"]
        ),
        st.characters(),
    ),
    max_size=20,
).map("".join)


def jumps(text: str) -> list[str]:
    """The text cut where jumps to the right land."""
    found, at = [], 0
    while at < len(text):
        after = next_word(text, at)
        found.append(text[at:after])
        at = after
    return found


def jumps_back(text: str) -> list[str]:
    found, at = [], len(text)
    while at:
        before = previous_word(text, at)
        found.insert(0, text[before:at])
        at = before
    return found


@pytest.mark.parametrize(
    "words",
    [
        ["The ", "old ", "house", ", ", "don't ", "you  ", "see", "?"],
        ["it’s ", "‘", "quoted", "’ ", "x"],
        ["well", "-", "known ", "snake_case ", "3", ".", "14"],
        ["他说", "：“", "你好世界", "。”", "Hello", "世界"],
        ["cafe\u0301s ", "e\u0301tude"],
        ["नमस्ते ", "दुनिया"],
        ["안녕하세요 ", "세계"],
        ["one\u3000", "two\t", "three"],
        ["👨\u200d👩\u200d👧🇩🇪 ", "end"],
        ["e\u0301’e\u0301 ", "b"],
    ],
)
def test_jumps_stop_where_words_begin_in_both_directions(words: list[str]) -> None:
    text = "".join(words)
    assert jumps(text) == words
    assert jumps_back(text) == words


def test_a_jump_from_inside_a_word_goes_to_the_next_or_to_its_own_beginning() -> None:
    assert next_word("hello world", 3) == 6
    assert previous_word("hello world", 8) == 6
    assert previous_word("hello world", 6) == 0


def test_spaces_at_the_ends_are_skipped() -> None:
    assert next_word("  word  ", 0) == 2
    assert next_word("  word  ", 2) == 8
    assert previous_word("  word  ", 8) == 2
    assert previous_word("  word  ", 2) == 0
    assert next_word("", 0) == previous_word("", 0) == 0


@pytest.mark.parametrize(
    ("text", "at", "word"),
    [
        ("hello world", 0, "hello"),
        ("hello world", 4, "hello"),
        ("hello world", 5, " "),
        ("hello world", 11, "world"),
        ("I don't know", 5, "don't"),
        ("“你好，世界”", 2, "你好"),
        ("“你好，世界”", 3, "，"),
        ("wait...", 5, "..."),
        ("cafe\u0301 au lait", 4, "cafe\u0301"),
        ("", 0, ""),
    ],
)
def test_a_double_click_takes_the_word_under_it(text: str, at: int, word: str) -> None:
    start, end = word_at(text, at)
    assert text[start:end] == word


@settings(max_examples=300)
@given(_TEXT, st.data())
def test_places_are_cluster_boundaries_and_jumps_always_move(text: str, data: st.DataObject) -> None:
    """F9: a jump by words never lands inside a cluster."""
    at = data.draw(st.integers(-1, len(text) + 1))
    start, end = word_at(text, at)
    after, before = next_word(text, at), previous_word(text, at)
    for place in (start, end, after, before):
        assert cells.stop(text, place) == place
    assert after > at or after == len(text)
    assert before < at or before == 0
    assert start < end or not text
    assert start <= max(0, min(at, len(text) - 1)) < end or not text

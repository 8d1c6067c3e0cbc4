from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.editing import blocks
from writer.editing.document import Document, Place

TEXT = st.text(st.sampled_from("ab \n\n章👨\u200d\u2028\r\f\x85\t"), max_size=60)
INSIDE = ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r"]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 3)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 1), ("\n", 2), ("\n" * 9, 10), ("one", 1), ("one\n", 2), ("\none", 2)],
)
def test_a_text_has_one_line_more_than_line_breaks(text: str, lines: int) -> None:
    """F6"""
    document = Document(text)
    assert document.line_count == lines
    assert document.text == text
    assert document.length == len(text)
    assert document.span(len(text)) == (text.rfind("\n") + 1, len(text))


@pytest.mark.parametrize("character", INSIDE)
def test_only_a_newline_parts_paragraphs(character: str) -> None:
    """F1"""
    text = f"a{character}b{character}\n{character}"
    document = Document(text)
    assert document.line_count == 2
    assert document.text == text
    assert document.line(3) == (0, 3)
    assert document.line(len(text)) == (1, 1)


@given(TEXT)
def test_places_are_those_of_the_plain_text(text: str) -> None:
    document = Document(text)
    lines = text.split("\n")
    assert document.line_count == len(lines)
    for offset in [*range(len(text) + 1), *range(len(text), -1, -3)]:
        place = document.locate(offset)
        line, column = document.line(offset)
        assert (line, column) == (text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1))
        assert document.paragraph(place).text == lines[line]
        assert place.column == column
        assert document.start_of(place) == offset - column
        assert document.offset(line, column) == offset
        assert document.span(offset) == (offset - column, offset - column + len(lines[line]))


@given(TEXT, st.integers(0, 60), st.integers(0, 60))
def test_a_slice_is_that_of_the_plain_text(text: str, start: int, end: int) -> None:
    document = Document(text)
    start, end = min(start, len(text)), min(end, len(text))
    assert document.slice(start, end) == text[start : max(start, end)]
    assert list(document.pieces(start, end)) == text[start : max(start, end)].split("\n")


def test_whatever_lies_outside_is_taken_to_the_nearest_place() -> None:
    document = Document("one\ntwo\nthree\nfour")
    assert document.locate(-5) == Place(0, 0, 0)
    assert document.locate(99) == Place(1, 0, 4)
    assert document.offset(-1, 5) == 3
    assert document.offset(9, 9) == 18
    assert document.offset(1, -2) == 4
    assert document.slice(-3, 99) == "one\ntwo\nthree\nfour"
    assert document.slice(7, 2) == ""


def test_no_block_is_longer_than_it_should_be() -> None:
    document = Document("\n" * 9)
    assert [len(block.paragraphs) for block in document.blocks] == [3, 3, 3, 1]

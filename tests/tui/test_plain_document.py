"""Text fidelity: what was loaded and typed comes out character for character; what is painted has no control code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.tui.widgets.plain_document import PlainDocument, shown

TRAPS = st.text("ab \n\r\t\x0b\x0c\x1b\x1c\x85\u2028\u2029\u3000\u202e你\ufeff", max_size=30)


@given(TRAPS)
def test_text_comes_out_as_it_went_in(text: str) -> None:
    assert PlainDocument(text).text == text


@given(TRAPS, TRAPS, st.integers(0, 40), st.integers(0, 40))
def test_edits_are_those_of_a_string(text: str, inserted: str, one: int, other: int) -> None:
    document = PlainDocument(text)
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    locate = document.get_location_from_index
    result = document.replace_range(locate(start), locate(end), inserted)
    assert document.text == text[:start] + inserted + text[end:]
    assert result.replaced_text == text[start:end]
    assert document.get_index_from_location(result.end_location) == start + len(inserted)
    assert [len(line) for line in document.lines] == [len(line) for line in document.text.split("\n")]
    assert document.lines == [shown(line) for line in document.text.split("\n")]


@given(TRAPS)
def test_offsets_and_locations_are_inverse(text: str) -> None:
    document = PlainDocument(text)
    for index in range(len(text) + 1):
        assert document.get_index_from_location(document.get_location_from_index(index)) == index


@pytest.mark.parametrize("location", [(9, 0), (0, 99), (-1, -1)])
def test_a_location_that_does_not_exist_is_the_nearest_that_does(location: tuple[int, int]) -> None:
    document = PlainDocument("one\ntwo")
    row, column = document.clamped(location)
    assert 0 <= column <= len(document.get_line(row))

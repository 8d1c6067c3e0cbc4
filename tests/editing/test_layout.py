from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing import blocks, layout, retyping
from writer.editing.document import Document
from writer.editing.layout import Damage, Layout

PIECES = st.one_of(
    st.sampled_from(
        ["", "\n", "\n\n\n\n\n", "a", " ", "word ", "一章，", "“", "👨\u200d👩\u200d👧", "e\u0301", "\t", "\u2028\r\f"]
    ),
    st.text(st.sampled_from("ab  \n章，。「」👍🏽\u0301\u200d\t\x85"), max_size=30),
    st.sampled_from(["lantern morning corridor " * 4, "黎明的窗户，河流。" * 5, "x" * 40, "one\ntwo\n三\n" * 6]),
)
EDITS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), PIECES), min_size=1, max_size=12)
WIDTHS = st.sampled_from([1, 2, 7, 12, 40])

Shown = tuple[str, int, int, int, int, int, int]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 3)


def made(text: str, width: int) -> Layout:
    return Layout(Document(text), width)


def shown(view: Layout) -> list[Shown]:
    """All rows, exact."""
    rows = view.rows(0, 10**6)
    return [(row.text, row.at, row.line, row.start, row.end, row.index, row.count) for row in rows]


def check_sums(view: Layout) -> None:
    document = view.document
    assert document.blocks
    characters = lines = rows = 0
    for number, block in enumerate(document.blocks):
        assert 1 <= len(block.paragraphs) <= 2 * blocks.BLOCK
        assert document.characters.start(number) == characters
        assert document.lines.start(number) == lines
        assert document.rows.start(number) == rows
        assert block.characters == sum(len(paragraph.text) + 1 for paragraph in block.paragraphs)
        assert block.height == sum(paragraph.height for paragraph in block.paragraphs)
        assert block.before == sum(len(paragraph.text) + 1 for paragraph in block.paragraphs[: block.index])
        assert block.above == sum(paragraph.height for paragraph in block.paragraphs[: block.index])
        assert block.pending or all(paragraph.breaks is not None for paragraph in block.paragraphs)
        characters += block.characters
        lines += len(block.paragraphs)
        rows += block.height
    assert document.length == characters - 1
    assert document.line_count == lines
    assert view.height == rows


@settings(max_examples=200, deadline=None)
@given(PIECES, EDITS, WIDTHS, st.booleans())
def test_edits_leave_what_a_fresh_layout_of_the_text_shows(
    text: str, edits: list[tuple[int, int, str]], width: int, looked_at: bool
) -> None:
    """F1 F6 F9 F10 R3"""
    view = made(text, width)
    for start, length, new in edits:
        if looked_at:
            shown(view)
        start = min(start, len(text))
        view.replace(start, start + length, new)
        text = text[:start] + new + text[start + length :]
        check_sums(view)
        assert view.document.text == text
    assert shown(view) == shown(made(text, width))
    check_sums(view)
    assert "".join(row[0] for row in shown(view)) == text.replace("\n", "")


@settings(max_examples=200, deadline=None)
@given(PIECES, EDITS, WIDTHS)
def test_rows_outside_the_damage_are_the_old_ones_moved(
    text: str, edits: list[tuple[int, int, str]], width: int
) -> None:
    view = made(text, width)
    old = [row[0] for row in shown(view)]
    for start, length, new in edits:
        start = min(start, view.document.length)
        damage = view.replace(start, start + length, new)
        rows = [row[0] for row in shown(view)]
        assert view.height == len(rows) == len(old) + damage.delta
        end = damage.top + damage.rows
        assert rows[: damage.top] == old[: damage.top]
        assert end <= len(rows)
        assert rows[end:] == old[end - damage.delta :]
        old = rows


@settings(max_examples=100, deadline=None)
@given(PIECES, PIECES, WIDTHS)
def test_every_offset_has_its_row(text: str, more: str, width: int) -> None:
    text += "\n" + more
    view = made(text, width)
    rows = made(text, width).rows(0, 10**6)
    for offset in range(len(text), -1, -1):
        y, row = view.row_of(offset)
        assert row.offset <= offset <= row.at + row.end
        assert offset < row.at + row.end or row.last
        assert view.y_of(offset) == y
        early, earlier = view.row_of(offset, before=True)
        assert earlier.offset < offset <= earlier.at + earlier.end or early == y
    assert [view.y_of(row.offset) for row in rows] == list(range(len(rows)))


@given(PIECES, PIECES, st.integers(0, 40), st.integers(1, 9))
def test_rows_are_consecutive_wherever_one_begins_to_look(text: str, more: str, y: int, count: int) -> None:
    view = made(f"{text}\n{more}\n{text}", 7)
    rows = view.rows(y, count)
    first = view.y_of(rows[0].offset)
    assert first == min(y, view.height - 1)
    assert rows == view.rows(first, len(rows))
    whole = made(view.document.text, 7).rows(0, 10**6)
    start = whole.index(next(row for row in whole if (row.line, row.index) == (rows[0].line, rows[0].index)))
    assert [row.text for row in rows] == [row.text for row in whole[start : start + len(rows)]]
    assert len(rows) == count or start + len(rows) == len(whole)
    check_sums(view)


def test_the_last_row_answers_for_all_below_it() -> None:
    view = made("one two three four five\nsix", 7)
    assert view.row(10**6).text == "six"
    assert (view.row(-4).offset, view.row(-4).index) == (0, 0)
    assert [row.text for row in view.rows(view.height - 1, 5)] == ["six"]


def test_an_append_damages_the_last_row_only() -> None:
    view = made("one two three four fi", 9)
    view.rows(0, 9)
    assert view.replace(21, 21, "v") == Damage(2, 1, 0)
    assert view.replace(22, 22, "teen") == Damage(2, 2, 1)


def test_an_edit_stops_where_the_rows_are_the_old_ones() -> None:
    view = made("aaaa bbbb cccc dddd eeee ffff gggg hhhh", 5)
    view.rows(0, 9)
    assert view.replace(11, 12, "x") == Damage(2, 1, 0)


def test_an_append_to_a_long_paragraph_keeps_its_list_of_breaks() -> None:
    view = made("lantern " * 5000, 40)
    view.row(0)
    paragraph = view.document.blocks[0].paragraphs[0]
    breaks = paragraph.breaks
    view.replace(40000, 40000, "morning")
    view.replace(40007, 40007, "\nnext")
    assert paragraph.breaks is breaks


def test_a_large_insertion_is_only_estimated() -> None:
    view = made("one\ntwo", 40)
    view.rows(0, 9)
    view.replace(3, 3, "\n".join(["lantern " * 10] * 200))
    assert all(paragraph.breaks is None for block in view.document.blocks[:-1] for paragraph in block.paragraphs)
    view.replace(0, 0, "x" * (retyping.LARGE + 1))
    assert view.document.blocks[0].paragraphs[0].breaks is None
    assert shown(view) == shown(made(view.document.text, 40))


def test_settling_makes_every_height_exact_and_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in steps that end inside a long paragraph, with an edit between them."""
    monkeypatch.setattr(layout, "LONG", 50)
    text = "\n".join(["lantern morning " * 20, "黎明的窗户，" * 30, "", "x" * 300] * 3)
    view = made(text, 11)
    steps = 0
    while not view.settle(0):
        steps += 1
        if steps == 3:
            view.replace(0, 0, "corridor ")
        check_sums(view)
    assert steps > 100
    fresh = made("corridor " + text, 11)
    rows = shown(fresh)
    assert view.height == len(rows)
    assert shown(view) == rows
    assert view.settle(0)


def test_a_new_width_begins_anew() -> None:
    view = made("one two three four\n五六七八九十\n" * 5, 7)
    shown(view)
    assert view.settle(10)
    before = view.revision
    view.resize(11)
    assert view.revision > before
    check_sums(view)
    assert not view.settle(0)
    assert shown(view) == shown(made(view.document.text, 11))
    view.resize(0)
    assert view.width == 1
    assert shown(view) == shown(made(view.document.text, 1))


def test_the_revision_grows_when_a_look_corrects_a_height() -> None:
    view = made(f"{'a' * 21} " * 10, 40)
    before, estimated = view.revision, view.height
    view.row(0)
    assert view.height != estimated
    assert view.revision > before


def test_blocks_are_split_and_vanish() -> None:
    view = made("a\n" * 20, 9)
    view.replace(0, 0, "b\n" * 30)
    assert len(view.document.blocks) > 10
    check_sums(view)
    view.replace(0, view.document.length, "")
    assert [[paragraph.text for paragraph in block.paragraphs] for block in view.document.blocks] == [[""]]
    check_sums(view)

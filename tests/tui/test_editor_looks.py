"""The editor at any size of the window, and in its ways of looking: text width, typewriter, focus."""

from __future__ import annotations

import pytest
from drawn import Desk, drawing
from test_editor_view import CHINESE, LINES, top

from writer.tui.editor.surface import MARGIN, ROOMY

# Sizes --------------------------------------------------------------------------------------------------------

SIZES = [(40, 10), (300, 100), (1, 1), (2, 2), (200, 1), (5, 3), (90, 30), (3, 40), (60, 12)]


@pytest.mark.parametrize("follow", [False, True])
async def test_any_size_while_it_streams(follow: bool) -> None:
    """R3, C10"""
    words = "Das Meer war ruhig, 海上的灯塔在雨夜里亮着。 " * 40
    text = "\n".join(f"{n} {words}" for n in range(60))
    async with drawing(text, (40, 10)) as desk:
        at = text.index("\n30 ") + 1
        desk.begin()
        if follow:
            desk.editor.show_end()
        else:
            desk.editor.scroll_to_offset(at)
        await desk.idle()
        for size in SIZES:
            desk.editor.append_generated("新的一句话。 More. \n" * 3)
            await desk.resize(*size)
            desk.editor.append_generated("再来一句。 More. \n" * 3)
            await desk.painted()
            assert desk.editor.at_end == follow
            if not follow:
                assert desk.y == desk.editor.sheet.layout.y_of(at)


async def test_there_and_back_again_is_the_same_view() -> None:
    """R3"""
    async with drawing(CHINESE, (50, 14)) as desk:
        desk.editor.jump(150)
        await desk.idle()
        before = top(desk)
        for size in SIZES:
            await desk.resize(*size)
        await desk.resize(50, 14)
        await desk.idle()
        assert top(desk) == before


async def test_the_text_is_as_wide_as_it_was_set_to_be() -> None:
    async with drawing("word " * 200, (120, 10), width=80) as desk:
        assert desk.editor.sheet.layout.width == 80
        assert desk.editor.margin == 19  # of 119 cells beside the scroll bar
        assert all(len(row) <= 99 and row.startswith(" " * 19 + "word") for row in desk.rows()[:9])
        await desk.resize(50, 10)
        assert desk.editor.sheet.layout.width == 50 - 1 - 1 - 2 * MARGIN  # scroll bar, and the cursor behind a row
        assert desk.editor.margin == MARGIN
        await desk.resize(ROOMY, 10)
        assert desk.editor.margin == 0
    async with drawing("word " * 200, (120, 10), width=0) as desk:
        assert desk.editor.sheet.layout.width == 120 - 1 - 1 - 2 * MARGIN


# Typewriter and focus -----------------------------------------------------------------------------------------


async def test_a_typewriters_row_stays_in_the_middle() -> None:
    async with drawing(LINES, typewriter=True) as desk:
        for _ in range(12):
            await desk.press("down")
        assert desk.cursor_wanted().y == 6
        await desk.press("ctrl+end")
        assert desk.cursor_wanted().y == 6
        await desk.press(*"more", "enter")
        assert desk.cursor_wanted().y == 6
        await desk.resize(60, 20)
        await desk.press("x")
        assert desk.cursor_wanted().y == 10


def dimmed(desk: Desk) -> list[str]:
    """The rows in view that are dim."""
    assert desk.editor._look is not None
    colour = (desk.editor._look.text + desk.editor._look.dim).color
    found = []
    for strip in desk.strips():
        if any(segment.text.strip() and segment.style and segment.style.color == colour for segment in strip):
            found.append(strip.text.strip())
    return found


async def test_focus_mode_dims_all_paragraphs_but_the_one_with_the_cursor() -> None:
    async with drawing("one\ntwo\nthree", focus=True) as desk:
        assert dimmed(desk) == ["two", "three"]
        await desk.press("down")
        assert dimmed(desk) == ["one", "three"]
        await desk.press("enter")
        assert dimmed(desk) == ["one", "three"]
        await desk.press("ctrl+z")
        assert dimmed(desk) == ["one", "three"]


async def test_focus_stays_with_the_cursors_paragraph_when_text_comes_above() -> None:
    async with drawing("one\ntwo\nthree", focus=True) as desk:
        desk.editor.move_to(9)
        desk.begin(3)
        desk.editor.append_generated(" more\nand more")
        await desk.painted()
        assert dimmed(desk) == ["one more", "and more", "two"]
        desk.editor.end_generated()
        await desk.press("ctrl+home", "ctrl+z")
        await desk.painted()
        assert dimmed(desk) == ["two", "three"]


async def test_focus_goes_with_the_cursor_that_undo_puts_elsewhere() -> None:
    async with drawing("one\ntwo\nthree", focus=True) as desk:
        await desk.press("x", "ctrl+end", "ctrl+z")
        await desk.painted()
        assert desk.editor.cursor == 0
        assert dimmed(desk) == ["two", "three"]


async def test_the_tint_goes_from_all_rows_of_a_paragraph_that_the_author_edits() -> None:
    async with drawing("start ") as desk:
        desk.begin()
        desk.editor.append_generated("generated words " * 20)
        desk.editor.end_generated()
        await desk.idle()
        tint = (desk.editor._look.text + desk.editor._look.tint).bgcolor  # type: ignore[union-attr]
        assert sum(segment.style.bgcolor == tint for strip in desk.strips() for segment in strip if segment.style) > 5
        desk.editor.move_to(300)
        await desk.press("x")
        assert not any(segment.style.bgcolor == tint for strip in desk.strips() for segment in strip if segment.style)

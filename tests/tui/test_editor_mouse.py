"""The mouse in the editor: where a click puts the cursor, what a drag, a double and a triple click select."""

from __future__ import annotations

import pytest
from drawn import Desk, drawing
from textual.events import MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp
from textual.geometry import Offset

LINES = "\n".join(f"line {n}" for n in range(200))


async def click(desk: Desk, x: int, y: int, times: int = 1, *, shift: bool = False, button: int = 1) -> None:
    for _ in range(times):
        await desk.mouse(MouseDown, x, y, shift=shift, button=button)
        await desk.mouse(MouseUp, x, y, shift=shift, button=button)


@pytest.mark.parametrize(("x", "wanted"), [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 4), (9, 4), (54, 4)])
async def test_a_click_on_either_cell_of_a_wide_glyph_puts_the_cursor_before_it(x: int, wanted: int) -> None:
    """K7"""
    async with drawing("a灯塔b\nsecond") as desk:
        await desk.press("ctrl+end")
        await click(desk, x, 0)
        assert desk.editor.sheet.selected == (wanted, wanted)
        assert desk.cursor_seen() == desk.cursor_wanted()


@pytest.mark.parametrize("text", ["👨\u200d👩\u200d👧", "🇩🇪", "e\u0301", "क्षि", "\t"])
async def test_a_click_never_lands_inside_a_character(text: str) -> None:
    """F9"""
    from writer.editing import cells

    async with drawing(f"a{text}b", plain=False) as desk:
        for x in range(1, 1 + cells.width(text)):
            await click(desk, x, 0)
            assert desk.editor.cursor == 1
        await click(desk, 1 + cells.width(text), 0)
        assert desk.editor.cursor == 1 + len(text)


async def test_clicks_in_the_margins_and_below_the_end() -> None:
    async with drawing("one two\nthree", (40, 10), width=20) as desk:
        assert desk.editor.margin == 9
        for x, y, wanted in ((-9, 0, 0), (-1, 1, 8), (0, 1, 8), (27, 0, 7), (27, 1, 13), (-9, 5, 13), (11, 9, 13)):
            await click(desk, x, y)
            assert desk.editor.cursor == wanted, (x, y)


async def test_a_drag_selects_forth_and_back() -> None:
    """K7"""
    async with drawing("灯塔守人\nsecond row") as desk:
        await desk.mouse(MouseDown, 2, 0)
        await desk.mouse(MouseMove, 5, 0)
        assert desk.editor.sheet.selected_text() == "塔"
        await desk.mouse(MouseMove, 6, 1)
        assert desk.editor.sheet.selected_text() == "塔守人\nsecond"
        await desk.mouse(MouseMove, 0, 0)
        assert (desk.editor.sheet.selected_text(), desk.editor.cursor) == ("灯", 0)
        await desk.mouse(MouseUp, 0, 0)
        await desk.mouse(MouseMove, 9, 1)
        assert desk.editor.sheet.selected_text() == "灯"


async def test_a_drag_beyond_the_view_scrolls_both_ways() -> None:
    """K7"""
    async with drawing(LINES) as desk:
        desk.editor.jump(50)
        await desk.mouse(MouseDown, 2, 6)
        for _ in range(5):
            await desk.mouse(MouseMove, 2, 14)
        assert desk.y == 65
        assert desk.editor.sheet.selected == (LINES.index("line 56") + 2, LINES.index("line 76") + 2)
        assert desk.cursor_in_view()
        for _ in range(8):
            await desk.mouse(MouseMove, 2, -3)
        assert desk.y == 41
        assert desk.editor.sheet.selected == (LINES.index("line 41") + 2, LINES.index("line 56") + 2)
        for _ in range(30):
            await desk.mouse(MouseMove, 2, -3)
        assert desk.editor.sheet.selected == (2, LINES.index("line 56") + 2)
        await desk.mouse(MouseUp, 2, 0)
        assert desk.editor.text == LINES


async def test_a_drag_while_text_comes_above_keeps_what_is_selected() -> None:
    """C1, K7"""
    async with drawing(LINES) as desk:
        desk.begin(6)
        desk.editor.jump(50)
        await desk.mouse(MouseDown, 0, 3)
        await desk.mouse(MouseMove, 6, 3)
        desk.editor.append_generated("\nmore\nmore")
        await desk.mouse(MouseMove, 7, 4)
        assert desk.editor.sheet.selected_text() == "line 53\nline 54"
        await desk.mouse(MouseUp, 7, 4)


async def test_a_shift_click_selects_from_the_cursor() -> None:
    async with drawing("one two three") as desk:
        await click(desk, 4, 0)
        await click(desk, 7, 0, shift=True)
        assert desk.editor.sheet.selected_text() == "two"
        await click(desk, 1, 0, shift=True)
        assert (desk.editor.sheet.selected_text(), desk.editor.cursor) == ("ne ", 1)
        await desk.press("x")
        assert desk.editor.text == "oxtwo three"


async def test_two_clicks_take_a_word_and_three_the_paragraph() -> None:
    async with drawing("He couldn't, 灯塔守人。 Go\nnext") as desk:
        await click(desk, 5, 0, 2)
        assert desk.editor.sheet.selected_text() == "couldn't"
        await click(desk, 5, 0)
        assert desk.editor.sheet.selected_text() == "He couldn't, 灯塔守人。 Go"
    async with drawing("He couldn't, 灯塔守人。 Go\nnext") as desk:
        await click(desk, 16, 0, 2)
        assert desk.editor.sheet.selected_text() == "灯塔守人"
        await desk.press("x")
        assert desk.editor.text == "He couldn't, x。 Go\nnext"
    async with drawing("one\n\nnext") as desk:
        await click(desk, 5, 1, 3)
        assert desk.editor.sheet.selected == (4, 4)


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    """C3"""
    async with drawing(LINES) as desk:
        for kind, direction in ((MouseScrollDown, 1), (MouseScrollUp, -1)):
            before = desk.y
            for _ in range(4):
                await desk.mouse(kind, 5, 5, button=0)
            await desk.app.animator.wait_until_complete()
            assert (desk.y - before) * direction > 0
            assert desk.editor.cursor == 0
        assert desk.y == 0


async def test_other_buttons_neither_move_nor_select() -> None:
    async with drawing("one two") as desk:
        await click(desk, 4, 0, button=2)
        await click(desk, 4, 0, button=3)
        assert desk.editor.cursor == 0


async def test_a_click_gives_the_editor_the_focus_and_shows_the_cursor_there() -> None:
    """C10"""
    async with drawing("one two") as desk:
        desk.app.set_focus(None)
        desk.app.cursor_position = Offset(0, 5)
        await desk.painted()
        await click(desk, 4, 0)
        assert desk.editor.has_focus
        assert desk.cursor_seen() == desk.cursor_wanted() == (desk.editor.margin + 4, 0)


@pytest.mark.parametrize(
    ("text", "wanted"), [("word " * 30, "word word word word"), ("守塔人听见了钟声" * 9, "守塔人听见了钟声守塔")]
)
async def test_a_click_behind_a_row_that_breaks_puts_the_cursor_at_its_end(text: str, wanted: str) -> None:
    async with drawing(text, (22, 10)) as desk:
        await click(desk, 20, 0)
        assert desk.cursor_seen() == desk.cursor_wanted()
        assert desk.cursor_seen().y == 0
        assert text[: desk.editor.cursor] == wanted
        await desk.mouse(MouseDown, 2, 1)
        await desk.mouse(MouseMove, 20, 1)
        assert desk.cursor_seen() == desk.cursor_wanted()
        assert desk.cursor_seen().y == 1
        await desk.mouse(MouseUp, 20, 1)

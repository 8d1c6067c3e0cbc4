"""What the editor shows while text comes in above, below and in view, and while the window changes its size."""

from __future__ import annotations

import pytest
from drawn import Desk, assert_as_new, drawing
from textual import events

from writer.tui.editor.widget import Editor

LINES = "\n".join(f"line {n}" for n in range(200))
CHINESE = "\n".join(f"{n}。" + "海上的灯塔在雨夜里亮着，守塔人听见了钟声。" * (5 + n % 7) for n in range(120))
BADLY_ESTIMATED = "\n".join(f"{n} " + "Donaudampfschifffahrtsgesellschaft " * (4 + n % 5) for n in range(120))


def top(desk: Desk) -> str:
    return desk.rows()[0].strip()


# FREE ---------------------------------------------------------------------------------------------------------


async def test_two_hundred_chunks_do_not_move_who_reads_elsewhere() -> None:
    """C3"""
    async with drawing(LINES) as desk:
        desk.editor.jump(30)
        await desk.idle()
        desk.begin()
        for number in range(200):
            desk.editor.append_generated(f" word{number}" + "\n" * (number % 4 == 0))
            if number % 20 == 0:
                await desk.painted()
            assert desk.y == 30
        await desk.painted()
        assert top(desk) == "line 30"
        assert desk.editor.cursor == 0


async def test_the_wheel_takes_the_reader_away_from_a_stream_and_back_to_it() -> None:
    """C3, C4"""
    async with drawing(LINES) as desk:
        desk.begin()
        desk.editor.show_end()
        desk.editor.append_generated("\nmore")
        await desk.idle()
        await desk.mouse(events.MouseScrollUp, 5, 5)
        await desk.until(lambda: not desk.editor.at_end and not desk.editor.follow)
        await desk.app.animator.wait_until_complete()
        before = desk.y
        for number in range(50):
            desk.editor.append_generated(f"\nnew {number}")
            assert desk.y == before
        desk.editor.jump(desk.editor.max_scroll_y - 1)
        await desk.mouse(events.MouseScrollDown, 5, 5)
        await desk.until(lambda: desk.editor.at_end)
        await desk.app.animator.wait_until_complete()
        desk.editor.append_generated("\nlast" * 30)
        assert desk.editor.at_end


async def test_page_up_leaves_the_stream_and_ctrl_end_goes_back_to_it() -> None:
    """C3, C4"""
    async with drawing(LINES) as desk:
        desk.begin()
        await desk.press("ctrl+end")
        assert desk.editor.follow
        desk.editor.append_generated("\none" * 20)
        await desk.press("pageup", "pageup")
        before = desk.y
        desk.editor.append_generated("\ntwo" * 20)
        await desk.painted()
        assert desk.y == before
        await desk.press("ctrl+end")
        desk.editor.append_generated("\nthree" * 20)
        await desk.painted()
        assert desk.editor.at_end
        assert desk.rows()[-1].strip() == "three"


async def test_the_view_follows_with_the_cursor_at_the_top() -> None:
    """C4"""
    async with drawing(LINES) as desk:
        desk.begin()
        desk.editor.show_end()
        for number in range(200):
            desk.editor.append_generated(f"\nnew {number}" if number % 3 else " word")
            if number % 20 == 0:
                await desk.painted()
            assert desk.editor.at_end
        await desk.painted()
        assert desk.rows()[-1].strip() == "new 199"
        assert desk.editor.cursor == 0


async def test_typing_in_the_last_page_while_it_streams_keeps_the_cursor_in_view() -> None:
    """C4"""
    async with drawing(LINES) as desk:
        desk.begin()
        desk.editor.append_generated("\nstart")
        await desk.press("ctrl+end", *["up"] * 8)
        for number in range(30):
            desk.editor.append_generated(f"\nnew {number}")
            await desk.press("x")
            assert desk.cursor_in_view()


# Painting -----------------------------------------------------------------------------------------------------


class Counting:
    """Counts the rows that are painted and the frames that are drawn."""

    def __init__(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = 0
        self.desk = desk
        real = Editor.render_line

        def render_line(editor: Editor, y: int) -> object:
            self.rows += 1
            return real(editor, y)

        monkeypatch.setattr(Editor, "render_line", render_line)
        desk.app.sent.clear()

    @property
    def frames(self) -> int:
        return len(self.desk.app.sent)


async def test_what_comes_below_the_view_paints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with drawing("\n".join(f"line {n}" for n in range(20_000))) as desk:
        desk.begin()
        await desk.idle()
        counting = Counting(desk, monkeypatch)
        for number in range(50):
            desk.editor.append_generated(f" word{number}\n")
            await desk.painted()
        assert (counting.rows, counting.frames) == (0, 0)


async def test_what_comes_above_the_view_paints_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async with drawing("\n".join(f"line {n}" for n in range(20_000))) as desk:
        desk.begin(6)
        desk.editor.jump(10_000)
        await desk.idle()
        before = top(desk)
        counting = Counting(desk, monkeypatch)
        for number in range(50):
            desk.editor.append_generated(f" word{number}\n")
            await desk.painted()
        assert counting.rows == 0
        assert top(desk) == before
        assert desk.y == 10_050


async def test_a_word_that_is_typed_paints_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async with drawing(LINES) as desk:
        counting = Counting(desk, monkeypatch)
        await desk.press("a")
        assert counting.rows == 1
        await desk.press("down")
        assert counting.rows == 3


async def test_a_chunk_in_view_paints_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async with drawing(LINES) as desk:
        desk.begin(desk.editor.text.index("line 5") + 6)
        await desk.idle()
        counting = Counting(desk, monkeypatch)
        desk.editor.append_generated(" word")
        await desk.painted()
        assert counting.rows == 1


# What is read stays -------------------------------------------------------------------------------------------


async def test_a_stream_above_in_the_same_long_paragraph_does_not_let_the_view_drift() -> None:
    """C3, R4"""
    numbers = "".join(f"第{n}句话" for n in range(3000))
    async with drawing(numbers) as desk:
        desk.editor.jump(100)
        desk.begin(50)
        await desk.idle()
        seen = top(desk)[:12]
        for _ in range(200):
            desk.editor.append_generated("新的一句话。")
            assert abs(desk.editor.sheet.layout.y_of(desk.editor.text.index(seen)) - desk.y) <= 1
        await desk.painted()
        assert seen in "".join(row.strip() for row in desk.rows()[:2])


async def test_correcting_estimated_heights_does_not_move_what_is_read() -> None:
    """R4"""
    for text in (CHINESE, BADLY_ESTIMATED):
        async with drawing(text, (50, 14)) as desk:
            for width in (37, 61, 44):
                await desk.resize(width, 14)
                desk.editor.sheet.layout.resize(desk.editor.sheet.layout.width)  # all heights are estimates again
                desk.editor.fit()
                desk.editor.refresh()
                desk.editor.jump(desk.editor.sheet.layout.height // 2)
                await desk.painted()
                before = desk.rows()
                while not desk.editor.settle(0):
                    assert desk.rows() == before
                await desk.painted()
                assert desk.rows() == before


@pytest.mark.parametrize("text", [CHINESE, BADLY_ESTIMATED])
async def test_wherever_the_cursor_is_sent_it_is_in_view_although_heights_are_estimates(text: str) -> None:
    """C10"""
    async with drawing(text, (50, 14)) as desk:
        for part in (3, 1, 5, 2, 6, 4):
            desk.editor.load(text)
            desk.editor.move_to(desk.editor.length * part // 7)
            await desk.painted()
            await desk.painted()
            assert desk.cursor_in_view()
            assert desk.cursor_seen() == desk.cursor_wanted()


@pytest.mark.parametrize("text", [CHINESE, BADLY_ESTIMATED])
async def test_the_view_never_stays_behind_the_end_of_the_text(text: str) -> None:
    async with drawing(text, (50, 14)) as desk:
        for distance in (1, 5, 12):
            desk.editor.load(text)
            desk.editor.jump(desk.editor.max_scroll_y - distance)
            await desk.painted()
            await desk.painted()
            assert desk.y <= max(0, desk.editor.sheet.layout.height - desk.editor.rows_in_view)


@pytest.mark.parametrize("text", [CHINESE, BADLY_ESTIMATED])
async def test_a_cursor_above_the_view_whose_paragraph_is_an_estimate_moves_nothing_in_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C3, C10"""
    monkeypatch.setattr(Editor, "_work", lambda editor: None)  # so many paragraphs that it has not got here yet
    async with drawing(text, (50, 14)) as desk:
        desk.editor.move_to(700)
        desk.editor.scroll_to_offset(len(text) // 2)
        await desk.idle()
        at = desk.editor.sheet.layout.row(desk.y).offset
        desk.begin(text.index("\n", at))
        for width in (44, 57, 39, 61):
            await desk.resize(width, 14)  # the cursor's place is worked out, and with it how many rows are above
            desk.editor.append_generated("更多。\n")
            await desk.painted()
            assert desk.editor.sheet.layout.y_of(at) == desk.y
            await assert_as_new(desk)
            assert desk.editor.sheet.layout.y_of(at) == desk.y


async def test_what_is_typed_into_the_first_row_in_view_keeps_it_in_line_with_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Editor, "_work", lambda editor: None)
    async with drawing(CHINESE, (50, 14)) as desk:
        start = CHINESE.index("\n60。")
        desk.editor.load(CHINESE)  # heights are estimates
        desk.editor.scroll_to_offset(start + 60)
        await desk.resize(53, 14)
        desk.editor.select(start + 50, start + 50)
        desk.editor.sheet.type("再来一句话，再来一句话。")
        await desk.painted()
        before = desk.rows()
        await desk.idle()
        assert desk.rows() == before

"""Every script in the editor: cursor stops, backspace, selection, painting, rows, and lines without an end."""

from __future__ import annotations

import pytest
from drawn import Desk, drawing
from rich.cells import cell_len
from textual.events import MouseDown, MouseMove, MouseUp

from writer.editing import cells

CHARACTERS = {
    "Chinese": ["守", "塔", "人", "，", "𠀀"],
    "Japanese": ["か", "か\u3099", "灯", "ー", "ﾊ\uff9e"],
    "Korean": ["등", "\u1103\u1173\u11bc", "대"],
    "Thai": ["ก", "กี่", "น้ำ"[:2], "ไ", "ท"],
    "Hindi": ["न", "म", "स्ते", "क्षि", "र्मा"],
    "Arabic": ["ا", "لَّ", "م", "ن", "ا\u0654"],
    "Hebrew": ["ש\u05c1", "ל", "ו\u05b9"],
    "families": ["👨\u200d👩\u200d👧\u200d👦", "👩\u200d🚀", "a", "❤\ufe0f\u200d🔥"],
    "flags": ["🇩🇪", "🇨🇳", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🇯🇵"],
    "skin tones": ["👍🏽", "👋🏿", "x", "👩🏻\u200d💻"],
    "keycaps": ["1\ufe0f\u20e3", "#\ufe0f\u20e3", "™\ufe0f", "2"],
    "combining marks": ["e\u0301", "n\u0303\u0323", "Z\u0351\u036b\u0343", "o"],
}
RTL = "قال الحارس: «لن أنام الليلة». שלום, עולם 123"
MIXED = "第一章 黎明 The 灯台 🇯🇵 waits… हवा चल रही थी। 등대지기 น้ำ e\u0301 👨\u200d👩\u200d👧\t👍🏽 " + RTL


@pytest.fixture(params=sorted(CHARACTERS))
def characters(request: pytest.FixtureRequest) -> list[str]:
    return CHARACTERS[request.param]


def ends(characters: list[str]) -> list[int]:
    """Where a cursor may stand."""
    stops = [0]
    for character in characters:
        stops.append(stops[-1] + len(character))
    return stops


async def stops(desk: Desk, key: str) -> list[int]:
    """All places that the key stops at, until it does no more; checks that the terminal's cursor goes along."""
    found = [desk.editor.cursor]
    while True:
        await desk.press(key)
        assert desk.cursor_seen() == desk.cursor_wanted()
        if desk.editor.cursor == found[-1]:
            return found
        found.append(desk.editor.cursor)


async def test_the_cursor_stops_at_whole_characters_both_ways(characters: list[str]) -> None:
    """F9, C10"""
    async with drawing("".join(characters), plain=False) as desk:
        assert await stops(desk, "right") == ends(characters)
        assert await stops(desk, "left") == ends(characters)[::-1]


async def test_backspace_and_delete_take_whole_characters(characters: list[str]) -> None:
    """F9"""
    async with drawing("".join(characters), plain=False) as desk:
        await desk.press("ctrl+end")
        for count in range(len(characters) - 1, -1, -1):
            await desk.press("backspace")
            assert desk.editor.text == "".join(characters[:count])
        await desk.press("ctrl+z", "ctrl+home")
        assert desk.editor.text == "".join(characters)
        for count in range(1, len(characters) + 1):
            await desk.press("delete")
            assert desk.editor.text == "".join(characters[count:])


async def test_a_selection_holds_whole_characters_by_key_and_by_mouse(characters: list[str]) -> None:
    """F9, K7"""
    text = "".join(characters)
    async with drawing(text, plain=False) as desk:
        await desk.press("shift+right", "shift+right")
        assert desk.editor.sheet.selected_text() == "".join(characters[:2])
        edges = ends(characters)
        last = cells.width(text) - 1
        await desk.mouse(MouseDown, 0, 0)
        for x in range(last + 1):
            await desk.mouse(MouseMove, x, 0)
            assert desk.editor.cursor in edges
        await desk.mouse(MouseUp, last, 0)


def assert_rows_fill_the_pane(desk: Desk) -> None:
    for strip in desk.strips():
        assert cell_len(strip.text) == strip.cell_length == desk.editor.pane
        assert sum(cell_len(segment.text) for segment in strip) == desk.editor.pane


@pytest.mark.parametrize("width", [61, 33, 12, 4])
async def test_every_painted_row_is_as_wide_as_the_pane(width: int) -> None:
    """F9, F11, R2"""
    text = "\n".join([MIXED, *("".join(each) * 5 for each in CHARACTERS.values())])
    async with drawing(text, (width, 30), plain=False) as desk:
        while True:
            assert_rows_fill_the_pane(desk)
            before = desk.editor.cursor
            await desk.press("shift+pagedown")
            if desk.editor.cursor == before:
                break
        assert desk.editor.text == text


async def test_no_row_begins_with_what_closes_or_ends_with_what_opens() -> None:
    """F10"""
    text = "守塔人说：「今晚没有雾。」她问：“为什么（真的）？”他笑了……《海》，、；！" * 12
    for width in range(22, 44, 3):
        async with drawing(text, (width, 40)) as desk:
            rows = [row for row in desk.rows() if row.strip()]
            assert len(rows) > 5
            for row in rows[1:]:
                assert row.strip()[0] not in "」。：，、；！？）”》…"
            for row in rows[:-1]:
                assert row.strip()[-1] not in "「“（《"
            assert_rows_fill_the_pane(desk)


async def test_chinese_after_a_space_goes_on_in_the_same_row() -> None:
    """F10"""
    async with drawing("第一章 " + "黎明之前的海" * 10, (30, 6)) as desk:
        assert cell_len(desk.rows()[0].strip()) >= 26


async def test_right_to_left_text_keeps_its_order_and_its_stops() -> None:
    """F11"""
    async with drawing(RTL, (20, 10), plain=False) as desk:
        forth = await stops(desk, "right")
        assert forth == sorted(forth)
        assert await stops(desk, "left") == forth[::-1]
        await desk.press("end", "down", "x", "ctrl+z")
        assert desk.editor.text == RTL
        assert_rows_fill_the_pane(desk)


@pytest.mark.parametrize(
    "character", ["👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "e\u0301", "\u1103\u1173\u11bc", "क्षि", "1\ufe0f\u20e3"]
)
async def test_a_character_that_comes_in_two_chunks_is_painted_whole(character: str) -> None:
    """F9"""
    for at in range(1, len(character)):
        async with drawing("x" * 17, (20, 4), plain=False) as desk:
            desk.begin()
            desk.editor.append_generated("a" + character[:at])
            await desk.painted()
            desk.editor.append_generated(character[at:] + "b")
            await desk.idle()
            whole = "".join(row.strip() for row in desk.rows())
            assert whole == ("x" * 17 + "a" + character + "b").replace("\u200d", "")
            assert_rows_fill_the_pane(desk)


# Lines without an end -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit",
    ["word ", "守塔人听见了钟声，", "x", "👨\u200d👩\u200d👧", "e\u0301", "\t中"],
    ids=["words", "cjk", "one", "zwj", "marks", "tabs"],
)
async def test_a_line_of_a_hundred_thousand_characters_is_opened_scrolled_and_typed_in(unit: str) -> None:
    """R4"""
    text = unit * (100_000 // len(unit))
    async with drawing(text, plain=False) as desk:
        height = desk.editor.sheet.layout.height
        assert height > 500
        for place in (height // 2, height, 0):
            desk.editor.jump(place)
            await desk.painted()
            assert_rows_fill_the_pane(desk)
        desk.editor.move_to(len(unit) * (len(text) // len(unit) // 2))
        await desk.press("x", "down", "enter", "backspace", "up", "end", "ctrl+z", "ctrl+z", "ctrl+z")
        assert desk.editor.text == text
        assert desk.cursor_in_view()


@pytest.mark.parametrize("unit", ["word ", "守塔人听见了钟声，"], ids=["words", "cjk"])
async def test_a_line_of_a_million_characters_is_opened_scrolled_typed_in_and_streamed_to(unit: str) -> None:
    """R4"""
    text = unit * (1_000_000 // len(unit))
    async with drawing(text) as desk:
        desk.begin()
        desk.editor.move_to(len(text) // 2)
        await desk.press("x")
        assert desk.cursor_seen() == desk.cursor_wanted()
        await desk.resize(41, 12)
        desk.editor.show_end()
        for _ in range(10):
            desk.editor.append_generated(unit)
            await desk.painted()
        assert desk.editor.at_end
        assert desk.editor.text[-len(unit) * 11 :] == unit * 11
        assert_rows_fill_the_pane(desk)

"""Anything at random: keys, mouse, chunks, sizes, undo. What is on the screen is true, and no text is lost."""

from __future__ import annotations

import random

import pytest
from drawn import Desk, assert_as_new, drawing
from textual import events

from writer.editing.find import Query, compile
from writer.tui.editor.keys import MOVES, shifted

WORDS = ["word ", "守塔人", "，", "\n", "\n\n", "long" * 30, "海" * 70, " ", ".", "second line\n", "* * *\n"]
TEXT = "".join(f"{n} The light went out. 海上的灯塔在雨夜里亮着。 {'more words ' * (n % 9)}\n" for n in range(90))
MOVE_KEYS = [*MOVES, *map(shifted, MOVES)]
EDIT_KEYS = [
    "a",
    "中",
    " ",
    "enter",
    "backspace",
    "delete",
    "ctrl+w",
    "ctrl+delete",
    "ctrl+u",
    "ctrl+k",
    "ctrl+x",
    "ctrl+v",
]
SIZES = [(60, 12), (40, 10), (110, 30), (17, 5), (61, 3), (8, 20)]


class Monkey:
    """One who presses everything. The same seed does the same again."""

    def __init__(self, desk: Desk, seed: int) -> None:
        self.desk, self.random, self.streamed = desk, random.Random(seed), 0

    async def act(self) -> None:
        acts = [(self.move, 30), (self.edit, 30), (self.chunk, 25), (self.undo, 8), (self.scroll, 8), (self.point, 8),
                (self.turn, 4), (self.search, 2), (self.resize, 2), (self.paste, 2)]  # fmt: skip
        await self.random.choices([act for act, _ in acts], [often for _, often in acts])[0]()

    async def move(self) -> None:
        await self.desk.press(self.random.choice(MOVE_KEYS))
        assert self.desk.cursor_in_view()

    async def edit(self) -> None:
        await self.desk.press(*self.random.choices(EDIT_KEYS, [9, 9, 9, 4, 6, 4, 2, 2, 1, 1, 1, 1], k=3), "x")
        assert self.desk.cursor_in_view()

    async def paste(self) -> None:
        await self.desk.paste("".join(self.random.choices(WORDS, k=12)).replace("\n", "\r"))
        assert self.desk.cursor_in_view()

    async def chunk(self) -> None:
        editor = self.desk.editor
        if not editor.sheet.writing:
            self.streamed += 1
            at = self.random.choice([editor.length, editor.length, self.random.randrange(editor.length + 1)])
            self.desk.begin(editor.sheet.document.span(at)[1], f"g{self.streamed}")
        for _ in range(3):
            editor.append_generated("".join(self.random.choices(WORDS, k=2)))

    async def undo(self) -> None:
        await self.desk.press(self.random.choice(["ctrl+z", "ctrl+z", "ctrl+y"]))

    async def scroll(self) -> None:
        editor = self.desk.editor
        editor.jump(self.random.choice([0, editor.max_scroll_y, self.random.randrange(editor.sheet.layout.height)]))

    async def point(self) -> None:
        editor = self.desk.editor
        x, y = self.random.randrange(editor.pane) - editor.margin, self.random.randrange(editor.rows_in_view)
        await self.desk.mouse(events.MouseDown, x, y, shift=self.random.random() < 0.2)
        if self.random.random() < 0.3:
            await self.desk.mouse(events.MouseMove, x + 9, y + self.random.randrange(-9, 9))
        await self.desk.mouse(events.MouseUp, x, y)

    async def turn(self) -> None:
        editor = self.desk.editor
        self.random.choice([editor.end_generated, editor.discard_generated, editor.accept_generated, editor.show_end])()

    async def search(self) -> None:
        self.desk.editor.find(compile(Query(self.random.choice(["a", "海", "word"]))))
        self.desk.editor.find_next()
        assert self.desk.cursor_in_view()

    async def resize(self) -> None:
        await self.desk.resize(*self.random.choice(SIZES))


@pytest.mark.parametrize("seed", range(15))
async def test_whatever_is_done_what_is_seen_is_true(seed: int) -> None:
    """C3, C5, C10, R3"""
    looks = {"typewriter": seed % 5 == 3, "focus": seed % 4 == 2, "width": (80, 0, 30)[seed % 3]}
    async with drawing(TEXT if seed % 3 else "", **looks) as desk:
        monkey = Monkey(desk, seed)
        for number in range(1, 121):
            await monkey.act()
            if number % 40 == 0:
                await assert_as_new(desk)
        desk.editor.end_generated()
        while desk.editor.sheet.redo():
            pass
        written, steps = desk.editor.text, 0
        while desk.editor.sheet.undo():
            steps += 1
        while desk.editor.sheet.redo():
            steps -= 1
        assert steps == 0
        assert desk.editor.text == written
        desk.editor.reveal()

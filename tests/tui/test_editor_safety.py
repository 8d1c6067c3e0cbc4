"""Hostile text in the editor: nothing of it reaches the terminal as a control, wherever and however it gets in."""

from __future__ import annotations

import re

import pytest
from drawn import Desk, drawing

HOSTILE = {
    "title": "\x1b]0;owned\x07",
    "colour": "\x1b[31mred\x1b[0m",
    "c1": "\x9b31m\x90q\x9c\x85",
    "clear": "\x1b[2J\x1bc",
    "device": "\x1bP+q544e\x1b\\",
    "low": "".join(map(chr, range(0x20))).replace("\n", ""),
    "nul and del": "a\x00b\x7fc\x08\x08",
    "bidi": "\u202egnp.exe\u202c \u2066x\u2069\u200e\u200f",
    "separators": "a\u2028b\u2029c\ufeffd\x0ce\x0bf\x1cg",
    "surrogate": "a\ud83db",
}
_SENT = re.compile(r"\x1b\[[0-9;]*[Hm]")
"""What Textual itself sends: places and styles."""
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def assert_harmless(desk: Desk) -> None:
    """Nothing but places and styles was sent beside printable text."""
    for sent in desk.app.sent:
        left = _SENT.sub("", sent)
        assert not _UNSAFE.search(left), ascii(_UNSAFE.findall(left))


@pytest.mark.parametrize("name", sorted(HOSTILE))
async def test_what_is_opened_typed_pasted_streamed_and_found_is_harmless(name: str) -> None:
    """R1"""
    hostile = HOSTILE[name]
    text = f"Before {hostile} after.\n{hostile}\n"
    async with drawing(text, plain=False) as desk:
        assert desk.editor.text == text
        await desk.press("ctrl+a")
        await desk.press("down", "shift+right", "shift+right", "ctrl+home")
        desk.begin()
        for character in hostile:
            desk.editor.append_generated(character)
            await desk.painted()
        await desk.paste(hostile)
        await desk.type(hostile)
        for width in (30, 9, 60):
            await desk.resize(width, 12)
        assert_harmless(desk)
        assert text.split("\n")[0] in desk.editor.text
        assert desk.editor.text.endswith(hostile)


@pytest.mark.parametrize("name", sorted(HOSTILE))
async def test_every_hostile_character_is_shown_as_one_mark(name: str) -> None:
    """R1"""
    async with drawing(f"[{HOSTILE[name].replace(chr(9), '')}]", plain=False) as desk:
        shown = "".join(row.strip() for row in desk.rows())
        assert len(shown) == len(HOSTILE[name].replace("\t", "")) + 2
        assert shown.startswith("[")
        assert shown.endswith("]")


async def test_a_copy_of_hostile_text_is_a_copy() -> None:
    """R1, F7, K7"""
    text = "".join(value for value in HOSTILE.values() if not re.search("[\ud800-\udfff]", value))
    async with drawing(text, plain=False) as desk:
        await desk.press("ctrl+a", "ctrl+c")
        assert desk.app.clipboard == text
    async with drawing("a\ud83db", plain=False) as desk:
        await desk.press("ctrl+a", "ctrl+c")
        assert desk.app.clipboard == "a?b"


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 1), (1, 9), (200, 1), (5, 3)])
async def test_the_smallest_windows_take_any_text_and_any_key(size: tuple[int, int]) -> None:
    """R3"""
    text = "海 a\t👨\u200d👩\u200d👧 e\u0301 \x1b[31m long words here\n\n" * 3
    async with drawing(text, size, plain=False) as desk:
        desk.begin()
        for key in ("down", "right", "enter", "backspace", "pagedown", "pageup", "end", "home", "ctrl+end"):
            await desk.press(key)
            desk.editor.append_generated("海a ")
        await desk.resize(60, 12)
        await desk.resize(*size)
        await desk.press("x", "ctrl+home")
        assert_harmless(desk)
        assert desk.cursor_in_view()


async def test_odd_separators_are_characters_like_others() -> None:
    """F1, F5, F6"""
    for text in ("", "\n", "\n\n\n", "a\x0cb\x0bc\x1cd\x85e\u2028f\u2029", "\ufeffa\x00b", "no end"):
        async with drawing(text, plain=False) as desk:
            assert desk.editor.sheet.document.line_count == text.count("\n") + 1
            await desk.press("ctrl+end", "x", "ctrl+home", "y", "ctrl+z", "ctrl+z")
            assert desk.editor.text == text

"""Every key of the editor: moves with and without shift, deleting, cut and paste, typing through an input method."""

from __future__ import annotations

import pytest
from drawn import drawing
from textual import events
from textual._xterm_parser import XTermParser

from writer.tui.editor.keys import MOVES, shifted

TEXT = "First row of words\n\nIt rained on the  harbour.\nlast"
AT = TEXT.index("on the")

# Where each key leads from AT, in a window of 60 by 12.
WANTED = {
    "left": AT - 1,
    "right": AT + 1,
    "up": TEXT.index("\n\n") + 1,
    "down": len(TEXT),
    "home": TEXT.index("It"),
    "end": TEXT.index("\nlast"),
    "ctrl+left": TEXT.index("rained"),
    "ctrl+right": TEXT.index("the "),
    "ctrl+up": TEXT.index("It"),
    "ctrl+down": TEXT.index("last"),
    "pageup": 10,
    "pagedown": len(TEXT),
    "ctrl+home": 0,
    "ctrl+end": len(TEXT),
}


def test_every_move_is_tried() -> None:
    assert set(WANTED) == set(MOVES)


@pytest.mark.parametrize("key", sorted(MOVES))
async def test_a_key_moves_and_with_shift_selects(key: str) -> None:
    async with drawing(TEXT) as desk:
        desk.editor.move_to(AT)
        await desk.press(key)
        assert desk.editor.sheet.selected == (WANTED[key], WANTED[key])
        desk.editor.move_to(AT)
        await desk.press(shifted(key))
        assert (desk.editor.sheet.mark, desk.editor.cursor) == (AT, WANTED[key])
        assert desk.editor.text == TEXT


async def test_up_and_down_keep_the_column_through_short_rows() -> None:
    async with drawing("a long first row\n\n中文字的一行字很长\nend") as desk:
        await desk.press(*["right"] * 9, "down", "down")
        assert desk.editor.text[: desk.editor.cursor].endswith("中文字的")
        await desk.press("up", "up")
        assert desk.editor.cursor == 9


async def test_left_and_right_let_a_selection_go_at_its_end() -> None:
    async with drawing("one two") as desk:
        for key, wanted in (("left", 2), ("right", 5)):
            desk.editor.select(2, 5)
            await desk.press(key)
            assert desk.editor.sheet.selected == (wanted, wanted)


DELETED = {
    "backspace": "one twothree four",
    "delete": "one two hree four",
    "ctrl+w": "one three four",
    "alt+backspace": "one three four",
    "ctrl+delete": "one two four",
    "alt+d": "one two four",
    "ctrl+u": "three four",
    "ctrl+k": "one two ",
}


@pytest.mark.parametrize("key", sorted(DELETED))
async def test_a_key_deletes_and_takes_a_selection_first(key: str) -> None:
    async with drawing("one two three four") as desk:
        desk.editor.move_to(8)
        await desk.press(key)
        assert desk.editor.text == DELETED[key]
        await desk.press("ctrl+z")
        assert desk.editor.text == "one two three four"
        desk.editor.select(11, 6)
        await desk.press(key)
        assert (desk.editor.text, desk.editor.cursor) == ("one twee four", 6)


async def test_deleting_at_the_ends_of_the_text_does_nothing() -> None:
    async with drawing("one") as desk:
        await desk.press("backspace", "ctrl+w", "ctrl+u")
        await desk.press("ctrl+end", "delete", "ctrl+delete", "ctrl+k")
        assert (desk.editor.text, desk.editor.revision) == ("one", 0)


async def test_deleting_a_line_break_joins_the_paragraphs() -> None:
    async with drawing("one\ntwo") as desk:
        desk.editor.move_to(3)
        await desk.press("delete")
        assert desk.editor.text == "onetwo"
        await desk.press("ctrl+z", "ctrl+end", "ctrl+u", "backspace")
        assert desk.editor.text == "one"


async def test_select_all_then_typing_replaces_all_as_one_step() -> None:
    async with drawing(TEXT) as desk:
        await desk.press("ctrl+a")
        assert desk.editor.sheet.selected == (0, len(TEXT))
        await desk.press("x")
        assert desk.editor.text == "x"
        await desk.press("ctrl+z")
        assert desk.editor.text == TEXT


# Clipboard ----------------------------------------------------------------------------------------------------


async def test_copy_cut_and_paste() -> None:
    """K7"""
    async with drawing("eins 二三 drei\nvier") as desk:
        desk.editor.select(5, 13)
        await desk.press("ctrl+c")
        assert (desk.app.clipboard, desk.editor.text) == ("二三 drei\n", "eins 二三 drei\nvier")
        await desk.press("ctrl+x")
        assert desk.editor.text == "eins vier"
        await desk.press("ctrl+end", "ctrl+v", "ctrl+v")
        assert desk.editor.text == "eins vier二三 drei\n二三 drei\n"
        await desk.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert desk.editor.text == "eins 二三 drei\nvier"


async def test_copy_without_a_selection_leaves_what_was_copied() -> None:
    async with drawing("one") as desk:
        desk.editor.select(0, 1)
        await desk.press("ctrl+c")
        desk.editor.move_to(2)
        await desk.press("ctrl+c", "ctrl+x")
        assert (desk.app.clipboard, desk.editor.text) == ("o", "one")


async def test_a_large_copy_is_put_in_a_file_too() -> None:
    """K7"""
    from writer import locations

    text = "守塔人。" * 20_000
    async with drawing(text) as desk:
        await desk.press("ctrl+a", "ctrl+c")
        assert desk.app.clipboard == text
        assert (locations.runtime_dir() / "clipboard.txt").read_text() == text
        assert "80,000 characters" in next(note.message for note in desk.app._notifications)
        desk.app.clear_notifications()


async def test_a_megabyte_is_pasted_as_it_is_in_one_step() -> None:
    """K6"""
    paragraph = "Die Nacht war still. 守塔人听见了钟声。 " * 20
    pasted = "\r".join(f"{n} {paragraph}" for n in range(1_000_000 // len(paragraph) + 1))
    async with drawing("before after") as desk:
        desk.editor.move_to(7)
        await desk.paste(pasted)
        assert desk.editor.text == "before " + pasted.replace("\r", "\n") + "after"
        assert desk.editor.cursor == 7 + len(pasted)
        assert desk.cursor_in_view()
        assert desk.cursor_seen() == desk.cursor_wanted()
        await desk.press("x", "ctrl+z", "ctrl+z")
        assert desk.editor.text == "before after"


async def test_a_paste_with_controls_loses_nothing_else() -> None:
    """K6, R1"""
    async with drawing() as desk:
        await desk.paste("a\x1b[31mb\x00c\td\r\n\r\ne\r")
        assert desk.editor.text == "a\x1b[31mb\x00c\td\n\ne\n"
        assert not any("\x1b[31mb" in sent or "\x00" in sent for sent in desk.app.sent)


# Typing -------------------------------------------------------------------------------------------------------


async def test_a_burst_of_an_input_method_is_one_step() -> None:
    """K2"""
    async with drawing("前。后") as desk:
        desk.editor.move_to(2)
        await desk.type("守塔人听见了钟声，")
        assert desk.editor.text == "前。守塔人听见了钟声，后"
        assert desk.cursor_seen() == desk.cursor_wanted()
        await desk.press("ctrl+z")
        assert desk.editor.text == "前。后"


@pytest.mark.parametrize(
    "typed",
    ["👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "e\u0301", "ก็", "क्षि", "한\u1100\u1161\u11a8", "\u3000你", "1\ufe0f\u20e3"],
)
async def test_what_is_typed_code_point_by_code_point_is_one_character(typed: str) -> None:
    """K1, K2, F9"""
    async with drawing("ab", plain=False) as desk:
        desk.editor.move_to(1)
        await desk.type(typed)
        assert desk.editor.text == f"a{typed}b"
        await desk.press("ctrl+z")
        assert desk.editor.text == "ab"


@pytest.mark.parametrize("key", ["tab", "escape", "f5", "ctrl+j", "ctrl+@", "ctrl+t", "shift+tab", "insert"])
async def test_keys_that_mean_nothing_here_type_nothing(key: str) -> None:
    """K5"""
    async with drawing("one") as desk:
        await desk.press(key)
        assert desk.editor.text == "one"


def parsed(raw: str) -> list[events.Key]:
    """The key events that a terminal's bytes become."""
    return [event for event in XTermParser().feed(raw) if isinstance(event, events.Key)]


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("\r", "\n"),
        ("\x1b[0;;20320:22909u", "你好"),
        ("\u3000", "\u3000"),
        ("\u00a0", "\u00a0"),
        ("\u00ad", "\u00ad"),
        ("\U000323af", "\U000323af"),
        ("\x1b[228;;228u", "ä"),
        ("teh\x7f\x7fhe end\x1b[H\x1b[C\x17T", "The end"),
    ],
)
async def test_what_terminals_send_in_one_go_is_done_in_its_order(raw: str, wanted: str) -> None:
    """K1, K2, K4. Over a slow line, or while the app is busy, many keys come at once."""
    async with drawing(plain=False) as desk:
        for event in parsed(raw):
            desk.app._driver.send_message(event)  # type: ignore[union-attr]
        await desk.painted()
        assert desk.editor.text == wanted


async def test_typed_quotes_become_those_of_the_language_and_one_undo_gives_back_what_was_typed() -> None:
    async with drawing() as desk:
        desk.editor.typography = "de"
        await desk.press(*'"Komm')
        assert desk.editor.text == "„Komm"
        await desk.press(*'"')
        assert desk.editor.text == "„Komm“"
        await desk.press("ctrl+z")
        assert desk.editor.text == '„Komm"'
        await desk.press(*" her...")
        assert desk.editor.text == '„Komm" her…'
        assert desk.editor.cursor == desk.editor.length
        await desk.press("ctrl+z")
        assert desk.editor.text == '„Komm" her...'


async def test_what_is_pasted_or_written_in_front_matter_keeps_its_quotes() -> None:
    async with drawing("---\ntitle: x\n---\n") as desk:
        desk.editor.typography = "en"
        desk.editor.move_to(11)
        await desk.press(*'"')
        assert desk.editor.text == '---\ntitle: "x\n---\n'
        await desk.press("ctrl+end")
        await desk.paste('"a" -- b')
        assert desk.editor.text.endswith('---\n"a" -- b')


async def test_who_may_only_read_can_move_and_copy_and_change_nothing() -> None:
    async with drawing(TEXT) as desk:
        desk.editor.read_only = True
        desk.editor.select(0, 5)
        await desk.press("x", "enter", "backspace", "delete", "ctrl+w", "ctrl+delete", "ctrl+u", "ctrl+k")
        await desk.press("ctrl+x", "ctrl+v", "ctrl+z", "ctrl+y")
        await desk.paste("pasted")
        await desk.type("你好")
        assert (desk.editor.text, desk.editor.revision) == (TEXT, 0)
        await desk.press("ctrl+c", "ctrl+end")
        assert (desk.app.clipboard, desk.editor.cursor) == ("First", len(TEXT))


async def test_alt_with_a_letter_is_a_command_where_there_is_one_and_types_nothing() -> None:
    async with drawing("It rained here") as desk:
        desk.editor.move_to(3)
        desk.editor.post_message(events.Key("alt+d", "d"))  # as Escape and the letter are read
        await desk.painted()
        assert desk.editor.text == "It here"

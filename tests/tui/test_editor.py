"""The editor under a stream: the author's cursor, view, typing and undo stay the author's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from writer.editing import cells
from writer.tui.editor.widget import Editor

JOINER = "\u200d"  # alone it has no cell, so that a screen may leave it out


class OneEditor(App[None]):
    """An app with nothing but the editor; notes its messages."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.start = text
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        yield Editor(self.start)

    def on_editor_generation_removed(self, event: Editor.GenerationRemoved) -> None:
        self.told.append(f"removed {event.generation}")

    def on_editor_generation_restored(self, event: Editor.GenerationRestored) -> None:
        self.told.append(f"restored {event.generation}")


@asynccontextmanager
async def editing(text: str) -> AsyncIterator[tuple[Editor, Pilot[None]]]:
    app = OneEditor(text)
    async with app.run_test(size=(60, 12)) as pilot:
        editor = app.query_one(Editor)
        editor.focus()
        await pilot.pause()
        yield editor, pilot
        assert_painted(editor)


def screen_rows(editor: Editor) -> list[str]:
    """What the screen shows of the editor, row by row."""
    region = editor.scrollable_content_region
    strips = editor.app.screen._compositor.render_strips()
    rows = [strip.crop(region.x, region.right) for strip in strips[region.y : region.bottom]]
    return [strip.text.replace(JOINER, "").rstrip() for strip in rows]


def assert_painted(editor: Editor) -> None:
    """Whatever was repainted piece by piece looks like a fresh start: nothing was missed."""
    layout, top = editor.sheet.layout, editor.scroll_offset.y
    count = max(0, min(editor.rows_in_view, layout.height - top))
    wanted = [" " * editor.margin + cells.painted(row.text) for row in layout.rows(top, count)] if count else []
    wanted += [""] * (editor.rows_in_view - len(wanted))
    assert screen_rows(editor) == [row.replace(JOINER, "").rstrip() for row in wanted]


def top_line(editor: Editor) -> str:
    return screen_rows(editor)[0].strip()


def begin(editor: Editor, generation: str = "g") -> None:
    editor.begin_generated(generation, editor.length, editor.length)


async def test_typing_stays_undoable_after_five_thousand_tokens() -> None:
    async with editing("Intro.\n") as (editor, pilot):
        await pilot.press(*"Hi ")
        begin(editor)
        for number in range(5000):
            editor.append_generated(f" tok{number}\n" if number % 50 == 0 else f" tok{number}")
        await pilot.press(*"you ")
        await pilot.press("ctrl+z")
        assert editor.text.startswith("Hi Intro.\n tok0\n tok1")
        await pilot.press("ctrl+z")
        assert editor.text.startswith("Intro.\n tok0\n tok1")
        assert editor.text.endswith(" tok4999")
        await pilot.press("ctrl+y", "ctrl+y")
        assert editor.text.startswith("Hi you Intro.\n tok0")


async def test_a_generation_is_one_step_and_its_undo_leaves_the_cursor() -> None:
    async with editing("One.\nTwo.\n") as (editor, pilot):
        editor.move_to(2)
        begin(editor)
        for number in range(300):
            editor.append_generated(f"line {number}\n")
        editor.end_generated()
        full = editor.text
        await pilot.press("ctrl+z")
        await pilot.pause()
        assert editor.text == "One.\nTwo.\n"
        assert editor.cursor == 2
        assert editor.generated_span() is None
        await pilot.press("ctrl+y")
        await pilot.pause()
        assert editor.text == full
        assert pilot.app.told == ["removed g", "restored g"]  # type: ignore[attr-defined]


async def test_a_reader_who_scrolled_away_stays_where_he_is() -> None:
    async with editing("\n".join(f"line {n}" for n in range(100))) as (editor, pilot):
        editor.jump(30)
        await pilot.pause()
        begin(editor)
        for number in range(60):
            editor.append_generated(f"\nnew {number}")
            await pilot.pause(0)
            assert editor.scroll_offset.y == 30
        assert editor.cursor == 0


async def test_a_reader_at_the_end_sees_what_comes() -> None:
    async with editing("\n".join(f"line {n}" for n in range(100))) as (editor, pilot):
        editor.show_end()
        await pilot.pause()
        begin(editor)
        for number in range(60):
            editor.append_generated(f"\nnew {number}")
            assert editor.at_end
        assert editor.cursor == 0
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        assert editor.at_end


async def test_text_above_the_view_does_not_move_what_is_read() -> None:
    text = "\n".join(f"line {n}" for n in range(100))
    async with editing(text) as (editor, pilot):
        at = text.index("line 5") + len("line 5")
        editor.begin_generated("g", at, at)
        editor.jump(40)
        await pilot.pause()
        before = top_line(editor)
        editor.append_generated("\nnew\nnew\nnew")
        await pilot.pause()
        assert top_line(editor) == before == "line 40"


async def test_the_span_follows_the_authors_edits() -> None:
    async with editing("Before.\n\nAfter.") as (editor, pilot):
        editor.begin_generated("g", 8, 8)
        editor.append_generated("Gen")
        editor.move_to(0)
        await pilot.press("enter", *"Title", "enter")
        editor.append_generated("erated")
        editor.move_to(editor.length)
        await pilot.press(*" End")
        editor.append_generated(" text.")
        span = editor.generated_span()
        assert span is not None
        assert editor.text == "\nTitle\nBefore.\nGenerated text.\nAfter. End"
        assert editor.text[span.start : span.end] == "Generated text."
        assert span.covered == len("Generated text.")


async def test_deleting_the_streaming_paragraph_does_not_misplace_what_follows() -> None:
    async with editing("Before.\n") as (editor, pilot):
        begin(editor)
        editor.append_generated("doomed words")
        editor.select(3, 20)
        await pilot.press("delete")
        editor.append_generated(" more")
        assert editor.text == "Bef more"
        await pilot.press("ctrl+z")
        assert editor.text == "Before.\ndoomed words more"


async def test_typing_at_the_end_while_it_streams_is_pushed_ahead() -> None:
    async with editing("") as (editor, pilot):
        begin(editor)
        editor.append_generated("one")
        editor.move_to(editor.length)
        await pilot.press(*"END")
        editor.append_generated(" two")
        assert editor.text == "one twoEND"
        assert editor.cursor == 10


async def test_typing_at_the_end_of_paused_text_is_what_goes_on() -> None:
    async with editing("") as (editor, pilot):
        begin(editor)
        editor.append_generated("one")
        editor.end_generated()
        editor.move_to(editor.length)
        await pilot.press(*" and")
        span = editor.generated_span()
        assert span is not None
        assert editor.text[span.start : span.end] == "one and"
        editor.begin_generated("g", 0, 3)
        editor.append_generated(" two")
        assert editor.text == "one and two"


async def test_offsets_of_an_order_hold_although_the_author_typed_meanwhile() -> None:
    async with editing("Chapter.\n") as (editor, pilot):
        editor.expect_generated()
        end = editor.length
        await pilot.press(*"My ")
        editor.begin_generated("g", end, end)
        editor.append_generated("Text.")
        assert editor.text == "My Chapter.\nText."


async def test_discard_is_one_undoable_step() -> None:
    async with editing("Start. ") as (editor, pilot):
        editor.load("Start. Some generated words. Rest.")
        editor.begin_generated("g", 7, 28)
        editor.end_generated()
        editor.discard_generated()
        await pilot.pause()
        assert editor.text == "Start.  Rest."
        await pilot.press("ctrl+z")
        await pilot.pause()
        span = editor.generated_span()
        assert span is not None
        assert editor.text[span.start : span.end] == "Some generated words."
        assert pilot.app.told == ["removed g", "restored g"]  # type: ignore[attr-defined]


async def test_a_large_undo_that_hides_the_scrollbar_does_not_crash() -> None:
    """Textual's issue 6686."""
    async with editing("short") as (editor, pilot):
        editor.move_to(editor.length)
        editor.post_message(events.Paste("\n" + "\n".join(f"line {n}" for n in range(200))))
        await pilot.pause()
        editor.move_to(editor.length)
        await pilot.pause()
        await pilot.press("ctrl+z")
        await pilot.pause()
        assert editor.text == "short"


@pytest.mark.parametrize("character", ["\u3000", "\u00a0", "\u200d", "\u202f", "\ue000", "你"])
async def test_every_character_that_is_no_control_can_be_typed(character: str) -> None:
    async with editing("") as (editor, pilot):
        editor.post_message(events.Key("unknown", character))
        await pilot.pause()
        assert editor.text == character


async def test_pasted_line_breaks_and_odd_separators() -> None:
    async with editing("") as (editor, pilot):
        editor.post_message(events.Paste("a\rb\r\nc\u2028d\x0ce\x85f"))
        await pilot.pause()
        assert editor.text == "a\nb\nc\u2028d\x0ce\x85f"
        await pilot.press("ctrl+z")
        assert editor.text == ""


async def test_typing_during_a_stream_is_one_step() -> None:
    async with editing("") as (editor, pilot):
        begin(editor)
        for letter in "hello":
            editor.append_generated("tok ")
            await pilot.press(letter)
        await pilot.press("ctrl+z")
        assert editor.text == "tok " * 5

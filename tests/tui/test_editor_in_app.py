"""The editor in the app under a stream: the author writes, scrolls, resizes and undoes while text comes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual import events
from textual.geometry import Offset

from writer.editing import cells
from writer.tui.editor.widget import Editor

PARAGRAPHS = "\n\n".join(f"第{n}段。海上的灯塔在雨夜里亮着。 Paragraph {n}." for n in range(60)) + "\n\n"


class Writing:
    """The app while it writes at the end of a chapter."""

    def __init__(self, desktop: Desktop, desk: FakeDesk) -> None:
        self.desktop, self.desk, self.count = desktop, desk, 0

    @property
    def editor(self) -> Editor:
        return self.desktop.page.editor

    async def more(self, *texts: str) -> None:
        """These batches come."""
        revision = self.editor.revision
        for text in texts:
            self.desk.batch(self.count, text)
            self.count += 1
        await self.desktop.until(lambda: self.editor.revision > revision)
        self.desktop.page.buffer.flush()

    async def cursor_is_right(self) -> None:
        """The terminal's cursor comes to stand at the text's."""

        def right() -> bool:
            editor = self.editor
            y, row = editor.sheet.layout.row_of(editor.cursor, before=editor.sheet.upstream)
            cell = cells.width(row.paragraph.text[row.start : editor.cursor - row.at])
            region = editor.content_region
            line = min(max(0, y - editor.scroll_offset.y), region.height - 1)
            return self.desktop.app.cursor_position == Offset(region.x + editor.margin + cell, region.y + line)

        await self.desktop.until(right)


@asynccontextmanager
async def writing(tmp_path: Path, text: str = PARAGRAPHS) -> AsyncIterator[Writing]:
    desk = FakeDesk()
    async with running(make_novel(tmp_path), desk) as desktop:
        desktop.page.editor.load(text)
        await desktop.press("ctrl+g")
        desk.begin()
        found = Writing(desktop, desk)
        await found.more("The story ", "goes on. ")
        yield found


async def test_editing_inside_what_is_written_pauses_once_and_keeps_both(tmp_path: Path) -> None:
    """C5b"""
    async with writing(tmp_path) as now:
        now.editor.move_to(len(PARAGRAPHS) + 4)
        await now.desktop.press(*"long ")
        await now.desktop.until(lambda: not now.desktop.screen.writing.busy)
        assert now.desk.orders.count("pause") == 1
        assert now.editor.text == PARAGRAPHS + "The long story goes on. "
        await now.desktop.press("ctrl+z")
        assert now.editor.text == PARAGRAPHS + "The story goes on. "
        await now.desktop.press("ctrl+y", "ctrl+g")
        now.desk.begin()
        await now.more("More.")
        assert now.editor.text == PARAGRAPHS + "The long story goes on. More."
        assert now.desk.orders.count("pause") == 1


async def test_what_comes_between_the_edit_and_the_pause_is_kept(tmp_path: Path) -> None:
    """C5b"""
    async with writing(tmp_path) as now:
        late = now.desk.writing
        now.desk.writing = ""  # the pause is answered only later
        now.editor.move_to(len(PARAGRAPHS) + 4)
        await now.desktop.press(*"long ")
        assert now.desk.orders.count("pause") == 1
        now.desk.writing = late
        await now.more("And on. ")
        now.desk.pause()
        await now.desktop.until(lambda: not now.desktop.screen.writing.busy)
        assert now.editor.text == PARAGRAPHS + "The long story goes on. And on. "


async def test_editing_elsewhere_pauses_nothing(tmp_path: Path) -> None:
    """C5"""
    async with writing(tmp_path) as now:
        await now.desktop.press("ctrl+home", *"Title", "enter")
        await now.more("Still. ")
        now.editor.move_to(5)
        await now.desktop.press("backspace", "enter", "enter")
        await now.more("Yes. ")
        assert now.editor.text == "Titl\n\n\n" + PARAGRAPHS + "The story goes on. Still. Yes. "
        assert now.desk.orders.count("pause") == 0
        await now.desktop.press("ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z")
        assert now.editor.text == PARAGRAPHS + "The story goes on. Still. Yes. "


async def test_deleting_the_paragraph_that_is_written_loses_nothing_that_undo_could_not_bring_back(
    tmp_path: Path,
) -> None:
    """C5b, C7"""
    async with writing(tmp_path) as now:
        now.editor.select(len(PARAGRAPHS) - 10, now.editor.length)
        await now.desktop.press("delete")
        await now.desktop.until(lambda: not now.desktop.screen.writing.busy)
        assert now.editor.text == PARAGRAPHS[:-10]
        assert now.desk.orders.count("pause") == 1
        await now.desktop.press("ctrl+z")
        assert now.editor.text == PARAGRAPHS + "The story goes on. "


async def test_undo_under_a_stream_takes_back_the_authors_and_then_the_whole_generation(tmp_path: Path) -> None:
    """C7, C8"""
    async with writing(tmp_path) as now:
        await now.desktop.press("ctrl+home", *"Mine")
        await now.more("More. ")
        await now.desktop.press("ctrl+z")
        assert now.editor.text == PARAGRAPHS + "The story goes on. More. "
        await now.more("Last. ")
        now.desk.finish()
        await now.desktop.until(lambda: not now.desktop.screen.writing.busy)
        await now.desktop.press("ctrl+z")
        assert now.editor.text == PARAGRAPHS
        await now.desktop.press("ctrl+y")
        assert now.editor.text == PARAGRAPHS + "The story goes on. More. Last. "


async def test_who_scrolls_away_reads_in_peace_and_comes_back_to_the_stream(tmp_path: Path) -> None:
    """C3, C4"""
    async with writing(tmp_path) as now:
        assert now.editor.follow
        await now.desktop.press("ctrl+home")
        for number in range(30):
            await now.more(f"Sentence {number}.\n\n")
            assert now.editor.scroll_offset.y == 0
        await now.desktop.press("ctrl+end")
        assert now.editor.at_end
        await now.more("New.\n\n" * 40)
        assert now.editor.at_end
        await now.desktop.press(*["pageup"] * 3)
        before = now.editor.scroll_offset.y
        await now.more("New.\n\n" * 40)
        assert now.editor.scroll_offset.y == before


async def test_the_terminals_cursor_is_where_the_text_is_written(tmp_path: Path) -> None:
    """C10, K2"""
    async with writing(tmp_path) as now:
        await now.desktop.press(*["down"] * 6, *["right"] * 7)
        await now.cursor_is_right()
        for size in ((70, 20), (55, 12), (100, 30)):
            await now.desktop.pilot.resize_terminal(*size)
            await now.cursor_is_right()
        now.desktop.app._driver.send_message(events.Key("unknown", "塔"))  # type: ignore[union-attr]
        await now.more("More. \n")
        await now.cursor_is_right()
        now.editor.jump(20)
        await now.cursor_is_right()
        await now.desktop.press("ctrl+a")
        await now.cursor_is_right()
        await now.desktop.press("ctrl+f")
        await now.desktop.press("escape")
        await now.cursor_is_right()
        await now.desktop.press("f1")
        await now.desktop.press("escape")
        await now.cursor_is_right()


async def test_a_stream_above_the_cursor_takes_the_terminals_cursor_along(tmp_path: Path) -> None:
    """C2, C10"""
    async with writing(tmp_path, "Before. ") as now:
        now.editor.move_to(now.editor.length)
        await now.desktop.press(*"塔E")
        for text in ("新的一句话。", "\n", "A long line of more words than fit into a row of it, and some more. " * 2):
            await now.more(text)
            await now.cursor_is_right()
        assert now.editor.text.endswith("塔E")
        assert now.editor.cursor == now.editor.length

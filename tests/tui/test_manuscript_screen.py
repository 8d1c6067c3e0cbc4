"""Chapters, help, palette, sizes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from desktop import NEVER, make_novel, offer, running
from fake_desk import FakeDesk

from writer.config import EditorSettings
from writer.manuscript.model import Manuscript
from writer.runtime.events import Event
from writer.tui.app import WriterApp
from writer.tui.screens.help import Help
from writer.tui.screens.resume import ResumeCard


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def test_an_unreadable_chapter_is_one_sentence(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[1].path).write_bytes(b"\xff\xfe\xfa")
    async with running(novel, FakeDesk()) as desktop:
        page = desktop.page
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.told)
        assert desktop.page is page
        assert len(desktop.told) == 1


async def test_help_opens_and_closes(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("f1")
        assert isinstance(desktop.app.screen, Help)
        await desktop.press("escape")
        assert desktop.app.screen is desktop.screen


async def test_the_palette_discards_paused_text(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await desktop.press("escape", "ctrl+p")
        await desktop.press(*"discard")
        await desktop.pilot.pause(0.3)
        await desktop.press("enter")
        await desktop.until(lambda: "discard g1" in desk.orders)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10), (20, 5), (5, 3)])
async def test_every_size_can_be_painted(novel: Manuscript, size: tuple[int, int]) -> None:
    app = WriterApp(novel, FakeDesk(offer(novel)), EditorSettings(autosave=NEVER))
    async with app.run_test(size=size) as pilot:
        deadline = time.monotonic() + 10
        while not isinstance(app.screen, ResumeCard):
            assert time.monotonic() < deadline
            await pilot.pause(0.01)
        await pilot.press("escape", "f1")
        await pilot.press("escape", "ctrl+g")


async def test_a_chapter_opens_at_its_end(novel: Manuscript) -> None:
    text = "\n".join(f"line {n}" for n in range(200))
    (novel.folder / novel.chapters[1].path).write_text(text)
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        await desktop.until(lambda: desktop.page.editor.size.height and desktop.page.editor.at_end)
        assert desktop.page.editor.cursor == desktop.page.editor.length


async def test_what_is_typed_before_the_chapter_is_open_is_not_lost(novel: Manuscript) -> None:
    class SlowDesk(FakeDesk):
        def start(self, notify: Callable[[Event], None]) -> None:
            self._notify = notify

    desk = SlowDesk()
    app = WriterApp(novel, desk, EditorSettings(autosave=NEVER))
    async with app.run_test() as pilot:
        await pilot.press(*" Then it")
        FakeDesk.start(desk, desk._notify)
        deadline = time.monotonic() + 10
        while app.main.page is None or not app.main.page.editor.has_focus:
            assert time.monotonic() < deadline
            await pilot.pause(0.01)
        await pilot.press(*" sank.")
        assert app.main.page.editor.text.endswith("The ship came in. Then it sank.")


async def test_opening_two_chapters_at_once_opens_both(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        for chapter in (*novel.chapters, *novel.chapters):
            desktop.screen.open_chapter(chapter.path)
        await desktop.until(lambda: len(desktop.screen.pages) == 2 and desktop.page.chapter.number == 2)

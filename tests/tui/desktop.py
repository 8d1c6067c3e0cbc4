"""The running app with a fake desk, for the tests of the main screen."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fake_desk import FakeDesk
from textual.app import App
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from writer.config import EditorSettings
from writer.generation.model import StopCause
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, create
from writer.runtime.events import (
    Offer,
)
from writer.tui.app import WriterApp
from writer.tui.page import Page
from writer.tui.screens.manuscript import ManuscriptScreen
from writer.tui.widgets.outline import Outline
from writer.tui.widgets.status import StatusLine

NEVER = 3600.0


def make_novel(tmp_path: Path) -> Manuscript:
    """A manuscript of two chapters."""
    manuscript = add_chapter(create(tmp_path / "novel", title="The Harbour"), "The Lighthouse")
    first = manuscript.folder / manuscript.chapters[0].path
    first.write_text("# One\n\nIt rained. The ship came in.")
    return manuscript


class Desktop:
    """The running app with its desk, and ways to look at it."""

    def __init__(self, app: WriterApp, desk: FakeDesk, pilot: Pilot[None]) -> None:
        self.app, self.desk, self.pilot = app, desk, pilot

    @property
    def screen(self) -> ManuscriptScreen:
        return self.app.main

    @property
    def page(self) -> Page:
        assert self.screen.page is not None
        return self.screen.page

    @property
    def status(self) -> str:
        return self.screen.query_one(StatusLine).line

    @property
    def outline(self) -> list[str]:
        return [str(option.prompt) for option in self.screen.query_one(Outline).options]

    @property
    def told(self) -> list[str]:
        return [note.message for note in self.app._notifications]

    async def until(self, condition: Callable[[], object], seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"status: {self.status!r}, orders: {self.desk.orders}"
            await self.pilot.pause(0.01)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)


async def rested(app: App[Any]) -> None:
    """Nothing is done behind the screen any more. What was begun anew meanwhile is waited for in its place."""
    while unfinished := [each for each in app.workers if not each.is_finished]:
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete(unfinished)


@asynccontextmanager
async def running(novel: Manuscript, desk: FakeDesk, *, autosave: float = NEVER) -> AsyncIterator[Desktop]:
    app = WriterApp(novel, desk, EditorSettings(autosave=autosave))
    async with app.run_test(size=(100, 30)) as pilot:
        desktop = Desktop(app, desk, pilot)
        if novel.chapters:
            await desktop.until(lambda: app.main.page is not None)
            desktop.page.editor.move_to(0)
        await pilot.pause()
        yield desktop


def offer(novel: Manuscript, generation: str = "g1", chapter: int = 0, start: int = 7, end: int = 17) -> Offer:
    return Offer(
        generation=generation,
        chapter=novel.chapters[chapter].path,
        cause=StopCause.KILLED,
        truncated=False,
        stopped_at=time.time() - 240,
        words=1824,
        tokens=2410,
        last_sentence="It rained.",
        start=start,
        end=end,
        intact=True,
    )

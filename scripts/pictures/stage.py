"""The real app in a terminal that is not there, with a desk that is not there either, until it looks as wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from pictures.desk import PaintedDesk
from pictures.prose import Novel
from writer.config import EditorSettings
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, create, open_manuscript
from writer.tui.app import WriterApp
from writer.tui.editor.widget import Editor
from writer.tui.writing import Writing

COLUMNS, ROWS = 100, 30
SPEED = 41.0
PATIENCE = 20.0
NEVER = 3600.0


class Stage:
    """The app as a scene sees it."""

    def __init__(self, app: WriterApp, pilot: Pilot[None]) -> None:
        self.app, self._pilot = app, pilot

    @property
    def editor(self) -> Editor:
        """That of the chapter which is shown."""
        assert self.app.main.page is not None
        return self.app.main.page.editor

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for it. Raises TimeoutError."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("The app did not come to look as the picture needs it.")
            await asyncio.sleep(0.01)

    def says(self, text: str) -> bool:
        """Whether some row of the screen holds this text."""
        return any(text in strip.text for strip in self.app.screen._compositor.render_strips())

    async def open(self, number: int) -> None:
        """Show this chapter, counted."""
        path = self.app.main.manuscript.chapters[number - 1].path
        self.app.main.open_chapter(path)
        await self.until(lambda: self.app.main.page is not None and self.app.main.page.chapter.path == path)
        await self.counted()

    async def counted(self) -> None:
        """Wait until the words of the chapter are counted."""
        await self.until(lambda: self.editor.count.endswith(" words"))

    async def settle(self) -> None:
        """Let everything be painted that waits for it."""
        self.app.main.show_state()
        await self._pilot.pause()
        await self._pilot.pause()


def publish(novel: Novel, folder: Path) -> Manuscript:
    """The novel as a manuscript in that folder."""
    manuscript = create(folder, title=novel.title, language=novel.language)
    for title in novel.chapters[len(manuscript.chapters) :]:
        manuscript = add_chapter(manuscript, title)
    for chapter, title in zip(manuscript.chapters, novel.chapters, strict=True):
        (folder / chapter.path).write_text(novel.texts.get(chapter.number, f"# {title}\n"), encoding="utf-8")
    return open_manuscript(folder)  # with the titles that its chapters have now


@asynccontextmanager
async def stage(manuscript: Manuscript, desk: PaintedDesk, settings: EditorSettings) -> AsyncIterator[Stage]:
    """The app, running, with its first chapter open."""
    async with staged(WriterApp(manuscript, desk, settings)) as built:
        yield built


@asynccontextmanager
async def staged(app: WriterApp) -> AsyncIterator[Stage]:
    """That app, running, with a chapter open. Its speed of writing is always the same, so that a picture is."""
    steady = patch.object(Writing, "speed", lambda writing: SPEED if writing.busy else None)
    async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
        built = Stage(app, pilot)
        await built.until(lambda: app.main.page is not None)
        with steady:
            yield built

"""The key that writes, pressed before there is a chapter to write in."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from desktop import Desktop, make_novel
from fake_desk import FakeDesk

from writer.config import EditorSettings
from writer.manuscript import legacy
from writer.manuscript.model import Manuscript
from writer.runtime.events import DeskOpened
from writer.runtime.orders import DraftOrder
from writer.tui.app import WriterApp

OPENING = "The chapter is still being opened. Press the key again in a moment."


@asynccontextmanager
async def opened(novel: Manuscript, desk: FakeDesk) -> AsyncIterator[Desktop]:
    """The app, not waited for."""
    app = WriterApp(novel, desk, EditorSettings())
    async with app.run_test(size=(100, 30)) as pilot:
        yield Desktop(app, desk, pilot)


def drafts(desk: FakeDesk) -> list[DraftOrder]:
    return [order for order in desk.orders if isinstance(order, DraftOrder)]


async def test_a_manuscript_whose_state_is_still_being_opened_says_so(tmp_path: Path) -> None:
    desk = FakeDesk()
    desk.start = lambda notify: setattr(desk, "_notify", notify)  # type: ignore[method-assign]
    async with opened(make_novel(tmp_path), desk) as desktop:
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.told)  # a key may wait at the door for the focus
        assert (desktop.told, drafts(desk)) == ([OPENING], [])
        desk.report(DeskOpened((), desk.engine))
        await desktop.until(lambda: desktop.screen.page)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: drafts(desk))


async def test_a_chapter_that_is_still_being_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_read, read = threading.Event(), legacy.read

    def slow(*args: Any) -> object:
        assert may_read.wait(60)
        return read(*args)

    monkeypatch.setattr(legacy, "read", slow)
    async with opened(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        await desktop.until(lambda: desktop.screen.open_for_writing)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.told)  # a key may wait at the door for the focus
        assert (desktop.told, drafts(desk)) == ([OPENING], [])
        may_read.set()
        await desktop.until(lambda: desktop.screen.page)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: drafts(desk))


async def test_a_chapter_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    novel = make_novel(tmp_path)
    for chapter in novel.chapters:
        (novel.folder / chapter.path).unlink()
        (novel.folder / chapter.path).mkdir()
    async with opened(novel, desk := FakeDesk()) as desktop:
        await desktop.until(lambda: desktop.told)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: "No chapter is open. Choose one in the list" in desktop.told[-1])
        assert not drafts(desk)

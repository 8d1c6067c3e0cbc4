"""Several chapters are written at once: each has its own stream, and is paused and gone on with alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk

from writer.manuscript.model import Manuscript
from writer.runtime.events import (
    BatchCommitted,
    GenerationFailed,
    GenerationFinished,
    GenerationPaused,
    GenerationStarted,
)
from writer.runtime.orders import DraftOrder, ResumeOrder
from writer.tui.page import Page


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def both(desktop: Desktop) -> tuple[Page, Page]:
    """Both chapters are being written; the second is shown."""
    first = desktop.page
    await desktop.press("ctrl+g")
    started(desktop.desk, "g1", first)
    desktop.screen.open_chapter(desktop.screen.manuscript.chapters[1].path)
    await desktop.until(lambda: desktop.page is not first)
    await desktop.press("ctrl+g")
    started(desktop.desk, "g2", desktop.page)
    await desktop.until(lambda: len(desktop.screen.writings.busy) == 2)
    return first, desktop.page


def started(desk: FakeDesk, generation: str, page: Page) -> None:
    text = page.editor.text
    desk.report(GenerationStarted(generation, page.chapter.path, 7, 0, 0, len(text), len(text), 0.1))


async def test_two_streams_go_into_two_chapters(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        first, second = await both(desktop)
        before = first.editor.text, second.editor.text
        for number, name in enumerate(("g1", "g2", "g2", "g1")):
            desk.report(BatchCommitted(name, number // 2, (number,), f" {name}-{number}", number))
        await desktop.until(lambda: first.editor.text == before[0] + " g1-0 g1-3")
        await desktop.until(lambda: second.editor.text == before[1] + " g2-1 g2-2")
        assert desktop.status.startswith("Writing chapter 2")
        assert "1 more" in desktop.status
        assert [row[0] for row in desktop.outline] == ["●", "●"]


async def test_the_key_pauses_the_chapter_that_is_shown_and_escape_pauses_all(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        first, second = await both(desktop)
        await desktop.press("ctrl+g")
        assert desk.orders[-1] == "pause g2"
        desk.report(GenerationPaused("g2", 0, second.chapter.path))
        await desktop.until(lambda: len(desktop.screen.writings.busy) == 1)
        assert (first.resumable, second.resumable) == ("", "g2")
        assert "Writing chapter 1" in desktop.status
        assert [row[0] for row in desktop.outline] == ["●", "‖"]
        await desktop.press("ctrl+g")  # goes on while the other one is being written
        assert desk.given(ResumeOrder)[-1].generation == "g2"
        started(desk, "g2", second)
        await desktop.press("escape")
        assert desk.orders[-1] == "pause"
        for name in ("g1", "g2"):
            desk.report(GenerationPaused(name, 0))
        await desktop.until(lambda: not desktop.screen.writings.busy)
        assert (first.resumable, second.resumable) == ("g1", "g2")


async def test_a_chapter_that_fails_or_ends_leaves_the_other_one_alone(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        first, second = await both(desktop)
        desk.report(GenerationFailed("g2", 0, "The disk is full.", second.chapter.path))
        await desktop.until(lambda: not desktop.screen.here.busy)
        assert desktop.told == ["The disk is full."]
        assert desktop.screen.writings.of(second.chapter.path).why == "The disk is full."
        text = first.editor.text
        desk.report(BatchCommitted("g1", 0, (1,), " More.", 1))
        desk.report(GenerationFinished("g1", 1, "stop"))
        await desktop.until(lambda: not desktop.screen.writings.busy)
        assert first.editor.text == text + " More."
        assert "pause" not in desk.orders


async def test_an_order_that_cannot_be_begun_ends_only_its_own_chapter(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        first = desktop.page
        await desktop.press("ctrl+g")
        started(desk, "g1", first)
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page is not first)
        await desktop.press("ctrl+g")
        assert len(desk.given(DraftOrder)) == 2
        desk.report(GenerationFailed("", 0, "It is too long.", novel.chapters[1].path))
        await desktop.until(lambda: not desktop.screen.here.busy)
        assert [writing.chapter for writing in desktop.screen.writings.busy] == [first.chapter.path]
        assert "pause" not in desk.orders

"""Several chapters at once: chosen on a sheet, which shows how far each is."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranging_desk import ArrangingDesk
from desktop import Desktop, make_novel, offer, running
from fake_desk import FakeDesk

from writer.manuscript.model import Manuscript
from writer.runtime.events import BatchCommitted, GenerationFailed, GenerationPaused, GenerationStarted
from writer.runtime.orders import DraftOrder, ResumeOrder
from writer.tui.book.sheet import Rows
from writer.tui.screens.resume import ResumeCard
from writer.tui.takes.progress_sheet import ProgressSheet


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = make_novel(tmp_path)
    (novel.folder / "outline.md").write_text("## The Lighthouse\nNobody lights it.\n\n## The storm\nShips.\n")
    return novel


def rows(desktop: Desktop) -> list[str]:
    return [str(option.prompt) for found in desktop.app.screen.query(Rows) for option in found.options]


async def opened(desktop: Desktop) -> None:
    desktop.screen.action_write_chapters()
    await desktop.until(lambda: isinstance(desktop.app.screen, ProgressSheet) and len(rows(desktop)) == 3)


async def writing_two(desktop: Desktop) -> list[DraftOrder]:
    """The two chapters that are empty are being written."""
    await opened(desktop)
    await desktop.press("e", "w")
    await desktop.until(lambda: len(desktop.desk.given(DraftOrder)) == 2)
    given = desktop.desk.given(DraftOrder)
    for number, order in enumerate(given, 1):
        at = len(order.text)
        desktop.desk.report(GenerationStarted(f"g{number}", order.chapter, 7, 0, 0, at, at, 0.1))
    await desktop.until(lambda: len([row for row in rows(desktop) if "being written" in row]) == 2)
    return given


async def test_every_empty_chapter_is_written_and_one_of_the_outline_is_made(novel: Manuscript) -> None:
    async with running(novel, ArrangingDesk(novel)) as desktop:
        given = await writing_two(desktop)
        assert [order.chapter for order in given] == ["chapters/02-the-lighthouse.md", "chapters/03-the-storm.md"]
        assert "empty" not in rows(desktop)[0]
        desktop.desk.report(BatchCommitted("g2", 0, (1,), "Ships came and went.", 1))
        await desktop.until(lambda: "6 words" in rows(desktop)[2])
        await desktop.press("escape")
        assert "pause" not in desktop.desk.orders
        assert len(desktop.screen.writings.busy) == 2


async def test_a_chapter_that_cannot_be_made_is_told_and_the_others_are_written(novel: Manuscript) -> None:
    desk = ArrangingDesk(novel)
    async with running(novel, desk) as desktop:
        await opened(desktop)
        (novel.folder / "writer.toml").write_text("chapters = [")
        await desktop.press("e", "w")
        await desktop.until(lambda: desk.given(DraftOrder) and desktop.told)
        assert [order.chapter for order in desk.given(DraftOrder)] == ["chapters/02-the-lighthouse.md"]


async def test_a_chapter_is_chosen_with_space_and_opened_with_enter(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop)
        await desktop.press("down", "space")
        await desktop.until(lambda: rows(desktop)[1].startswith("[x]"))
        await desktop.press("space")
        await desktop.until(lambda: rows(desktop)[1].startswith("[ ]"))
        await desktop.press("w")
        await desktop.until(lambda: any("Space" in note for note in desktop.told))
        assert not desktop.desk.given(DraftOrder)
        await desktop.press("enter")
        await desktop.until(lambda: desktop.page.chapter.title == "The Lighthouse")


async def test_one_is_paused_and_gone_on_with_and_a_failed_one_says_why(novel: Manuscript) -> None:
    async with running(novel, ArrangingDesk(novel)) as desktop:
        await writing_two(desktop)
        desktop.desk.report(GenerationFailed("g2", 0, "The disk is full.", "chapters/03-the-storm.md"))
        await desktop.until(lambda: "stopped: The disk is full." in rows(desktop)[2])
        await desktop.press("home", "down", "g")
        await desktop.until(lambda: any(str(order).startswith("pause") for order in desktop.desk.orders))
        desktop.desk.report(GenerationPaused("g1", 0))
        await desktop.until(lambda: "paused" in rows(desktop)[1])
        await desktop.press("r")
        await desktop.until(lambda: len(desktop.desk.given(ResumeOrder)) == 2)


async def test_r_goes_on_with_those_that_are_chosen_or_with_all(novel: Manuscript) -> None:
    first, second = (offer(novel, f"g{number + 1}", number, 0, 0) for number in (0, 1))
    desk = FakeDesk(first, second)
    async with running(novel, desk) as desktop:
        if isinstance(desktop.app.screen, ResumeCard):
            await desktop.press("escape")
        await opened(desktop)
        await desktop.press("home", "down", "space", "r")
        await desktop.until(lambda: desk.given(ResumeOrder))
        assert [order.generation for order in desk.given(ResumeOrder)] == ["g2"]
        await desktop.press("space", "r")
        await desktop.until(lambda: [order.generation for order in desk.given(ResumeOrder)] == ["g2", "g1"])

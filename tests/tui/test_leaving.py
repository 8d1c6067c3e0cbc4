"""Leaving at bad moments: hung up while asked, typing while saving, failures of other things while writing."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest
from desktop import make_novel, offer, running
from fake_desk import FakeDesk

from writer.manuscript.model import Manuscript
from writer.runtime.events import GenerationFailed, LeaveAsked
from writer.runtime.orders import ResumeOrder, SaveOrder
from writer.tui.screens.resume import ResumeCard


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def test_a_hang_up_while_the_question_is_open_leaves(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.refusal = "The disk is full."
    async with running(novel, desk) as desktop:
        await desktop.press("x", "ctrl+q")
        await desktop.until(lambda: desktop.app.screen is not desktop.screen)
        desktop.app._leave_now()
        await desktop.until(lambda: "close" in desk.orders)
    assert desktop.screen.keeping.failure == desk.refusal


async def test_what_could_not_be_saved_is_told_when_nobody_could_be_asked(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.refusal = "The disk is full."
    async with running(novel, desk) as desktop:
        await desktop.press("x")
        desktop.app._leave_now()
        await desktop.until(lambda: "close" in desk.orders)
    assert desktop.screen.keeping.failure == desk.refusal


async def test_nothing_can_be_typed_that_would_not_be_saved(novel: Manuscript) -> None:
    class Slow(FakeDesk):
        def close(self) -> Future[None]:
            super().close()
            return closing

    closing: Future[None] = Future()
    desk = Slow()
    async with running(novel, desk) as desktop:
        await desktop.press("x", "ctrl+q")
        await desktop.until(lambda: "close" in desk.orders)
        await desktop.press(*"lost", "enter", "ctrl+z", "backspace")
        assert desk.given(SaveOrder)[-1].text == desktop.page.editor.text
        closing.set_result(None)


async def test_who_stays_can_type_again(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.refusal = "The disk is full."
    async with running(novel, desk) as desktop:
        await desktop.press("x", "ctrl+q")
        await desktop.until(lambda: desktop.app.screen is not desktop.screen)
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        await desktop.press("y")
        await desktop.until(lambda: desktop.page.editor.text.startswith("xy"))


async def test_a_failure_of_something_else_leaves_no_unseen_stream(novel: Manuscript) -> None:
    """The screen says that nothing is written, so nothing may be: or one key would start a second stream."""
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await desktop.press("ctrl+g")
        desk.begin("g1")
        desk.batch(0, " one")
        await desktop.until(lambda: desktop.page.editor.text == text + " one")
        desk.report(GenerationFailed("", 0, "The disk is full. Free some space."))
        await desktop.until(lambda: not desktop.screen.writing.busy)
        assert "pause" in desk.orders
        assert not desk.writing
        await desktop.until(lambda: desktop.page.resumable == "g1")
        await desktop.press("ctrl+g")
        assert [order.generation for order in desk.given(ResumeOrder)] == ["g1"]


async def test_continue_while_another_chapter_is_written_goes_on_beside_it(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        desk.begin("g1")
        desktop.screen.offers[novel.chapters[1].path] = offer(novel, "g2", chapter=1, start=0, end=0)
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await desktop.press("enter")
        await desktop.until(lambda: desk.given(ResumeOrder))
        assert [order.generation for order in desk.given(ResumeOrder)] == ["g2"]
        assert len(desktop.screen.writings.busy) == 2


@pytest.mark.parametrize("size", [(80, 24), (60, 14), (60, 8), (40, 10)])
async def test_the_button_that_enter_takes_can_be_seen(novel: Manuscript, size: tuple[int, int]) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await desktop.pilot.resize_terminal(*size)
        await desktop.pilot.pause()
        button = desktop.app.focused
        assert button is not None
        shown = desktop.app.screen.find_widget(button).visible_region
        assert shown.width == button.region.width > 0
        assert shown.height >= 1


async def test_a_window_that_is_asked_for_the_manuscript_saves_and_lets_go(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("x")
        desk.report(LeaveAsked(7))
        await desktop.until(lambda: "close" in desk.orders)
    saved = [order for order in desk.orders if isinstance(order, SaveOrder)]
    assert saved[-1].text.startswith("x")
    assert desktop.screen.keeping.reads_on
    assert not desktop.screen.keeping.failure


async def test_a_window_whose_text_cannot_be_saved_does_not_let_go(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.refusal = "The disk is full."
    async with running(novel, desk) as desktop:
        await desktop.press("x")
        desk.report(LeaveAsked(7))
        await desktop.until(lambda: any("asks for the manuscript" in told for told in desktop.told))
        assert "close" not in desk.orders
        await desktop.press("y")
        assert desktop.page.editor.text.startswith("xy")  # it can be written in as before
    assert not desktop.screen.keeping.reads_on

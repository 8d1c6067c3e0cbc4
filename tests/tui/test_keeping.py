"""Saving: what is said is true, and leaving loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from desktop import NEVER, make_novel, offer, running
from fake_desk import FakeDesk

from writer.config import EditorSettings
from writer.manuscript.model import Manuscript
from writer.runtime.events import (
    ChapterSaved,
    GenerationFailed,
)
from writer.runtime.orders import SaveOrder, Span
from writer.tui.app import WriterApp
from writer.tui.screens.resume import ResumeCard


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def test_saved_is_said_only_after_the_newest_save_was_answered(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.saves = False
    async with running(novel, desk) as desktop:
        await desktop.press(*"x")
        await desktop.until(lambda: "not saved yet" in desktop.status)
        await desktop.press("ctrl+s", "y", "ctrl+s")
        await desktop.until(lambda: "saving…" in desktop.status)
        first, second = desk.given(SaveOrder)
        desk.report(ChapterSaved(first.chapter, first.serial))
        await desktop.until(lambda: len(desk.reported) == 2)
        await desktop.pilot.pause(0.05)
        assert "saving…" in desktop.status
        desk.report(ChapterSaved(second.chapter, second.serial))
        await desktop.until(lambda: desktop.status.endswith("· saved"))
        assert second.text == desktop.page.editor.text


async def test_changes_are_saved_by_themselves(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk, autosave=0.05) as desktop:
        await desktop.press(*"abc")
        await desktop.until(lambda: desk.given(SaveOrder) and desk.given(SaveOrder)[-1].text.startswith("abc"))
        count = len(desk.given(SaveOrder))
        await desktop.pilot.pause(0.3)
        assert len(desk.given(SaveOrder)) <= count + 1, "an unchanged chapter is not saved again"


async def test_a_refused_save_is_told_and_the_text_stays_unsaved(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.refusal = "The disk is full. Free some space; your text is kept here."
    async with running(novel, desk) as desktop:
        await desktop.press("x", "ctrl+s")
        await desktop.until(lambda: "NOT SAVED" in desktop.status)
        await desktop.press("ctrl+s")
        await desktop.until(lambda: len(desk.given(SaveOrder)) == 2)
        assert desktop.told == [desk.refusal]
        desk.refusal = ""
        await desktop.press("ctrl+s")
        await desktop.until(lambda: desktop.status.endswith("· saved"))


async def test_the_span_goes_with_the_save(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        start = len(desktop.page.editor.text)
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " one two")
        await desktop.until(lambda: desktop.page.editor.text.endswith(" one two"))
        await desktop.press("Z", "ctrl+s")
        order = desk.given(SaveOrder)[-1]
        assert order.spans == (Span("g1", start + 1, start + 9, 8),)
        assert order.text[start + 1 : start + 9] == " one two"


async def test_quitting_pauses_saves_and_closes_in_this_order(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("x", "ctrl+g")
        desk.begin()
        desk.batch(0, " end")
        await desktop.press("ctrl+q")
        await desktop.until(lambda: "close" in desk.orders)
        text = desktop.page.editor.text
        assert desk.given(SaveOrder)[-1].text == text
        assert text.startswith("x")
        assert text.endswith(" end")
        last = max(i for i, order in enumerate(desk.orders) if isinstance(order, SaveOrder))
        assert desk.orders.index("pause") < last < desk.orders.index("close")


async def test_quitting_with_a_refused_save_asks(novel: Manuscript) -> None:
    desk = FakeDesk()
    desk.refusal = "The disk is full."
    async with running(novel, desk) as desktop:
        await desktop.press("x", "ctrl+q")
        await desktop.until(lambda: desktop.app.screen is not desktop.screen)
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert "close" not in desk.orders
        desk.refusal = ""
        await desktop.press("ctrl+q")
        await desktop.until(lambda: "close" in desk.orders)
        assert desk.given(SaveOrder)[-1].text.startswith("x")


async def test_what_the_screen_could_not_save_is_handed_over_at_the_end(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press(*"precious")
        app = desktop.app
    app.main.keeping.last_resort()
    assert desk.given(SaveOrder)[-1].text.startswith("precious")
    assert desk.orders[-1] == "close"


async def test_a_state_that_cannot_be_opened_ends_the_app_with_its_sentence(novel: Manuscript) -> None:
    class Locked(FakeDesk):
        def start(self, notify: Callable[[object], None]) -> None:  # type: ignore[override]
            self._notify = notify
            self.report(GenerationFailed("", 0, "Another window writes in this manuscript. Close it first."))

    app = WriterApp(novel, Locked(), EditorSettings(autosave=NEVER))
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
    assert app.return_code == 1
    assert app.main.keeping.failure == "Another window writes in this manuscript. Close it first."


async def test_quitting_works_while_the_card_is_shown(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await desktop.press("ctrl+q")
        await desktop.until(lambda: "close" in desk.orders)


async def test_a_save_that_is_refused_at_the_very_end_is_told(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("x")
        app = desktop.app
    desk.refusal = "The disk is full. Free some space, then start writer again."
    app.main.keeping.last_resort()
    assert app.main.keeping.failure == desk.refusal


async def test_a_desk_that_cannot_close_is_told(novel: Manuscript) -> None:
    class Stuck(FakeDesk):
        def close(self) -> Future[None]:
            done = super().close()
            failed: Future[None] = Future()
            failed.set_exception(OSError("gone"))
            return failed if done.done() else done

    desk = Stuck()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+q")
        await desktop.until(lambda: "close" in desk.orders)
        app = desktop.app
    app.main.keeping.last_resort()
    assert "could not close" in app.main.keeping.failure

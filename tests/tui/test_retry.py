"""Retry: another text in the place of the last one, which stays as a take."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk
from real_window import window
from textual import events

from writer.manuscript.model import Manuscript
from writer.runtime.orders import DraftOrder, ResumeOrder


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


@pytest.mark.parametrize("reason", ["stop", "length"])
async def test_the_last_text_makes_room_and_undo_puts_it_back(novel: Manuscript, reason: str) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        desktop.screen.action_draft("She leaves.")
        desk.begin("g1")
        desk.batch(0, " The first.")
        desk.finish(reason)
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("alt+g")
        order = desk.given(DraftOrder)[-1]
        assert (order.text, order.instead, order.instruction) == (text, "g1", "She leaves.")
        desk.begin("g2")
        desk.batch(0, " The second.")
        desk.finish()
        await desktop.until(lambda: desktop.page.editor.text == text + " The second.")
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == text + " The first."
        await desktop.until(lambda: "undiscard g1" in desk.orders)
        await desktop.until(lambda: "discard g2" in desk.orders)
        await desktop.press("ctrl+y")
        assert desktop.page.editor.text == text + " The second."
        await desktop.until(lambda: desk.orders.count("discard g1") == 2)
        await desktop.until(lambda: "undiscard g2" in desk.orders)


async def test_an_undo_before_the_first_word_puts_the_former_text_back_and_calls_the_other_off(
    novel: Manuscript,
) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        desktop.screen.action_draft()
        desk.begin("g1")
        desk.batch(0, " The first.")
        desk.finish()
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("alt+g", "ctrl+z")
        assert desktop.page.editor.text == text + " The first."
        await desktop.until(lambda: "undiscard g1" in desk.orders)
        await desktop.until(lambda: "pause" in desk.orders)


async def test_while_the_other_is_written_undo_leaves_both_alone(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        desktop.screen.action_draft()
        desk.begin("g1")
        desk.batch(0, " The first.")
        desk.finish()
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("alt+g")
        desk.begin("g2")
        desk.batch(0, " The second")
        await desktop.until(lambda: desktop.page.editor.text == text + " The second")
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == text + " The second"
        assert "undiscard g1" not in desk.orders
        desk.finish()
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == text + " The first."


async def test_the_text_that_undo_takes_out_is_chosen_back_to_its_place(novel: Manuscript) -> None:
    async with window(novel, finish_at=30) as desktop:
        text = desktop.page.editor.text
        whole = [text]

        async def ended(key: str) -> None:
            await desktop.press(key)
            await desktop.until(lambda: desktop.page.editor.text != whole[-1] and not desktop.screen.writing.busy)
            whole.append(desktop.page.editor.text)

        await ended("ctrl+g")
        await desktop.press("alt+g")
        await desktop.until(lambda: not desktop.screen.writing.busy and len(desktop.page.editor.text) > len(text))
        first, second = whole[-1], desktop.page.editor.text
        assert first != second
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == first
        await desktop.press("ctrl+t")
        takes = desktop.screen.board
        path = novel.chapters[0].path
        await desktop.until(lambda: [take.inside for take in takes.takes(path)] == [True, False])
        await desktop.press("1")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert desktop.page.editor.text == second  # the other one makes room for it
        desktop.screen.desk.takes(path)
        await desktop.until(lambda: [take.inside for take in takes.takes(path)] == [False, True])
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == first
        await desktop.until(lambda: [take.inside for take in takes.takes(path)] == [True, False])
        await desktop.press("ctrl+y")
        assert desktop.page.editor.text == second
        await desktop.until(lambda: [take.inside for take in takes.takes(path)] == [False, True])


async def test_the_key_is_one_also_as_terminals_send_it(novel: Manuscript) -> None:
    """They send an escape and the letter, and Textual gives both the key and the letter."""
    async with running(novel, FakeDesk()) as desktop:
        text = desktop.page.editor.text
        desktop.app.post_message(events.Key("alt+g", "g"))
        await desktop.until(lambda: desktop.told)
        assert "none to retry" in desktop.told[0]
        desktop.app.post_message(events.Key("alt+x", "x"))  # no key of ours: an escape came just before an x
        await desktop.until(lambda: desktop.page.editor.text == "x" + text)
        desktop.app.post_message(events.Key("alt+d", "d"))
        await desktop.until(lambda: desktop.page.editor.text == "x" + text.removeprefix("# "))


async def test_there_is_nothing_to_retry_without_a_text_at_the_end(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("alt+g")
        assert desktop.told == ["No written text stands at the end of this chapter, so there is none to retry."]
        assert not desk.given(DraftOrder)


async def test_a_paused_text_goes_on_once_its_retry_is_undone(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.action_draft()
        desk.begin("g1")
        desk.batch(0, " The first")
        await desktop.until(lambda: "The first" in desktop.page.editor.text)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.page.resumable == "g1")
        await desktop.press("alt+g")
        desk.begin("g2")
        desk.batch(0, " The second.")
        desk.finish()
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("ctrl+z")
        await desktop.until(lambda: "undiscard g1" in desk.orders)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desk.given(ResumeOrder))
        assert desk.given(ResumeOrder)[-1].generation == "g1"
        assert len(desk.given(DraftOrder)) == 2

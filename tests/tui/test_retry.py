"""Retry: another text in the place of the last one, which stays as a take."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk

from writer.manuscript.model import Manuscript
from writer.runtime.orders import DraftOrder


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
        assert desktop.page.editor.text == text
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == text + " The first."
        await desktop.until(lambda: "undiscard g1" in desk.orders)
        assert "discard g1" not in desk.orders  # the order itself made it a take


async def test_there_is_nothing_to_retry_without_a_text_at_the_end(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("alt+g")
        assert desktop.told == ["No written text stands at the end of this chapter, so there is none to retry."]
        assert not desk.given(DraftOrder)

"""What was interrupted is offered, and each answer becomes an order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desktop import make_novel, offer, running
from fake_desk import FakeDesk

from writer.engine.base import EngineFacts, EngineStatus
from writer.generation.model import Fingerprint
from writer.manuscript.model import Manuscript
from writer.runtime.events import (
    EngineAttached,
)
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder, Span
from writer.tui.screens.resume import ResumeCard


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def test_the_card_continues_with_enter(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await desktop.press("enter")
        await desktop.until(lambda: desk.given(ResumeOrder))
        text = desktop.page.editor.text
        assert desk.given(ResumeOrder) == [ResumeOrder("g1", novel.chapters[0].path, text, 7, 17)]


async def test_the_card_keeps(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        text = desktop.page.editor.text
        await desktop.press("tab", "enter")
        await desktop.until(lambda: "keep g1" in desk.orders)
        assert desktop.page.editor.text == text
        await desktop.press("ctrl+g")
        assert len(desk.given(DraftOrder)) == 1


async def test_the_card_discards_and_one_key_takes_it_back(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        text = desktop.page.editor.text
        await desktop.press("tab", "tab", "enter")
        await desktop.until(lambda: "discard g1" in desk.orders)
        assert desktop.page.editor.text == text[:7] + text[17:]
        assert desk.given(SaveOrder)[-1].spans == ()
        await desktop.press("ctrl+z")
        await desktop.until(lambda: "undiscard g1" in desk.orders)
        assert desktop.page.editor.text == text
        assert desk.given(SaveOrder)[-1].spans == (Span("g1", 7, 17, 10),)
        await desktop.press("ctrl+g")
        assert len(desk.given(ResumeOrder)) == 1


async def test_escape_leaves_the_offer_for_later(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel), offer(novel, "g2", chapter=1, start=0, end=0))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await desktop.press("escape")
        await desktop.pilot.pause()
        assert [row[0] for row in desktop.outline] == ["‖", "‖"]
        assert not {"keep g1", "discard g1"} & {order for order in desk.orders if isinstance(order, str)}
        await desktop.press("ctrl+g")
        assert desk.given(ResumeOrder)[0].generation in ("g1", "g2")


async def test_the_card_follows_the_engine(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel), engine=EngineStatus(state="stopped"))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        facts = EngineFacts("m", "scripted", "scripted", 8192, 16, Fingerprint())
        desk.report(EngineAttached(facts, warm=False))
        card = desktop.app.screen
        await desktop.until(lambda: "still warm" in str(card.query_one("#line-3").render()))


async def test_what_only_reached_its_limit_goes_on_by_one_key_without_a_card(novel: Manuscript) -> None:
    desk = FakeDesk(replace(offer(novel), truncated=True))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: desktop.app.main.page is not None)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desk.given(ResumeOrder))
        assert not isinstance(desktop.app.screen, ResumeCard)
        assert desk.given(ResumeOrder)[0].generation == "g1"

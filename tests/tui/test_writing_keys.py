"""Keys become orders, reports become text."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk
from textual.widgets import Input

from writer.engine.base import EngineStatus
from writer.manuscript.model import Manuscript
from writer.runtime.events import (
    CommitDelayed,
    CommitRecovered,
    EngineProgressed,
    GenerationFailed,
    GenerationInterrupted,
)
from writer.runtime.orders import DraftOrder, ResumeOrder
from writer.tui.screens.ask import Ask


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def test_one_key_writes_pauses_and_goes_on(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        before = desktop.page.editor.text
        await desktop.press("ctrl+g")
        assert desk.given(DraftOrder) == [DraftOrder(novel.chapters[0].path, before)]
        desk.begin("g1")
        desk.batch(0, " The crew")
        desk.batch(1, " was gone.")
        await desktop.until(lambda: desktop.page.editor.text == before + " The crew was gone.")
        assert "Writing chapter 1" in desktop.status
        await desktop.press("ctrl+g")
        await desktop.until(lambda: not desktop.screen.writing.busy)
        assert "pause" in desk.orders
        assert "Paused" in desktop.status
        await desktop.press("ctrl+g")
        text = before + " The crew was gone."
        assert desk.given(ResumeOrder) == [ResumeOrder("g1", novel.chapters[0].path, text, len(before), len(text))]
        desk.begin(resumed_from=2410, cached=2416)
        await desktop.until(lambda: "2,416 of 2,417 tokens from the prefix cache, 0.06 s" in desktop.status)
        desk.batch(2, " All of it.")
        desk.finish()
        await desktop.until(lambda: not desktop.screen.writing.busy)
        assert desktop.page.editor.text == text + " All of it."
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == before


async def test_escape_pauses_and_never_removes_text(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await desktop.press("escape")
        assert desk.orders.count("pause") == 0
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " More.")
        await desktop.until(lambda: desktop.page.editor.text == text + " More.")
        await desktop.press("escape")
        await desktop.until(lambda: not desktop.screen.writing.busy)
        assert desk.orders.count("pause") == 1
        await desktop.press("escape")
        assert desktop.page.editor.text == text + " More."


async def test_an_order_that_has_not_begun_can_be_taken_back(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        desk.report(EngineProgressed(EngineStatus(state="starting", sentence="loading the model…", seconds=12)))
        await desktop.until(lambda: "Engine: loading the model… 12 s" in desktop.status)
        desk.writing = ""
        await desktop.press("ctrl+g")
        assert desk.orders[-1] == "pause"
        from writer.runtime.events import GenerationPaused

        desk.report(GenerationPaused("", 0))
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("ctrl+g")
        assert len(desk.given(DraftOrder)) == 2


async def test_typing_while_the_engine_starts_does_not_shift_the_place(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await desktop.press("ctrl+g", *"Note: ")
        desk.begin()
        desk.batch(0, " END")
        await desktop.until(lambda: desktop.page.editor.text == "Note: " + text + " END")


async def test_the_token_limit_can_be_passed_by_the_same_key(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " More.")
        desk.finish("length")
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("ctrl+g")
        assert len(desk.given(ResumeOrder)) == 1


async def test_an_instruction_goes_with_the_order(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("f2")
        assert isinstance(desktop.app.screen, Ask)
        desktop.app.screen.query_one(Input).value = "The storm breaks."
        await desktop.press("enter")
        await desktop.until(lambda: desk.given(DraftOrder))
        assert desk.given(DraftOrder)[0].instruction == "The storm breaks."


async def test_a_stream_goes_on_while_another_chapter_is_shown(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        first = desktop.page
        text = first.editor.text
        await desktop.press("ctrl+g")
        desk.begin()
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page is not first)
        desk.batch(0, " While")
        desk.batch(1, " away.")
        await desktop.until(lambda: first.editor.text == text + " While away.")
        assert desktop.outline[0].startswith("●")
        assert "Writing chapter 1" in desktop.status
        await desktop.press(*"Mine")
        assert "Mine" in desktop.page.editor.text


async def test_a_gap_in_the_batches_is_never_shown(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " one")
        desk.batch(2, " three")
        desk.batch(3, " four")
        await desktop.until(lambda: "pause" in desk.orders)
        await desktop.until(lambda: any("out of step" in note for note in desktop.told))
        await desktop.pilot.pause(0.1)
        assert desktop.page.editor.text in (text, text + " one")


async def test_an_engine_that_dies_is_told_in_one_sentence_and_goes_on(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " one")
        desk.report(GenerationInterrupted("g1", 1, "The engine stopped. Your text is safe.", retrying=True))
        await desktop.until(lambda: "started again" in desktop.status)
        assert desktop.told == ["The engine stopped. Your text is safe."]
        await desktop.press(*"Hm ")
        desk.begin("g1", resumed_from=1)
        desk.batch(1, " two")
        await desktop.until(lambda: desktop.page.editor.text == "Hm " + text + " one two")


async def test_a_failure_before_the_first_token_leaves_everything_ready(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        desk.report(GenerationFailed("", 0, "The model folder is missing. Choose another model."))
        await desktop.until(lambda: not desktop.screen.writing.busy)
        assert desktop.told == ["The model folder is missing. Choose another model."]
        await desktop.press("ctrl+g")
        assert len(desk.given(DraftOrder)) == 2


async def test_a_delayed_commit_is_said_until_it_recovers(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        desk.begin()
        desk.report(CommitDelayed("g1", "Disk full: paused. Free some space; nothing shown is lost."))
        await desktop.until(lambda: desktop.status.startswith("Disk full"))
        desk.report(CommitRecovered("g1"))
        await desktop.until(lambda: desktop.status.startswith("Writing chapter 1"))

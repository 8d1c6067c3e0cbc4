"""A thought is shown apart while it comes and later: in the status line, below the text, and on a sheet of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual import events
from textual.widgets import Static

from writer.generation.model import State
from writer.manuscript.model import Manuscript
from writer.runtime.events import AsideBegun, BatchCommitted, GenerationStarted, Offer, ThoughtFound
from writer.runtime.takes import Take
from writer.tui.screens.resume import card_lines
from writer.tui.screens.thought_sheet import ThoughtSheet
from writer.tui.takes.board import Board
from writer.tui.widgets.thought_fold import ThoughtFold

TAKE = Take("g", "c.md", "take", State.RUNNING, None, "", 0, 0, (0, 0), "", 0.0, 0, 0, "")


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def thinking(desktop: Desktop) -> str:
    """A draft has begun, and its model thinks."""
    await desktop.press("ctrl+g")
    path = desktop.page.chapter.path
    start = len(desktop.page.editor.text)
    desktop.desk.writing = "g1"
    desktop.desk.report(GenerationStarted("g1", path, 9, 0, 0, start, start, 0.1, thinking=True))
    return path


def fold(desktop: Desktop) -> list[str]:
    return [str(part.visual) for each in desktop.screen.query(ThoughtFold) for part in each.query(Static)]


def sheet(desktop: Desktop) -> ThoughtSheet:
    found = desktop.app.screen
    assert isinstance(found, ThoughtSheet)
    return found


def said(desktop: Desktop, part: str) -> str:
    return str(sheet(desktop).query_one(f"#{part}", Static).visual)


async def test_a_thought_goes_by_below_the_text_and_never_into_it(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        before = desktop.page.editor.text
        await thinking(desktop)
        desktop.desk.batch(0, "", "The storm \x1b[31mmust")
        desktop.desk.batch(1, "", " come first.")
        await desktop.until(lambda: "come first" in "".join(fold(desktop)))
        assert "The model is thinking… 2 tokens" in fold(desktop)[0]
        assert "\x1b" not in "".join(fold(desktop))
        assert desktop.status.startswith("Thinking about chapter 1 · 2 tokens")
        desktop.desk.batch(2, "")
        desktop.desk.batch(3, " It stormed.")
        desktop.desk.finish()
        await desktop.until(lambda: desktop.page.editor.text == before + " It stormed.")
        await desktop.until(lambda: not desktop.screen.query_one(ThoughtFold).display)
        assert "Thinking" not in desktop.status


async def test_a_pause_inside_a_thought_takes_the_rows_away_and_goes_on(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await thinking(desktop)
        desktop.desk.batch(0, "", "The storm")
        await desktop.until(lambda: fold(desktop))
        await desktop.press("ctrl+g")
        await desktop.until(lambda: "Paused" in desktop.status)
        await desktop.until(lambda: not desktop.screen.query_one(ThoughtFold).display)
        await desktop.press("ctrl+g")
        desktop.desk.report(GenerationStarted("g1", desktop.page.chapter.path, 9, 0, 1, 0, 0, 0.1, thinking=True))
        await desktop.until(lambda: desktop.screen.query_one(ThoughtFold).display)


async def test_the_thought_is_read_on_a_sheet_while_it_comes(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        path = await thinking(desktop)
        desktop.desk.batch(0, "", "The storm")
        await desktop.press("alt+t")
        await desktop.until(lambda: f"thought {path} g1" in desktop.desk.orders)
        desktop.desk.report(ThoughtFound(path, "g1", "The storm", 1, 1, open=True, created=1.0, others=("g1", "g0")))
        await desktop.until(lambda: "The storm" in said(desktop, "thought"))
        desktop.desk.batch(1, "", " \x1b[2Jmust come.")
        await desktop.until(lambda: "must come." in said(desktop, "thought"))
        assert "\x1b" not in said(desktop, "thought")
        assert "it goes on (1 of 2)" in said(desktop, "title")
        desktop.desk.report(BatchCommitted("g1", 9, (9,), "", 9, True, "later"))  # something was missed
        await desktop.until(lambda: desktop.desk.orders.count(f"thought {path} g1") == 2)


async def test_older_thoughts_are_a_key_away(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        path = desktop.page.chapter.path
        await desktop.press("alt+t")
        desktop.desk.report(ThoughtFound(path, "g1", "New.", 40, 12, created=1.0, others=("g1", "g0")))
        await desktop.until(lambda: said(desktop, "thought") == "New.")
        assert "12 tokens (1 of 2)" in said(desktop, "title")
        await desktop.press("right")
        assert "newest" in said(desktop, "told")
        await desktop.press("left")
        await desktop.until(lambda: f"thought {path} g0" in desktop.desk.orders)
        await desktop.press("escape")
        assert desktop.app.screen is desktop.screen


async def test_why_there_is_none_is_told(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("alt+t")
        desktop.desk.report(ThoughtFound(desktop.page.chapter.path, why="No text was thought about."))
        await desktop.until(lambda: "thought about" in said(desktop, "told"))


def test_the_card_tells_of_a_thought_that_was_interrupted() -> None:
    offer = Offer("g", "c.md", None, False, 0.0, 0, 120, "", 3, 3, True, thinking=True)
    lines = card_lines(offer, "One", 60.0, None, 0)
    assert lines[1] == "Its thought is saved (120 tokens), and goes on; no text was written yet."
    assert "The engine" in lines[3]


async def test_alt_t_as_terminals_send_it_types_nothing(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        before = desktop.page.editor.text
        desktop.app._driver.send_message(events.Key("alt+t", "t"))  # type: ignore[union-attr]
        await desktop.until(lambda: isinstance(desktop.app.screen, ThoughtSheet))
        assert desktop.page.editor.text == before


async def test_a_thought_without_text_can_be_discarded(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        before = desktop.page.editor.text
        await thinking(desktop)
        desktop.desk.batch(0, "", "The storm")
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.page.resumable == "g1")
        desktop.page.editor.discard_generated()
        await desktop.until(lambda: "discard g1" in desktop.desk.orders)
        assert (desktop.page.resumable, desktop.page.editor.text) == ("", before)


def test_a_take_and_a_chapter_tell_that_they_are_thought_about() -> None:
    board = Board()
    board.heard(AsideBegun("t", "g", "c.md", "take", 1, 1), 0.0)
    board.heard(GenerationStarted("g", "c.md", 9, 0, 0, 0, 0, 0.1, thinking=True), 0.0)
    board.heard(BatchCommitted("g", 0, (1, 2), "", 2, True, "Not"), 0.1)
    assert board.state(TAKE) == "thinking, 2 tokens"
    board.heard(BatchCommitted("g", 1, (3,), "", 3), 0.2)
    board.heard(BatchCommitted("g", 2, (4,), "It", 4), 0.3)
    assert board.state(TAKE).startswith("written")
    assert board.live["g"].text == "It"

"""Rewriting on the screen: passage, menu, card with the difference, and what is taken of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk
from rewriting_author import NEW, PASSAGE, START, TEXT, Author
from textual.widgets import Input, OptionList

from writer.generation.rewriting import Kind
from writer.manuscript.model import Manuscript
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    GenerationFailed,
    GenerationFinished,
    GenerationPaused,
)
from writer.runtime.orders import AsideOrder, SaveOrder
from writer.runtime.rewriting import RewriteRequest
from writer.tui.rewriting.card import RewriteCard
from writer.tui.rewriting.menu import RewriteMenu
from writer.tui.screens.ask import Ask


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = make_novel(tmp_path)
    (novel.folder / novel.chapters[0].path).write_text(TEXT)
    return novel


async def test_without_a_selection_the_sentence_at_the_cursor_is_meant_and_selected(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await Author(desktop).shorten()
        request = desk.given(RewriteRequest)[0]
        assert (request.kind, request.text[request.start : request.end]) == (Kind.SHORTEN, PASSAGE)
        assert desktop.page.editor.sheet.selected_text() == PASSAGE
        assert desktop.page.editor.text == TEXT


async def test_tab_in_the_menu_takes_the_paragraph_and_the_sentence_again(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.page.editor.move_to(START + 3)
        await desktop.press("f12", "tab")
        assert desktop.page.editor.sheet.selected_text() == TEXT[7:]
        await desktop.press("tab")
        assert desktop.page.editor.sheet.selected_text() == TEXT[7:].split(". ")[0] + "."
        await desktop.press("escape")
        assert desktop.app.screen is desktop.screen


async def test_the_answer_streams_and_is_shown_as_a_difference_and_enter_takes_it_in_one_step(
    novel: Manuscript,
) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        author = Author(desktop)
        await author.shorten()
        author.begin()
        desk.report(BatchCommitted("r1", 0, (1,), "The ves", 1))
        await desktop.until(lambda: "The ves" in author.said("#answer Static"))
        assert "writing" in author.said(".title")
        assert desktop.page.editor.text == TEXT
        assert not desktop.screen.writing.busy
        desk.orders.clear()
        await author.card.run_action("decide('again')")
        await desktop.until(lambda: desk.given(RewriteRequest))
        await author.answer(generation="r2")
        assert "2 changes, 2 taken" in author.said(".title")
        assert "shipvessel" in author.said("#answer Static")
        await desktop.press("enter")
        await desktop.until(lambda: "choose r2" in desk.orders)
        assert desktop.app.screen is desktop.screen
        assert desktop.page.editor.text == TEXT.replace(PASSAGE, NEW)
        assert desk.given(SaveOrder)[-1].text == desktop.page.editor.text
        assert desk.orders.index("choose r2") > max(
            at for at, order in enumerate(desk.orders) if isinstance(order, SaveOrder)
        )
        assert {r.origin for r in desktop.page.editor.sheet.origins.ranges} == {"r2"}
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == TEXT


async def test_a_hunk_that_is_rejected_stays_as_it_was(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer()
        await desktop.press("down", "space")
        assert "2 changes, 1 taken" in author.said(".title")
        assert "[✗]" in author.said("#answer Static")
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert desktop.page.editor.text == TEXT.replace("ship", "vessel")


async def test_nothing_is_taken_where_all_is_rejected(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer()
        await desktop.press("space", "up", "space", "enter")
        await desktop.until(lambda: any("No change is taken" in each for each in desktop.told))
        await desktop.press("escape")
        assert desktop.page.editor.text == TEXT


async def test_left_and_right_go_through_the_answers_and_the_former_can_be_taken(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer()
        await desktop.press("a")
        await desktop.until(lambda: len(desk.given(RewriteRequest)) == 2)
        await author.answer("No one saw the ship.", "r2")
        assert "2 of 2" in author.said(".title")
        await desktop.press("left")
        assert "1 of 2" in author.said(".title")
        await desktop.press("enter")
        await desktop.until(lambda: "choose r1" in desk.orders)
        assert desktop.page.editor.text == TEXT.replace(PASSAGE, NEW)


async def test_the_place_follows_what_is_written_elsewhere_meanwhile(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer()
        await desktop.press("f12")
        assert desktop.app.screen is desktop.screen
        desktop.page.editor.move_to(7)
        await desktop.press("O", "h", ".", "space")
        await desktop.press("f12")
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert desktop.page.editor.text == TEXT.replace("It rained", "Oh. It rained").replace(PASSAGE, NEW)


async def test_a_passage_that_was_changed_meanwhile_is_compared_anew_and_told(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer()
        await desktop.press("f12")
        desktop.page.editor.move_to(TEXT.index("ship"))
        await desktop.press(*"big", "space")
        await desktop.press("f12")
        await desktop.until(lambda: "changed meanwhile" in author.said(".told"))
        assert "big ship" in author.said("#original Static")
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert desktop.page.editor.text == TEXT.replace(PASSAGE, NEW)
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == TEXT.replace("ship", "big ship")


async def test_a_wish_is_asked_for_and_is_there_the_next_time(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        for _ in range(2):
            desktop.page.editor.move_to(START)
            await desktop.press("f12", "w")
            await desktop.until(lambda: isinstance(desktop.app.screen, Ask))
            line = desktop.app.screen.query_one(Input)
            if not line.value:
                line.value = "gloomier"
            assert line.value == "gloomier"
            await desktop.press("enter")
            await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
            await desktop.press("escape")
        assert [each.wish for each in desk.given(RewriteRequest)] == ["gloomier", "gloomier"]


async def test_text_is_inserted_at_the_cursor(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        author = Author(desktop)
        desktop.page.editor.move_to(START)
        await desktop.press("f12", "i")
        await desktop.until(lambda: isinstance(desktop.app.screen, Ask))
        await desktop.press("enter")
        await desktop.until(lambda: desk.given(RewriteRequest))
        request = desk.given(RewriteRequest)[0]
        assert request.kind is Kind.INSERT
        assert request.start == request.end
        await author.answer("A bell rang.")
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert "A bell rang." in desktop.page.editor.text


async def test_the_authors_own_prompts_are_in_the_menu_and_their_answer_goes_behind_the_passage(
    novel: Manuscript,
) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.page.editor.move_to(START + 3)
        await desktop.press("f12")
        menu = desktop.app.screen
        await desktop.until(lambda: menu.query_one(OptionList).option_count == 10)
        await desktop.press("end", "up", "enter")  # Brainstorm, Describe, Dialogue
        await desktop.until(lambda: desk.given(AsideOrder))
        order = desk.given(AsideOrder)[0]
        assert (order.role, order.instruction) == ("idea", "Describe")
        assert order.prompt is not None
        assert PASSAGE in order.prompt.messages[-1].content
        desk.report(AsideBegun(order.tag, "i1", order.chapter, "idea", 1, 1))
        desk.report(BatchCommitted("i1", 0, (1,), "Salt and tar.", 1))
        desk.report(GenerationFinished("i1", 1, "stop"))
        author = Author(desktop)
        await desktop.until(lambda: "1 taken" in author.said(".title"))
        await desktop.press("enter")
        await desktop.until(lambda: "choose i1" in desk.orders)
        assert f"{PASSAGE}\n\nSalt and tar.\n\n Then" in desktop.page.editor.text


async def test_escape_stops_what_is_written_and_it_stays_among_the_takes(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        author = Author(desktop)
        await author.shorten()
        await desktop.press("escape")
        author.begin()
        await desktop.until(lambda: "pause r1" in desk.orders)
        desk.report(GenerationPaused("r1", 0))
        await desktop.until(lambda: "keep r1" in desk.orders)
        assert desktop.page.editor.text == TEXT
        await desktop.press("f12")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteMenu))


async def test_a_refusal_is_told_on_the_card_and_does_not_touch_what_else_is_written(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.screen.writing.busy)
        desk.begin()
        author = Author(desktop)
        await author.shorten()
        tag = desk.given(RewriteRequest)[0].tag
        desk.report(GenerationFailed("", 0, "The model cannot do it.", "", tag))
        await desktop.until(lambda: "cannot do it" in author.said(".told"))
        assert desktop.screen.writing.busy
        desk.batch(0, " And so")
        await desktop.until(lambda: desktop.page.editor.text.endswith(" And so"))


async def test_what_a_model_writes_cannot_reach_the_terminal_raw(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer("A \x1b]0;x\x07 [red]ship[/] came.")
        assert "\x1b" not in author.said("#answer Static")
        assert "[red]" in author.said("#answer Static")


async def test_the_card_stands_below_in_a_narrow_window(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        author = Author(desktop)
        await author.shorten()
        await author.answer()
        assert author.card.query_one("#original").region.right <= author.card.query_one("#answer").region.x
        await desktop.pilot.resize_terminal(60, 20)
        below = lambda: author.card.query_one("#original").region.bottom <= author.card.query_one("#answer").region.y  # noqa: E731
        await desktop.until(below)

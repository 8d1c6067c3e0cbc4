"""The inspector, the context meter, and what is told of what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from a_plan import full, plan
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual.widgets import OptionList, Static

from writer.manuscript.model import Manuscript
from writer.runtime.events import GenerationFailed, PromptPlanned, PromptShown
from writer.runtime.orders import DraftOrder
from writer.tui.editor.widget import Editor
from writer.tui.prompt.inspector import Inspector, InspectorSheet
from writer.tui.prompt.request_sheet import RequestSheet

REQUEST = "<|im_start|>system\nInstructions\n\n## Mara\n\nShe keeps the light.<|im_end|>\nIt rained."


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def shown(novel: Manuscript, cached: int = 0) -> PromptShown:
    return PromptShown(novel.chapters[0].path, plan(), REQUEST, 1300, cached)


def inspector(desktop: Desktop) -> Inspector:
    return desktop.app.screen.query_one(Inspector)


def said(desktop: Desktop, part: str) -> str:
    return str(inspector(desktop).query_one(f".{part}", Static).visual)


def lines(desktop: Desktop) -> list[str]:
    return [str(option.prompt) for option in inspector(desktop).query_one(OptionList).options]


async def open_inspector(desktop: Desktop, width: int) -> None:
    await desktop.pilot.resize_terminal(width, 30)
    await desktop.press("f6")
    await desktop.until(lambda: desktop.desk.plans)


async def test_the_plan_is_shown_part_by_part_beside_the_text(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await open_inspector(desktop, 130)
        assert desk.plans[0].text == desktop.page.editor.text
        assert "planning" in said(desktop, "head")
        desk.report(shown(novel, cached=500))
        await desktop.until(lambda: lines(desktop))
        assert desktop.app.screen is desktop.screen
        assert [line.split()[-1] for line in lines(desktop)] == ["cached", "cached", "out", "cached", "partly", "new"]
        assert "1,300 tokens of 8,192" in said(desktop, "totals")
        await desktop.press("down", "down")
        assert "since it has 5,000 tokens" in said(desktop, "about")
        await desktop.press("escape")
        assert desktop.page.editor.has_focus
        await desktop.press("f6")
        assert not desktop.screen.query(Inspector)


async def test_in_a_narrow_window_it_is_a_sheet_of_its_own(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await open_inspector(desktop, 60)
        assert isinstance(desktop.app.screen, InspectorSheet)
        desk.report(shown(novel))
        await desktop.until(lambda: lines(desktop))
        await desktop.press("r")
        await desktop.until(lambda: len(desk.plans) == 2)
        await desktop.press("f6")
        assert desktop.app.screen is desktop.screen
        await desktop.press("f6")
        await desktop.until(lambda: isinstance(desktop.app.screen, InspectorSheet))


async def test_it_gives_its_place_back_when_the_window_becomes_narrow(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await open_inspector(desktop, 130)
        await desktop.pilot.resize_terminal(80, 24)
        await desktop.until(lambda: not desktop.screen.query(Inspector))
        await desktop.press("f6")
        await desktop.until(lambda: isinstance(desktop.app.screen, InspectorSheet))


async def test_enter_shows_the_very_text_at_that_part_and_nothing_of_it_can_be_changed(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await open_inspector(desktop, 130)
        desk.report(shown(novel))
        await desktop.until(lambda: lines(desktop))
        await desktop.press("down", "enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, RequestSheet))
        editor = desktop.app.screen.query_one(Editor)
        assert editor.text == REQUEST
        assert editor.cursor == REQUEST.index("## Mara")
        await desktop.press("x", "backspace", "ctrl+v")
        assert editor.text == REQUEST
        await desktop.press("escape")
        assert desktop.app.screen is desktop.screen


async def test_what_is_not_known_yet_is_said_with_the_next_step(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await open_inspector(desktop, 130)
        desk.report(PromptShown(novel.chapters[0].path, None, why="Not known yet: the model has not been looked at."))
        await desktop.until(lambda: "Not known yet" in said(desktop, "about"))
        await desktop.press("enter")
        assert desktop.app.screen is desktop.screen


async def test_it_is_planned_anew_after_each_request_and_for_another_chapter(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await open_inspector(desktop, 130)
        desk.report(shown(novel))
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desk.given(DraftOrder))
        desk.begin(cached=5)
        await desktop.until(lambda: "had 5 of 7 tokens cached" in said(desktop, "totals"))
        desk.batch(0, " Then")
        desk.finish()
        await desktop.until(lambda: len(desk.plans) == 2)
        assert desk.plans[1].text.endswith(" Then")
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desk.plans[-1].chapter == novel.chapters[1].path)


async def test_a_plan_that_fails_is_not_asked_for_again_and_again(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await open_inspector(desktop, 130)
        desk.report(GenerationFailed("", 0, "Something went wrong inside writer; your text is saved."))
        await desktop.until(lambda: desktop.told)
        assert len(desk.plans) == 1


async def test_the_meter_is_brought_up_to_date_after_a_request_without_the_inspector(novel: Manuscript) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desk.given(DraftOrder))
        desk.begin()
        desk.batch(0, " Then")
        desk.finish()
        await desktop.until(lambda: desk.plans)
        desk.report(PromptShown(path, full(0.5)))
        await desktop.until(lambda: "context 50 %" in desktop.status)


async def test_the_status_line_says_how_full_the_window_is(novel: Manuscript) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        assert "context" not in desktop.status
        desk.report(PromptPlanned(path, full(0.62)))
        await desktop.until(lambda: "context 62 %" in desktop.status)
        desk.report(PromptPlanned(path, full(0.97)))
        await desktop.until(lambda: "▲ context 97 %, next out: the beginning" in desktop.status)


async def test_what_is_left_out_is_told_once_for_each_change(novel: Manuscript) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        for each in (plan(), plan(), full(0.5), plan()):
            desk.report(PromptPlanned(path, each))
        await desktop.until(lambda: len(desktop.told) == 2)
        assert all("almanac" in sentence for sentence in desktop.told)

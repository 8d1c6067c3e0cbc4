"""Words of the day and of a chapter against their goals: in the status line, and as a chart."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from desktop import make_novel, rested, running
from fake_desk import FakeDesk

from writer import locations
from writer.manuscript.model import Manuscript
from writer.manuscript.word_history import Count, WordHistory, today
from writer.tui.book.days_sheet import DaysSheet, chart
from writer.tui.book.goals import Day
from writer.tui.screens import book_actions


@pytest.fixture
def novel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manuscript:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(book_actions, "_COUNTED", 0.05)
    return make_novel(tmp_path)


def say(novel: Manuscript, said: str) -> None:
    with novel.settings_file.open("a") as file:
        file.write(said)


async def test_todays_words_stand_in_the_status_line_and_grow_while_typing(novel: Manuscript) -> None:
    history = WordHistory(locations.state_dir(novel.id))
    history.note(novel.chapters[0].path, 2, day="2020-01-01")
    history.note(novel.chapters[0].path, 7)
    history.note(novel.chapters[1].path, 40, new=True)
    say(novel, "[goals]\nday = 47\n")
    async with running(novel, FakeDesk()) as desktop:
        await desktop.until(lambda: "45 of 47 today" in desktop.status)
        await desktop.press(*"Two words ")
        await desktop.until(lambda: "47 of 47 today ✓" in desktop.status)


async def test_without_a_goal_nothing_is_told(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.until(lambda: desktop.screen._day)
        desktop.screen.show_state()
        assert "today" not in desktop.status


async def test_a_chapters_goal_stands_beside_its_words(novel: Manuscript) -> None:
    say(novel, f'[chapter."{novel.chapters[0].path}"]\ngoal = 3000\n')
    async with running(novel, FakeDesk()) as desktop:
        await desktop.until(lambda: "7 of 3,000 words" in desktop.status)


async def test_settings_that_cannot_be_read_are_told_once(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        say(novel, "[goals]\nday = -1\n")
        for _ in range(3):
            desktop.screen.read_facts()
            await rested(desktop.app)
        await desktop.until(lambda: desktop.told)
        assert len([told for told in desktop.told if "whole number" in told]) == 1


async def test_the_chart_is_shown(novel: Manuscript) -> None:
    WordHistory(locations.state_dir(novel.id)).note(novel.chapters[0].path, 812, new=True)
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.action_days()
        await desktop.until(lambda: isinstance(desktop.app.screen, DaysSheet))
        sheet = desktop.app.screen
        assert isinstance(sheet, DaysSheet)
        await desktop.until(lambda: "812" in str(sheet._chart.content))
        await desktop.press("escape")
        assert desktop.app.screen is desktop.screen


def test_the_chart_has_a_line_for_every_day_also_for_those_without_words() -> None:
    lines = list(chart({"2026-11-26": 500, "2026-11-29": 1000, "2026-11-28": -20}, "2026-11-29", 600, 67))
    assert lines == [
        f"Sun 2026-11-29     1,000 ✓ {'█' * 40}",
        "Sat 2026-11-28       -20",
        "Fri 2026-11-27         0",
        f"Thu 2026-11-26       500   {'█' * 20}",
        "",
        "1,480 words in 4 days, 370 a day.",
    ]


def test_no_history_is_no_chart() -> None:
    assert list(chart({}, "2026-11-29", 0, 60)) == []


def test_only_the_last_four_weeks_are_shown() -> None:
    start = datetime.date(2026, 1, 1)
    days = {(start + datetime.timedelta(days=n)).isoformat(): 10 for n in range(90)}
    lines = list(chart(days, "2026-03-31", 0, 10))
    assert len(lines) == 30
    assert "280 words in 28 days" in lines[-1]


def test_a_chapter_that_is_not_counted_yet_stands_with_what_was_saved() -> None:
    day = Day(today(), 100, {"a": Count(today(), "a", 30, 10), "b": Count(today(), "b", 5, 5)})
    assert day.written({}) == 20
    assert day.written({"a": 60}) == 50
    assert day.told({"b": 90}) == "105 of 100 today ✓"

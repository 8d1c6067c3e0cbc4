"""What is typed at once is not lost: the question may not have taken the focus yet."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk
from textual import events
from textual.widgets import Input

from writer.manuscript.model import Manuscript
from writer.tui.screens.ask import Ask
from writer.tui.takes.asking import AskTakes

ENTER = ("enter", "\r")


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def test_a_count_that_is_typed_at_once_is_taken(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        answers: list[tuple[int, str] | None] = []
        desktop.app.push_screen(AskTakes("here"), answers.append)
        for key, character in (("4", "4"), ENTER):
            desktop.app.post_message(events.Key(key, character))
        await desktop.until(lambda: answers)
        assert answers == [(4, "")]


async def test_a_line_that_is_typed_at_once_is_whole(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        answers: list[str | None] = []
        desktop.app.push_screen(Ask("What?", "Enter."), answers.append)
        for key, character in (("a", "a"), ("b", "b"), ("c", "c"), ENTER):
            desktop.app.post_message(events.Key(key, character))
        await desktop.until(lambda: answers)
        assert answers == ["abc"]


async def test_a_digit_takes_the_place_of_the_one_that_stands_there(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.app.push_screen(AskTakes("here"))
        await desktop.until(lambda: desktop.app.screen.focused is not None)
        await desktop.press("end", "5", "x", "0", "7")
        assert desktop.app.screen.query_one("#count", Input).value == "7"

"""Pause and free the GPU in the app: a key, a command, and a status line that says what comes."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual import events

from writer.engine.base import EngineStatus
from writer.manuscript.model import Manuscript
from writer.runtime.events import EngineProgressed
from writer.tui.screens.resume import engine_line

SENTENCE = "GPU free (0.2 s): writing wakes the engine"


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def offered(desktop: Desktop) -> list[str]:
    return [name for name, _, _ in desktop.screen.freeing_commands()]


async def test_the_key_frees_the_gpu_and_the_status_line_says_so(novel: Manuscript) -> None:
    desk = FakeDesk(engine=EngineStatus("ready", can_sleep=True))
    async with running(novel, desk) as desktop:
        assert offered(desktop) == ["Pause and free the GPU"]
        await desktop.press("alt+p")
        assert "free the GPU" in desk.orders
        desk.report(EngineProgressed(EngineStatus("asleep", sentence=SENTENCE, can_sleep=True)))
        await desktop.until(lambda: SENTENCE in desktop.status)
        assert offered(desktop) == []
        desk.report(EngineProgressed(EngineStatus("ready", can_sleep=True)))
        await desktop.until(lambda: SENTENCE not in desktop.status)


async def test_what_is_being_written_is_paused_with_it(novel: Manuscript) -> None:
    desk = FakeDesk(engine=EngineStatus("ready", can_sleep=True))
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        await desktop.until(lambda: bool(desktop.screen.writings.busy))
        await desktop.press("alt+p")
        await desktop.until(lambda: "Pausing" in desktop.status)


async def test_a_terminals_alt_key_is_a_command_and_no_letter(novel: Manuscript) -> None:
    desk = FakeDesk(engine=EngineStatus("ready", can_sleep=True))
    async with running(novel, desk) as desktop:
        before = desktop.page.editor.text
        desktop.page.editor.focus()
        desktop.app.post_message(events.Key("alt+p", "p"))  # as Textual reads ESC p: with its letter
        await desktop.until(lambda: "free the GPU" in desk.orders)
        assert desktop.page.editor.text == before


async def test_it_is_not_offered_without_a_gpu(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        assert offered(desktop) == []


def test_the_card_at_the_start_knows_an_engine_that_sleeps() -> None:
    assert "Continue wakes it" in engine_line(EngineStatus("asleep", can_sleep=True))

"""Titles, texts and settings from strangers on the screens of the prompt: none of them steers the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from a_plan import part, plan
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual.widgets import OptionList, Static

from writer.generation.plan_parts import Kind
from writer.manuscript.model import Manuscript
from writer.runtime.events import PromptPlanned, PromptShown
from writer.tui.prompt.inspector import Inspector
from writer.tui.prompt.request_sheet import RequestSheet

EVIL = "x\x1b]52;c;aGk=\x07\x9b31m\u202e[bold red]y[/]"
UNSAFE = ("\x1b", "\x07", "\x9b", "\u202e")


@pytest.fixture
def novel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manuscript:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return make_novel(tmp_path)


def looks_safe(desktop: Desktop) -> None:
    shown = "".join(
        segment.text for strip in desktop.app.screen._compositor.render_strips() for segment in strip if segment.text
    )
    assert "x" in shown
    assert [each for each in UNSAFE if each in shown] == []


async def test_a_strangers_notes_in_the_inspector_and_the_request(novel: Manuscript) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    evil = replace(plan((part(Kind.NOTE, EVIL, 0, 50, EVIL, why=f"{EVIL}: left out."),)), notes=(EVIL,))
    async with running(novel, desk) as desktop:
        desk.report(PromptPlanned(path, evil))
        await desktop.until(lambda: desktop.told)
        looks_safe(desktop)
        await desktop.pilot.resize_terminal(130, 30)
        await desktop.press("f6")
        desk.report(PromptShown(path, evil, EVIL, 5))
        await desktop.until(lambda: desktop.screen.query_one(Inspector).query_one(OptionList).option_count)
        looks_safe(desktop)
        assert "[bold red]" in str(desktop.screen.query_one(Inspector).query_one(".about", Static).visual)
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, RequestSheet))
        await desktop.pilot.pause()
        looks_safe(desktop)
        await desktop.press("escape")
        desk.report(PromptShown(path, None, why=EVIL))
        await desktop.pilot.pause()
        looks_safe(desktop)


async def test_a_strangers_settings_on_the_sampling_sheet(novel: Manuscript) -> None:
    with novel.settings_file.open("a", encoding="utf-8") as file:
        file.write('[settings.writing]\nstop = ["x\\u001b]52;c;aGk=\\u0007\\u009b31m\\u202e[bold red]y[/]"]\n')
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("f5")
        await desktop.until(lambda: desktop.app.screen.query_one(OptionList).option_count)
        rows = desktop.app.screen.query_one(OptionList)
        rows.highlighted = rows.get_option_index("stop")
        await desktop.pilot.pause()
        looks_safe(desktop)
        await desktop.press("enter")
        await desktop.pilot.pause()
        looks_safe(desktop)

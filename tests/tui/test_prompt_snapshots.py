"""What the screens of the prompt look like, picture by picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from a_plan import plan
from desktop import make_novel
from fake_desk import FakeDesk
from test_snapshots import same, shown
from textual.widgets import OptionList

from writer.manuscript.model import Manuscript
from writer.runtime.events import PromptShown
from writer.tui.prompt.inspector import Inspector


@pytest.fixture
def novel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manuscript:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return make_novel(tmp_path)


async def test_the_inspector_beside_the_text(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with shown(novel, desk, (120, 24)) as desktop:
        await desktop.press("f6")
        desk.report(PromptShown(novel.chapters[0].path, plan(), "It rained.", 1300, 500))
        await desktop.until(lambda: desktop.screen.query_one(Inspector).query_one(OptionList).option_count)
        await desktop.press("down", "down")
        await same("inspector", desktop)


async def test_the_sampling_sheet_in_a_small_window(novel: Manuscript) -> None:
    async with shown(novel, FakeDesk(), (60, 20)) as desktop:
        await desktop.press("f5")
        await desktop.until(lambda: desktop.app.screen.query_one(OptionList).option_count)
        await desktop.press("down", "down", "enter")
        await same("sampling", desktop)
